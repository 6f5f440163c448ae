//! The hierarchy as far as it says something about the items of the data.

use std::ops::Range;

use shoal_core::{Hierarchy, NodeId, Transactions};

use crate::transactions::TransactionsError;
use crate::transactions::transaction_set::TransactionSet;

/// The nodes that stand for different sets of items: a node that stands for the same items as its only child
/// with items is left out. The item n is node n; the others follow, children before their parents.
pub(super) struct ItemTree {
    nodes: Vec<Node>,
    /// Whose each transaction is, where somebody has two; those of a person stand together.
    persons: Option<Vec<u32>>,
}

struct Node {
    parent: Option<u32>,
    /// Whose label the node publishes.
    source: NodeId,
    /// The leaves of the hierarchy below.
    leaves: Range<u32>,
    /// The items of the data below, ascending.
    items: Vec<u32>,
    /// How often they occur, each by its weight.
    occurrences: f64,
    /// The transactions that hold any of them.
    transactions: TransactionSet,
}

impl ItemTree {
    /// Finds every item of the data among the leaves.
    pub(super) fn new(
        hierarchy: &Hierarchy,
        data: &Transactions,
        weights: Option<&[f64]>,
    ) -> Result<ItemTree, TransactionsError> {
        let nodes = Vec::with_capacity(2 * data.items().len());
        let mut tree = ItemTree { nodes, persons: data.persons().map(<[u32]>::to_vec) };
        // For each node of the hierarchy the nodes of this tree that are directly below it.
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); hierarchy.node_count()];
        for ((item, numbers), text) in (0..).zip(data.postings()).zip(data.items().iter()) {
            let leaf = hierarchy
                .leaf(text)
                .ok_or_else(|| TransactionsError::NotInHierarchy { item: text.to_owned() })?;
            let source = hierarchy.leaf_node(leaf);
            below[source.0 as usize].push(item);
            tree.nodes.push(Node {
                parent: None,
                source,
                leaves: hierarchy.leaves_below(source),
                items: vec![item],
                occurrences: weights.map_or(1.0, |weights| weights[item as usize]) * numbers.len() as f64,
                transactions: TransactionSet::new(numbers, data.len()),
            });
        }
        // Children have larger numbers than their parents, so downwards every child is done before its parent.
        for source in (0..hierarchy.node_count() as u32).rev().map(NodeId) {
            let children = std::mem::take(&mut below[source.0 as usize]);
            let top = match children[..] {
                [] => continue,
                // Publishing this node would say the same as its only child, so it is passed over.
                [only] => only,
                _ => tree.join(&children, source, hierarchy, data.len()),
            };
            if let Some(parent) = hierarchy.parent(source) {
                below[parent.0 as usize].push(top);
            }
        }
        Ok(tree)
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node directly above.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        self.nodes[node as usize].parent
    }

    /// The items below a node, ascending.
    pub(super) fn items(&self, node: u32) -> &[u32] {
        &self.nodes[node as usize].items
    }

    /// The node of the hierarchy that gives a node its label.
    pub(super) fn source(&self, node: u32) -> NodeId {
        self.nodes[node as usize].source
    }

    /// Whether a node is another, or lies below it.
    pub(super) fn is_below(&self, node: u32, other: u32) -> bool {
        let (inner, outer) = (&self.nodes[node as usize].leaves, &self.nodes[other as usize].leaves);
        outer.start <= inner.start && inner.end <= outer.end
    }

    /// What it costs to publish the items below as this node: their occurrences × their number, and nothing
    /// for one item.
    pub(super) fn cost(&self, node: u32) -> f64 {
        let node = &self.nodes[node as usize];
        if node.items.len() == 1 { 0.0 } else { node.occurrences * node.items.len() as f64 }
    }

    /// How many people have a transaction that holds an item below each of these nodes, at most `enough`.
    pub(super) fn support(&self, nodes: &[u32], enough: usize) -> usize {
        let mut sets: Vec<&TransactionSet> =
            nodes.iter().map(|&node| &self.nodes[node as usize].transactions).collect();
        match &self.persons {
            None => TransactionSet::common(&mut sets, enough),
            Some(persons) => TransactionSet::common_people(&mut sets, persons, enough),
        }
    }

    fn join(&mut self, children: &[u32], source: NodeId, hierarchy: &Hierarchy, limit: usize) -> u32 {
        let number = self.nodes.len() as u32;
        let mut items = Vec::new();
        let mut occurrences = 0.0;
        let mut transactions = TransactionSet::new(Vec::new(), limit);
        for &child in children {
            let child = &mut self.nodes[child as usize];
            child.parent = Some(number);
            items.extend_from_slice(&child.items);
            occurrences += child.occurrences;
            transactions = transactions.union(child.transactions.clone(), limit);
        }
        items.sort_unstable();
        let leaves = hierarchy.leaves_below(source);
        self.nodes.push(Node { parent: None, source, leaves, items, occurrences, transactions });
        number
    }
}
