//! What members publish and lose, worked out afresh from all of them.

use std::collections::BTreeSet;

use shoal_core::{BoundHierarchy, Cell, Column, NodeId};

/// The cell of the members with these codes and its loss.
pub(crate) fn cover(column: &Column, codes: &BTreeSet<u32>) -> (Cell, f64) {
    let (lo, hi) = (*codes.first().unwrap(), *codes.last().unwrap());
    if lo == hi {
        return (Cell::Exact(lo), 0.0);
    }
    if let Some(bound) = &column.hierarchy {
        let node = above_all(bound, codes);
        let share = f64::from(leaves(bound, node)) / f64::from(leaves(bound, bound.tree().root()));
        return (Cell::Node(node), share);
    }
    if !column.domain.is_ordered() {
        let share = codes.len() as f64 / column.domain.len() as f64;
        return (Cell::Set(codes.iter().copied().collect()), share);
    }
    if column.domain.missing() == Some(hi) {
        return (Cell::Suppressed, 1.0);
    }
    let at = column.domain.positions();
    let span = at[at.len() - 1] - at[0];
    let share = if span == 0.0 { 0.0 } else { (at[hi as usize] - at[lo as usize]) / span };
    (Cell::Range { lo, hi }, share)
}

/// The lowest node above all codes: walks up from the first until every other is below.
pub(crate) fn above_all(bound: &BoundHierarchy, codes: &BTreeSet<u32>) -> NodeId {
    let tree = bound.tree();
    let mut node = tree.leaf_node(bound.leaf_of(*codes.first().unwrap()));
    while !codes.iter().all(|&code| tree.leaves_below(node).contains(&bound.leaf_of(code))) {
        node = tree.parent(node).unwrap();
    }
    node
}

fn leaves(bound: &BoundHierarchy, node: NodeId) -> u32 {
    let tree = bound.tree();
    let under = |leaf: &u32| {
        let mut at = Some(tree.leaf_node(*leaf));
        while at.is_some() && at != Some(node) {
            at = tree.parent(at.unwrap());
        }
        at.is_some()
    };
    (0..tree.leaf_count()).filter(under).count() as u32
}
