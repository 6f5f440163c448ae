//! CBMSA and its baseline: a slow twin, properties, the paper's example, bad input.

mod data;
mod errors;
mod paper;
mod properties;
mod slow;
mod slow_improvement;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
mod twin;
