//! Grows sets of clusters, and counts the people who hold each.

use shoal_core::Progress;

use super::counter::Counter;
use crate::transactions::queue::Queue;

/// A part of `members` that ends where a transaction ends, and whose it is.
#[derive(Clone, Copy)]
pub(in crate::transactions) struct Suffix<O> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) owner: O,
}

/// Grows sets by one cluster at a time, always by a later one: the transactions of a set are never looked for,
/// only narrowed down. They keep their order, so those of a person stay together.
pub(super) struct Growth<'a, C> {
    members: &'a [u32],
    k: usize,
    /// The set that is grown at the moment, ascending.
    pub(super) prefix: Vec<u32>,
    pub(super) found: Queue,
    /// Counters for each number of clusters that are still to be added.
    counters: Vec<Vec<C>>,
}

impl<'a, C: Counter> Growth<'a, C> {
    /// Grows sets of up to `size` of the clusters in `members`, whose numbers are below `limit`.
    pub(super) fn new(members: &'a [u32], limit: usize, k: usize, size: usize) -> Growth<'a, C> {
        let counters = vec![vec![C::default(); limit]; size];
        Growth { members, k, prefix: Vec::new(), found: Queue::default(), counters }
    }

    /// Finds all sets that begin with the prefix, which these transactions hold, and have `more` clusters more.
    pub(super) fn grow(&mut self, suffixes: &[Suffix<C::Owner>], more: usize, progress: &dyn Progress) {
        if more == 0 {
            // Only where single clusters are asked for: larger sets are decided one step earlier, below.
            let people = C::people_of(suffixes);
            if people > 0 && people < self.k {
                self.found.push(people, self.prefix.iter().copied());
            }
            return;
        }
        // Each depth of the recursion has counters of its own, taken out here so that `self` can be borrowed below.
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        if more == 1 {
            // The last cluster is only counted: no list of transactions is made for sets that are never grown.
            for &id in &next {
                let support = std::mem::take(&mut counts[id as usize]).people();
                if support < self.k {
                    self.found.push(support, self.prefix.iter().copied().chain([id]));
                }
            }
        } else {
            let (narrowed, bounds) = self.narrow(suffixes, &next, &mut counts);
            for (&id, bounds) in next.iter().zip(bounds.windows(2)) {
                if more > 2 {
                    // Two more levels take little time; from three on a subtree may hold very many sets.
                    progress.check();
                }
                self.prefix.push(id);
                self.grow(&narrowed[bounds[0]..bounds[1]], more - 1, progress);
                self.prefix.pop();
            }
        }
        self.counters[more] = counts;
    }

    /// Whether every set of up to `more` clusters that occurs in these parts of transactions is held by at least `k`
    /// people. Stops at the first that is not.
    pub(super) fn all_frequent(&mut self, suffixes: &[Suffix<C::Owner>], more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        // The caller stops at the first false and never counts again, so the counters need not be cleared.
        let frequent = next.iter().all(|&id| counts[id as usize].people() >= self.k) && {
            let (narrowed, bounds) = self.narrow(suffixes, &next, &mut counts);
            bounds.windows(2).all(|bounds| self.all_frequent(&narrowed[bounds[0]..bounds[1]], more - 1))
        };
        self.counters[more] = counts;
        frequent
    }

    /// Counts the clusters in these parts of transactions and returns those that occur, ascending.
    fn count(&self, suffixes: &[Suffix<C::Owner>], counts: &mut [C]) -> Vec<u32> {
        let mut occurring = Vec::new();
        for suffix in suffixes {
            for &id in &self.members[suffix.start..suffix.end] {
                if counts[id as usize].transactions() == 0 {
                    occurring.push(id);
                }
                counts[id as usize].add(suffix.owner);
            }
        }
        occurring.sort_unstable();
        occurring
    }

    /// What follows each of the `next` clusters, one after the other, and where each begins. Clears the counts.
    fn narrow(
        &self,
        suffixes: &[Suffix<C::Owner>],
        next: &[u32],
        counts: &mut [C],
    ) -> (Vec<Suffix<C::Owner>>, Vec<usize>) {
        let mut bounds = vec![0];
        let mut total = 0;
        for &id in next {
            // From here on the counter says where the next part of its cluster goes.
            let count = counts[id as usize].transactions() as usize;
            counts[id as usize].put(total as u32);
            total += count;
            bounds.push(total);
        }
        let mut narrowed = vec![Suffix { start: 0, end: 0, owner: C::Owner::default() }; total];
        for suffix in suffixes {
            for at in suffix.start..suffix.end {
                let counter = &mut counts[self.members[at] as usize];
                let place = counter.transactions();
                narrowed[place as usize] = Suffix { start: at + 1, end: suffix.end, owner: suffix.owner };
                counter.put(place + 1);
            }
        }
        next.iter().for_each(|&id| counts[id as usize] = C::default());
        (narrowed, bounds)
    }
}
