//! Infrequent itemsets: sets of published items that occur, but are held by fewer than k people.
//!
//! Sets are counted in transactions where everybody has one, and in people where somebody has two. Both are one code,
//! compiled twice: a counter of transactions knows nothing of people and pays nothing for them.

mod counter;
mod growth;

use rayon::prelude::*;
use shoal_core::Progress;

use self::counter::{Counter, PeopleCounter};
use self::growth::{Growth, Suffix};
use super::clusters::Clusters;
use super::queue::Queue;

/// The published transactions one after the other, and where each cluster stands in them. Clusters that hold no
/// linkable item are left out.
pub(super) enum Images {
    /// Everybody has one.
    Transactions(Grouped<u32>),
    /// Somebody has two; those of a person stand together.
    People(Grouped<PeopleCounter>),
}

impl Images {
    /// What is published with clusters as they are now, of those that are `known`.
    pub(super) fn new(clusters: &Clusters<'_>, known: &[bool]) -> Images {
        match clusters.persons() {
            None => Images::Transactions(Grouped::new(clusters, known, |_| ())),
            Some(persons) => Images::People(Grouped::new(clusters, known, |number| persons[number])),
        }
    }

    /// How many sets of this size there are at most, equal ones in several transactions counted apart.
    pub(super) fn sets_at_most(&self, size: usize) -> f64 {
        match self {
            Images::Transactions(images) => images.sets_at_most(size),
            Images::People(images) => images.sets_at_most(size),
        }
    }

    /// All sets of exactly `size` clusters that occur together in a transaction of at least one person and of fewer
    /// than `k`. Sets of equal support come in lexicographic order.
    pub(super) fn infrequent(&self, size: usize, k: usize, progress: &dyn Progress) -> Queue {
        match self {
            Images::Transactions(images) => images.infrequent(size, k, progress),
            Images::People(images) => images.infrequent(size, k, progress),
        }
    }
}

/// Published transactions with what is needed to count by `C`.
pub(super) struct Grouped<C: Counter> {
    members: Vec<u32>,
    /// For each cluster and each transaction that holds it, what follows it there.
    after: Vec<Vec<Suffix<C::Owner>>>,
}

impl<C: Counter> Grouped<C> {
    fn new(clusters: &Clusters<'_>, known: &[bool], owner_of: impl Fn(usize) -> C::Owner) -> Grouped<C> {
        let mut members = Vec::new();
        let mut after: Vec<Vec<Suffix<C::Owner>>> = vec![Vec::new(); clusters.items()];
        for (number, image) in clusters.images().enumerate() {
            let start = members.len();
            members.extend(image.into_iter().filter(|&id| known[id as usize]));
            let end = members.len();
            for at in start..end {
                after[members[at] as usize].push(Suffix { start: at + 1, end, owner: owner_of(number) });
            }
        }
        Grouped { members, after }
    }

    fn sets_at_most(&self, size: usize) -> f64 {
        // Every set is counted where it begins: its other members are among those that follow.
        let choices =
            |n: usize| (1..size).map(|i| (n as f64 - (i - 1) as f64).max(0.0) / i as f64).product::<f64>();
        self.after.iter().flatten().map(|suffix| choices(suffix.end - suffix.start)).sum()
    }

    fn infrequent(&self, size: usize, k: usize, progress: &dyn Progress) -> Queue {
        let of_first = |growth: &mut Growth<'_, C>, (first, suffixes): (usize, &Vec<Suffix<C::Owner>>)| {
            progress.check();
            growth.prefix.push(first as u32);
            growth.grow(suffixes, size - 1, progress);
            growth.prefix.pop();
            std::mem::take(&mut growth.found)
        };
        // Sets that begin with different clusters are different, so they can be counted on different threads; `collect`
        // keeps the order of the first clusters, so the queue is the same for any number of threads.
        let firsts = self.after.par_iter().enumerate();
        let growth = || Growth::new(&self.members, self.after.len(), k, size);
        let found: Vec<Queue> = firsts.map_init(growth, of_first).collect();
        let mut all = Queue::default();
        found.into_iter().for_each(|queue| all.append(queue));
        all
    }
}

/// Whether all sets of one to `size` clusters that these images hold are held by at least `k` people. All
/// clusters have numbers below `limit`. Where `persons` says whose the images are, those of a person stand together.
pub(super) fn all_frequent(
    images: &[Vec<u32>],
    persons: Option<&[u32]>,
    limit: usize,
    size: usize,
    k: usize,
) -> bool {
    match persons {
        None => all_frequent_by::<u32>(images, |_| (), limit, size, k),
        Some(persons) => all_frequent_by::<PeopleCounter>(images, |number| persons[number], limit, size, k),
    }
}

fn all_frequent_by<C: Counter>(
    images: &[Vec<u32>],
    owner_of: impl Fn(usize) -> C::Owner,
    limit: usize,
    size: usize,
    k: usize,
) -> bool {
    // One suffix for each image, from its beginning: sets of all sizes grow from the empty one.
    let mut members = Vec::new();
    let mut suffixes = Vec::new();
    for (number, image) in images.iter().enumerate() {
        let start = members.len();
        members.extend_from_slice(image);
        suffixes.push(Suffix { start, end: members.len(), owner: owner_of(number) });
    }
    Growth::<C>::new(&members, limit, k, size + 1).all_frequent(&suffixes, size)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

    use super::super::pairs::Pairs;
    use super::super::violations::{infrequent_clusters, known};
    use super::*;

    /// Counts every subset of every published transaction.
    fn slow(clusters: &Clusters<'_>, linkable: Option<&[bool]>, size: usize, k: usize) -> Queue {
        let mut supports: BTreeMap<Vec<u32>, BTreeSet<u32>> = BTreeMap::new();
        for (number, image) in clusters.images().enumerate() {
            let person = clusters.persons().map_or(number as u32, |persons| persons[number]);
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
                    supports.entry(set).or_default().insert(person);
                }
            }
        }
        let mut queue = Queue::default();
        let too_few = supports.iter().filter(|(_, people)| people.len() < k);
        too_few.for_each(|(set, people)| queue.push(people.len(), set.iter().copied()));
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
            persons in proptest::option::of(vec(0_u32..8, 25)),
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let mut data = Transactions::from_texts(&baskets);
            if let Some(persons) = persons {
                let persons = persons[..data.len()].to_vec();
                data = data.with_persons(persons).by_person().into_owned();
            }
            let items = data.items().len();
            let linkable = some.then(|| &linkable[..items]);
            let mut clusters = Clusters::of_single_items(&data, None);
            for (a, b) in merges.into_iter().filter(|&(a, b)| a.max(b) < items as u32) {
                let ids = clusters.image(&[a, b]);
                if let [a, b] = ids[..] {
                    clusters.merge(a, b);
                }
            }
            let known = known(&clusters, linkable);
            let images = Images::new(&clusters, &known);
            let slow = slow(&clusters, linkable, size, k);
            let fast = images.infrequent(size, k, &shoal_core::Silent);
            prop_assert!(images.sets_at_most(size) >= fast.iter().count() as f64 - 1e-9);
            prop_assert_eq!(&fast, &slow);
            if size == 1 {
                prop_assert_eq!(infrequent_clusters(&clusters, &known, k), slow);
            } else if let (2, Some(pairs)) = (size, Pairs::new(&clusters)) {
                prop_assert_eq!(pairs.infrequent(k, &known), slow);
                prop_assert_eq!(pairs.occurrences(&known), images.sets_at_most(2));
            }
        }
    }
}
