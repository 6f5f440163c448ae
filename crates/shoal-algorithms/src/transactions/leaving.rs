//! Takes items out of clusters again, where the promise holds without them.
//!
//! Each merge raises the support of one set. After all merges some of the items that were merged early are not needed by
//! any set. Each that leaves is published as itself, and those that stay lose less.

use shoal_core::{Progress, Transactions, TransactionsPromise};

use super::clusters::{Cluster, Clusters};
use super::objective::saved_ncp;
use super::pair_leaving::PairLeaving;
use super::pairs::Pairs;
use super::recheck::Recheck;

/// Publishes items alone that shared a cluster, the one that saves most first, as long as the promise, which
/// must be kept by the clusters, is kept without them. Goes through all items until none can leave: that one
/// leaves can be what another needs, since sets that nobody holds are fine. Where the `pairs` of the clusters are
/// counted they are used, with the same result.
pub(super) fn leave(
    clusters: &mut Clusters<'_>,
    pairs: Option<Pairs>,
    data: &Transactions,
    promise: &TransactionsPromise,
    weights: Option<&[f64]>,
    progress: &dyn Progress,
) {
    let single = Clusters::of_single_items(data, weights);
    let recheck = Recheck::new(data, promise);
    let mut by_pairs = pairs
        .zip(recheck.only_pairs())
        .map(|(pairs, linkable)| PairLeaving::new(pairs, promise.k(), linkable, clusters.items()));
    let mut try_leave = |clusters: &mut Clusters<'_>, item: u32| {
        let alone = single.get(item);
        // Another may have left before, and this one was the last.
        if clusters.get(clusters.cluster_of(item)).size() == 1 {
            return false;
        }
        if let Some(by_pairs) = &mut by_pairs {
            return by_pairs.try_leave(clusters, alone);
        }
        if !recheck.may_be_alone(alone) {
            return false;
        }
        let (rest, whole) = clusters.split(alone.clone());
        let holds = recheck.holds(clusters, item, rest);
        if !holds {
            clusters.rejoin(item, rest, whole);
        }
        holds
    };
    loop {
        let mut left = false;
        for item in by_saving(clusters, &single) {
            progress.check();
            left |= try_leave(clusters, item);
        }
        if !left {
            return;
        }
    }
}

/// The items that share a cluster, the one whose leaving saves most first, then the smaller one.
fn by_saving(clusters: &Clusters<'_>, single: &Clusters<'_>) -> Vec<u32> {
    let shared = clusters.iter().filter(|(_, cluster)| cluster.size() > 1);
    let saving = |cluster: &Cluster, item: u32| (saved_ncp(cluster, single.get(item).occurrences), item);
    let mut savings: Vec<(f64, u32)> = shared
        .flat_map(|(_, cluster)| cluster.items.iter().map(move |&item| saving(cluster, item)))
        .collect();
    savings.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    savings.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Silent;

    use super::super::violations::Violations;
    use super::*;

    fn published(clusters: &Clusters<'_>) -> Vec<Vec<u32>> {
        clusters.iter().map(|(_, cluster)| cluster.items.clone()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn the_promise_is_kept_and_nothing_more_can_leave(
            baskets in vec(btree_set(0_u32..9, 1..7), 6..25),
            suppressed in 0_u32..30,
            linkable in vec(any::<bool>(), 9),
            sets in vec(vec(0_u32..9, 1..4), 0..8),
            kind in 0..4,
            m in 1_usize..5,
            k in 1_usize..5,
            persons in proptest::option::of(vec(0_u32..9, 25)),
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let mut data = Transactions::from_texts(&baskets);
            if let Some(persons) = persons {
                let persons = persons[..data.len()].to_vec();
                data = data.with_persons(persons).by_person().into_owned();
            }
            let items = data.items().len() as u32;
            let promise = match kind {
                0 => TransactionsPromise::Itemsets { k, m, linkable: None },
                1 => TransactionsPromise::Itemsets { k, m, linkable: Some(linkable[..items as usize].to_vec()) },
                2 => TransactionsPromise::Complete { k },
                _ => TransactionsPromise::Constraints {
                    k,
                    sets: sets.into_iter().filter(|set| set.iter().all(|&item| item < items)).collect(),
                },
            };
            let mut clusters = Clusters::of_single_items(&data, None);
            if suppressed < items {
                clusters.suppress(suppressed);
            }
            // All others as one keep any promise, unless too few hold them.
            let others: Vec<u32> = clusters.iter().map(|(id, _)| id).collect();
            others.iter().skip(1).for_each(|&id| { clusters.merge(others[0], id); });
            prop_assume!(clusters.iter().all(|(_, cluster)| cluster.people() as usize >= k));

            let mut by_pairs = clusters.clone();
            leave(&mut by_pairs, Pairs::new(&clusters), &data, &promise, None, &Silent);
            leave(&mut clusters, None, &data, &promise, None, &Silent);
            prop_assert_eq!(published(&by_pairs), published(&clusters));
            prop_assert!(Violations::new(&data, &promise).unwrap().find(&clusters, None, &Silent).is_empty());
            prop_assert_eq!(clusters.suppressed(), usize::from(suppressed < items));
            let once = published(&clusters);
            // The short way to check a promise says no only where the long one does.
            let single = Clusters::of_single_items(&data, None);
            for item in by_saving(&clusters, &single) {
                let mut without = clusters.clone();
                without.split(single.get(item).clone());
                prop_assert!(!Violations::new(&data, &promise).unwrap().find(&without, None, &Silent).is_empty());
            }
            leave(&mut clusters, None, &data, &promise, None, &Silent);
            prop_assert_eq!(published(&clusters), once);
        }
    }
}
