//! Which merge lifts the support of a set at the least cost for each person that it gains; a person with each
//! transaction, where it is not said whose they are.

use std::collections::BTreeMap;

use super::UtilityConstraints;
use super::clusters::Clusters;
use super::objective::Rate;
use super::pairs::Pairs;

/// Counters for what a set gains. Only a transaction that lacks exactly one of the set's clusters can be gained
/// by one merge, so all gains are counted in one pass over those.
#[derive(Debug)]
pub(super) struct Gains<'a> {
    utility: &'a UtilityConstraints,
    /// For each cluster, what the set gains where it is merged with the cluster in question.
    counts: Vec<u32>,
    /// For each cluster the person who was counted last.
    last: Vec<Option<u32>>,
    touched: Vec<u32>,
}

impl<'a> Gains<'a> {
    pub(super) fn new(utility: &'a UtilityConstraints) -> Gains<'a> {
        let items = utility.items();
        Gains { utility, counts: vec![0; items], last: vec![None; items], touched: Vec::new() }
    }

    /// The merge of one of these clusters, two or more and ascending, that costs least for each person
    /// gained; there is no use in more than `missing`. Among equals the first cluster, and of its partners the
    /// smaller one, then the one of less support, then the one with the smaller item. Nothing where no merge
    /// gains anything.
    pub(super) fn best(&mut self, clusters: &Clusters<'_>, set: &[u32], missing: u32) -> Option<(u32, u32)> {
        let lacking = match clusters.persons() {
            None => Lacking::Transactions(lacking_one(clusters, set)),
            Some(persons) => Lacking::People(people_lacking_one(clusters, persons, set)),
        };
        let mut best = None;
        for &id in set {
            match &lacking {
                Lacking::Transactions(lacking) => self.count(lacking, id),
                Lacking::People(lacking) => self.count_people(lacking, id),
            }
            let cluster = clusters.get(id);
            // `touched` empties the counters without a pass over all clusters.
            for other in self.touched.drain(..) {
                let gain = std::mem::take(&mut self.counts[other as usize]).min(missing);
                if self.utility.group_of(other) == self.utility.group_of(id) {
                    let partner = clusters.get(other);
                    let rate = Rate::new(cluster.figures(), partner.figures(), gain);
                    let merge = (rate, id, partner.size(), partner.support(), other);
                    best = Some(best.map_or(merge, |best| merge.min(best)));
                }
            }
        }
        best.map(|(_, id, _, _, other)| (id, other))
    }

    /// The same for two clusters, ascending, where it is known how often any two occur together and transactions are
    /// counted: {a, b} gains by a merge of a with x the transactions of x and b that do not hold a.
    pub(super) fn best_of_pair(
        &mut self,
        clusters: &Clusters<'_>,
        pairs: &Pairs,
        [a, b]: [u32; 2],
        missing: u32,
    ) -> Option<(u32, u32)> {
        // The transactions with all three are to be subtracted. The set's support is below k, so they are few.
        let mut image = Vec::new();
        clusters.each_common(a, b, |items| {
            clusters.image_into(items, &mut image);
            image.iter().for_each(|&other| self.add(other, 1));
        });
        let mut best: Option<(Rate, u32, u32, u32, u32)> = None;
        for (id, kept) in [(a, b), (b, a)] {
            let cluster = clusters.figures(id);
            let mut consider = |other: u32, gain: u32| {
                if gain == 0 || self.utility.group_of(other) != self.utility.group_of(id) {
                    return;
                }
                let partner = clusters.figures(other);
                let rate = Rate::new(cluster, partner, gain.min(missing));
                if best.is_some_and(|(least, ..)| rate.is_clearly_above(&least)) {
                    return;
                }
                let merge = (rate, id, partner.size, partner.support, other);
                best = Some(best.map_or(merge, |best| merge.min(best)));
            };
            // Merged with each other they are in all transactions of either; those of both are no gain.
            consider(kept, cluster.support + clusters.figures(kept).support - 2 * pairs.together(a, b));
            for (other, together) in pairs.of(kept).filter(|&(other, _)| other != id) {
                consider(other, together - self.counts[other as usize]);
            }
        }
        self.touched.drain(..).for_each(|other| self.counts[other as usize] = 0);
        best.map(|(_, id, _, _, other)| (id, other))
    }

    /// Counts what the set gains by a merge of its cluster `id` with every other cluster.
    fn count(&mut self, lacking: &BTreeMap<u32, Vec<Vec<u32>>>, id: u32) {
        for (&lacked, images) in lacking {
            if lacked == id {
                // Those that hold the partner in its place.
                images.iter().flatten().for_each(|&other| self.add(other, 1));
            } else {
                // Where both are in the set, either will do.
                self.add(lacked, images.len() as u32);
            }
        }
    }

    /// The same where somebody may have two transactions, either of which gains them: they are gained once.
    fn count_people(&mut self, lacking: &[LackingOne], id: u32) {
        for LackingOne { person, lacked, image } in lacking {
            let gained_by = if *lacked == id { image.as_slice() } else { std::slice::from_ref(lacked) };
            for &other in gained_by {
                if self.last[other as usize].replace(*person) != Some(*person) {
                    self.add(other, 1);
                }
            }
        }
        self.touched.iter().for_each(|&other| self.last[other as usize] = None);
    }

    fn add(&mut self, other: u32, gain: u32) {
        if self.counts[other as usize] == 0 {
            self.touched.push(other);
        }
        self.counts[other as usize] += gain;
    }
}

/// What a set can gain by one merge.
enum Lacking {
    /// The images of the transactions that lack one of its clusters, by the one.
    Transactions(BTreeMap<u32, Vec<Vec<u32>>>),
    /// The same of people who have no transaction with the whole set, person by person.
    People(Vec<LackingOne>),
}

/// A published transaction that holds all of a set but one.
struct LackingOne {
    person: u32,
    lacked: u32,
    image: Vec<u32>,
}

/// The published transactions that hold all of the set but one, of people who have none that holds it all: those
/// are in its support already. The transactions of a person stand together.
fn people_lacking_one(clusters: &Clusters<'_>, persons: &[u32], set: &[u32]) -> Vec<LackingOne> {
    let mut by_support = set.to_vec();
    by_support.sort_by_key(|&id| clusters.get(id).support());
    let mut lacking: Vec<(u32, LackingOne)> = Vec::new();
    let mut holding: Vec<u32> = Vec::new();
    // As in `lacking_one`: the two rarest clusters lead to all of them.
    for (at, &rare) in by_support.iter().take(2).enumerate() {
        clusters.each_transaction(rare, |number, items| {
            // Too short to lack only one.
            if items.len() + 1 < set.len() {
                return;
            }
            let image = clusters.image(items);
            let person = persons[number as usize];
            let mut lacked = set.iter().copied().filter(|id| image.binary_search(id).is_err());
            match (lacked.next(), lacked.next()) {
                (None, _) => holding.push(person),
                (Some(only), None) if at == 0 || only == by_support[0] => {
                    lacking.push((number, LackingOne { person, lacked: only, image }));
                }
                (Some(_), _) => {}
            }
        });
    }
    // Transactions that hold all of the set were met with the rarest cluster, so nobody is missing in `holding`.
    holding.sort_unstable();
    lacking.sort_by_key(|(number, _)| *number);
    let is_new = |one: &LackingOne| holding.binary_search(&one.person).is_err();
    lacking.into_iter().map(|(_, one)| one).filter(is_new).collect()
}

/// The published transactions that hold all of the set but one, by the one that they lack.
fn lacking_one(clusters: &Clusters<'_>, set: &[u32]) -> BTreeMap<u32, Vec<Vec<u32>>> {
    let mut by_support = set.to_vec();
    by_support.sort_by_key(|&id| clusters.get(id).support());
    let mut lacking: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
    // They hold at least one of any two clusters, so the two rarest lead to all of them.
    for (at, &rare) in by_support.iter().take(2).enumerate() {
        clusters.each_transaction(rare, |_, items| {
            if items.len() + 1 < set.len() {
                return;
            }
            let image = clusters.image(items);
            let mut lacked = set.iter().copied().filter(|id| image.binary_search(id).is_err());
            if let (Some(only), None) = (lacked.next(), lacked.next())
                // Those that hold both were met with the first.
                && (at == 0 || only == by_support[0])
            {
                lacking.entry(only).or_default().push(image);
            }
        });
    }
    lacking
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

    use super::*;

    /// Tries every merge and counts the set's support after it.
    fn slow_best(
        clusters: &Clusters<'_>,
        utility: &UtilityConstraints,
        set: &[u32],
        missing: u32,
    ) -> Option<(u32, u32)> {
        let support = |clusters: &Clusters<'_>| clusters.support(&clusters.image(set), usize::MAX);
        let merge = |id: u32, other: u32| {
            let mut merged = clusters.clone();
            merged.merge(id, other);
            let gain = ((support(&merged) - support(clusters)) as u32).min(missing);
            let (a, b) = (clusters.get(id), clusters.get(other));
            (gain > 0).then(|| (Rate::new(a.figures(), b.figures(), gain), id, b.size(), b.support(), other))
        };
        let allowed = |id: u32, other: u32| id != other && utility.group_of(id) == utility.group_of(other);
        let pairs = set.iter().flat_map(|&id| clusters.iter().map(move |(other, _)| (id, other)));
        let merges =
            pairs.filter(|&(id, other)| allowed(id, other)).filter_map(|(id, other)| merge(id, other));
        merges.min().map(|(_, id, _, _, other)| (id, other))
    }

    proptest! {
        #[test]
        fn one_walk_finds_what_trying_every_merge_finds(
            baskets in vec(btree_set(0_u32..12, 0..8), 1..40),
            merges in vec((0_u32..12, 0_u32..12), 0..6),
            suppressed in proptest::option::of(0_u32..12),
            weights in vec(prop_oneof![Just(1.0), Just(0.5), Just(0.0)], 12),
            weighted in any::<bool>(),
            split in 1_u32..12,
            sets in vec(btree_set(0_u32..12, 2..5), 1..6),
            missing in 1_u32..9,
            persons in proptest::option::of(vec(0_u32..9, 40)),
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let mut data = Transactions::from_texts(&baskets);
            if let Some(persons) = persons {
                let persons = persons[..data.len()].to_vec();
                data = data.with_persons(persons).by_person().into_owned();
            }
            let items = data.items().len() as u32;
            let split = items.min(split);
            let groups = vec![(0..split).collect(), (split..items).collect()];
            let utility = UtilityConstraints::new(items as usize, groups).unwrap();
            let weights = weighted.then(|| &weights[..items as usize]);
            let mut clusters = Clusters::of_single_items(&data, weights);
            for (a, b) in merges.into_iter().filter(|&(a, b)| a.max(b) < items) {
                if let [a, b] = clusters.image(&[a, b])[..] && utility.group_of(a) == utility.group_of(b) {
                    clusters.merge(a, b);
                }
            }
            if let Some(item) = suppressed.filter(|&item| item < items) {
                clusters.suppress(clusters.cluster_of(item));
            }
            let pairs = Pairs::new(&clusters);
            let mut gains = Gains::new(&utility);
            let known = |set: BTreeSet<u32>| set.into_iter().filter(|&item| item < items).collect::<Vec<_>>();
            for set in sets.into_iter().map(known).map(|set| clusters.image(&set)).filter(|set| set.len() > 1) {
                let slow = slow_best(&clusters, &utility, &set, missing);
                prop_assert_eq!(gains.best(&clusters, &set, missing), slow);
                if let (Ok(pair), Some(pairs)) = (set.try_into(), &pairs) {
                    prop_assert_eq!(gains.best_of_pair(&clusters, pairs, pair, missing), slow);
                }
            }
        }
    }
}
