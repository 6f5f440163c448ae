//! The command line's side: policies, data and releases that are files.
//!
//! Everything about paths, overwriting, report folders and key files is here. The rest of the crate takes a
//! [`Request`](crate::Request), a [`Source`](crate::Source) and a [`Sink`](crate::Sink).

mod apply;
mod assets;
mod attack;
mod audit;
mod beside;
mod coarser;
mod compare;
mod containers;
mod job;
mod key_file;
mod memory;
mod release_key;
mod released;
mod report;
mod run;
mod save;
mod sink;
mod stream;
mod targets;
mod trial;
mod verbs;
mod what_if;

pub use apply::{apply, open_applied};
pub use attack::{attack, write_people};
pub use beside::hierarchies_beside;
pub use compare::{CompareOptions, Comparison, choose, compare, compare_folder};
pub use containers::unjudged;
pub use job::Job;
pub use key_file::{KeyFile, KeyFileError};
pub use released::{audit_of, other_settings};
pub use report::{Reported, report};
pub use run::{Outcome, RunOptions, audit_path, open_audit, published_earlier, run};
pub use save::{SavedFile, save, saved_audit};
pub use sink::{FileSink, StagedFile};
pub use stream::{learned_prior, read_prior, state_folder};
pub use trial::trial;
pub use verbs::{VerifyOptions, check, explain, load, measure, verify, verify_with};
pub use what_if::{WhatIf, WhatIfOutcome, what_if};
