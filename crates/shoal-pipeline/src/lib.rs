//! Binds a policy to data and runs it: read, anonymize, stage, verify what was staged, measure, publish.
//!
//! The fronts (the command line now; web and Python later) make a [`Request`], a [`Source`] and a [`Sink`], call [`run`],
//! [`check()`], [`verify`] and [`measure`], and turn what comes back into prose. Nothing here prints, and nothing outside
//! [`files`] knows a path. [`files`] is the same for policies, data and releases that are files.
//!
//! All of it on a page (`examples/in_memory.rs`):
//!
//! ```
#![doc = include_str!("../examples/in_memory.rs")]
//! ```

mod attack;
pub mod audit;
mod batches;
mod columns;
pub mod compare;
mod copy;
mod database;
mod deadline;
mod earlier;
mod error;
pub mod files;
mod leaks;
mod markup;
mod phases;
pub mod propose;
mod redaction;
mod release_key;
mod report;
mod request;
mod run;
pub mod sequences;
mod sink;
mod source;
pub mod stream;
pub mod table;
mod terms;
pub mod transactions;
mod truth;
mod verbs;

pub use attack::{Attacked, attack};
pub use audit::Audit;
pub use batches::{BatchSink, BatchSource, StagedBatches};
pub use columns::{ColumnPlan, Combination, HierarchyPlan, Identifying};
pub use database::TableSink;
pub use earlier::{EarlierReleases, EarlierSource};
pub use error::{PipelineError, ValueAt};
pub use leaks::{Leak, LeakKind, LeftOut, Remedy, Unit, UnknownCohorts, said_once};
pub use release_key::ReleaseKey;
pub use report::{About, FileLoss, Loss, Outgoing, Report, Risk, Seconds};
pub use request::{Assets, ItemList, ItemWeights, Request};
pub use run::{Release, run};
pub use shoal_algorithms::{Construction, Counts, OutlierCost, Round, Search, Trace};
pub use sink::{Sink, StagedData};
pub use source::{Source, WantedColumns};
pub use terms::{section_of, terms};
pub use truth::AgainstOriginal;
pub use verbs::{
    Explained, Explanation, Measured, Plan, Verified, VerifiedFile, check, explain, measure, verify,
};
