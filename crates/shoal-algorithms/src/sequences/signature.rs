//! A few machine words per cluster that say how near another one can be at best.
//!
//! Some nodes of the hierarchies have a bit each. A cluster's mask has the bits of all nodes above the values of
//! its representative (a value is above itself). If a value x lies below such a node and the other cluster's mask
//! lacks the bit, then whatever x is matched with is outside the node, and x becomes at least the node's
//! parent; suppressing it costs more still. The nodes with a bit above x lie on a line, and where one is lacking
//! those below it are lacking too, so the costs of the steps from one to the next simply add up. Both sides
//! pay on their own account. This bound holds for every way to match events, the best one included.

use super::cluster::Cluster;
use super::costs::Costs;

const WORDS: usize = 2;
const BITS: usize = 64 * WORDS;

/// A set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask([u64; WORDS]);

/// Which nodes have a bit.
#[derive(Clone, Debug)]
pub(super) struct Signatures {
    /// For each node the bit of the lowest node at or above it that has one.
    at_or_above: Vec<Option<u16>>,
    bits: Vec<Bit>,
}

/// A node with a bit.
#[derive(Clone, Copy, Debug)]
struct Bit {
    /// The next bit above.
    above: Option<u16>,
    /// The height of the node's parent.
    outside: u32,
    /// The step from the node to its parent.
    step: u32,
}

impl Signatures {
    /// Chooses the nodes that tell people apart best: those that about half of them have, at a high cost to
    /// leave.
    pub(super) fn new(costs: &Costs, clusters: &[Cluster]) -> Signatures {
        let mut chosen = most_telling(costs, clusters);
        // Parents come before children, so each finds what is above it.
        chosen.sort_unstable();
        let mut signatures = Signatures { at_or_above: vec![None; costs.nodes()], bits: Vec::new() };
        let mut chosen = chosen.into_iter().peekable();
        for code in 0..costs.nodes() as u32 {
            let Some(parent) = costs.parent(code) else { continue };
            let above = signatures.at_or_above[parent as usize];
            signatures.at_or_above[code as usize] = above;
            if chosen.next_if_eq(&code).is_some() {
                signatures.at_or_above[code as usize] = Some(signatures.bits.len() as u16);
                let outside = costs.height(parent);
                signatures.bits.push(Bit { above, outside, step: outside - costs.height(code) });
            }
        }
        signatures
    }

    /// The bits of a cluster.
    pub(super) fn mask(&self, cluster: &Cluster) -> Mask {
        let mut mask = Mask::default();
        for &value in &cluster.events {
            let mut bit = self.at_or_above[value as usize];
            while let Some(at) = bit {
                mask.0[at as usize / 64] |= 1 << (at % 64);
                bit = self.bits[at as usize].above;
            }
        }
        mask
    }

    /// What leaving the node of a bit costs.
    pub(super) fn step(&self, bit: usize) -> u32 {
        self.bits[bit].step
    }

    /// Prepares the bounds between a cluster and many others.
    pub(super) fn charges(&self, cluster: &Cluster, costs: &Costs) -> Charges<'_> {
        let mut lacking = [0; BITS];
        for &value in &cluster.events {
            let mut from = costs.height(value);
            let mut bit = self.at_or_above[value as usize];
            while let Some(at) = bit {
                let Bit { above, outside, .. } = self.bits[at as usize];
                lacking[at as usize] += i64::from(outside - from);
                (from, bit) = (outside, above);
            }
        }
        Charges { signatures: self, mask: self.mask(cluster), lacking }
    }
}

fn most_telling(costs: &Costs, clusters: &[Cluster]) -> Vec<u32> {
    let mut having = vec![0_u64; costs.nodes()];
    let mut seen_by = vec![usize::MAX; costs.nodes()];
    for (number, cluster) in clusters.iter().enumerate() {
        for &value in &cluster.events {
            let mut node = Some(value);
            while let Some(code) = node.filter(|&code| seen_by[code as usize] != number) {
                seen_by[code as usize] = number;
                having[code as usize] += 1;
                node = costs.parent(code);
            }
        }
    }
    let worth = |&code: &u32| {
        let step = costs.parent(code).map_or(0, |parent| costs.height(parent) - costs.height(code));
        let with = u128::from(having[code as usize]);
        with * (clusters.len() as u128 - with) * u128::from(step)
    };
    let mut chosen: Vec<u32> = (0..costs.nodes() as u32).filter(|code| worth(code) > 0).collect();
    chosen.sort_by_key(|code| std::cmp::Reverse(worth(code)));
    chosen.truncate(BITS);
    chosen
}

/// What a cluster and others pay for each bit that the other lacks.
#[derive(Clone, Debug)]
pub(super) struct Charges<'a> {
    signatures: &'a Signatures,
    mask: Mask,
    lacking: [i64; BITS],
}

impl Charges<'_> {
    /// What each person of the own cluster pays for bits that are in `more` and not in `fewer`.
    pub(super) fn own(&self, more: &Mask, fewer: &Mask) -> i64 {
        let lost = |word: usize| self.mask.0[word] & more.0[word] & !fewer.0[word];
        sum(lost, |bit| self.lacking[bit])
    }

    /// What each person of the other cluster pays at least for bits that are in `more` and not in `fewer`.
    pub(super) fn others(&self, more: &Mask, fewer: &Mask) -> i64 {
        let gained = |word: usize| more.0[word] & !fewer.0[word] & !self.mask.0[word];
        sum(gained, |bit| i64::from(self.signatures.bits[bit].step))
    }
}

fn sum(words: impl Fn(usize) -> u64, charge: impl Fn(usize) -> i64) -> i64 {
    let mut sum = 0;
    for word in 0..WORDS {
        let mut bits = words(word);
        while bits != 0 {
            sum += charge(word * 64 + bits.trailing_zeros() as usize);
            bits &= bits - 1;
        }
    }
    sum
}

impl Mask {
    /// No bit.
    pub(super) const NONE: Mask = Mask([0; WORDS]);

    /// Every bit.
    pub(super) const ALL: Mask = Mask([u64::MAX; WORDS]);

    /// Whether the bit is in.
    pub(super) fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The bits of either.
    pub(super) fn or(&self, other: &Mask) -> Mask {
        Mask(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The bits of both.
    pub(super) fn and(&self, other: &Mask) -> Mask {
        Mask(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }

    /// The bits of this one that the other lacks, ascending.
    pub(super) fn without(&self, other: &Mask) -> impl Iterator<Item = usize> {
        let bits: [u64; WORDS] = std::array::from_fn(|word| self.0[word] & !other.0[word]);
        (0..BITS).filter(move |bit| bits[bit / 64] >> (bit % 64) & 1 == 1)
    }
}
