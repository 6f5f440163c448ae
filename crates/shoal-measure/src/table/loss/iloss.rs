//! ILoss (thesis equation 2-2).

use shoal_core::{Column, PublishedValue};

use super::Published;
use crate::table::quasi::cardinality;

/// The mean of ILoss(cell) over all quasi-identifier cells of the original, suppressed ones included.
pub fn total(published: &Published<'_>) -> f64 {
    let left_out = published.left_out();
    let columns = published.quasi.iter().map(|column| {
        let suppressed = cell(&PublishedValue::Suppressed, column.original);
        published.mean(column.sum(left_out, suppressed, cell))
    });
    columns.sum::<f64>() / published.quasi.len().max(1) as f64
}

/// (|v| − 1) / |D_A|, where |v| is the number of domain values that the cell covers (of a range: those
/// inside it; of a node: the leaves below it; of `*`: all) and |D_A| that of the whole attribute.
pub fn cell(value: &PublishedValue, column: &Column) -> f64 {
    let all = cardinality(column);
    let covered = match value {
        PublishedValue::Exact(_) => 1,
        PublishedValue::Range { lo, hi } => {
            let positions = column.domain.positions();
            let (from, to) =
                (positions.partition_point(|at| at < lo), positions.partition_point(|at| at <= hi));
            to.saturating_sub(from)
        }
        PublishedValue::Set(codes) => codes.len(),
        PublishedValue::Node(node) => {
            column.hierarchy.as_ref().map_or(all, |bound| bound.tree().leaves_below(*node).len())
        }
        PublishedValue::Suppressed => all,
    };
    covered.saturating_sub(1) as f64 / all.max(1) as f64
}
