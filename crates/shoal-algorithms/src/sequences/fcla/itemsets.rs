//! What can be known about a single event, as the set of the cluster's events that it fits.
//!
//! Sets of items that fit the same events are one: nobody can tell them apart by what the cluster publishes. Of
//! those the smallest is kept, and of nested items the most general. A set of items whose people break the promise
//! is an invalid sequence of one event, and nothing is added to it: whatever removes it removes all that contains it.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::crowd::Crowd;
use super::search::Budget;
use super::tree::Forest;
use crate::sequences::terms::Terms;

/// Some events of a crowd, a bit each.
pub(super) type Mask = Box<[u64]>;

/// Items of one event.
#[derive(Clone, Debug)]
pub(super) struct Itemset {
    /// The events that it fits.
    pub(super) mask: Mask,
    /// The codes, at most one for each quasi-identifier.
    pub(super) items: Vec<u32>,
}

/// The distinct sets of up to `length` items that keep the promise, smallest first, and those that break it.
#[derive(Debug, Default)]
pub(super) struct Itemsets {
    pub(super) valid: Vec<Itemset>,
    pub(super) invalid: Vec<Itemset>,
}

impl Itemsets {
    /// Searches quasi-identifier by quasi-identifier; `None` when the budget is used up.
    pub(super) fn new(
        crowd: &Crowd,
        forest: &Forest,
        terms: &Terms,
        length: usize,
        budget: &mut Budget<'_>,
    ) -> Option<Itemsets> {
        let mut found = Found::default();
        let mut scratch = Vec::new();
        for quasi in 0..forest.quasi() {
            let items = items(crowd, forest, quasi);
            let mut fresh: Vec<(Itemset, bool)> = Vec::new();
            let whole = Itemset { mask: vec![u64::MAX; words(crowd)].into(), items: Vec::new() };
            let bases = std::iter::once(&whole).chain(found.valid().filter(|base| base.items.len() < length));
            for base in bases {
                budget.spend((items.len() * (words(crowd) + crowd.rows())) as u64)?;
                for (item, mask) in &items {
                    let both: Mask = base.mask.iter().zip(mask).map(|(a, b)| a & b).collect();
                    // An item that fits all events of the base anyway says nothing more than the base.
                    let nothing_new = !base.items.is_empty() && both == base.mask;
                    if nothing_new || both.iter().all(|&word| word == 0) {
                        continue;
                    }
                    // The same events with as few items: whatever follows from this set follows from that one.
                    if found.is_known(&both, base.items.len() + 1) {
                        continue;
                    }
                    let holds = crowd.holds(rows(crowd, &both), terms, &mut scratch);
                    let items = base.items.iter().copied().chain([*item]).collect();
                    fresh.push((Itemset { mask: both, items }, holds));
                }
            }
            fresh.into_iter().for_each(|(itemset, holds)| found.add(itemset, holds));
        }
        Some(found.finish())
    }
}

/// Itemsets by the events that they fit.
#[derive(Debug, Default)]
struct Found {
    sets: Vec<(Itemset, bool)>,
    by_mask: HashMap<Mask, usize, foldhash::fast::FixedState>,
}

impl Found {
    fn valid(&self) -> impl Iterator<Item = &Itemset> {
        self.sets.iter().filter(|(_, holds)| *holds).map(|(set, _)| set)
    }

    fn is_known(&self, mask: &Mask, size: usize) -> bool {
        self.by_mask.get(mask).is_some_and(|&at| self.sets[at].0.items.len() <= size)
    }

    fn add(&mut self, set: Itemset, holds: bool) {
        match self.by_mask.entry(set.mask.clone()) {
            Entry::Vacant(free) => {
                free.insert(self.sets.len());
                self.sets.push((set, holds));
            }
            Entry::Occupied(known) => {
                let known = &mut self.sets[*known.get()].0;
                if set.items.len() < known.items.len() {
                    *known = set;
                }
            }
        }
    }

    fn finish(mut self) -> Itemsets {
        self.sets.sort_by_key(|(set, _)| set.items.len());
        let (valid, invalid): (Vec<_>, Vec<_>) = self.sets.into_iter().partition(|&(_, holds)| holds);
        let sets = |sets: Vec<(Itemset, bool)>| sets.into_iter().map(|(set, _)| set).collect();
        Itemsets { valid: sets(valid), invalid: sets(invalid) }
    }
}

/// The items of one quasi-identifier with the events that publish them or something below, by code; of those that fit
/// the same events only the most general.
fn items(crowd: &Crowd, forest: &Forest, quasi: usize) -> Vec<(u32, Mask)> {
    let words = words(crowd);
    let mut masks: std::collections::BTreeMap<u32, Mask> = std::collections::BTreeMap::new();
    for (event, codes) in crowd.codes.chunks_exact(forest.quasi()).enumerate() {
        for item in forest.items(codes[quasi]) {
            let mask = masks.entry(item).or_insert_with(|| vec![0; words].into());
            mask[event / 64] |= 1 << (event % 64);
        }
    }
    let alike = |item: u32, mask: &Mask| forest.item_above(item).is_some_and(|above| masks[&above] == *mask);
    masks
        .iter()
        .filter(|&(&item, mask)| !alike(item, mask))
        .map(|(&item, mask)| (item, mask.clone()))
        .collect()
}

/// The sequences that have one of the events.
fn rows<'a>(crowd: &'a Crowd, mask: &'a Mask) -> impl Iterator<Item = usize> + 'a {
    (0..crowd.rows())
        .filter(|&row| (crowd.starts[row]..crowd.starts[row + 1]).any(|event| marked(mask, event)))
}

/// Whether an event is in a set of events.
pub(super) fn marked(mask: &Mask, event: usize) -> bool {
    mask[event / 64] >> (event % 64) & 1 == 1
}

fn words(crowd: &Crowd) -> usize {
    crowd.events().div_ceil(64)
}
