//! The slow twin: every node of the whole lattice, each counted from the records.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use shoal_core::{BoundHierarchy, Column, NodeId, Table};

/// All nodes (levels of the hierarchy files) on which no more than `share` of the records lie in groups
/// smaller than k, while some do so on every node one level below. In lexicographic order.
pub(crate) fn minimal_nodes(table: &Table, k: usize, share: f64) -> Vec<Vec<usize>> {
    let columns = table.quasi_identifiers();
    let heights: Vec<usize> = columns.iter().map(|column| hierarchy(column).tree().level_count()).collect();
    let keeps = |node: &[usize]| standing_out(table, node, k) as f64 / table.rows as f64 <= share;
    let mut kept: HashMap<Vec<usize>, bool> = HashMap::new();
    let mut node = vec![0; heights.len()];
    loop {
        kept.insert(node.clone(), keeps(&node));
        let Some(column) = (0..heights.len()).rev().find(|&c| node[c] + 1 < heights[c]) else { break };
        node[column] += 1;
        node[column + 1..].fill(0);
    }
    let minimal = |node: &&Vec<usize>| kept[*node] && below(node).iter().all(|lower| !kept[lower]);
    let mut all: Vec<Vec<usize>> = kept.keys().filter(minimal).cloned().collect();
    all.sort();
    all
}

/// Where Datafly ends, literally: count everything from the records again after each step.
pub(crate) fn datafly(table: &Table, k: usize) -> Vec<usize> {
    let columns = table.quasi_identifiers();
    let mut node = vec![0; columns.len()];
    while standing_out(table, &node, k) > k {
        let varied = |&c: &usize| {
            let published: HashSet<NodeId> = groups(table, &node).into_keys().map(|cells| cells[c]).collect();
            // The most values first, of equally many the first column.
            (published.len(), Reverse(c))
        };
        let climbing = (0..columns.len()).filter(|&c| next_step(columns[c], node[c]).is_some());
        let Some(column) = climbing.max_by_key(varied) else { break };
        node[column] = next_step(columns[column], node[column]).unwrap();
    }
    node
}

/// The next level on which some values of the column look alike that do not on this one.
fn next_step(column: &Column, level: usize) -> Option<usize> {
    let bound = hierarchy(column);
    let published = |level: usize| -> HashSet<NodeId> {
        bound.leaves().iter().map(|&leaf| bound.tree().ancestor(leaf, level)).collect()
    };
    (level + 1..bound.tree().level_count()).find(|&above| published(above).len() < published(level).len())
}

/// The nodes one level below in one column.
pub(crate) fn below(node: &[usize]) -> Vec<Vec<usize>> {
    let lower = |column: usize| {
        let mut lower = node.to_vec();
        lower[column] -= 1;
        lower
    };
    (0..node.len()).filter(|&column| node[column] > 0).map(lower).collect()
}

/// How many records lie in groups smaller than k on a node.
pub(crate) fn standing_out(table: &Table, node: &[usize], k: usize) -> usize {
    groups(table, node).values().filter(|&&size| size < k).sum()
}

/// Total NCP of a node, the records that stand out counting 1.
pub(crate) fn ncp(table: &Table, node: &[usize], k: usize) -> f64 {
    let columns = table.quasi_identifiers();
    let share = |(column, &node): (&&Column, &NodeId)| {
        let tree = hierarchy(column).tree();
        match tree.leaves_below(node).len() {
            1 => 0.0,
            leaves => leaves as f64 / f64::from(tree.leaf_count()),
        }
    };
    let lost: f64 = groups(table, node)
        .iter()
        .map(|(published, &size)| {
            let mean = columns.iter().zip(published).map(share).sum::<f64>() / columns.len() as f64;
            size as f64 * if size < k { 1.0 } else { mean }
        })
        .sum();
    lost / table.rows as f64
}

fn groups(table: &Table, node: &[usize]) -> HashMap<Vec<NodeId>, usize> {
    let columns = table.quasi_identifiers();
    let mut groups = HashMap::new();
    for row in 0..table.rows {
        let published: Vec<NodeId> = columns
            .iter()
            .zip(node)
            .map(|(column, &level)| {
                let bound = hierarchy(column);
                bound.tree().ancestor(bound.leaf_of(column.codes[row]), level)
            })
            .collect();
        *groups.entry(published).or_insert(0) += 1;
    }
    groups
}

fn hierarchy(column: &Column) -> &BoundHierarchy {
    column.hierarchy.as_ref().unwrap()
}
