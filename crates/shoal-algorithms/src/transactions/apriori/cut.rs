//! The nodes that are published at the moment: a cut through the tree with every item below one of them.

use std::collections::BTreeSet;

use shoal_core::Progress;

use super::tree::ItemTree;

/// Which node each item is published as, and what that costs.
pub(super) struct Cut<'a> {
    tree: &'a ItemTree,
    node_of: Vec<u32>,
    /// For each node the cost of the published nodes below it.
    cost_below: Vec<f64>,
}

impl<'a> Cut<'a> {
    /// Every item as itself.
    pub(super) fn of_items(tree: &'a ItemTree, items: usize) -> Cut<'a> {
        Cut { tree, node_of: (0..items as u32).collect(), cost_below: vec![0.0; tree.len()] }
    }

    /// The published nodes of a set of items, ascending.
    pub(super) fn image(&self, items: &[u32]) -> Vec<u32> {
        let nodes: BTreeSet<u32> = items.iter().map(|&item| self.node_of[item as usize]).collect();
        nodes.into_iter().collect()
    }

    /// The cheapest nodes at or above these that at least `k` transactions hold together.
    ///
    /// Goes through the ways to raise one node or several by added cost, which can only grow on the way up, so
    /// that the first one with enough support is the cheapest of all. A node that is raised above another
    /// takes it in. `None` where not even the top has enough.
    pub(super) fn cheapest_raise(
        &self,
        nodes: Vec<u32>,
        k: usize,
        progress: &dyn Progress,
    ) -> Option<Vec<u32>> {
        let mut waiting = BTreeSet::from([Raise { added: 0.0, nodes }]);
        let mut seen = BTreeSet::new();
        while let Some(Raise { nodes, .. }) = waiting.pop_first() {
            progress.check();
            if self.tree.support(&nodes, k) >= k {
                return Some(nodes);
            }
            for &node in &nodes {
                let Some(parent) = self.tree.parent(node) else { continue };
                // A node below the parent is covered by it.
                let apart = nodes.iter().copied().filter(|&other| !self.tree.is_below(other, parent));
                let mut raised: Vec<u32> = apart.chain([parent]).collect();
                raised.sort_unstable();
                // Raising a, then b, and b, then a, lead to the same nodes.
                if seen.insert(raised.clone()) {
                    let added = raised.iter().map(|&node| self.added_cost(node)).sum();
                    waiting.insert(Raise { added, nodes: raised });
                }
            }
        }
        None
    }

    /// Publishes all items below the node as this node. Returns whether they were not before.
    pub(super) fn raise(&mut self, node: u32) -> bool {
        let items = self.tree.items(node);
        if self.node_of[items[0] as usize] == node {
            return false;
        }
        items.iter().for_each(|&item| self.node_of[item as usize] = node);
        let added = self.added_cost(node);
        // `cost_below` of every ancestor includes this node, so that raising an ancestor later costs only the difference.
        let mut above = Some(node);
        while let Some(at) = above {
            self.cost_below[at as usize] += added;
            above = self.tree.parent(at);
        }
        true
    }

    /// The published nodes, in the order of their first items.
    pub(super) fn nodes(&self) -> Vec<u32> {
        let first = |&(item, &node): &(u32, &u32)| self.tree.items(node)[0] == item;
        (0..).zip(&self.node_of).filter(first).map(|(_, &node)| node).collect()
    }

    fn added_cost(&self, node: u32) -> f64 {
        self.tree.cost(node) - self.cost_below[node as usize]
    }
}

/// A way to generalize a set of nodes, ordered by what it adds to the cost.
struct Raise {
    added: f64,
    nodes: Vec<u32>,
}

impl Ord for Raise {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.added.total_cmp(&other.added).then_with(|| self.nodes.cmp(&other.nodes))
    }
}

impl PartialOrd for Raise {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Raise {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Raise {}
