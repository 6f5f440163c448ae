//! Tables: one record a person, or several where the policy names the person.

mod algorithm;
mod alike;
mod bind;
mod check;
mod compose;
mod key;
mod load;
mod person;
mod promises;
mod releases;
mod run;
mod verbs;
mod whose;

pub(crate) use algorithm::with_hierarchies;
pub(crate) use alike::with_alike_merged;
pub(crate) use bind::{Bound, bind, check_columns};
pub use check::{ColumnPlan, TablePlan};
pub(crate) use check::{check, column_plan};
pub(crate) use compose::{Composed, published_columns, reordered, reordered_codes};
pub use load::load;
pub use releases::{ColumnTogether, Together};
pub(crate) use run::{check_untouched, column_forms, quasi_columns, read_table_back, run};
pub use verbs::{TableMeasured, TableVerified};
pub(crate) use verbs::{measure, verify};
