//! What somebody may know about an event: a value of a quasi-identifier, as exactly or as vaguely as a node of
//! its hierarchy says. Such a node, other than a root, is an *item*.

use shoal_core::{BoundHierarchy, Column, NodeId, Table};

use crate::sequences::SequencesError;

/// What losing a whole value of the heaviest quasi-identifier costs. Whole numbers make sums and ties exact.
const UNIT: f64 = (1_u64 << 20) as f64;

/// The nodes of all hierarchies in one numbering, one tree after the other, each in depth-first order: what is
/// above a node has a smaller number. That number is the node's *code*.
#[derive(Clone, Debug)]
pub(super) struct Items<'a> {
    quasi: Vec<Quasi<'a>>,
    /// The code above; a root's own.
    parents: Vec<u32>,
    /// The highest level on which a node stands for some leaf: published there, or finer, it can be known.
    tops: Vec<u32>,
    events: usize,
}

/// One quasi-identifier.
#[derive(Clone, Debug)]
struct Quasi<'a> {
    /// The code of its root.
    root: u32,
    bound: &'a BoundHierarchy,
    /// The code of each event's value in the column's domain.
    values: &'a [u32],
    /// How many events have each leaf.
    counts: Vec<u64>,
    /// What losing one value costs.
    unit: f64,
}

/// What all events of one leaf lose.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafLoss {
    /// The code that they are published as.
    pub(super) code: u32,
    /// By being generalized to it.
    pub(super) generalized: u64,
    /// On top of that when it is suppressed.
    pub(super) suppressed: u64,
}

impl<'a> Items<'a> {
    /// Looks at the quasi-identifiers of a table of events.
    pub(super) fn new(events: &'a Table) -> Result<Items<'a>, SequencesError> {
        let columns = events.quasi_identifiers();
        if columns.is_empty() {
            return Err(SequencesError::NoQuasiIdentifiers);
        }
        let heaviest = columns.iter().map(|column| column.weight).fold(f64::MIN_POSITIVE, f64::max);
        let mut items =
            Items { quasi: Vec::new(), parents: Vec::new(), tops: Vec::new(), events: events.rows };
        for column in columns {
            items.add_tree(column, column.weight / heaviest * UNIT)?;
        }
        Ok(items)
    }

    fn add_tree(&mut self, column: &'a Column, unit: f64) -> Result<(), SequencesError> {
        let missing = || SequencesError::NoHierarchy { column: column.name.clone() };
        let bound = column.hierarchy.as_ref().ok_or_else(missing)?;
        let (tree, root) = (bound.tree(), self.parents.len() as u32);
        for node in 0..tree.node_count() as u32 {
            self.parents.push(root + tree.parent(NodeId(node)).map_or(node, |parent| parent.0));
        }
        self.tops.resize(self.parents.len(), 0);
        for level in 0..tree.level_count() {
            for leaf in 0..tree.leaf_count() {
                self.tops[(root + tree.ancestor(leaf, level).0) as usize] = level as u32;
            }
        }
        let mut counts = vec![0; tree.leaf_count() as usize];
        column.codes.iter().for_each(|&value| counts[bound.leaf_of(value) as usize] += 1);
        self.quasi.push(Quasi { root, bound, values: &column.codes, counts, unit });
        Ok(())
    }

    /// How many quasi-identifiers there are.
    pub(super) fn quasi(&self) -> usize {
        self.quasi.len()
    }

    /// How many events there are.
    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// How many codes there are.
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// The codes of one quasi-identifier's nodes, the root first.
    pub(super) fn codes(&self, quasi: usize) -> std::ops::Range<u32> {
        let end = self.quasi.get(quasi + 1).map_or(self.parents.len() as u32, |next| next.root);
        self.quasi[quasi].root..end
    }

    /// The quasi-identifier of a code.
    pub(super) fn quasi_of(&self, code: u32) -> usize {
        self.quasi.partition_point(|quasi| quasi.root <= code) - 1
    }

    /// The node of its quasi-identifier's hierarchy that a code stands for.
    pub(super) fn node(&self, code: u32) -> NodeId {
        NodeId(code - self.quasi[self.quasi_of(code)].root)
    }

    /// The level of the root.
    pub(super) fn highest(&self, quasi: usize) -> usize {
        self.quasi[quasi].bound.tree().level_count() - 1
    }

    /// The highest level at which a node can still be known.
    pub(super) fn top(&self, code: u32) -> usize {
        self.tops[code as usize] as usize
    }

    /// An item and all more general ones, from it upwards. None for a root.
    pub(super) fn upwards(&self, code: u32) -> impl Iterator<Item = u32> {
        let above = |code: u32| self.parents[code as usize];
        std::iter::successors(Some(code), move |&code| Some(above(code)))
            .take_while(move |&code| above(code) != code)
    }

    /// The leaf of an event's value.
    pub(super) fn leaf(&self, event: usize, quasi: usize) -> u32 {
        let Quasi { bound, values, .. } = &self.quasi[quasi];
        bound.leaf_of(values[event])
    }

    /// The code that stands for each leaf on a level.
    pub(super) fn published(&self, quasi: usize, level: usize) -> impl Iterator<Item = u32> {
        let Quasi { root, bound, .. } = &self.quasi[quasi];
        (0..bound.tree().leaf_count()).map(move |leaf| root + bound.tree().ancestor(leaf, level).0)
    }

    /// What the events of each leaf lose on a level.
    pub(super) fn losses(&self, quasi: usize, level: usize) -> impl Iterator<Item = LeafLoss> {
        let each = self.loss_of_each(quasi, level).zip(&self.quasi[quasi].counts);
        each.map(|(LeafLoss { code, generalized, suppressed }, &count)| LeafLoss {
            code,
            generalized: count * generalized,
            suppressed: count * suppressed,
        })
    }

    /// What one event of each leaf loses on a level.
    pub(super) fn loss_of_each(&self, quasi: usize, level: usize) -> impl Iterator<Item = LeafLoss> {
        let Quasi { root, bound, unit, .. } = &self.quasi[quasi];
        let tree = bound.tree();
        self.published(quasi, level).map(move |code| {
            let node = NodeId(code - root);
            let share = tree.leaves_below(node).len() as f64 / f64::from(tree.leaf_count());
            let all = unit.round() as u64;
            let one = if tree.is_leaf(node) { 0 } else { ((unit * share).round() as u64).min(all) };
            LeafLoss { code, generalized: one, suppressed: all - one }
        })
    }

    /// Whether one code lies above another one.
    pub(super) fn is_above(&self, above: u32, below: u32) -> bool {
        let mut at = below;
        while at != above && !self.is_root(at) {
            at = self.parents[at as usize];
        }
        at == above && above != below
    }

    /// Whether a code is a root.
    pub(super) fn is_root(&self, code: u32) -> bool {
        self.parents[code as usize] == code
    }
}
