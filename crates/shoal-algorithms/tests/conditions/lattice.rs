//! Incognito under every promise, against all nodes of the lattice.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_algorithms::table::incognito::IncognitoParams;
use shoal_core::{NodeId, Silent, Table, TablePromise};

use crate::keeps::may_be_class;
use crate::one_class;
use crate::tables::{any_promise, any_table};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// With nobody left out, the minimal nodes are exactly those that keep the promise while none below does.
    #[test]
    fn incognito_finds_all_minimal_nodes(table in any_table(2..30), promise in any_promise()) {
        prop_assume!(one_class(&table, &promise));
        let params = IncognitoParams { promise: promise.clone(), ..IncognitoParams::new(2) };
        let found = params.check().unwrap().minimal_nodes(&table, &Silent).unwrap();
        let mut levels: Vec<Vec<usize>> = found.nodes.iter().map(|node| node.levels.clone()).collect();
        levels.sort();
        prop_assert_eq!(levels, minimal_nodes(&table, &promise));
    }
}

fn minimal_nodes(table: &Table, promise: &TablePromise) -> Vec<Vec<usize>> {
    let columns = table.quasi_identifiers();
    let levels: Vec<usize> =
        columns.iter().map(|column| column.hierarchy.as_ref().unwrap().tree().level_count()).collect();
    let mut kept: BTreeMap<Vec<usize>, bool> = BTreeMap::new();
    let mut node = vec![0; levels.len()];
    loop {
        kept.insert(node.clone(), keeps(table, &node, promise));
        let Some(column) = (0..levels.len()).rev().find(|&c| node[c] + 1 < levels[c]) else { break };
        node[column] += 1;
        node[column + 1..].fill(0);
    }
    let breaks_below = |node: &[usize]| {
        (0..node.len()).filter(|&column| node[column] > 0).all(|column| {
            let mut lower = node.to_vec();
            lower[column] -= 1;
            !kept[&lower]
        })
    };
    kept.iter().filter(|(node, kept)| **kept && breaks_below(node)).map(|(node, _)| node.clone()).collect()
}

fn keeps(table: &Table, node: &[usize], promise: &TablePromise) -> bool {
    let mut groups: BTreeMap<Vec<NodeId>, Vec<usize>> = BTreeMap::new();
    for row in 0..table.rows {
        let columns = table.quasi_identifiers().into_iter().zip(node);
        let published = columns.map(|(column, &level)| {
            let bound = column.hierarchy.as_ref().unwrap();
            bound.tree().ancestor(bound.leaf_of(column.codes[row]), level)
        });
        groups.entry(published.collect()).or_default().push(row);
    }
    let all: Vec<usize> = (0..table.rows).collect();
    groups.values().all(|group| may_be_class(table, group, &all, promise))
}
