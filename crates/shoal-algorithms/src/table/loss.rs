//! What is lost by what is published, whoever decided on it.

use shoal_core::{Cell, Class, Column, Table, TableRecoding};

use super::recode::Line;

/// What the records of a table lose by a recoding: the mean NCP of their cells, columns by their weight; those that are
/// left out lose everything. In [0, 1]. The figure of a release is measured on what was published, not here; this one is for
/// comparing recodings that nobody publishes.
pub fn recoding_loss(table: &Table, recoding: &TableRecoding) -> f64 {
    let columns = table.quasi_identifiers();
    let members = recoding.sizes().into_iter().zip(&recoding.classes);
    let lost: f64 = members.map(|(size, class)| size as f64 * class_loss(&columns, class)).sum();
    (lost + recoding.suppressed() as f64) / table.rows.max(1) as f64
}

/// What a member of a class loses: the mean NCP of its cells, columns by their weight.
pub(crate) fn class_loss(columns: &[&Column], class: &Class) -> f64 {
    let cells = columns.iter().zip(&class.cells);
    let lost: f64 = cells.map(|(column, cell)| column.weight * cell_loss(column, cell)).sum();
    lost / columns.iter().map(|column| column.weight).sum::<f64>()
}

fn cell_loss(column: &Column, cell: &Cell) -> f64 {
    match cell {
        Cell::Exact(_) => 0.0,
        Cell::Range { lo, hi } => Line::of(&column.domain).cost(*lo, *hi),
        Cell::Set(codes) => codes.len() as f64 / column.domain.len() as f64,
        Cell::Node(node) => column.hierarchy.as_ref().map_or(1.0, |bound| {
            let tree = bound.tree();
            match tree.leaves_below(*node).len() {
                1 => 0.0,
                leaves => leaves as f64 / f64::from(tree.leaf_count()),
            }
        }),
        Cell::Suppressed => 1.0,
    }
}
