//! What all shapes that have columns share: a policy bound to them, their hierarchies, and what is published of them.

mod alike;
mod bind;
mod hierarchies;
mod persons;
mod plan;
mod published;
mod recoded;

pub(crate) use alike::with_alike_merged;
pub(crate) use bind::{Bound, bind, check_columns, parser};
pub(crate) use hierarchies::with_hierarchies;
pub(crate) use persons::persons_of_texts;
pub use plan::ColumnPlan;
pub(crate) use plan::column_plan;
pub(crate) use published::{check_untouched, column_forms, quasi_columns, read_table_back};
pub(crate) use recoded::{Composed, published_columns, reordered, reordered_codes};
