//! The command line's side: policies, data and releases that are files.
//!
//! Everything about paths, overwriting, report folders and key files is here. The rest of the crate takes a
//! [`Request`](crate::Request), a [`Source`](crate::Source) and a [`Sink`](crate::Sink).

mod assets;
mod audit;
mod compare;
mod containers;
mod job;
mod key_file;
mod memory;
mod released;
mod run;
mod sink;
mod stream;
mod table_key;
mod targets;
mod trial;
mod verbs;

pub use compare::{CompareOptions, Comparison, choose, compare, compare_folder};
pub use containers::unjudged;
pub use job::Job;
pub use key_file::{KeyFile, KeyFileError};
pub use released::{audit_of, other_settings};
pub use run::{Outcome, RunOptions, run};
pub use sink::{FileSink, StagedFile};
pub use stream::{learned_prior, read_prior, state_folder};
pub use trial::trial;
pub use verbs::{VerifyOptions, check, load, measure, verify, verify_with};
