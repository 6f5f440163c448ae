//! The invalid sequences of a cluster, exactly, without listing all that can be known.
//!
//! What matters of something known is where it ends at the earliest in each sequence of the cluster, if it is there at
//! all: who supports it is those in whom it ends, and what can follow depends on the ends only. Many patterns have the
//! same ends. So the search goes over *distinct vectors of ends*, from the empty pattern on, event by event, and keeps
//! for each the least number of items with which it is reached. If somebody could know up to L items such that those
//! who fit break the promise, then a vector within L items shows it. Where all sequences are equal, there are no more vectors
//! than events, whatever L is.
//!
//! A vector that breaks the promise is not extended. When none is found, nothing has been left out.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use shoal_core::{Progress, Unseen};

use super::crowd::Crowd;
use super::itemsets::{Itemset, Itemsets, marked};
use super::tree::Forest;
use crate::sequences::terms::Terms;

/// Something that somebody may know and that breaks the promise: the items of each event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    pub(super) events: Vec<Vec<u32>>,
}

impl Invalid {
    /// The items of all events.
    pub(super) fn items(&self) -> impl Iterator<Item = u32> + '_ {
        self.events.iter().flatten().copied()
    }
}

/// How much is still allowed to be done; a unit is about an operation on one event or one sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget<'a> {
    units: u64,
    progress: Unseen<'a>,
}

impl<'a> Budget<'a> {
    /// This number of units; `progress` can cancel before they are used up.
    pub(super) fn new(units: u64, progress: &'a dyn Progress) -> Budget<'a> {
        Budget { units, progress: Unseen(progress) }
    }

    /// Takes some off; `None` when there is not enough.
    pub(super) fn spend(&mut self, units: u64) -> Option<()> {
        self.progress.check();
        self.units = self.units.checked_sub(units)?;
        Some(())
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The first invalid sequence.
    First,
    /// The end.
    All,
}

/// The invalid sequences of a crowd with up to L items; `None` when the budget does not suffice.
pub(super) fn invalid(
    crowd: &Crowd,
    forest: &Forest,
    terms: &Terms,
    until: Until,
    budget: &mut Budget<'_>,
) -> Option<Vec<Invalid>> {
    if crowd.rows() == 0 {
        return Some(Vec::new());
    }
    let itemsets = Itemsets::new(crowd, forest, terms, terms.length, budget)?;
    let single = |set: Itemset| Invalid { events: vec![set.items] };
    let mut found: Vec<Invalid> = itemsets.invalid.into_iter().map(single).collect();
    if until == Until::First && !found.is_empty() {
        return Some(found);
    }
    let steps = Steps::new(crowd, &itemsets.valid, budget)?;
    let mut vectors = Vectors::new(crowd.rows());
    // Nobody knows more of a sequence than all that it publishes.
    let most = crowd.longest() * forest.quasi();
    let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); terms.length.min(most) + 1];
    waiting[0].push(0);
    let mut next = vec![0; crowd.rows()];
    let mut counts = Vec::new();
    for length in 0..waiting.len() {
        for from in std::mem::take(&mut waiting[length]) {
            // It was reached again with fewer items after it had been queued, and has been extended from there.
            if vectors.length[from as usize] as usize != length {
                continue;
            }
            // Itemsets are sorted by their number of items, so those that still fit into L come first.
            let fitting = itemsets.valid.partition_point(|set| set.items.len() + length < waiting.len());
            budget.spend(fitting as u64 * crowd.rows() as u64)?;
            for by in 0..fitting {
                let longer = length + itemsets.valid[by].items.len();
                if !steps.advance(vectors.ends(from), by, &mut next) {
                    continue;
                }
                let reached = Reached { length: longer as u32, from, by: by as u32 };
                match vectors.reach(&next, reached) {
                    Arrival::Later => {}
                    Arrival::Sooner(vector) => {
                        if vectors.holds[vector as usize] {
                            waiting[longer].push(vector);
                        }
                    }
                    Arrival::New(vector) => {
                        let support = (0..next.len()).filter(|&row| next[row] != NONE);
                        if crowd.holds(support, terms, &mut counts) {
                            waiting[longer].push(vector);
                        } else {
                            vectors.holds[vector as usize] = false;
                            if until == Until::First {
                                return Some(vec![vectors.witness(vector, &itemsets.valid)]);
                            }
                        }
                    }
                }
            }
        }
    }
    let broken = (0..vectors.holds.len()).filter(|&vector| !vectors.holds[vector]);
    found.extend(broken.map(|vector| vectors.witness(vector as u32, &itemsets.valid)));
    Some(found)
}

/// The end in a sequence that does not support a pattern.
const NONE: u16 = u16::MAX;

/// For each itemset, each sequence and each end, where the itemset ends that fits next.
#[derive(Debug)]
struct Steps {
    width: usize,
    table: Vec<u16>,
    /// Where each sequence's ends begin; there is one more end than events.
    starts: Vec<usize>,
}

impl Steps {
    fn new(crowd: &Crowd, itemsets: &[Itemset], budget: &mut Budget<'_>) -> Option<Steps> {
        let width = crowd.events() + crowd.rows();
        // Ends are u16, which halves the table; longer sequences are decided as if the budget were used up.
        if crowd.longest() >= NONE as usize {
            return None;
        }
        budget.spend((width * itemsets.len()) as u64)?;
        let mut table = vec![NONE; width * itemsets.len()];
        let starts: Vec<usize> = (0..crowd.rows()).map(|row| crowd.starts[row] + row).collect();
        for (set, row_ends) in itemsets.iter().zip(table.chunks_exact_mut(width)) {
            for (bounds, &start) in crowd.starts.windows(2).zip(&starts) {
                // From the last event backwards, so that each end finds the next event that fits behind it.
                let mut end = NONE;
                for event in (bounds[0]..bounds[1]).rev() {
                    let at = event - bounds[0];
                    if marked(&set.mask, event) {
                        end = at as u16 + 1;
                    }
                    row_ends[start + at] = end;
                }
            }
        }
        Some(Steps { width, table, starts })
    }

    /// The ends after one more event; whether there are any.
    fn advance(&self, ends: &[u16], by: usize, next: &mut [u16]) -> bool {
        let table = &self.table[by * self.width..(by + 1) * self.width];
        let mut supported = false;
        for ((&end, next), &start) in ends.iter().zip(&mut *next).zip(&self.starts) {
            *next = if end == NONE { NONE } else { table[start + end as usize] };
            supported |= *next != NONE;
        }
        supported
    }
}

/// How a vector was reached: with how many items, from which vector, by which itemset.
#[derive(Clone, Copy, Debug)]
struct Reached {
    length: u32,
    from: u32,
    by: u32,
}

/// What reaching a vector means.
enum Arrival {
    New(u32),
    Sooner(u32),
    Later,
}

/// The vectors that were reached, the empty pattern's first.
#[derive(Debug)]
struct Vectors {
    rows: usize,
    ends: Vec<u16>,
    /// The least number of items.
    length: Vec<u32>,
    /// Whether those in whom it ends keep the promise.
    holds: Vec<bool>,
    /// From which vector, by which itemset.
    from: Vec<(u32, u32)>,
    index: HashTable<u32>,
    hasher: FixedState,
}

impl Vectors {
    fn new(rows: usize) -> Vectors {
        Vectors {
            rows,
            ends: vec![0; rows],
            length: vec![0],
            holds: vec![true],
            from: vec![(0, 0)],
            index: HashTable::new(),
            hasher: FixedState::default(),
        }
    }

    fn ends(&self, vector: u32) -> &[u16] {
        &self.ends[vector as usize * self.rows..(vector as usize + 1) * self.rows]
    }

    fn reach(&mut self, ends: &[u16], reached: Reached) -> Arrival {
        let hash = self.hasher.hash_one(ends);
        if let Some(&vector) = self.index.find(hash, |&vector| self.ends(vector) == ends) {
            let at = vector as usize;
            if self.length[at] <= reached.length {
                return Arrival::Later;
            }
            self.length[at] = reached.length;
            self.from[at] = (reached.from, reached.by);
            return Arrival::Sooner(vector);
        }
        let vector = self.length.len() as u32;
        self.ends.extend_from_slice(ends);
        self.length.push(reached.length);
        self.holds.push(true);
        self.from.push((reached.from, reached.by));
        let Vectors { rows, ends, hasher, index, .. } = self;
        let of =
            |&vector: &u32| hasher.hash_one(&ends[vector as usize * *rows..(vector as usize + 1) * *rows]);
        index.insert_unique(hash, vector, of);
        Arrival::New(vector)
    }

    /// A pattern that ends so.
    fn witness(&self, vector: u32, itemsets: &[Itemset]) -> Invalid {
        let mut events = Vec::new();
        let mut at = vector;
        while at != 0 {
            let (from, by) = self.from[at as usize];
            events.push(itemsets[by as usize].items.clone());
            at = from;
        }
        events.reverse();
        Invalid { events }
    }
}
