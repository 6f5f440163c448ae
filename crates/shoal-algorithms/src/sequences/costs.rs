//! What generalizing and suppressing events costs, in whole numbers.
//!
//! The loss LM of publishing a value as a node is w · (leaves of the node − 1) / |Δ|, with |Δ| the leaves of the whole
//! hierarchy and w the column's weight. It telescopes: from a to c is from a to b and from b to c. So every node
//! has a *height* λ = w · leaves / |Δ|, rounded once, and generalizing x to y costs exactly λ(y) − λ(x), by whatever
//! intermediate nodes. Suppressing a value costs w in all, hence w + λ(leaf) − λ(x) for one that is already as general as x.
//! Whole numbers make ties and bounds exact.

use shoal_core::{Column, Hierarchy, NodeId};

use super::SequencesError;

/// What the largest of the weights is in whole numbers; the others are smaller in proportion. 2^20 rounds each height by
/// less than a millionth, and leaves room in an i64 for the losses of billions of events.
pub(super) const UNIT: f64 = (1_u64 << 20) as f64;

/// The nodes of all quasi-identifiers in one numbering, and what they cost.
///
/// Nodes are numbered in depth-first order, one tree after the other, so that what lies below a node is a range of
/// numbers. That number is the node's *code*.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    nodes: Vec<Node>,
    /// Where the nodes of each quasi-identifier begin.
    starts: Vec<u32>,
    /// Code of each event's value in each quasi-identifier, event by event.
    values: Vec<u32>,
    suppressed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Itself for a root.
    parent: u32,
    /// Behind the last node below.
    end: u32,
    height: u32,
}

impl Costs {
    /// Looks at the quasi-identifiers of a table of events.
    pub(super) fn new(quasi: &[&Column], events: usize) -> Result<Costs, SequencesError> {
        if quasi.is_empty() {
            return Err(SequencesError::NoQuasiIdentifiers);
        }
        let heaviest = quasi.iter().map(|column| column.weight).fold(f64::MIN_POSITIVE, f64::max);
        let mut costs = Costs {
            nodes: Vec::new(),
            starts: Vec::new(),
            values: vec![0; events * quasi.len()],
            suppressed: 0,
        };
        for (q, column) in quasi.iter().enumerate() {
            let bound = column
                .hierarchy
                .as_ref()
                .ok_or_else(|| SequencesError::NoHierarchy { column: column.name.clone() })?;
            let start = costs.nodes.len() as u32;
            costs.starts.push(start);
            costs.suppressed += costs.add_tree(bound.tree(), column.weight / heaviest * UNIT);
            for (event, &code) in column.codes.iter().enumerate() {
                let leaf = bound.tree().leaf_node(bound.leaf_of(code));
                costs.values[event * quasi.len() + q] = start + leaf.0;
            }
        }
        Ok(costs)
    }

    /// Adds a tree and returns the height at which its values are suppressed.
    fn add_tree(&mut self, tree: &Hierarchy, weight: f64) -> u32 {
        let start = self.nodes.len() as u32;
        let height = |leaves: usize| (weight * leaves as f64 / f64::from(tree.leaf_count())).round() as u32;
        for id in 0..tree.node_count() as u32 {
            let node = NodeId(id);
            self.nodes.push(Node {
                parent: start + tree.parent(node).map_or(id, |parent| parent.0),
                end: start + id + 1,
                height: height(tree.leaves_below(node).len()),
            });
        }
        // Those below come after: going backwards, every node is complete before its parent asks for its end.
        for code in (start as usize + 1..self.nodes.len()).rev() {
            let Node { parent, end, .. } = self.nodes[code];
            debug_assert!((parent as usize) < code, "nodes are numbered in depth-first order");
            let above = &mut self.nodes[parent as usize];
            above.end = above.end.max(end);
        }
        weight.round() as u32 + height(1)
    }

    /// How many quasi-identifiers an event has.
    pub(super) fn quasi(&self) -> usize {
        self.starts.len()
    }

    /// How many nodes there are in all trees.
    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The codes of some events' values.
    pub(super) fn values(&self, events: std::ops::Range<usize>) -> &[u32] {
        &self.values[events.start * self.quasi()..events.end * self.quasi()]
    }

    /// λ: what a value has lost when it is published as this node, plus that of a leaf.
    pub(super) fn height(&self, code: u32) -> u32 {
        self.nodes[code as usize].height
    }

    /// The heights of an event's values in sum.
    pub(super) fn event_height(&self, event: &[u32]) -> u32 {
        event.iter().map(|&code| self.height(code)).sum()
    }

    /// The height at which a whole event is suppressed.
    pub(super) fn suppressed(&self) -> u32 {
        self.suppressed
    }

    /// The node directly above; `None` for a root.
    pub(super) fn parent(&self, code: u32) -> Option<u32> {
        let parent = self.nodes[code as usize].parent;
        (parent != code).then_some(parent)
    }

    /// Whether a node is another one, or below it.
    pub(super) fn is_below(&self, code: u32, above: u32) -> bool {
        (above..self.nodes[above as usize].end).contains(&code)
    }

    /// The lowest node above two nodes of one tree.
    pub(super) fn lowest_common(&self, mut a: u32, b: u32) -> u32 {
        // The nodes below `a` are a range of codes that starts with `a` itself.
        while !self.is_below(b, a) {
            a = self.nodes[a as usize].parent;
        }
        a
    }

    /// For each node of an event's trees the height of the lowest node above it and the event's value.
    pub(super) fn fill_heights(&self, event: &[u32], row: &mut [u32]) {
        for &value in event {
            let Node { mut parent, end, height } = self.nodes[value as usize];
            let (mut from, mut to) = (value as usize, end as usize);
            // From the value to the root: what lies below an ancestor, but not below the last one, gets its height.
            row[from..to].fill(height);
            while parent as usize != from {
                let above = self.nodes[parent as usize];
                row[parent as usize..from].fill(above.height);
                row[to..above.end as usize].fill(above.height);
                (from, to, parent) = (parent as usize, above.end as usize, above.parent);
            }
        }
    }

    /// The code of a node of a quasi-identifier's hierarchy.
    pub(super) fn code(&self, quasi: usize, node: NodeId) -> u32 {
        self.starts[quasi] + node.0
    }

    /// The quasi-identifier and the node of its hierarchy that a code stands for.
    pub(super) fn node(&self, quasi: usize, code: u32) -> NodeId {
        NodeId(code - self.starts[quasi])
    }
}
