//! Minimal distortion (thesis §2.6): how many cells were made less specific.

use shoal_core::{Column, PublishedValue};

use super::Published;

/// For each quasi-identifier |{cells that no longer name one value}|, the cells of suppressed records
/// included. The total is the sum.
pub fn by_column(published: &Published<'_>) -> Vec<u64> {
    let left_out = published.left_out();
    let distorted = |column: &crate::QuasiColumn<'_>| {
        let cells = column.values.iter().filter(|(value, _)| !names_one_value(value, column.original));
        cells.map(|(_, count)| count).sum::<u64>() + left_out
    };
    published.quasi.iter().map(distorted).collect()
}

/// Whether a cell still says which value it stands for: an exact value, `[5, 5]`, `{a}`, or a node above a
/// single leaf.
fn names_one_value(value: &PublishedValue, column: &Column) -> bool {
    match value {
        PublishedValue::Exact(_) => true,
        PublishedValue::Range { lo, hi } => lo == hi,
        PublishedValue::Set(codes) => codes.len() == 1,
        PublishedValue::Node(node) => {
            column.hierarchy.as_ref().is_some_and(|bound| bound.tree().leaves_below(*node).len() == 1)
        }
        PublishedValue::Suppressed => false,
    }
}
