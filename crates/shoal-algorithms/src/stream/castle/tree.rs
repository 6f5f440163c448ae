use serde::{Deserialize, Serialize};
use shoal_core::{Hierarchy, NodeId};

use super::region::Span;

/// What the kernel needs of a [`Hierarchy`], as plain tables. Leaves are numbered such that those below a node are a range:
/// a node is a range of leaves, and its loss is that of a numeric range.
///
/// Not a `Hierarchy` itself: the kernel is serialized whole, and a snapshot that an earlier version wrote must be read by the
/// next one. These three tables are part of that format, the labels and the table of meeting points of a `Hierarchy` are
/// not. [`Tree::new`] is the only place that makes one, from core's, whose numbers of nodes and leaves it keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tree {
    /// The node above each node; the root is above itself.
    parent: Vec<u32>,
    /// The first and the last leaf below each node.
    below: Vec<(u32, u32)>,
    /// The node of each leaf.
    leaf: Vec<u32>,
}

impl Tree {
    pub(super) fn new(tree: &Hierarchy) -> Tree {
        let nodes = || (0..tree.node_count() as u32).map(NodeId);
        Tree {
            parent: nodes().map(|node| tree.parent(node).unwrap_or(tree.root()).0).collect(),
            below: nodes()
                .map(|node| tree.leaves_below(node))
                .map(|leaves| (leaves.start, leaves.end - 1))
                .collect(),
            leaf: (0..tree.leaf_count()).map(|leaf| tree.leaf_node(leaf).0).collect(),
        }
    }

    pub(super) fn leaves(&self) -> u32 {
        self.leaf.len() as u32
    }

    /// The leaves below the lowest node above all leaves of the span.
    pub(super) fn widen(&self, span: Span) -> Span {
        if span.lo == span.hi {
            return span;
        }
        let (first, last) = self.below[self.node(span).0 as usize];
        Span { lo: f64::from(first), hi: f64::from(last) }
    }

    /// The lowest node above all leaves of the span. Hierarchies are shallow: going up from the first leaf is fast.
    pub(super) fn node(&self, span: Span) -> NodeId {
        let (lo, hi) = (span.lo as u32, span.hi as u32);
        let mut node = self.leaf[lo as usize];
        while self.below[node as usize].1 < hi {
            node = self.parent[node as usize];
        }
        NodeId(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_those_of_the_hierarchy() {
        let rows = ["a;A;AB;*", "a2;A;AB;*", "b;B;AB;*", "c;C;C;*", "c2;C;C;*", "d;*"];
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
        let hierarchy = Hierarchy::from_rows(&rows).unwrap();
        let tree = Tree::new(&hierarchy);
        for first in 0..tree.leaves() {
            for last in first..tree.leaves() {
                let span = Span { lo: f64::from(first), hi: f64::from(last) };
                let node = hierarchy.lowest_common(first, last);
                let below = hierarchy.leaves_below(node);
                assert_eq!(tree.node(span), node);
                assert_eq!(
                    tree.widen(span),
                    Span { lo: f64::from(below.start), hi: f64::from(below.end - 1) }
                );
                assert_eq!(tree.node(tree.widen(span)), node);
            }
        }
    }
}
