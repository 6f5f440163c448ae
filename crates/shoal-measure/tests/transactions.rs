//! Measures of transactions against slow references that look at one transaction at a time, at the clusters that were
//! meant and not at the texts that were published.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_core::{Hierarchy, Transactions, render_item};
use shoal_measure::transactions::{Estimator, are, guarantee, risk};
use shoal_measure::{PublishedItems, TransactionsMeasureError, Workload, measure_transactions};

const ITEMS: usize = 6;

#[derive(Debug)]
struct Release {
    original: Transactions,
    published: Transactions,
    /// The cluster of each item of the original; none where it is suppressed.
    cluster_of: Vec<Option<u8>>,
    weights: Vec<f64>,
}

impl Release {
    fn clusters(&self) -> BTreeMap<u8, Vec<u32>> {
        let mut clusters: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for (item, cluster) in (0..).zip(&self.cluster_of) {
            if let Some(cluster) = cluster {
                clusters.entry(*cluster).or_default().push(item);
            }
        }
        clusters
    }

    /// How many transactions hold an item that this says yes to.
    fn holding_any(&self, wanted: impl Fn(u32) -> bool) -> usize {
        self.original.iter().filter(|items| items.iter().any(|&item| wanted(item))).count()
    }
}

/// Clusters 0 to 3 and suppression; transactions may be empty.
fn releases() -> impl Strategy<Value = Release> {
    let transactions = prop::collection::vec(prop::collection::btree_set(0..ITEMS, 0..5), 1..12);
    let clusters = prop::collection::vec(prop::option::weighted(0.9, 0..4_u8), ITEMS);
    let weights = prop::collection::vec(prop::sample::select(vec![0.0, 0.5, 1.0]), ITEMS);
    (transactions, clusters, weights).prop_map(|(transactions, clusters, weights)| {
        let texts: Vec<Vec<String>> =
            transactions.iter().map(|items| items.iter().map(|item| format!("i{item}")).collect()).collect();
        let original = Transactions::from_texts(&texts);
        let items = original.items().len();
        let mut release = Release {
            published: original.clone(),
            original,
            cluster_of: clusters[..items].to_vec(),
            weights: weights[..items].to_vec(),
        };
        let name = |members: &Vec<u32>| {
            render_item(&members.iter().map(|&item| release.original.items().get(item)).collect::<Vec<_>>())
        };
        let names: BTreeMap<u8, String> =
            release.clusters().iter().map(|(cluster, members)| (*cluster, name(members))).collect();
        let image = |items: &[u32]| -> Vec<String> {
            let clusters: BTreeSet<u8> =
                items.iter().filter_map(|&item| release.cluster_of[item as usize]).collect();
            clusters.iter().map(|cluster| names[cluster].clone()).collect()
        };
        release.published = Transactions::from_texts(&release.original.iter().map(image).collect::<Vec<_>>());
        release
    })
}

/// The mean count over all worlds that the published transactions allow, each world once.
fn count_over_all_worlds(release: &Release, query: &[u32]) -> f64 {
    let clusters = release.clusters();
    let mut expected = 0.0;
    for transaction in release.original.iter() {
        let held: BTreeSet<u8> =
            transaction.iter().filter_map(|&item| release.cluster_of[item as usize]).collect();
        let mut worlds: Vec<Vec<u32>> = vec![vec![]];
        for cluster in &held {
            let members = &clusters[cluster];
            let subsets = 1..1_u32 << members.len();
            let subset = |bits: u32| -> Vec<u32> {
                (0..members.len()).filter(|&at| bits >> at & 1 == 1).map(|at| members[at]).collect()
            };
            worlds = worlds
                .iter()
                .flat_map(|world| subsets.clone().map(|bits| [world.as_slice(), &subset(bits)].concat()))
                .collect();
        }
        let holding = worlds.iter().filter(|world| query.iter().all(|item| world.contains(item))).count();
        expected += holding as f64 / worlds.len() as f64;
    }
    expected
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

proptest! {
    #[test]
    fn the_error_is_that_over_all_possible_worlds(release in releases(), seed in any::<u64>(), size in 1..4_usize) {
        let items = PublishedItems::read(&release.original, &release.published, None).unwrap();
        let workload = Workload::itemsets(&release.original, size, 6, seed);
        let errors: Vec<f64> = workload.queries().iter().map(|query| {
            let truth = release.original.iter().filter(|t| query.items().iter().all(|i| t.contains(i))).count();
            assert_eq!(truth as u32, query.count());
            (count_over_all_worlds(&release, query.items()) - truth as f64).abs() / truth as f64
        }).collect();
        match are::of(&items, &workload, Estimator::AnySubset) {
            None => prop_assert!(errors.is_empty()),
            // Differences of counts: rounding leaves an absolute error where the true one is 0.
            Some(are) => {
                let mean = errors.iter().sum::<f64>() / errors.len() as f64;
                prop_assert!((are - mean).abs() <= 1e-9, "{are} against {mean}");
            }
        }
    }

    #[test]
    fn losses_are_what_their_formulas_say(release in releases()) {
        let items = PublishedItems::read(&release.original, &release.published, None).unwrap();
        let workload = Workload::pairs(&release.original, 5, 1);
        let loss = measure_transactions(&items, Some(&release.weights), &workload, &workload, &workload, None).unwrap();
        let (clusters, all) = (release.clusters(), release.cluster_of.len());
        let records = release.original.len() as f64;

        let (mut lost, mut held) = (0.0, 0.0);
        for &item in release.original.iter().flatten() {
            held += 1.0;
            lost += match release.cluster_of[item as usize].map(|cluster| clusters[&cluster].len()) {
                None => 1.0,
                Some(1) => 0.0,
                Some(size) => size as f64 / all as f64,
            };
        }
        let ncp = if held == 0.0 { 0.0 } else { lost / held };
        prop_assert!(close(loss.ncp, ncp));
        prop_assert!((0.0..=1.0).contains(&loss.ncp) && loss.utility == 1.0 - loss.ncp);

        let mut ul = 0.0;
        for members in clusters.values() {
            let weight = members.iter().map(|&i| release.weights[i as usize]).sum::<f64>() / members.len() as f64;
            let support = release.holding_any(|item| members.contains(&item)) as f64;
            let subsets = |size: usize| f64::from((1_u32 << size) - 1);
            ul += subsets(members.len()) / subsets(all) * weight * support / records;
        }
        let suppressed: Vec<u32> =
            (0..all as u32).filter(|&item| release.cluster_of[item as usize].is_none()).collect();
        for &item in &suppressed {
            ul += release.weights[item as usize] * release.holding_any(|other| other == item) as f64 / records;
        }
        prop_assert!(close(loss.ul.unwrap(), ul), "{:?} {}", loss.ul, ul);
        prop_assert!(loss.ul_log2.map_or(ul == 0.0, |log2| close(log2.exp2(), ul)));

        prop_assert_eq!(loss.items_suppressed, suppressed.len() as u64);
        let gone = release.original.iter().flatten().filter(|item| suppressed.contains(item)).count();
        prop_assert_eq!(loss.occurrences_suppressed, gone as u64);
        let mut sizes = BTreeMap::new();
        clusters.values().for_each(|members| *sizes.entry(members.len()).or_insert(0) += 1);
        prop_assert_eq!(loss.generalized_items, sizes);
    }

    #[test]
    fn groups_of_items_are_counted_before_and_after(release in releases(), inside in prop::collection::vec(any::<bool>(), ITEMS)) {
        let items = PublishedItems::read(&release.original, &release.published, None).unwrap();
        let constraint: Vec<u32> = (0..release.cluster_of.len() as u32).filter(|&i| inside[i as usize]).collect();
        let [found] = &guarantee::of(&items, std::slice::from_ref(&constraint))[..] else { unreachable!() };
        prop_assert_eq!(found.before as usize, release.holding_any(|item| constraint.contains(&item)));
        let clusters = release.clusters();
        let made_of_them = |item: u32| release.cluster_of[item as usize]
            .is_some_and(|cluster| clusters[&cluster].iter().all(|other| constraint.contains(other)));
        prop_assert_eq!(found.after as usize, release.holding_any(made_of_them));
        prop_assert_eq!(found.kept, found.before == found.after);
        // The guarantee itself.
        if constraint.iter().all(|&item| made_of_them(item)) {
            prop_assert!(found.kept && found.items_suppressed == 0);
        }
    }

    #[test]
    fn crowds_are_counted_by_looking_at_everybody(
        release in releases(), m in 0..4_usize, linkable in prop::option::of(prop::collection::vec(any::<bool>(), ITEMS)),
    ) {
        let items = PublishedItems::read(&release.original, &release.published, None).unwrap();
        let linkable = linkable.map(|linkable| linkable[..release.cluster_of.len()].to_vec());
        let found = risk::of(&items, m, linkable.as_deref());
        let known = |item: &u32| linkable.as_ref().is_none_or(|linkable| linkable[*item as usize]);
        let smallest = |transactions: &Transactions, known: &dyn Fn(&u32) -> bool| {
            let people: Vec<Vec<u32>> = transactions.iter().map(|t| t.iter().copied().filter(known).collect()).collect();
            let crowd = |set: &[u32]| people.iter().filter(|t| set.iter().all(|item| t.contains(item))).count() as u64;
            let pairs = people.iter().flat_map(|t| t.iter().flat_map(|&a| t.iter().map(move |&b| [a, b])));
            pairs.filter(|[a, b]| m >= 2 || m == 1 && a == b).map(|pair| crowd(&pair)).min()
        };
        prop_assert_eq!(found.smallest_crowd.before, smallest(&release.original, &known));
        let known_after = |text: &u32| items.members()[*text as usize].iter().any(known);
        prop_assert_eq!(found.smallest_crowd.after, smallest(&release.published, &known_after));
    }

    #[test]
    fn crowds_of_people_are_counted_by_looking_at_everybody(
        release in releases(), persons in prop::collection::vec(0..4_u32, 12), seed in any::<u64>(),
    ) {
        let persons = persons[..release.original.len()].to_vec();
        let original = release.original.clone().with_persons(persons.clone());
        // In another order than the original: whose a published transaction is must be found out.
        let mut order: Vec<usize> = (0..original.len()).collect();
        order.sort_by_key(|&at| (at as u64 + 1).wrapping_mul(seed | 1) >> 9);
        let texts = |at: &usize| -> Vec<String> {
            let items = release.published.transaction(*at).iter();
            items.map(|&text| release.published.items().get(text).to_owned()).collect()
        };
        let published = Transactions::from_texts(&order.iter().map(texts).collect::<Vec<_>>());
        let items = PublishedItems::read(&original, &published, None).unwrap();
        let found = risk::of(&items, 2, None);
        let smallest = |transactions: &Transactions| {
            let people: Vec<(&[u32], u32)> = transactions.iter().zip(persons.iter().copied()).collect();
            let crowd = |set: &[u32]| {
                let who = people.iter().filter(|(t, _)| set.iter().all(|item| t.contains(item)));
                who.map(|(_, person)| *person).collect::<BTreeSet<u32>>().len() as u64
            };
            people.iter().flat_map(|(t, _)| t.iter().flat_map(|&a| t.iter().map(move |&b| crowd(&[a, b])))).min()
        };
        prop_assert_eq!(found.smallest_crowd.before, smallest(&release.original));
        prop_assert_eq!(found.smallest_crowd.after, smallest(&release.published));
        let with_items = release.original.iter().zip(&persons).filter(|(t, _)| !t.is_empty());
        let people = with_items.map(|(_, person)| person).collect::<BTreeSet<_>>().len();
        prop_assert_eq!(found.people, Some(people as u64));
    }

    #[test]
    fn frequent_sets_are_all_found(release in releases(), size in 1..4_usize, least in 1..4_usize, seed in any::<u64>()) {
        let data = &release.original;
        let mut sets: BTreeSet<Vec<u32>> = BTreeSet::new();
        for bits in 0..1_u32 << data.items().len() {
            let set: Vec<u32> = (0..data.items().len() as u32).filter(|item| bits >> item & 1 == 1).collect();
            let support = data.iter().filter(|t| set.iter().all(|item| t.contains(item))).count();
            if set.len() == size && support >= least {
                sets.insert(set);
            }
        }
        let drawn = |count, seed| -> Vec<Vec<u32>> {
            let workload = Workload::frequent(data, size, least, count, seed);
            workload.queries().iter().map(|query| query.items().to_vec()).collect()
        };
        prop_assert_eq!(drawn(1000, seed), sets.iter().cloned().collect::<Vec<_>>());
        let few = drawn(3, seed);
        prop_assert_eq!(few.len(), sets.len().min(3));
        prop_assert!(few.iter().all(|set| sets.contains(set)) && few == drawn(3, seed));
    }
}

#[test]
fn every_pair_is_drawn_alike() {
    let texts: Vec<Vec<String>> =
        (0..20).map(|n| (n..20).map(|item: u32| item.to_string()).collect()).collect();
    let data = Transactions::from_texts(&texts);
    let mut drawn: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for seed in 0..2000 {
        for query in Workload::frequent(&data, 2, 1, 19, seed).queries() {
            *drawn.entry(query.items().to_vec()).or_default() += 1;
        }
    }
    // 190 pairs, 19 in each draw: each about 200 times.
    assert_eq!(drawn.len(), 190);
    assert!(drawn.values().all(|&times| (140..260).contains(&times)), "{drawn:?}");
}

#[test]
fn pairs_are_drawn_as_often_as_they_occur() {
    let mut texts = vec![vec!["a", "b"]; 90];
    texts.extend(vec![vec!["c", "d"]; 10]);
    texts.extend(vec![vec!["e"]; 100]);
    let data = Transactions::from_texts(&texts);
    let workload = Workload::pairs(&data, 1000, 7);
    assert_eq!(workload.queries().len(), 1000);
    let frequent = workload.queries().iter().filter(|query| query.count() == 90).count();
    assert!((860..940).contains(&frequent), "{frequent}");
    assert!(workload.queries().iter().all(|query| query.items().len() == 2));
    assert!(Workload::pairs(&Transactions::from_texts(&[vec!["a"]]), 10, 0).queries().is_empty());
}

#[test]
fn the_report_has_the_names_of_the_contract() {
    let original = Transactions::from_texts(&[vec!["a", "b"], vec!["a", "c"], vec!["d"]]);
    let published = Transactions::from_texts(&[vec!["ab"], vec!["ab", "c"], vec![]]);
    let tree =
        Hierarchy::from_rows(&[["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]].map(Vec::from)).unwrap();
    let items = PublishedItems::read(&original, &published, Some(&tree)).unwrap();
    let workload = Workload::of(&original, vec![vec![0, 2]]).unwrap();
    let constraints = [vec![0, 1], vec![2, 3]];
    let loss =
        measure_transactions(&items, None, &workload, &workload, &workload, Some(&constraints)).unwrap();
    let json = serde_json::to_value(&loss).unwrap();
    let names: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "ncp",
            "utility",
            "ul",
            "ul-log2",
            "are",
            "are-queries",
            "are-estimator",
            "are-5-itemsets",
            "items-suppressed",
            "occurrences-suppressed",
            "generalized-items",
            "utility-constraints",
        ]
    );
    // a occurs twice, b once, each 2 of 4; c is as it was; d is gone.
    assert!(close(loss.ncp, (3.0 * 0.5 + 1.0) / 5.0));
    // {a, c}: 2/3 of one transaction, and it was one. With one member it would be 1/2.
    assert!(close(loss.are.unwrap(), 1.0 / 3.0));
    assert!(json["are-estimator"].as_str().unwrap().starts_with("any subset: "));
    assert_eq!(json["generalized-items"], serde_json::json!({"1": 1, "2": 1}));
    assert_eq!(
        json["utility-constraints"],
        serde_json::json!([
            {"number": 1, "items": 2, "items-suppressed": 0, "before": 2, "after": 2, "kept": true},
            {"number": 2, "items": 2, "items-suppressed": 1, "before": 2, "after": 1, "kept": false},
        ])
    );
    let risk = serde_json::to_value(risk::of(&items, 3, None)).unwrap();
    assert_eq!(risk, serde_json::json!({"known-items": 2, "smallest-crowd": {"before": 1, "after": 1}}));
}

#[test]
fn what_does_not_fit_the_original_is_refused() {
    let original = Transactions::from_texts(&[vec!["a", "b"]]);
    let items = PublishedItems::read(&original, &original, None).unwrap();
    let workload = Workload::pairs(&original, 10, 0);
    let refused = |weights: Option<&[f64]>, constraints: Option<&[Vec<u32>]>| {
        measure_transactions(&items, weights, &workload, &workload, &workload, constraints).unwrap_err()
    };
    assert_eq!(refused(Some(&[1.0]), None), TransactionsMeasureError::WeightCount { weights: 1, items: 2 });
    assert_eq!(
        refused(Some(&[1.0, 1.5]), None),
        TransactionsMeasureError::Weight { item: "b".into(), weight: 1.5 }
    );
    assert_eq!(refused(None, Some(&[vec![7]])), TransactionsMeasureError::NoSuchItem { item: 7, items: 2 });
    assert!(Workload::of(&original, vec![vec![2]]).is_err());
    let unchanged = measure_transactions(&items, None, &workload, &workload, &workload, None).unwrap();
    assert_eq!((unchanged.ncp, unchanged.are), (0.0, Some(0.0)));
}
