use crate::table::TableError;
use crate::table::full_domain::Ladder;

/// More nodes than this are not searched: their marks alone would take 32 MB, and their checks hours.
const MOST_NODES: u64 = 1 << 28;

/// The nodes over every subset of the quasi-identifiers, in one lattice.
///
/// A quasi-identifier that does not take part in a subset stands one step above its top: *absent*. To leave
/// one out is then one more way to generalize, and the paper's subset property becomes a case of its
/// generalization property. A [`Node`] is a number whose mixed-radix digits are the steps. Columns of a
/// single step (one value only) never matter and have no digit.
pub(super) struct Lattice {
    digits: Vec<Digit>,
    dims: usize,
    size: u64,
}

/// A node of a [`Lattice`].
pub(super) type Node = u64;

/// A set of digits, a bit each.
pub(super) type Subset = u32;

struct Digit {
    dim: usize,
    steps: usize,
    stride: u64,
}

impl Lattice {
    /// The lattice over these ladders; fails when it is too large to be searched.
    pub(super) fn over(ladders: &[Ladder]) -> Result<Lattice, TableError> {
        let mut digits = Vec::new();
        let mut size = 1u64;
        for (dim, ladder) in ladders.iter().enumerate().filter(|(_, ladder)| ladder.len() > 1) {
            digits.push(Digit { dim, steps: ladder.len(), stride: size });
            size = size.saturating_mul(ladder.len() as u64 + 1);
        }
        if size > MOST_NODES {
            return Err(TableError::LatticeTooLarge {
                nodes: size,
                most: MOST_NODES,
                algorithm: super::NAME,
            });
        }
        Ok(Lattice { digits, dims: ladders.len(), size })
    }

    /// How many digits a node has: fewer than 18, since each has at least three values.
    pub(super) fn digits(&self) -> usize {
        self.digits.len()
    }

    /// All nodes are below this.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The node on which all quasi-identifiers are absent.
    pub(super) fn nothing(&self) -> Node {
        self.digits.iter().map(|digit| digit.steps as u64 * digit.stride).sum()
    }

    /// How many steps a digit has, absence not counted.
    pub(super) fn steps(&self, digit: usize) -> usize {
        self.digits[digit].steps
    }

    /// The step of one digit; the number of its steps where it is absent.
    pub(super) fn step(&self, node: Node, digit: usize) -> usize {
        let Digit { steps, stride, .. } = self.digits[digit];
        (node / stride % (steps as u64 + 1)) as usize
    }

    /// The node with one digit changed.
    pub(super) fn with(&self, node: Node, digit: usize, step: usize) -> Node {
        let stride = self.digits[digit].stride;
        node - self.step(node, digit) as u64 * stride + step as u64 * stride
    }

    /// The node without one of its quasi-identifiers.
    pub(super) fn without(&self, node: Node, digit: usize) -> Node {
        self.with(node, digit, self.digits[digit].steps)
    }

    /// The nodes of the same subset that are one step more specific.
    pub(super) fn below(&self, node: Node, subset: Subset) -> impl Iterator<Item = Node> {
        members(subset)
            .filter(move |&digit| self.step(node, digit) > 0)
            .map(move |digit| node - self.digits[digit].stride)
    }

    /// The sum of a node's steps over a subset.
    pub(super) fn height(&self, node: Node, subset: Subset) -> usize {
        members(subset).map(|digit| self.step(node, digit)).sum()
    }

    /// A step per quasi-identifier, the top for absent ones: on their top all records agree.
    pub(super) fn to_steps(&self, node: Node) -> Vec<usize> {
        let mut steps = vec![0; self.dims];
        for (at, digit) in self.digits.iter().enumerate() {
            steps[digit.dim] = self.step(node, at).min(digit.steps - 1);
        }
        steps
    }
}

/// The digits of a subset, ascending.
pub(super) fn members(subset: Subset) -> impl Iterator<Item = usize> {
    (0..Subset::BITS as usize).filter(move |digit| subset >> digit & 1 == 1)
}

/// A set of nodes, a bit each.
pub(super) struct NodeSet {
    words: Vec<u64>,
}

impl NodeSet {
    /// No node of this lattice.
    pub(super) fn empty(lattice: &Lattice) -> NodeSet {
        NodeSet { words: vec![0; lattice.size().div_ceil(64) as usize] }
    }

    /// Adds a node.
    pub(super) fn insert(&mut self, node: Node) {
        self.words[(node / 64) as usize] |= 1 << (node % 64);
    }

    /// Whether the node is in the set.
    pub(super) fn contains(&self, node: Node) -> bool {
        self.words[(node / 64) as usize] >> (node % 64) & 1 == 1
    }
}
