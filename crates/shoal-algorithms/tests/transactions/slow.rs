//! The papers' loops, read literally: every support is counted by a pass over all transactions, every merge
//! is tried. `pass` alone is the loop as printed; `repeat` repeats it as Shoal does. With `Ncp` the merges of a
//! set of several clusters are ranked by cost per support gained, which is Shoal's own rule, and so is `refine`.

use std::collections::BTreeSet;

use shoal_algorithms::transactions::{Objective, UtilityConstraints};
use shoal_core::{Transactions, TransactionsPromise};

#[derive(Clone)]
pub(crate) struct Slow<'a> {
    pub(crate) data: &'a Transactions,
    pub(crate) k: usize,
    pub(crate) objective: Objective,
    pub(crate) weights: Vec<f64>,
    pub(crate) utility: UtilityConstraints,
    pub(crate) allowed: usize,
    /// COAT: only the least supported cluster of a set is merged.
    pub(crate) least_only: bool,
    pub(crate) clusters: BTreeSet<BTreeSet<u32>>,
    /// Merged clusters and, alone, suppressed ones, in the order in which it happened.
    pub(crate) course: Vec<BTreeSet<u32>>,
    pub(crate) suppressed: usize,
}

impl<'a> Slow<'a> {
    pub(crate) fn new(data: &'a Transactions, k: usize, objective: Objective) -> Slow<'a> {
        let items = data.items().len();
        Slow {
            data,
            k,
            objective,
            weights: vec![1.0; items],
            utility: UtilityConstraints::one_group(items),
            allowed: 0,
            least_only: false,
            clusters: (0..items as u32).map(|item| BTreeSet::from([item])).collect(),
            course: Vec::new(),
            suppressed: 0,
        }
    }

    /// All sets once, largest support first. False when too much would have to be suppressed.
    pub(crate) fn pass(&mut self, mut sets: Vec<Vec<u32>>) -> bool {
        sets.sort_by_key(|set| (std::cmp::Reverse(self.support(&self.image(set))), set.len(), set.clone()));
        sets.iter().all(|set| self.fix(set))
    }

    /// Passes over what breaks the promise until nothing does.
    pub(crate) fn repeat(&mut self, promise: &TransactionsPromise) -> bool {
        loop {
            let sets = self.broken(promise);
            if sets.is_empty() {
                return true;
            }
            if !self.pass(sets) {
                return false;
            }
        }
    }

    /// Tries to take every item out of its cluster, the one that saves most first, until none can leave.
    pub(crate) fn refine(&mut self, promise: &TransactionsPromise) {
        loop {
            let before = self.clusters.clone();
            let shared = self.clusters.iter().filter(|cluster| cluster.len() > 1);
            let mut leaving: Vec<(f64, u32)> = shared
                .flat_map(|cluster| cluster.iter().map(move |&item| (cluster, item)))
                .map(|(cluster, item)| {
                    let alone = BTreeSet::from([item]);
                    (-self.cost(&(cluster - &alone), &alone), item)
                })
                .collect();
            leaving.sort_by(|a, b| a.partial_cmp(b).unwrap());
            for (_, item) in leaving {
                let kept = self.clusters.clone();
                let alone = BTreeSet::from([item]);
                let whole = kept.iter().find(|cluster| cluster.contains(&item)).unwrap();
                if whole.len() > 1 {
                    self.clusters.remove(whole);
                    self.clusters.insert(whole - &alone);
                    self.clusters.insert(alone);
                    if !self.broken(promise).is_empty() {
                        self.clusters = kept;
                    }
                }
            }
            if self.clusters == before {
                return;
            }
        }
    }

    /// The sum of occurrences × size over the clusters of more than one item.
    pub(crate) fn loss(&self) -> f64 {
        self.clusters.iter().map(|cluster| self.own_loss(cluster)).sum()
    }

    fn broken(&self, promise: &TransactionsPromise) -> Vec<Vec<u32>> {
        let mut sets: BTreeSet<Vec<u32>> = match promise {
            TransactionsPromise::Itemsets { m, linkable, .. } => {
                let known = |cluster: &BTreeSet<u32>| {
                    cluster.iter().any(|&item| linkable.as_ref().is_none_or(|l| l[item as usize]))
                };
                // A set of clusters is named by the least item of each.
                let published = |items: &[u32]| -> Vec<u32> {
                    let image = self.image(items);
                    image.iter().filter(|c| known(c)).filter_map(|c| c.first().copied()).collect()
                };
                self.data.iter().map(published).flat_map(|image| subsets_up_to(&image, *m)).collect()
            }
            TransactionsPromise::Complete { .. } => self.data.iter().map(<[u32]>::to_vec).collect(),
            TransactionsPromise::Constraints { sets, .. } => sets.iter().cloned().collect(),
        };
        sets.retain(|set| (1..self.k).contains(&self.support(&self.image(set))));
        sets.into_iter().collect()
    }

    fn fix(&mut self, set: &[u32]) -> bool {
        loop {
            let image = self.image(set);
            if !(1..self.k).contains(&self.support(&image)) {
                return true;
            }
            let least = image.iter().min_by_key(|c| self.support(&[(*c).clone()])).unwrap().clone();
            let reach = if self.least_only { vec![least.clone()] } else { image.clone() };
            let merges = reach.iter().flat_map(|a| self.clusters.iter().map(move |b| (a, b)));
            let merges = merges.filter(|(a, b)| a != b && self.group(a) == self.group(b));
            // The first of equals: reach and clusters are in the order of their least items.
            let key = |a: &BTreeSet<u32>, b: &BTreeSet<u32>| {
                (
                    self.rank(&image, a, b),
                    a.first().copied(),
                    b.len(),
                    self.transactions(std::slice::from_ref(b)),
                    b.first().copied(),
                )
            };
            let best = merges.min_by(|x, y| key(x.0, x.1).partial_cmp(&key(y.0, y.1)).unwrap());
            match best.map(|(a, b)| (a.clone(), b.clone())) {
                Some((a, b)) => {
                    self.clusters.retain(|cluster| *cluster != a && *cluster != b);
                    let merged = &a | &b;
                    self.course.push(merged.clone());
                    self.clusters.insert(merged);
                }
                None => {
                    self.suppressed += least.len();
                    if self.suppressed > self.allowed {
                        return false;
                    }
                    self.clusters.remove(&least);
                    self.course.push(least);
                }
            }
        }
    }

    /// What is kept small. Merges that gain nothing come last. Equal fractions of small whole numbers are equal
    /// as floating-point numbers too, so ties are ties.
    fn rank(&self, image: &[BTreeSet<u32>], a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> (bool, f64) {
        let cost = self.cost(a, b);
        if self.least_only || self.objective == Objective::Ul || image.len() == 1 {
            return (false, cost);
        }
        match self.gain(image, a, b) {
            0 => (true, cost),
            gain => (false, cost / gain as f64),
        }
    }

    /// How many people more have a transaction with the set once `a` and `b` are one, as far as k asks for them.
    fn gain(&self, image: &[BTreeSet<u32>], a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> usize {
        let mut merged: Vec<BTreeSet<u32>> = image.iter().filter(|c| *c != a && *c != b).cloned().collect();
        merged.push(a | b);
        self.support(&merged).min(self.k) - self.support(image)
    }

    /// Whole numbers where all weights are 1.
    fn cost(&self, a: &BTreeSet<u32>, b: &BTreeSet<u32>) -> f64 {
        let merged = a | b;
        match self.objective {
            Objective::Ncp => self.own_loss(&merged) - self.own_loss(a) - self.own_loss(b),
            Objective::Ul => {
                let weight = merged.iter().map(|&item| self.weights[item as usize]).sum::<f64>();
                let support = self.transactions(std::slice::from_ref(&merged)) as f64;
                (2_f64.powi(merged.len() as i32) - 1.0) * weight / merged.len() as f64 * support
            }
        }
    }

    fn own_loss(&self, cluster: &BTreeSet<u32>) -> f64 {
        if cluster.len() > 1 { self.occurrences(cluster) * cluster.len() as f64 } else { 0.0 }
    }

    fn occurrences(&self, cluster: &BTreeSet<u32>) -> f64 {
        let held = self.data.iter().flatten().filter(|item| cluster.contains(item));
        held.map(|&item| self.weights[item as usize]).sum()
    }

    fn group(&self, cluster: &BTreeSet<u32>) -> usize {
        self.utility.group_of(*cluster.first().unwrap())
    }

    fn image(&self, items: &[u32]) -> Vec<BTreeSet<u32>> {
        self.clusters
            .iter()
            .filter(|cluster| items.iter().any(|item| cluster.contains(item)))
            .cloned()
            .collect()
    }

    /// How many people have a transaction that holds all of these clusters.
    fn support(&self, image: &[BTreeSet<u32>]) -> usize {
        let person = |number: usize| self.data.persons().map_or(number as u32, |persons| persons[number]);
        self.holding(image).map(person).collect::<BTreeSet<u32>>().len()
    }

    /// How many transactions do: what is lost depends on them.
    fn transactions(&self, image: &[BTreeSet<u32>]) -> usize {
        self.holding(image).count()
    }

    fn holding(&self, image: &[BTreeSet<u32>]) -> impl Iterator<Item = usize> {
        let holds = |items: &[u32]| image.iter().all(|c| items.iter().any(|item| c.contains(item)));
        let transactions = self.data.iter().enumerate();
        transactions.filter(move |(_, items)| !image.is_empty() && holds(items)).map(|(number, _)| number)
    }
}

fn subsets_up_to(all: &[u32], most: usize) -> Vec<Vec<u32>> {
    let chosen = |bits: u32| -> Vec<u32> {
        all.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &member)| member).collect()
    };
    (1..1 << all.len()).map(chosen).filter(|set| set.len() <= most).collect()
}
