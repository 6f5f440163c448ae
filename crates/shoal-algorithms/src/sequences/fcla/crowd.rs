//! A cluster as others see it: which sequences it publishes, and how many people stand behind each.

use hashbrown::HashMap;

use super::tree::Forest;
use crate::sequences::terms::Terms;

/// In the place of all codes of an event that is left out.
pub(super) const GONE: u32 = u32::MAX;

/// What the members of one cluster publish: a code per event and quasi-identifier. Roots are published as `*`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    /// The members.
    pub(super) people: Vec<u32>,
    /// Where each member's events begin, and at the end the number of events.
    pub(super) starts: Vec<usize>,
    /// The codes, event by event.
    pub(super) codes: Vec<u32>,
}

impl Draft {
    /// InfLoss of the cluster, not yet divided by cells.
    pub(super) fn loss(&self, forest: &Forest) -> f64 {
        self.codes.iter().map(|&code| if code == GONE { 1.0 } else { forest.loss(code) }).sum()
    }
}

/// The distinct sequences of a cluster, without the events that say nothing and the people of whom nothing is said.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd {
    /// Where the events of each sequence begin, and at the end the number of events.
    pub(super) starts: Vec<usize>,
    /// The codes, event by event.
    pub(super) codes: Vec<u32>,
    /// How many people publish each sequence.
    sizes: Vec<u32>,
    /// Which sensitive values they have, and how many of them.
    having: Vec<Vec<(u32, u32)>>,
    /// The sensitive values of the cluster, by their numbers in the terms.
    values: Vec<u32>,
}

impl Crowd {
    /// Folds equal sequences.
    pub(super) fn new(draft: &Draft, forest: &Forest, terms: &Terms) -> Crowd {
        let quasi = forest.quasi();
        let mut crowd = Crowd { starts: vec![0], ..Crowd::default() };
        let mut row_of: HashMap<Vec<u32>, usize, foldhash::fast::FixedState> = HashMap::default();
        let mut carried: Vec<Vec<u32>> = Vec::new();
        for (&person, bounds) in draft.people.iter().zip(draft.starts.windows(2)) {
            let own = draft.codes[bounds[0] * quasi..bounds[1] * quasi].chunks_exact(quasi);
            let says = |event: &&[u32]| event.iter().any(|&code| forest.root(code) != code);
            let own: Vec<u32> = own.filter(says).flatten().copied().collect();
            if own.is_empty() {
                continue;
            }
            let row = *row_of.entry(own).or_insert_with_key(|own| {
                crowd.codes.extend_from_slice(own);
                crowd.starts.push(crowd.codes.len() / quasi);
                crowd.sizes.push(0);
                carried.push(Vec::new());
                carried.len() - 1
            });
            crowd.sizes[row] += 1;
            carried[row].extend_from_slice(terms.carried(person));
        }
        crowd.values = carried.concat();
        crowd.values.sort_unstable();
        crowd.values.dedup();
        crowd.having = carried.into_iter().map(|values| counted(values, &crowd.values)).collect();
        crowd
    }

    /// How many distinct sequences there are.
    pub(super) fn rows(&self) -> usize {
        self.sizes.len()
    }

    /// How many events they have in all.
    pub(super) fn events(&self) -> usize {
        self.starts[self.rows()]
    }

    /// How many events the longest of them has.
    pub(super) fn longest(&self) -> usize {
        self.starts.windows(2).map(|bounds| bounds[1] - bounds[0]).max().unwrap_or(0)
    }

    /// Whether those who publish some of the sequences are a crowd that keeps the promise.
    pub(super) fn holds(
        &self,
        rows: impl Iterator<Item = usize>,
        terms: &Terms,
        counts: &mut Vec<u32>,
    ) -> bool {
        let mut size = 0;
        counts.clear();
        counts.resize(self.values.len(), 0);
        for row in rows {
            size += self.sizes[row] as usize;
            self.having[row].iter().for_each(|&(at, count)| counts[at as usize] += count);
        }
        let kept = |(&count, &value): (&u32, &u32)| terms.allows(value, count, size);
        size >= terms.k && counts.iter().zip(&self.values).all(kept)
    }
}

/// How often each value occurs, by its place among all of them.
fn counted(mut values: Vec<u32>, all: &[u32]) -> Vec<(u32, u32)> {
    values.sort_unstable();
    let count = |run: &[u32]| (all.partition_point(|&value| value < run[0]) as u32, run.len() as u32);
    values.chunk_by(|a, b| a == b).map(count).collect()
}
