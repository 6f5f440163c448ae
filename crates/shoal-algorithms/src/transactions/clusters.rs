//! The items that are published as one, and the transactions that hold any of them.

use shoal_core::{ItemCluster, SUPPRESSED, Transactions, TransactionsRecoding};

use super::transaction_set::TransactionSet;

/// A generalized item: `ĩ` in the paper.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// Ascending.
    pub(super) items: Vec<u32>,
    /// How often its items occur, each by its weight.
    pub(super) occurrences: f64,
    /// The sum of the weights of its items.
    pub(super) weight: f64,
    transactions: TransactionSet,
    /// How many people have one of these transactions.
    people: u32,
}

impl Cluster {
    pub(super) fn size(&self) -> u32 {
        self.items.len() as u32
    }

    /// How many transactions hold it. What it costs to publish it depends on them.
    pub(super) fn support(&self) -> u32 {
        self.transactions.len() as u32
    }

    pub(super) fn figures(&self) -> Figures {
        Figures { occurrences: self.occurrences, size: self.size(), support: self.support() }
    }

    /// How many people have a transaction that holds it. The promise counts them.
    pub(super) fn people(&self) -> u32 {
        self.people
    }
}

/// What the cost of a merge depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) occurrences: f64,
    pub(super) size: u32,
    pub(super) support: u32,
}

/// All clusters. A cluster's number is its least item, so numbers stay below the number of items and a set of
/// clusters is a set of items.
#[derive(Clone, Debug)]
pub(super) struct Clusters<'a> {
    data: &'a Transactions,
    /// The cluster of each item, or [`SUPPRESSED`]: `H` in the paper.
    of: Vec<u32>,
    /// At each cluster's number.
    clusters: Vec<Option<Cluster>>,
    /// The same of each cluster once more, close together: a search for the best merge looks at nothing else of
    /// thousands of clusters, which would each be a cache miss. Of no meaning where there is no cluster.
    figures: Vec<Figures>,
    suppressed: usize,
}

impl<'a> Clusters<'a> {
    /// Every item on its own. Where it is said whose transactions they are, those of a person stand together, as
    /// [`by_person`](Transactions::by_person) leaves them.
    pub(super) fn of_single_items(data: &'a Transactions, weights: Option<&[f64]>) -> Clusters<'a> {
        let cluster = |(item, numbers): (usize, Vec<u32>)| {
            let weight = weights.map_or(1.0, |weights| weights[item]);
            let occurrences = weight * numbers.len() as f64;
            let transactions = TransactionSet::new(numbers, data.len());
            let people = people(&transactions, data.persons());
            Some(Cluster { items: vec![item as u32], occurrences, weight, transactions, people })
        };
        let clusters: Vec<Option<Cluster>> = data.postings().into_iter().enumerate().map(cluster).collect();
        let figures = clusters.iter().flatten().map(Cluster::figures).collect();
        Clusters { data, of: (0..clusters.len() as u32).collect(), clusters, figures, suppressed: 0 }
    }

    /// The clusters with their numbers, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Cluster)> {
        self.clusters.iter().enumerate().filter_map(|(id, cluster)| Some((id as u32, cluster.as_ref()?)))
    }

    /// The cluster with this number.
    pub(super) fn get(&self, id: u32) -> &Cluster {
        self.clusters[id as usize].as_ref().expect("a number taken from `image` is that of a cluster")
    }

    /// What a merge with the cluster of this number costs depends on.
    pub(super) fn figures(&self, id: u32) -> Figures {
        self.figures[id as usize]
    }

    /// How many items there are, suppressed ones included; every cluster's number is below.
    pub(super) fn items(&self) -> usize {
        self.of.len()
    }

    /// How many items are suppressed.
    pub(super) fn suppressed(&self) -> usize {
        self.suppressed
    }

    /// The clusters that a set of items is published as, ascending.
    pub(super) fn image(&self, items: &[u32]) -> Vec<u32> {
        let mut image = Vec::with_capacity(items.len());
        self.image_into(items, &mut image);
        image
    }

    /// The same, into a vector that is used again and again where there are millions of sets.
    pub(super) fn image_into(&self, items: &[u32], image: &mut Vec<u32>) {
        image.clear();
        image.extend(items.iter().map(|&item| self.of[item as usize]).filter(|&id| id != SUPPRESSED));
        image.sort_unstable();
        image.dedup();
    }

    /// The published transactions, each as clusters, ascending.
    pub(super) fn images(&self) -> impl Iterator<Item = Vec<u32>> {
        self.data.iter().map(|items| self.image(items))
    }

    /// How many people have a published transaction that holds all of these clusters, at most `enough`; 0 for no
    /// cluster.
    pub(super) fn support(&self, ids: &[u32], enough: usize) -> usize {
        let mut sets: Vec<&TransactionSet> = ids.iter().map(|&id| &self.get(id).transactions).collect();
        match (self.data.persons(), ids) {
            (_, [only]) => (self.get(*only).people as usize).min(enough),
            (None, _) => TransactionSet::common(&mut sets, enough),
            (Some(persons), _) => TransactionSet::common_people(&mut sets, persons, enough),
        }
    }

    /// Whose each transaction is, where somebody has two.
    pub(super) fn persons(&self) -> Option<&'a [u32]> {
        self.data.persons()
    }

    /// Calls `each` with the number and the items of every transaction that holds the cluster.
    pub(super) fn each_transaction(&self, id: u32, each: impl FnMut(u32, &[u32])) {
        self.each_transaction_of(self.get(id), each);
    }

    /// The same for a cluster of the same data that may not be one of these.
    pub(super) fn each_transaction_of(&self, cluster: &Cluster, mut each: impl FnMut(u32, &[u32])) {
        cluster.transactions.each_while(|number| {
            each(number, self.data.transaction(number as usize));
            true
        });
    }

    /// Calls `each` with the items of every transaction that holds both clusters.
    pub(super) fn each_common(&self, a: u32, b: u32, mut each: impl FnMut(&[u32])) {
        let (a, b) = (&self.get(a).transactions, &self.get(b).transactions);
        TransactionSet::each_common(a, b, |number| each(self.data.transaction(number as usize)));
    }

    /// The cluster of an item, or [`SUPPRESSED`].
    pub(super) fn cluster_of(&self, item: u32) -> u32 {
        self.of[item as usize]
    }

    /// Makes two clusters one and returns its number.
    pub(super) fn merge(&mut self, a: u32, b: u32) -> u32 {
        // The least item of both gives the merged cluster its number.
        let (id, other) = (a.min(b), a.max(b));
        let (left, right) = (self.take(id), self.take(other));
        right.items.iter().for_each(|&item| self.of[item as usize] = id);
        let mut items = left.items;
        items.extend_from_slice(&right.items);
        items.sort_unstable();
        let transactions = left.transactions.union(right.transactions, self.data.len());
        let people = people(&transactions, self.data.persons());
        let (occurrences, weight) = (left.occurrences + right.occurrences, left.weight + right.weight);
        self.put(id, Cluster { items, occurrences, weight, transactions, people });
        id
    }

    /// Publishes an item alone, as the cluster `alone`, that shared one. Returns the number of the rest, and what
    /// the cluster was.
    pub(super) fn split(&mut self, alone: Cluster) -> (u32, Cluster) {
        let whole = self.cluster_of(alone.items[0]);
        let mut lost = Vec::new();
        let is_rest = |&other: &u32| other != alone.items[0] && self.of[other as usize] == whole;
        alone.transactions.each_while(|number| {
            if !self.data.transaction(number as usize).iter().any(is_rest) {
                lost.push(number);
            }
            true
        });
        self.split_losing(alone, &lost)
    }

    /// The same where it is known which transactions hold the item and nothing of the rest: these, ascending.
    pub(super) fn split_losing(&mut self, alone: Cluster, lost: &[u32]) -> (u32, Cluster) {
        let item = alone.items[0];
        let whole = self.take(self.of[item as usize]);
        let items: Vec<u32> = whole.items.iter().copied().filter(|&other| other != item).collect();
        let rest = items[0];
        self.of[item as usize] = item;
        items.iter().for_each(|&other| self.of[other as usize] = rest);
        let transactions = whole.transactions.without(lost, self.data.len());
        let people = people(&transactions, self.data.persons());
        let occurrences = whole.occurrences - alone.occurrences;
        let weight = whole.weight - alone.weight;
        self.put(rest, Cluster { items, occurrences, weight, transactions, people });
        self.put(item, alone);
        (rest, whole)
    }

    /// Undoes a split.
    pub(super) fn rejoin(&mut self, item: u32, rest: u32, whole: Cluster) {
        self.take(item);
        self.take(rest);
        let id = whole.items[0];
        whole.items.iter().for_each(|&item| self.of[item as usize] = id);
        self.put(id, whole);
    }

    /// Removes a cluster from every transaction.
    pub(super) fn suppress(&mut self, id: u32) {
        let cluster = self.take(id);
        self.suppressed += cluster.items.len();
        cluster.items.iter().for_each(|&item| self.of[item as usize] = SUPPRESSED);
    }

    /// What every item is published as.
    pub(super) fn recoding(self) -> TransactionsRecoding {
        let items = self.of.len();
        let clusters = self.clusters.into_iter().flatten();
        let clusters = clusters.map(|cluster| ItemCluster { items: cluster.items, name: None }).collect();
        TransactionsRecoding::from_clusters(items, clusters)
    }

    fn put(&mut self, id: u32, cluster: Cluster) {
        self.figures[id as usize] = cluster.figures();
        self.clusters[id as usize] = Some(cluster);
    }

    fn take(&mut self, id: u32) -> Cluster {
        self.clusters[id as usize].take().expect("a number taken from `image` is that of a cluster")
    }
}

/// Whose transactions these are: how many people.
fn people(transactions: &TransactionSet, persons: Option<&[u32]>) -> u32 {
    persons.map_or(transactions.len(), |persons| transactions.people(persons)) as u32
}
