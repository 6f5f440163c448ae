//! Normalized certainty penalty (thesis equations 2-3 and 2-4).

use shoal_core::{Column, PublishedValue};

use super::Published;
use crate::table::quasi::cardinality;

/// Σ w_A · NCP_A / Σ w_A over the quasi-identifiers A with their weights w_A. In [0, 1].
pub fn total(published: &Published<'_>) -> f64 {
    let weights: f64 = published.quasi.iter().map(|column| column.original.weight).sum();
    if weights == 0.0 {
        return 0.0;
    }
    let weighted = published.quasi.iter().zip(by_column(published));
    weighted.map(|(column, ncp)| column.original.weight * ncp).sum::<f64>() / weights
}

/// NCP_A = Σ NCP(cell) / |D| for each quasi-identifier A, where the cell of a suppressed record is 1.
pub fn by_column(published: &Published<'_>) -> Vec<f64> {
    let left_out = published.left_out();
    published.quasi.iter().map(|column| published.mean(column.sum(left_out, 1.0, cell))).collect()
}

/// How uncertain a published cell leaves its value:
///
/// - exact: 0;
/// - range: (hi − lo) / (max − min), the range cut to the domain; 0 when the domain is one point;
/// - set: 0 if it has one value, else distinct / cardinality;
/// - node: 0 if one leaf is below it, else leaves(node) / leaves(root);
/// - `*`: 1.
///
/// The cardinality of a column with a hierarchy is its number of leaves.
pub fn cell(value: &PublishedValue, column: &Column) -> f64 {
    let share = |values: usize| match values {
        1 => 0.0,
        _ => values as f64 / cardinality(column) as f64,
    };
    match value {
        PublishedValue::Exact(_) => 0.0,
        PublishedValue::Range { lo, hi } => range(*lo, *hi, column),
        PublishedValue::Set(codes) => share(codes.len()),
        PublishedValue::Node(node) => {
            column.hierarchy.as_ref().map_or(1.0, |bound| share(bound.tree().leaves_below(*node).len()))
        }
        PublishedValue::Suppressed => 1.0,
    }
}

fn range(lo: f64, hi: f64, column: &Column) -> f64 {
    let span = column.domain.span();
    match column.domain.positions() {
        [min, .., max] if span > 0.0 => ((hi.min(*max) - lo.max(*min)) / span).max(0.0),
        _ => 0.0,
    }
}
