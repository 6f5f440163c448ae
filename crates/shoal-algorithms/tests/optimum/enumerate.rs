//! The least loss that any partition into classes of k or more can have, by trying them all.
//!
//! Nothing here is shared with an algorithm: a cell's cost is written down again from its formula.

use shoal_core::{Cell, Column, Table};

/// The least total NCP of a table of very few records. A class of 2k or more can be cut in two without
/// losing anything, so classes of k to 2k − 1 are all that must be tried; every partition into them is, with
/// what is left of a partition solved once.
pub(crate) fn least_loss(table: &Table, k: usize) -> f64 {
    let n = table.rows;
    assert!((k..=14).contains(&n), "{n} records are too few or too many");
    let cost: Vec<f64> = (0..1_u32 << n).map(|members| class_cost(table, members)).collect();
    let mut least = vec![f64::INFINITY; 1 << n];
    least[0] = 0.0;
    for rest in 1..1_usize << n {
        let first = 1 << rest.trailing_zeros();
        // All subsets of the rest that hold its first member: everybody must be in some class.
        let others = rest & !first;
        let mut chosen = others;
        loop {
            let class = chosen | first;
            if (k..2 * k).contains(&(class.count_ones() as usize)) {
                least[rest] = least[rest].min(cost[class] + least[rest & !class]);
            }
            if chosen == 0 {
                break;
            }
            chosen = (chosen - 1) & others;
        }
    }
    least[(1 << n) - 1] / n as f64
}

/// The same by writing down every partition, whatever the size of its classes.
pub(crate) fn least_loss_plainly(table: &Table, k: usize) -> f64 {
    fn place(table: &Table, k: usize, row: usize, classes: &mut Vec<u32>) -> f64 {
        if row == table.rows {
            let valid = classes.iter().all(|class| class.count_ones() as usize >= k);
            return if valid {
                classes.iter().map(|&class| class_cost(table, class)).sum()
            } else {
                f64::INFINITY
            };
        }
        let mut least = f64::INFINITY;
        for class in 0..classes.len() {
            classes[class] |= 1 << row;
            least = least.min(place(table, k, row + 1, classes));
            classes[class] &= !(1 << row);
        }
        classes.push(1 << row);
        least = least.min(place(table, k, row + 1, classes));
        classes.pop();
        least
    }
    place(table, k, 0, &mut Vec::new()) / table.rows as f64
}

/// What all members of a class lose together.
fn class_cost(table: &Table, members: u32) -> f64 {
    let weights: f64 = table.columns.iter().map(|c| c.weight).sum();
    let per_member: f64 =
        table.columns.iter().map(|column| column.weight * cell_cost(column, members)).sum::<f64>() / weights;
    per_member * f64::from(members.count_ones())
}

/// What a class loses in a column, at the least.
fn cell_cost(column: &Column, members: u32) -> f64 {
    let mut codes: Vec<u32> =
        (0..32).filter(|row| members >> row & 1 == 1).map(|row| column.codes[row as usize]).collect();
    codes.sort_unstable();
    codes.dedup();
    let [first, .., last] = codes[..] else { return 0.0 };
    if let Some(bound) = &column.hierarchy {
        // The lowest node: the smallest set of leaves below some node that holds them all.
        let tree = bound.tree();
        let leaves: Vec<u32> = codes.iter().map(|&code| bound.leaf_of(code)).collect();
        let above = |node: &std::ops::Range<u32>| leaves.iter().all(|leaf| node.contains(leaf));
        let nodes = (0..tree.node_count() as u32).map(|node| tree.leaves_below(shoal_core::NodeId(node)));
        let lowest = nodes.filter(above).map(|node| node.len()).min().expect("the root is above all");
        return lowest as f64 / f64::from(tree.leaf_count());
    }
    if !column.domain.is_ordered() {
        return codes.len() as f64 / column.domain.len() as f64;
    }
    if column.domain.missing() == Some(last) {
        return 1.0;
    }
    let at = |code: u32| column.domain.positions()[code as usize];
    let span = column.domain.span();
    if span == 0.0 { 0.0 } else { (at(last) - at(first)) / span }
}

/// What a recoding loses, from what it publishes.
pub(crate) fn loss(table: &Table, recoding: &shoal_core::TableRecoding) -> f64 {
    let weights: f64 = table.columns.iter().map(|c| c.weight).sum();
    let of_class = |class: &shoal_core::Class| -> f64 {
        let cells = table.columns.iter().zip(&class.cells);
        cells.map(|(column, cell)| column.weight * published_cost(column, cell)).sum::<f64>() / weights
    };
    let of_classes: Vec<f64> = recoding.classes.iter().map(of_class).collect();
    let of_row = |&class: &u32| of_classes.get(class as usize).copied().unwrap_or(1.0);
    recoding.class_of.iter().map(of_row).sum::<f64>() / table.rows as f64
}

fn published_cost(column: &Column, cell: &Cell) -> f64 {
    match cell {
        Cell::Exact(_) => 0.0,
        Cell::Suppressed => 1.0,
        Cell::Set(codes) => codes.len() as f64 / column.domain.len() as f64,
        Cell::Range { lo, hi } => {
            let at = |code: u32| column.domain.positions()[code as usize];
            if column.domain.span() == 0.0 { 0.0 } else { (at(*hi) - at(*lo)) / column.domain.span() }
        }
        Cell::Node(node) => {
            let tree = column.hierarchy.as_ref().expect("a node has a hierarchy").tree();
            match tree.leaves_below(*node).len() {
                1 => 0.0,
                leaves => leaves as f64 / f64::from(tree.leaf_count()),
            }
        }
    }
}
