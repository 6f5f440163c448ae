//! What each node of the hierarchies loses, and which nodes stand for a value on which level.

use shoal_core::Column;

use crate::sequences::SequencesError;
use crate::sequences::costs::Costs;

/// The hierarchies of all quasi-identifiers, in the codes of [`Costs`].
#[derive(Clone, Debug)]
pub(super) struct Forest {
    quasi: usize,
    /// Per code: 0 for a leaf, the share of all leaves for an inner node (NCP).
    loss: Vec<f64>,
    /// Per code: the node above, itself for a root.
    parent: Vec<u32>,
    /// Per code: the root.
    root: Vec<u32>,
    /// Per code: the quasi-identifier.
    quasi_of: Vec<u32>,
    /// Per code: the highest level on which the node stands for some leaf.
    top_level: Vec<u32>,
    /// Per quasi-identifier, how many levels it has, the root's included.
    levels: Vec<usize>,
    /// Per level, for the code of a leaf the code that stands for it there.
    at_level: Vec<Vec<u32>>,
}

impl Forest {
    /// Looks at the quasi-identifiers that the costs were made of.
    pub(super) fn new(quasi: &[&Column], costs: &Costs) -> Result<Forest, SequencesError> {
        let nodes = costs.nodes();
        let mut forest = Forest {
            quasi: quasi.len(),
            loss: vec![0.0; nodes],
            parent: (0..nodes as u32).map(|code| costs.parent(code).unwrap_or(code)).collect(),
            root: vec![0; nodes],
            quasi_of: vec![0; nodes],
            top_level: vec![0; nodes],
            levels: Vec::new(),
            at_level: Vec::new(),
        };
        for code in 0..nodes {
            let parent = forest.parent[code];
            forest.root[code] = if parent as usize == code { parent } else { forest.root[parent as usize] };
        }
        for (at, column) in quasi.iter().enumerate() {
            let bound = column
                .hierarchy
                .as_ref()
                .ok_or_else(|| SequencesError::NoHierarchy { column: column.name.clone() })?;
            let tree = bound.tree();
            for id in (0..tree.node_count() as u32).map(shoal_core::NodeId) {
                let code = costs.code(at, id) as usize;
                forest.quasi_of[code] = at as u32;
                let share = tree.leaves_below(id).len() as f64 / f64::from(tree.leaf_count());
                forest.loss[code] = if tree.is_leaf(id) { 0.0 } else { share };
            }
            let levels = tree.level_count();
            forest.levels.push(levels);
            for level in 0..levels {
                if forest.at_level.len() == level {
                    forest.at_level.push(forest.root.clone());
                }
                for leaf in 0..tree.leaf_count() {
                    let from = costs.code(at, tree.leaf_node(leaf)) as usize;
                    let above = costs.code(at, tree.ancestor(leaf, level));
                    forest.at_level[level][from] = above;
                    forest.top_level[above as usize] = forest.top_level[above as usize].max(level as u32);
                }
            }
        }
        Ok(forest)
    }

    /// How many quasi-identifiers an event has.
    pub(super) fn quasi(&self) -> usize {
        self.quasi
    }

    /// NCP of publishing a value as a node; 1 for `*`.
    pub(super) fn loss(&self, code: u32) -> f64 {
        self.loss[code as usize]
    }

    /// The node that says nothing.
    pub(super) fn root(&self, code: u32) -> u32 {
        self.root[code as usize]
    }

    /// The node directly above, unless that says nothing.
    pub(super) fn item_above(&self, code: u32) -> Option<u32> {
        let parent = self.parent[code as usize];
        (parent != self.root[code as usize]).then_some(parent)
    }

    /// The node itself and those above it that say something, upwards.
    pub(super) fn items(&self, code: u32) -> impl Iterator<Item = u32> {
        let first = (self.root(code) != code).then_some(code);
        std::iter::successors(first, |&code| self.item_above(code))
    }

    /// How many levels a quasi-identifier has.
    pub(super) fn levels(&self, quasi: usize) -> usize {
        self.levels[quasi]
    }

    /// The quasi-identifier of a node.
    pub(super) fn quasi_of(&self, code: u32) -> usize {
        self.quasi_of[code as usize] as usize
    }

    /// The highest level on which a node stands for some leaf.
    pub(super) fn top_level(&self, code: u32) -> usize {
        self.top_level[code as usize] as usize
    }

    /// The node that stands for a leaf on a level.
    pub(super) fn at_level(&self, leaf: u32, level: usize) -> u32 {
        self.at_level[level][leaf as usize]
    }
}
