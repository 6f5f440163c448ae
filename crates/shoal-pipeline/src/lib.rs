//! Binds a policy to a dataset and walks the road once: read, anonymize, verify, measure, release.
//!
//! The fronts (the command line now; web and Python later) call [`run`], [`check`], [`verify`] and
//! [`measure`] and turn what comes back into prose. Nothing here prints.

mod algorithm;
mod bind;
mod check;
mod compose;
mod error;
mod job;
mod load;
pub mod propose;
mod report;
mod run;
mod targets;
mod verbs;

pub use check::{ColumnPlan, Plan, check};
pub use error::{PipelineError, ValueAt};
pub use job::Job;
pub use load::load;
pub use report::{ReleaseFile, Report, Seconds};
pub use run::{Outcome, RunOptions, run};
pub use verbs::{Measured, Verified, measure, verify};
