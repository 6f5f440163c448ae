//! Sets of published items that occur, but too seldom.
//!
//! Sets are counted in transactions where everybody has one, and in people where somebody has two. Both are one code,
//! compiled twice: a counter of transactions knows nothing of people and pays nothing for them.

use rayon::prelude::*;
use shoal_core::Progress;

use super::clusters::Clusters;
use super::queue::Queue;
use super::transaction_set::Runs;

/// The published transactions one after the other, and where each cluster stands in them. Clusters that hold no
/// linkable item are left out.
pub(super) enum Images {
    /// Everybody has one.
    Transactions(Grouped<u32>),
    /// Somebody has two; those of a person stand together.
    People(Grouped<PeopleCounter>),
}

impl Images {
    /// What is published with clusters as they are now.
    pub(super) fn new(clusters: &Clusters<'_>, linkable: Option<&[bool]>) -> Images {
        match clusters.persons() {
            None => Images::Transactions(Grouped::new(clusters, linkable, |_| ())),
            Some(persons) => Images::People(Grouped::new(clusters, linkable, |number| persons[number])),
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
    pub(super) fn too_seldom(&self, size: usize, k: usize, progress: &dyn Progress) -> Queue {
        match self {
            Images::Transactions(images) => images.too_seldom(size, k, progress),
            Images::People(images) => images.too_seldom(size, k, progress),
        }
    }
}

/// Published transactions with what is needed to count by `C`.
pub(super) struct Grouped<C: Counter> {
    members: Vec<u32>,
    /// For each cluster and each transaction that holds it, what follows it there.
    after: Vec<Vec<Suffix<C::Owner>>>,
}

/// A part of `members` that ends where a transaction ends, and whose it is.
#[derive(Clone, Copy)]
pub(super) struct Suffix<O> {
    start: usize,
    end: usize,
    owner: O,
}

/// Counts the transactions that hold a cluster, and the people who have them.
pub(super) trait Counter: Copy + Default + Send + Sync {
    /// What must be known of whose a transaction is.
    type Owner: Copy + Default + Send + Sync;

    /// Takes note of a transaction. Those of a person come one after the other.
    fn add(&mut self, owner: Self::Owner);

    /// How many transactions there were; a place that [`put`](Counter::put) has left.
    fn transactions(&self) -> u32;

    /// How many people have them.
    fn people(&self) -> usize;

    /// Uses the number of transactions for something else.
    fn put(&mut self, place: u32);

    /// How many people have these transactions.
    fn people_of(suffixes: &[Suffix<Self::Owner>]) -> usize;
}

/// A transaction is a person.
impl Counter for u32 {
    type Owner = ();

    fn add(&mut self, (): ()) {
        *self += 1;
    }

    fn transactions(&self) -> u32 {
        *self
    }

    fn people(&self) -> usize {
        *self as usize
    }

    fn put(&mut self, place: u32) {
        *self = place;
    }

    fn people_of(suffixes: &[Suffix<()>]) -> usize {
        suffixes.len()
    }
}

/// A person may have several transactions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PeopleCounter {
    transactions: u32,
    people: Runs,
}

impl Counter for PeopleCounter {
    type Owner = u32;

    fn add(&mut self, person: u32) {
        self.transactions += 1;
        self.people.add(person);
    }

    fn transactions(&self) -> u32 {
        self.transactions
    }

    fn people(&self) -> usize {
        self.people.count()
    }

    fn put(&mut self, place: u32) {
        self.transactions = place;
    }

    fn people_of(suffixes: &[Suffix<u32>]) -> usize {
        let mut people = Runs::default();
        suffixes.iter().for_each(|suffix| people.add(suffix.owner));
        people.count()
    }
}

impl<C: Counter> Grouped<C> {
    fn new(
        clusters: &Clusters<'_>,
        linkable: Option<&[bool]>,
        owner_of: impl Fn(usize) -> C::Owner,
    ) -> Grouped<C> {
        let holds_linkable =
            |items: &[u32]| linkable.is_none_or(|linkable| items.iter().any(|&item| linkable[item as usize]));
        let mut known = vec![false; clusters.items()];
        for (id, cluster) in clusters.iter() {
            known[id as usize] = holds_linkable(&cluster.items);
        }
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

    fn too_seldom(&self, size: usize, k: usize, progress: &dyn Progress) -> Queue {
        let of_first = |growth: &mut Growth<'_, C>, (first, suffixes): (usize, &Vec<Suffix<C::Owner>>)| {
            progress.check();
            growth.prefix.push(first as u32);
            growth.grow(suffixes, size - 1, progress);
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

/// Whether all sets of one to `size` clusters that these images hold are held by at least `k` people. All
/// clusters have numbers below `limit`. Where `persons` says whose the images are, those of a person stand together.
pub(super) fn all_often(
    images: &[Vec<u32>],
    persons: Option<&[u32]>,
    limit: usize,
    size: usize,
    k: usize,
) -> bool {
    match persons {
        None => all_often_by::<u32>(images, |_| (), limit, size, k),
        Some(persons) => all_often_by::<PeopleCounter>(images, |number| persons[number], limit, size, k),
    }
}

fn all_often_by<C: Counter>(
    images: &[Vec<u32>],
    owner_of: impl Fn(usize) -> C::Owner,
    limit: usize,
    size: usize,
    k: usize,
) -> bool {
    let mut members = Vec::new();
    let mut suffixes = Vec::new();
    for (number, image) in images.iter().enumerate() {
        let start = members.len();
        members.extend_from_slice(image);
        suffixes.push(Suffix { start, end: members.len(), owner: owner_of(number) });
    }
    Growth::<C>::new(&members, limit, k, size + 1).all_often(&suffixes, size)
}

/// Grows sets by one cluster at a time, always by a later one: the transactions of a set are never looked for,
/// only narrowed down. They keep their order, so those of a person stay together.
struct Growth<'a, C> {
    members: &'a [u32],
    k: usize,
    prefix: Vec<u32>,
    found: Queue,
    /// Counters for each number of clusters that are still to be added.
    counters: Vec<Vec<C>>,
}

impl<'a, C: Counter> Growth<'a, C> {
    /// Grows sets of up to `size` of the clusters in `members`, whose numbers are below `limit`.
    fn new(members: &'a [u32], limit: usize, k: usize, size: usize) -> Growth<'a, C> {
        let counters = vec![vec![C::default(); limit]; size];
        Growth { members, k, prefix: Vec::new(), found: Queue::default(), counters }
    }

    /// Finds all sets that begin with the prefix, which these transactions hold, and have `more` clusters more.
    fn grow(&mut self, suffixes: &[Suffix<C::Owner>], more: usize, progress: &dyn Progress) {
        if more == 0 {
            let people = C::people_of(suffixes);
            if people > 0 && people < self.k {
                self.found.push(people, self.prefix.iter().copied());
            }
            return;
        }
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        if more == 1 {
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
                    // Sets of two more are found in no time; each of those above may have very many.
                    progress.check();
                }
                self.prefix.push(id);
                self.grow(&narrowed[bounds[0]..bounds[1]], more - 1, progress);
                self.prefix.pop();
            }
        }
        self.counters[more] = counts;
    }

    /// Whether no set of up to `more` clusters is in some of these parts of transactions, but too few. Stops at the
    /// first.
    fn all_often(&mut self, suffixes: &[Suffix<C::Owner>], more: usize) -> bool {
        if more == 0 {
            return true;
        }
        let mut counts = std::mem::take(&mut self.counters[more]);
        let next = self.count(suffixes, &mut counts);
        // Nothing is counted after a false, so the counters need not be cleared.
        let often = next.iter().all(|&id| counts[id as usize].people() >= self.k) && {
            let (narrowed, bounds) = self.narrow(suffixes, &next, &mut counts);
            bounds.windows(2).all(|bounds| self.all_often(&narrowed[bounds[0]..bounds[1]], more - 1))
        };
        self.counters[more] = counts;
        often
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

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
            let images = Images::new(&clusters, linkable);
            let slow = slow(&clusters, linkable, size, k);
            let fast = images.too_seldom(size, k, &shoal_core::Silent);
            prop_assert!(images.sets_at_most(size) >= fast.iter().count() as f64 - 1e-9);
            prop_assert_eq!(fast, slow);
        }
    }
}
