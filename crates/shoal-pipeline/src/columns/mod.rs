//! What all shapes that have columns share: a policy bound to them, their hierarchies, and what is published of them.

mod alike;
mod bind;
mod hierarchies;
mod identifying;
mod named;
mod persons;
mod plan;
mod published;
mod ranges;
mod recoded;
mod sample;

pub(crate) use alike::with_alike_merged;
pub(crate) use bind::{Bound, bind, check_columns, parser};
pub(crate) use hierarchies::with_hierarchies;
pub(crate) use identifying::identifying;
pub use identifying::{Combination, Identifying};
pub(crate) use named::named_columns;
pub(crate) use persons::{persons_of_texts, with_one_name_each};
pub(crate) use plan::column_plan;
pub use plan::{ColumnPlan, HierarchyPlan};
pub(crate) use published::{check_untouched, quasi_columns, read_published, read_table_back, stage_table};
pub(crate) use ranges::{in_one_column, note as ranges_note, with_plain_values};
pub(crate) use recoded::{
    Composed, EarlierTexts, published_columns, published_columns_with, reordered, reordered_codes,
};
pub(crate) use sample::{Units, sample};
