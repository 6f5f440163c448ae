//! PostgreSQL as source and as the place of a release, with a real server that each test starts in a folder of its own.
#![cfg(target_os = "linux")]

#[path = "../cli/project.rs"]
#[allow(dead_code, reason = "shared with the tests of files")]
mod project;

mod clinic;
mod credentials;
mod failures;
mod killed;
mod sink;
mod source;
mod tls;
