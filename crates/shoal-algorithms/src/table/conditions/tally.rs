//! What has to be known of some records to say whether they may be a class.

use std::collections::{BTreeMap, btree_map};
use std::iter::Enumerate;
use std::ops::Range;
use std::slice;

/// Counts of up to so many different values stand in a row; of more, only those that occur are held.
const DENSE: u32 = 128;

/// How many records there are, and how many of them have each sensitive value. Values are known by their
/// *keys*: the codes of one column after those of the other, and the larger personal k after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    records: u64,
    counts: Counts,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Counts {
    Dense(Vec<u32>),
    Sparse(BTreeMap<u32, u32>),
}

impl Tally {
    /// Nobody, where there are so many keys.
    pub(super) fn new(keys: u32) -> Tally {
        let counts = match keys {
            0..=DENSE => Counts::Dense(vec![0; keys as usize]),
            _ => Counts::Sparse(BTreeMap::new()),
        };
        Tally { records: 0, counts }
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// So many more records; their keys are added one by one.
    pub(super) fn grow(&mut self, records: u32) {
        self.records += u64::from(records);
    }

    /// So many records fewer.
    pub(super) fn shrink(&mut self, records: u32) {
        self.records -= u64::from(records);
    }

    pub(super) fn add_key(&mut self, key: u32, times: u32) {
        match &mut self.counts {
            Counts::Dense(counts) => counts[key as usize] += times,
            Counts::Sparse(counts) => *counts.entry(key).or_insert(0) += times,
        }
    }

    pub(super) fn remove_key(&mut self, key: u32, times: u32) {
        match &mut self.counts {
            Counts::Dense(counts) => counts[key as usize] -= times,
            Counts::Sparse(counts) => {
                if let btree_map::Entry::Occupied(mut entry) = counts.entry(key) {
                    *entry.get_mut() -= times;
                    if *entry.get() == 0 {
                        entry.remove();
                    }
                }
            }
        }
    }

    /// Puts two sets of records together.
    pub(crate) fn merge(&mut self, other: &Tally) {
        self.records += other.records;
        match (&mut self.counts, &other.counts) {
            (Counts::Dense(own), Counts::Dense(others)) => {
                own.iter_mut().zip(others).for_each(|(own, other)| *own += other);
            }
            _ => other.present(0..u32::MAX).for_each(|(key, times)| self.add_key(key, times)),
        }
    }

    /// Takes away some of the records.
    pub(crate) fn separate(&mut self, part: &Tally) {
        self.records -= part.records;
        match (&mut self.counts, &part.counts) {
            (Counts::Dense(own), Counts::Dense(parts)) => {
                own.iter_mut().zip(parts).for_each(|(own, part)| *own -= part);
            }
            _ => part.present(0..u32::MAX).for_each(|(key, times)| self.remove_key(key, times)),
        }
    }

    /// The keys of a range that occur, ascending and counted from its start, and how often they do.
    pub(super) fn present(&self, keys: Range<u32>) -> Present<'_> {
        match &self.counts {
            Counts::Dense(counts) => {
                let end = counts.len().min(keys.end as usize);
                Present::Dense(counts[keys.start as usize..end].iter().enumerate())
            }
            Counts::Sparse(counts) => Present::Sparse { first: keys.start, counts: counts.range(keys) },
        }
    }
}

/// What [`Tally::present`] runs through.
#[derive(Clone)]
pub(super) enum Present<'a> {
    Dense(Enumerate<slice::Iter<'a, u32>>),
    Sparse { first: u32, counts: btree_map::Range<'a, u32, u32> },
}

impl Iterator for Present<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        match self {
            Present::Dense(counts) => {
                counts.find(|(_, count)| **count > 0).map(|(key, &count)| (key as u32, count))
            }
            Present::Sparse { first, counts } => counts.next().map(|(&key, &count)| (key - *first, count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn dense_and_sparse_count_alike(keys in prop::collection::vec((0_u32..9, 1_u32..4), 0..30), cut in 0_usize..30) {
            let build = |keys: &[(u32, u32)], of: u32| {
                let mut tally = Tally::new(of);
                for &(key, times) in keys {
                    tally.grow(times);
                    tally.add_key(key, times);
                }
                tally
            };
            let cut = cut.min(keys.len());
            let list = |tally: &Tally| (tally.records(), tally.present(2..7).collect::<Vec<_>>());
            let [dense, sparse] = [9, DENSE + 1].map(|of| {
                let (mut low, high) = (build(&keys[..cut], of), build(&keys[cut..], of));
                let alone = low.clone();
                low.merge(&high);
                assert_eq!(low, build(&keys, of));
                let whole = list(&low);
                low.separate(&high);
                assert_eq!(low, alone);
                for &(key, times) in &keys[..cut] {
                    low.shrink(times);
                    low.remove_key(key, times);
                }
                assert_eq!(low, Tally::new(of));
                whole
            });
            prop_assert_eq!(dense, sparse);
        }
    }
}
