//! Tables: one record a person.

mod algorithm;
mod bind;
mod check;
mod compose;
mod load;
mod road;
mod verbs;

pub(crate) use bind::read_hierarchy;
pub(crate) use check::check;
pub use check::{ColumnPlan, TablePlan};
pub(crate) use compose::reordered;
pub use load::load;
pub(crate) use road::{check_untouched, walk};
pub use verbs::{TableMeasured, TableVerified};
pub(crate) use verbs::{measure, verify};
