//! Sets of published items that occur, but too seldom.

use rayon::prelude::*;

use super::clusters::Clusters;
use super::queue::Queue;

/// The published transactions one after the other, and where each cluster stands in them. Clusters that hold no
/// linkable item are left out.
pub(super) struct Images {
    members: Vec<u32>,
    /// For each cluster and each transaction that holds it, what follows it there.
    after: Vec<Vec<Suffix>>,
}

/// A part of `members` that ends where a transaction ends.
#[derive(Clone, Copy)]
struct Suffix {
    start: usize,
    end: usize,
}

impl Images {
    /// What is published with clusters as they are now.
    pub(super) fn new(clusters: &Clusters<'_>, linkable: Option<&[bool]>) -> Images {
        let holds_linkable =
            |items: &[u32]| linkable.is_none_or(|linkable| items.iter().any(|&item| linkable[item as usize]));
        let mut known = vec![false; clusters.items()];
        for (id, cluster) in clusters.iter() {
            known[id as usize] = holds_linkable(&cluster.items);
        }
        let mut members = Vec::new();
        let mut after: Vec<Vec<Suffix>> = vec![Vec::new(); clusters.items()];
        for image in clusters.images() {
            let start = members.len();
            members.extend(image.into_iter().filter(|&id| known[id as usize]));
            let end = members.len();
            for at in start..end {
                after[members[at] as usize].push(Suffix { start: at + 1, end });
            }
        }
        Images { members, after }
    }

    /// How many sets of this size there are at most, equal ones in several transactions counted apart.
    pub(super) fn sets_at_most(&self, size: usize) -> f64 {
        // Every set is counted where it begins: its other members are among those that follow.
        let choices =
            |n: usize| (1..size).map(|i| (n as f64 - (i - 1) as f64).max(0.0) / i as f64).product::<f64>();
        self.after.iter().flatten().map(|suffix| choices(suffix.end - suffix.start)).sum()
    }

    /// All sets of exactly `size` clusters that occur together in at least one and fewer than `k`
    /// transactions. Sets of equal support come in lexicographic order.
    pub(super) fn too_seldom(&self, size: usize, k: usize) -> Queue {
        let of_first = |growth: &mut Growth<'_>, (first, suffixes): (usize, &Vec<Suffix>)| {
            growth.prefix.push(first as u32);
            growth.grow(suffixes, size - 1);
            growth.prefix.pop();
            std::mem::take(&mut growth.found)
        };
        let firsts = self.after.par_iter().enumerate();
        let growth = || Growth::new(&self.members, self.after.len(), k, size);
        let found: Vec<Queue> = firsts.map_init(growth, of_first).collect();
        let mut all = Queue::default();
        found.into_iter().for_each(|queue| all.append(queue));
        all
    }
}

/// Whether all sets of one to `size` clusters that these images hold are held by at least `k` of them. All
/// clusters have numbers below `limit`.
pub(super) fn all_often(images: &[Vec<u32>], limit: usize, size: usize, k: usize) -> bool {
    let mut members = Vec::new();
    let mut suffixes = Vec::new();
    for image in images {
        let start = members.len();
        members.extend_from_slice(image);
        suffixes.push(Suffix { start, end: members.len() });
    }
    Growth::new(&members, limit, k, size + 1).all_often(&suffixes, size)
}

/// Grows sets by one cluster at a time, always by a later one: the transactions of a set are never looked for,
/// only narrowed down.
struct Growth<'a> {
    members: &'a [u32],
    k: usize,
    prefix: Vec<u32>,
    found: Queue,
    /// Counters for each number of clusters that are still to be added.
    counters: Vec<Vec<u32>>,
}

impl<'a> Growth<'a> {
    /// Grows sets of up to `size` of the clusters in `members`, whose numbers are below `limit`.
    fn new(members: &'a [u32], limit: usize, k: usize, size: usize) -> Growth<'a> {
        let counters = vec![vec![0; limit]; size];
        Growth { members, k, prefix: Vec::new(), found: Queue::default(), counters }
    }

    /// Finds all sets that begin with the prefix, which these transactions hold, and have `more` clusters more.
    fn grow(&mut self, suffixes: &[Suffix], more: usize) {
        if more == 0 {
            if !suffixes.is_empty() && suffixes.len() < self.k {
                self.found.push(suffixes.len(), self.prefix.iter().copied());
            }
            return;
        }
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        if more == 1 {
            for &id in &next {
                let support = std::mem::take(&mut counts[id as usize]) as usize;
                if support < self.k {
                    self.found.push(support, self.prefix.iter().copied().chain([id]));
                }
            }
        } else {
            let (narrowed, bounds) = self.narrow(suffixes, &next, &mut counts);
            for (&id, bounds) in next.iter().zip(bounds.windows(2)) {
                self.prefix.push(id);
                self.grow(&narrowed[bounds[0]..bounds[1]], more - 1);
                self.prefix.pop();
            }
        }
        self.counters[more] = counts;
    }

    /// Whether no set of up to `more` clusters is in some of these parts of transactions, but too few. Stops at the
    /// first.
    fn all_often(&mut self, suffixes: &[Suffix], more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        // Nothing is counted after a false, so the counters need not be cleared.
        let often = next.iter().all(|&id| counts[id as usize] as usize >= self.k) && {
            let (narrowed, bounds) = self.narrow(suffixes, &next, &mut counts);
            bounds.windows(2).all(|bounds| self.all_often(&narrowed[bounds[0]..bounds[1]], more - 1))
        };
        self.counters[more] = counts;
        often
    }

    /// Counts the clusters in these parts of transactions and returns those that occur, ascending.
    fn count(&self, suffixes: &[Suffix], counts: &mut [u32]) -> Vec<u32> {
        let mut occurring = Vec::new();
        for suffix in suffixes {
            for &id in &self.members[suffix.start..suffix.end] {
                if counts[id as usize] == 0 {
                    occurring.push(id);
                }
                counts[id as usize] += 1;
            }
        }
        occurring.sort_unstable();
        occurring
    }

    /// What follows each of the `next` clusters, one after the other, and where each begins. Clears the counts.
    fn narrow(&self, suffixes: &[Suffix], next: &[u32], counts: &mut [u32]) -> (Vec<Suffix>, Vec<usize>) {
        let mut bounds = vec![0];
        let mut total = 0;
        for &id in next {
            // From here on the counter says where the next part of its cluster goes.
            let count = std::mem::replace(&mut counts[id as usize], total as u32) as usize;
            total += count;
            bounds.push(total);
        }
        let mut narrowed = vec![Suffix { start: 0, end: 0 }; total];
        for suffix in suffixes {
            for at in suffix.start..suffix.end {
                let place = &mut counts[self.members[at] as usize];
                narrowed[*place as usize] = Suffix { start: at + 1, end: suffix.end };
                *place += 1;
            }
        }
        next.iter().for_each(|&id| counts[id as usize] = 0);
        (narrowed, bounds)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

    use super::*;

    /// Counts every subset of every published transaction.
    fn slow(clusters: &Clusters<'_>, linkable: Option<&[bool]>, size: usize, k: usize) -> Queue {
        let mut supports: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for image in clusters.images() {
            for chosen in 1_u32..1 << image.len() {
                let set: Vec<u32> = image
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| chosen >> at & 1 == 1)
                    .map(|(_, &id)| id)
                    .collect();
                let known = |id: &u32| {
                    clusters.get(*id).items.iter().any(|&item| linkable.is_none_or(|l| l[item as usize]))
                };
                if set.len() == size && set.iter().all(known) {
                    *supports.entry(set).or_default() += 1;
                }
            }
        }
        let mut queue = Queue::default();
        supports.iter().filter(|&(_, &s)| s < k).for_each(|(set, &s)| queue.push(s, set.iter().copied()));
        queue
    }

    proptest! {
        #[test]
        fn growing_finds_what_counting_all_subsets_finds(
            baskets in vec(btree_set(0_u32..9, 0..7), 1..25),
            merges in vec((0_u32..9, 0_u32..9), 0..4),
            linkable in vec(any::<bool>(), 9),
            some in any::<bool>(),
            size in 1_usize..5,
            k in 1_usize..7,
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let data = Transactions::from_texts(&baskets);
            let items = data.items().len();
            let linkable = some.then(|| &linkable[..items]);
            let mut clusters = Clusters::of_single_items(&data, None);
            for (a, b) in merges.into_iter().filter(|&(a, b)| a.max(b) < items as u32) {
                let ids = clusters.image(&[a, b]);
                if let [a, b] = ids[..] {
                    clusters.merge(a, b);
                }
            }
            let images = Images::new(&clusters, linkable);
            let slow = slow(&clusters, linkable, size, k);
            let fast = images.too_seldom(size, k);
            prop_assert!(images.sets_at_most(size) >= fast.iter().count() as f64 - 1e-9);
            prop_assert_eq!(fast, slow);
        }
    }
}
