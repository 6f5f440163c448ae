//! Which cluster to merge a cluster with: the one of least cost among those that share its utility constraint.

use std::collections::BTreeSet;

use shoal_core::SUPPRESSED;

use super::UtilityConstraints;
use super::clusters::Clusters;
use super::objective::{Cost, Objective};

/// The clusters of every utility constraint by (size, support, number). In this order the least that a merge
/// can cost only grows, so the search stops as soon as it reaches the best found: nothing is missed.
#[derive(Debug)]
pub(super) struct Partners<'a> {
    utility: &'a UtilityConstraints,
    objective: Objective,
    lightest: f64,
    by_group: Vec<BTreeSet<(u32, u32, u32)>>,
    shared: Shared,
}

impl<'a> Partners<'a> {
    /// The partners for clusters as they are now, and for items that weigh at least `lightest`.
    pub(super) fn new(
        clusters: &Clusters<'_>,
        utility: &'a UtilityConstraints,
        objective: Objective,
        lightest: f64,
    ) -> Partners<'a> {
        let mut by_group = vec![BTreeSet::new(); utility.groups().len()];
        for (id, cluster) in clusters.iter() {
            by_group[utility.group_of(id)].insert((cluster.size(), cluster.support(), id));
        }
        Partners { utility, objective, lightest, by_group, shared: Shared::new(utility.items()) }
    }

    /// The partner of least cost; the smaller one where costs are equal, then the one of less support, then
    /// the one with the smaller item.
    pub(super) fn best(&mut self, clusters: &Clusters<'_>, id: u32) -> Option<(Cost, u32)> {
        let cluster = clusters.get(id);
        let others = &self.by_group[self.utility.group_of(id)];
        if others.len() > 1 && self.objective == Objective::Ul {
            self.shared.count(clusters, id);
        }
        let mut best: Option<(Cost, u32)> = None;
        let reached = |best: Option<(Cost, u32)>, size, support| {
            let at_least = self.objective.at_least(cluster, size, support, self.lightest);
            best.is_some_and(|(cost, _)| cost <= at_least)
        };
        let mut from = 0;
        // Size by size: within one the bound grows with the support, and from one size to the next as well.
        while let Some(&(size, least, _)) = others.range((from, 0, 0)..).next() {
            if reached(best, size, 0) {
                break;
            }
            for &(_, support, other) in others.range((size, least, 0)..(size + 1, 0, 0)) {
                if reached(best, size, support) {
                    break;
                }
                if other != id {
                    // With `Ncp` nothing was counted and `together` is not used: that cost does not depend on it.
                    let together = cluster.support() + support - self.shared.with(other);
                    let cost = self.objective.cost(cluster, clusters.get(other), together);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, other));
                    }
                }
            }
            from = size + 1;
        }
        best
    }

    /// To be called before two clusters are merged or one is suppressed.
    pub(super) fn remove(&mut self, clusters: &Clusters<'_>, id: u32) {
        let cluster = clusters.get(id);
        self.by_group[self.utility.group_of(id)].remove(&(cluster.size(), cluster.support(), id));
    }

    /// To be called after two clusters are merged.
    pub(super) fn add(&mut self, clusters: &Clusters<'_>, id: u32) {
        let cluster = clusters.get(id);
        self.by_group[self.utility.group_of(id)].insert((cluster.size(), cluster.support(), id));
    }
}

/// How many transactions a cluster shares with every other: one pass over its own transactions counts all.
#[derive(Debug)]
struct Shared {
    counts: Vec<u32>,
    /// The transaction that was counted last for each cluster.
    last: Vec<u32>,
    touched: Vec<u32>,
}

impl Shared {
    fn new(items: usize) -> Shared {
        Shared { counts: vec![0; items], last: vec![u32::MAX; items], touched: Vec::new() }
    }

    fn count(&mut self, clusters: &Clusters<'_>, id: u32) {
        for other in self.touched.drain(..) {
            self.counts[other as usize] = 0;
            self.last[other as usize] = u32::MAX;
        }
        clusters.each_transaction(id, |number, items| {
            for other in items.iter().map(|&item| clusters.cluster_of(item)).filter(|&c| c != SUPPRESSED) {
                if self.last[other as usize] != number {
                    self.last[other as usize] = number;
                    if self.counts[other as usize] == 0 {
                        self.touched.push(other);
                    }
                    self.counts[other as usize] += 1;
                }
            }
        });
    }

    fn with(&self, other: u32) -> u32 {
        self.counts[other as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

    use super::*;

    /// Tries every partner and counts transactions one by one.
    fn slow_best(
        data: &Transactions,
        clusters: &Clusters<'_>,
        utility: &UtilityConstraints,
        objective: Objective,
        id: u32,
    ) -> Option<(Cost, u32)> {
        let a = clusters.get(id);
        let partner = |(other, b): (u32, &super::super::clusters::Cluster)| {
            let holds = |t: &&[u32]| t.iter().any(|item| a.items.contains(item) || b.items.contains(item));
            let together = data.iter().filter(holds).count() as u32;
            (objective.cost(a, b, together), b.size(), b.support(), other)
        };
        let allowed = |other: u32| other != id && utility.group_of(other) == utility.group_of(id);
        let best = clusters.iter().filter(|&(other, _)| allowed(other)).map(partner).min();
        best.map(|(cost, _, _, other)| (cost, other))
    }

    proptest! {
        #[test]
        fn the_cut_search_finds_what_the_slow_one_finds(
            baskets in vec(btree_set(0_u32..12, 0..6), 1..40),
            merges in vec((0_usize..99, 0_usize..99), 0..9),
            weights in vec(prop_oneof![Just(1.0), Just(0.5), Just(0.0)], 12),
            weighted in any::<bool>(),
            split in 1_usize..12,
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let data = Transactions::from_texts(&baskets);
            let items = data.items().len();
            let groups = vec![(0..items.min(split) as u32).collect(), (items.min(split) as u32..items as u32).collect()];
            let utility = UtilityConstraints::new(items, groups).unwrap();
            let weights = weighted.then(|| &weights[..items]);
            let lightest = weights.map_or(1.0, |w| w.iter().copied().fold(1.0, f64::min));
            for objective in [Objective::Ncp, Objective::Ul] {
                let mut clusters = Clusters::of_single_items(&data, weights);
                let mut partners = Partners::new(&clusters, &utility, objective, lightest);
                for &(a, b) in &merges {
                    let ids: Vec<u32> = clusters.iter().map(|(id, _)| id).collect();
                    for &id in &ids {
                        let slow = slow_best(&data, &clusters, &utility, objective, id);
                        prop_assert_eq!(partners.best(&clusters, id), slow);
                    }
                    if ids.is_empty() {
                        break;
                    }
                    let (a, b) = (ids[a % ids.len()], ids[b % ids.len()]);
                    if a != b && utility.group_of(a) == utility.group_of(b) {
                        partners.remove(&clusters, a);
                        partners.remove(&clusters, b);
                        let merged = clusters.merge(a, b);
                        partners.add(&clusters, merged);
                    }
                }
            }
        }
    }
}
