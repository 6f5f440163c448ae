//! The clusters among which neighbours are searched, in trees.
//!
//! There is a tree for every length of representatives. A branch parts clusters that have one of the signature's bits
//! from those that lack it; each knows the bits that any of its clusters has and those that all have, so a
//! bound for a branch is a bound for all its clusters, and most branches are never entered. Leaves of short representatives have their
//! values side by side: what two of one length lose event by event is a sum of a few numbers that are looked up, which takes less time
//! than a bound from the bits and is exact more often than not.

use std::collections::BTreeMap;

use super::cluster::Cluster;
use super::costs::Costs;
use super::signature::{Mask, Signatures};

/// How many clusters a leaf holds before it becomes a branch.
const LEAF: usize = 16;

/// Up to how many events a representative is short. Longer ones lose more to their neighbours than an event of each, and then their
/// losses event by event say nothing.
const SHORT: usize = 8;

/// What a search must know about every cluster before it looks closer.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    /// By length.
    roots: BTreeMap<usize, u32>,
    trees: Vec<Tree>,
}

/// A branch or a leaf with all clusters below it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// The length of the representatives.
    pub(super) len: usize,
    pub(super) summary: Summary,
    pub(super) below: Below,
}

/// What is below.
#[derive(Clone, Debug)]
pub(super) enum Below {
    /// Clusters that lack the bit, and those that have it.
    Branch {
        /// The bit.
        bit: usize,
        /// Without and with it.
        trees: [u32; 2],
    },
    /// Few clusters.
    Leaf(Leaf),
}

/// Few clusters.
#[derive(Clone, Debug, Default)]
pub(super) struct Leaf {
    pub(super) entries: Vec<Entry>,
    /// The values of each, where they are short: numbers of their nodes, those of the second event behind all nodes of the first, and so on.
    values: Vec<u32>,
}

/// A cluster from afar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) id: u32,
    pub(super) size: i64,
    /// What suppressing the cheapest of its events costs.
    pub(super) cheapest: i64,
    /// The heights of its events, for all members.
    pub(super) heights: i64,
    pub(super) mask: Mask,
}

/// What holds for all of several clusters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    /// The number of the oldest.
    pub(super) oldest: u32,
    /// The least size.
    pub(super) size: i64,
    /// What suppressing the cheapest of all events costs.
    pub(super) cheapest: i64,
    /// The bits that any has.
    pub(super) any: Mask,
    /// The bits that all have.
    pub(super) all: Mask,
}

impl Pool {
    /// Puts a cluster in.
    pub(super) fn add(&mut self, id: u32, cluster: &Cluster, costs: &Costs, signatures: &Signatures) {
        let entry = Entry {
            id,
            size: cluster.size() as i64,
            cheapest: cluster.cheapest_suppression(costs),
            heights: cluster.heights.iter().map(|&height| i64::from(height)).sum::<i64>()
                * cluster.size() as i64,
            mask: signatures.mask(cluster),
        };
        let root = *self.roots.entry(cluster.len()).or_insert_with(|| {
            self.trees.push(Tree::leaf(cluster.len(), Leaf::default()));
            self.trees.len() as u32 - 1
        });
        let path = self.path(root, &entry.mask);
        let leaf = path[path.len() - 1];
        if let Below::Leaf(few) = &mut self.trees[leaf as usize].below {
            few.entries.push(entry);
            if cluster.len() <= SHORT {
                let first = |at: usize| (at / costs.quasi() * costs.nodes()) as u32;
                few.values.extend(cluster.events.iter().enumerate().map(|(at, &code)| first(at) + code));
            }
            // Not at every later one: clusters with equal masks cannot be parted.
            if few.entries.len() > LEAF && few.entries.len().is_power_of_two() {
                self.part(leaf, signatures);
            }
        }
        self.sum_up(&path);
    }

    /// Takes a cluster out.
    pub(super) fn remove(&mut self, id: u32, cluster: &Cluster, signatures: &Signatures) {
        let Some(&root) = self.roots.get(&cluster.len()) else { return };
        let path = self.path(root, &signatures.mask(cluster));
        if let Below::Leaf(few) = &mut self.trees[path[path.len() - 1] as usize].below {
            few.remove(id);
        }
        self.sum_up(&path);
    }

    /// The trees of all lengths.
    pub(super) fn roots(&self) -> impl Iterator<Item = u32> {
        self.roots.values().copied()
    }

    /// A tree.
    pub(super) fn tree(&self, at: u32) -> &Tree {
        &self.trees[at as usize]
    }

    /// From a root to the leaf where a mask belongs.
    fn path(&self, root: u32, mask: &Mask) -> Vec<u32> {
        let below = |&at: &u32| match self.trees[at as usize].below {
            Below::Branch { bit, trees } => Some(trees[usize::from(mask.has(bit))]),
            Below::Leaf(_) => None,
        };
        std::iter::successors(Some(root), below).collect()
    }

    /// Parts a leaf by the bit that is worth most, if any tells its clusters apart.
    fn part(&mut self, leaf: u32, signatures: &Signatures) {
        let Tree { len, below: Below::Leaf(few), .. } = &self.trees[leaf as usize] else { return };
        let entries = &few.entries;
        let summary = Summary::of(entries.iter().map(Entry::summary));
        let worth = |&bit: &usize| {
            let with = entries.iter().filter(|entry| entry.mask.has(bit)).count();
            (with * (entries.len() - with)) as u64 * u64::from(signatures.step(bit))
        };
        let Some(bit) = summary.any.without(&summary.all).max_by_key(worth) else { return };
        let parts = [false, true].map(|has| few.part(|entry| entry.mask.has(bit) == has));
        let len = *len;
        let first = self.trees.len() as u32;
        self.trees.extend(parts.map(|few| Tree::leaf(len, few)));
        self.trees[leaf as usize].below = Below::Branch { bit, trees: [first, first + 1] };
    }

    /// Renews the summaries on a path from the leaf upwards.
    fn sum_up(&mut self, path: &[u32]) {
        for &at in path.iter().rev() {
            self.trees[at as usize].summary = match &self.trees[at as usize].below {
                Below::Branch { trees, .. } => {
                    Summary::of(trees.iter().map(|&tree| self.trees[tree as usize].summary))
                }
                Below::Leaf(few) => Summary::of(few.entries.iter().map(Entry::summary)),
            };
        }
    }
}

impl Tree {
    fn leaf(len: usize, few: Leaf) -> Tree {
        let summary = Summary::of(few.entries.iter().map(Entry::summary));
        Tree { len, summary, below: Below::Leaf(few) }
    }
}

impl Leaf {
    /// The clusters with their values; nothing where they are long.
    pub(super) fn with_values(&self) -> Option<impl Iterator<Item = (&Entry, &[u32])>> {
        let width = self.width().filter(|&width| width > 0)?;
        Some(self.entries.iter().zip(self.values.chunks_exact(width)))
    }

    /// How many values each has here.
    fn width(&self) -> Option<usize> {
        self.values.len().checked_div(self.entries.len())
    }

    fn remove(&mut self, id: u32) {
        let Some(at) = self.entries.iter().position(|entry| entry.id == id) else { return };
        let width = self.width().unwrap_or(0);
        self.entries.remove(at);
        self.values.drain(at * width..(at + 1) * width);
    }

    /// Some of the clusters.
    fn part(&self, is_in: impl Fn(&Entry) -> bool) -> Leaf {
        let width = self.width().unwrap_or(0);
        let mut part = Leaf::default();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| is_in(entry)) {
            part.entries.push(*entry);
            part.values.extend_from_slice(&self.values[at * width..(at + 1) * width]);
        }
        part
    }
}

impl Entry {
    /// A summary of one.
    pub(super) fn summary(&self) -> Summary {
        let Entry { id, size, cheapest, mask, .. } = *self;
        Summary { oldest: id, size, cheapest, any: mask, all: mask }
    }
}

impl Summary {
    /// Of nothing: its oldest is younger than any cluster, so no search enters.
    const NOTHING: Summary =
        Summary { oldest: u32::MAX, size: i64::MAX, cheapest: i64::MAX, any: Mask::NONE, all: Mask::ALL };

    fn of(parts: impl Iterator<Item = Summary>) -> Summary {
        parts.fold(Summary::NOTHING, |one, other| Summary {
            oldest: one.oldest.min(other.oldest),
            size: one.size.min(other.size),
            cheapest: one.cheapest.min(other.cheapest),
            any: one.any.or(&other.any),
            all: one.all.and(&other.all),
        })
    }
}
