//! What has to be known of some records to say whether they may be a class.

use std::collections::{BTreeMap, btree_map};
use std::iter::Enumerate;
use std::ops::Range;
use std::slice;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// With up to this many different values, there is a count for each; with more, only for those that occur. Chosen by
/// hand; not measured.
const DENSE: u32 = 128;

/// The key under which a person stands for themselves and for none of their values.
const PERSON: u32 = u32::MAX;

/// How many records there are, and how many of them have each sensitive value. Values are known by their
/// *keys*: the codes of one column after those of the other, and the larger personal k after them.
///
/// Where people are counted, several records can be one person's, so that neither the number of people nor that of the
/// people with a value adds up. Then it is also known which people there are, which of them has which key, and in
/// how many records, so that records can be taken away again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    records: u64,
    /// Records, or people where they are counted.
    members: u64,
    /// Members by key.
    counts: Counts,
    /// Records by person and key, where people are counted: the person in the upper half, the key in the lower one.
    /// It is never gone through in an order that matters.
    held: Option<HashMap<u64, u32, FixedState>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Counts {
    Dense(Vec<u32>),
    Sparse(BTreeMap<u32, u32>),
}

impl Tally {
    /// Nobody, where there are `keys` keys.
    pub(super) fn new(keys: u32) -> Tally {
        let counts = match keys {
            0..=DENSE => Counts::Dense(vec![0; keys as usize]),
            _ => Counts::Sparse(BTreeMap::new()),
        };
        Tally { records: 0, members: 0, counts, held: None }
    }

    /// Nobody, where people are counted.
    pub(super) fn of_people(keys: u32) -> Tally {
        Tally { held: Some(HashMap::default()), ..Tally::new(keys) }
    }

    /// How many records there are.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// How large a crowd they are: as many as there are people, where people are counted, else records.
    pub(crate) fn members(&self) -> u64 {
        self.members
    }

    /// Whether members are people, who may have several records.
    pub(super) fn counts_people(&self) -> bool {
        self.held.is_some()
    }

    /// Adds records of different people; their keys are added one by one.
    pub(crate) fn grow(&mut self, records: u32) {
        self.records += u64::from(records);
        self.members += u64::from(records);
    }

    /// Takes records of different people away.
    pub(super) fn shrink(&mut self, records: u32) {
        self.records -= u64::from(records);
        self.members -= u64::from(records);
    }

    /// Adds records of one person, all with these keys.
    pub(super) fn add_person(&mut self, person: u32, keys: impl Iterator<Item = u32>, times: u32) {
        self.records += u64::from(times);
        self.hold(pair(person, PERSON), times);
        keys.for_each(|key| self.hold(pair(person, key), times));
    }

    /// Takes records of one person away, all with these keys.
    pub(super) fn remove_person(&mut self, person: u32, keys: impl Iterator<Item = u32>, times: u32) {
        self.records -= u64::from(times);
        self.release(pair(person, PERSON), times);
        keys.for_each(|key| self.release(pair(person, key), times));
    }

    /// A person counts with the first record that has a key.
    fn hold(&mut self, pair: u64, times: u32) {
        let held = self.held.get_or_insert_with(HashMap::default).entry(pair).or_insert(0);
        let fresh = *held == 0 && times > 0;
        *held += times;
        match (fresh, pair as u32) {
            (false, _) => {}
            (true, PERSON) => self.members += 1,
            (true, key) => self.add_key(key, 1),
        }
    }

    /// And no more when the last one goes.
    fn release(&mut self, pair: u64, times: u32) {
        let Some(held) = &mut self.held else { return };
        let Entry::Occupied(mut entry) = held.entry(pair) else { return };
        *entry.get_mut() -= times;
        if *entry.get() > 0 {
            return;
        }
        entry.remove();
        match pair as u32 {
            PERSON => self.members -= 1,
            key => self.remove_key(key, 1),
        }
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
        if let Some(held) = &other.held {
            return held.iter().for_each(|(&pair, &times)| self.hold(pair, times));
        }
        self.members += other.members;
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
        if let Some(held) = &part.held {
            return held.iter().for_each(|(&pair, &times)| self.release(pair, times));
        }
        self.members -= part.members;
        match (&mut self.counts, &part.counts) {
            (Counts::Dense(own), Counts::Dense(parts)) => {
                own.iter_mut().zip(parts).for_each(|(own, part)| *own -= part);
            }
            _ => part.present(0..u32::MAX).for_each(|(key, times)| self.remove_key(key, times)),
        }
    }

    /// How many members have a key.
    pub(super) fn having(&self, key: u32) -> u32 {
        match &self.counts {
            Counts::Dense(counts) => counts[key as usize],
            Counts::Sparse(counts) => counts.get(&key).copied().unwrap_or_default(),
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

fn pair(person: u32, key: u32) -> u64 {
    u64::from(person) << 32 | u64::from(key)
}

/// What [`Tally::present`] runs through.
#[derive(Clone)]
pub(super) enum Present<'a> {
    Dense(Enumerate<slice::Iter<'a, u32>>),
    Sparse { first: u32, counts: btree_map::Range<'a, u32, u32> },
}

impl Present<'_> {
    /// The values that occur, by how often each does.
    pub(super) fn of(counts: &[u32]) -> Present<'_> {
        Present::Dense(counts.iter().enumerate())
    }
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
        /// People and the keys that they have are counted once, however records come and go.
        #[test]
        fn people_count_once(
            records in prop::collection::vec((0_u32..5, prop::collection::btree_set(0_u32..4, 0..3), 1_u32..3), 0..20),
            cut in 0_usize..20,
        ) {
            let build = |records: &[(u32, std::collections::BTreeSet<u32>, u32)]| {
                let mut tally = Tally::of_people(4);
                records.iter().for_each(|(p, keys, times)| tally.add_person(*p, keys.iter().copied(), *times));
                tally
            };
            let (low, high) = records.split_at(cut.min(records.len()));
            let mut tally = build(&records);
            let people = |key: Option<u32>| {
                let has = |keys: &std::collections::BTreeSet<u32>| key.is_none_or(|key| keys.contains(&key));
                let who = records.iter().filter(|(_, keys, _)| has(keys)).map(|(person, ..)| *person);
                who.collect::<std::collections::BTreeSet<u32>>().len()
            };
            prop_assert_eq!(tally.members() as usize, people(None));
            let counts: Vec<(u32, u32)> =
                (0..4).map(|key| (key, people(Some(key)) as u32)).filter(|(_, count)| *count > 0).collect();
            prop_assert_eq!(tally.present(0..4).collect::<Vec<_>>(), counts);
            let mut merged = build(low);
            merged.merge(&build(high));
            prop_assert_eq!(&merged, &tally);
            tally.separate(&build(high));
            prop_assert_eq!(&tally, &build(low));
            low.iter().for_each(|(p, keys, times)| tally.remove_person(*p, keys.iter().copied(), *times));
            prop_assert_eq!(tally, Tally::of_people(4));
        }

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
