//! Tables: one record a person, or several where the policy names the person.

mod algorithm;
mod alike;
mod bind;
mod check;
mod compose;
mod load;
mod person;
mod promises;
mod releases;
mod road;
mod secret;
mod verbs;

pub(crate) use algorithm::with_hierarchies;
pub(crate) use alike::with_alike_merged;
pub(crate) use bind::{Bound, bind, check_columns, read_hierarchy};
pub use check::{ColumnPlan, TablePlan};
pub(crate) use check::{check, column_plan};
pub(crate) use compose::{Composed, published_columns, reordered, reordered_codes};
pub use load::load;
pub(crate) use releases::History;
pub use releases::{ColumnTogether, Together};
pub(crate) use road::{check_untouched, quasi_columns, read_back, walk, write_options};
pub use verbs::{TableMeasured, TableVerified};
pub(crate) use verbs::{measure, verify};
