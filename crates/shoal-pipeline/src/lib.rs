//! Binds a policy to a dataset and walks the road once: read, anonymize, verify, measure, release.
//!
//! The fronts (the command line now; web and Python later) call [`run`], [`check`], [`verify`] and
//! [`measure`] and turn what comes back into prose. Nothing here prints.

mod containers;
mod deadline;
mod error;
mod job;
mod leaks;
mod order;
mod phases;
pub mod propose;
mod report;
mod run;
pub mod sequences;
pub mod stream;
pub mod table;
mod targets;
pub mod transactions;
mod verbs;

pub use containers::unjudged;
pub use error::{PipelineError, ValueAt};
pub use job::Job;
pub use leaks::Leak;
pub use report::{Loss, ReleaseFile, Report, Risk, Seconds};
pub use run::{Outcome, RunOptions, run};
pub use shoal_algorithms::sequence::Work;
pub use shoal_algorithms::table::ribbon::{Account, Construction};
pub use verbs::{Measured, Plan, Verified, check, measure, verify};
