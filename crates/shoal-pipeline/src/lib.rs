//! Binds a policy to a dataset and walks the road once: read, anonymize, verify, measure, release.
//!
//! The fronts (the command line now; web and Python later) call [`run`], [`check`], [`verify`] and
//! [`measure`] and turn what comes back into prose. Nothing here prints.

pub mod audit;
mod containers;
mod deadline;
mod discreet;
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
mod truth;
mod verbs;

pub use audit::Audit;
pub use containers::unjudged;
pub use discreet::without_quotes;
pub use error::{PipelineError, ValueAt};
pub use job::Job;
pub use leaks::Leak;
pub use report::{Loss, Report, Risk, Seconds};
pub use run::{Outcome, RunOptions, run};
pub use shoal_algorithms::sequences::Work;
pub use shoal_algorithms::table::ribbon::{Account, Construction};
pub use truth::AgainstOriginal;
pub use verbs::{Measured, Plan, Verified, VerifyOptions, check, measure, verify, verify_with};
