use std::sync::Arc;

use shoal_core::{Hierarchy, NodeId};

use super::super::spread::Class;
use super::Values;

/// Values are as far apart as the lowest node above both is high: what is too much below a node is moved inside it as
/// far as something else is too little there, and the rest is passed up. The height of a node is the number of
/// steps down to the deepest leaf below it.
#[derive(Debug)]
pub(super) struct Hierarchical {
    tree: Arc<Hierarchy>,
    /// By node.
    heights: Vec<u32>,
    /// How many records of the file have a leaf before this one; at the end all of them.
    before: Vec<u64>,
}

impl Hierarchical {
    /// The values are numbered as the leaves of the tree.
    pub(super) fn new(values: &Values<'_>, tree: Arc<Hierarchy>) -> Hierarchical {
        let mut heights = vec![0; tree.node_count()];
        for leaf in 0..tree.leaf_count() {
            let mut node = tree.leaf_node(leaf);
            let mut height = 0;
            while let Some(parent) = tree.parent(node) {
                height += 1;
                if heights[parent.0 as usize] >= height {
                    break;
                }
                heights[parent.0 as usize] = height;
                node = parent;
            }
        }
        let mut before = vec![0];
        before.extend(values.totals.iter().scan(0, |sum, &total| {
            *sum += u64::from(total);
            Some(*sum)
        }));
        Hierarchical { tree, heights, before }
    }

    /// Σ height · min(too much, too little) over the inner nodes, by the height of the root. A node below which the
    /// class has nothing has nothing too much, so only the paths from the leaves of the class to the root are visited.
    pub(super) fn of(&self, class: &Class<'_>) -> f64 {
        let mut pass = Pass { distance: self, size: class.pairs(), open: Vec::new(), moved: 0 };
        for &(leaf, records) in class.counts {
            pass.close_below_meeting_point(leaf);
            pass.add(self.tree.leaf_node(leaf), records.into(), 0);
        }
        while !pass.open.is_empty() {
            pass.close();
        }
        let weight = u128::from(class.pairs()) * u128::from(self.records());
        pass.moved as f64 / (weight as f64 * f64::from(self.heights[0].max(1)))
    }

    fn records(&self) -> u64 {
        self.before[self.before.len() - 1]
    }

    /// How many records of the file have a leaf below the node.
    fn below(&self, node: NodeId) -> u64 {
        let leaves = self.tree.leaves_below(node);
        self.before[leaves.end as usize] - self.before[leaves.start as usize]
    }
}

/// A pass over the leaves of a class from left to right, with the nodes above the current leaf open.
struct Pass<'a> {
    distance: &'a Hierarchical,
    size: u64,
    /// Nodes that are not finished, each below the one before it.
    open: Vec<Open>,
    moved: i128,
}

/// A node as far as its leaves have been seen.
struct Open {
    node: NodeId,
    /// How many records of the class lie below it.
    own: u64,
    /// How much of them is too much in one of its children.
    too_much: i128,
}

impl Pass<'_> {
    /// Leaves open what lies above this leaf as well.
    fn close_below_meeting_point(&mut self, leaf: u32) {
        let tree = &self.distance.tree;
        while let Some(last) = self.open.last()
            && !tree.leaves_below(last.node).contains(&leaf)
        {
            self.close();
        }
    }

    /// Finishes the last node and passes on to its parent what could not be moved inside it.
    fn close(&mut self) {
        let Some(Open { node, own, too_much }) = self.open.pop() else { return };
        let Hierarchical { tree, heights, .. } = self.distance;
        let own_weight = i128::from(own) * i128::from(self.distance.records());
        let surplus = own_weight - i128::from(self.distance.below(node)) * i128::from(self.size);
        if !tree.is_leaf(node) {
            let too_little = too_much - surplus;
            self.moved += i128::from(heights[node.0 as usize]) * too_much.min(too_little);
        }
        if let Some(parent) = tree.parent(node) {
            self.add(parent, own, surplus.max(0));
        }
    }

    fn add(&mut self, node: NodeId, own: u64, too_much: i128) {
        match self.open.last_mut().filter(|last| last.node == node) {
            Some(last) => {
                last.own += own;
                last.too_much += too_much;
            }
            None => self.open.push(Open { node, own, too_much }),
        }
    }
}
