//! Tables: one record a person, or several where the policy names the person.

mod algorithm;
mod attack;
mod cells;
mod check;
mod compose;
mod estimate;
mod explain;
mod load;
mod models;
mod person;
mod population;
mod releases;
mod run;
mod verbs;

pub(crate) use attack::attack;
pub use cells::{JudgedCells, judge_cells};
pub use check::TablePlan;
pub(crate) use check::check;
pub use estimate::{Estimate, EstimatedLoss};
pub(crate) use explain::explain;
pub use explain::{ClassExplanation, TableExplanation};
pub use load::load;
pub(crate) use models::models;
pub(crate) use person::{repeated_identifiers, same_person};
pub use population::parse_population;
pub(crate) use population::population;
pub use releases::Together;
pub(crate) use releases::{absent, people};
pub(crate) use run::run;
pub use verbs::{TableMeasured, TableVerified};
pub(crate) use verbs::{measure, verify};
