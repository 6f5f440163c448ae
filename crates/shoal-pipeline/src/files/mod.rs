//! The command line's side: policies, data and releases that are files.
//!
//! Everything about paths, overwriting, report folders and key files is here. The rest of the crate takes a
//! [`Request`](crate::Request), a [`Source`](crate::Source) and a [`Sink`](crate::Sink).

mod assets;
mod containers;
mod job;
mod memory;
mod run;
mod sink;
mod table_key;
mod targets;
mod verbs;

pub(crate) use assets::read_hierarchy;
pub use containers::unjudged;
pub use job::Job;
pub use run::{Outcome, RunOptions, run};
pub use sink::{FileSink, StagedFile};
pub use verbs::{VerifyOptions, check, load, measure, verify, verify_with};
