//! Apriori against everything that can be checked without it.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::transactions::apriori::AprioriParams;
use shoal_algorithms::transactions::{TransactionsAlgorithm, TransactionsError};
use shoal_core::hierarchy::build::even_tree;
use shoal_core::{Hierarchy, Silent, Transactions, TransactionsPromise, TransactionsRecoding};

fn anonymize(
    data: &Transactions,
    hierarchy: &Hierarchy,
    promise: &TransactionsPromise,
) -> Result<TransactionsRecoding, TransactionsError> {
    let params = AprioriParams { hierarchy: hierarchy.clone(), weights: None };
    params.check().unwrap().anonymize(data, promise, &Silent).map(|done| done.recoding)
}

fn itemsets(k: usize, m: usize) -> TransactionsPromise {
    TransactionsPromise::Itemsets { k, m, linkable: None }
}

/// Every set of up to m published items that occurs, counted by looking at every transaction for it.
fn broken(
    data: &Transactions,
    recoding: &TransactionsRecoding,
    k: usize,
    m: usize,
    known: &[bool],
) -> Option<Vec<u32>> {
    let linkable: Vec<bool> =
        recoding.clusters.iter().map(|c| c.items.iter().any(|&item| known[item as usize])).collect();
    let published: Vec<BTreeSet<u32>> = data
        .iter()
        .map(|items| recoding.image(items).into_iter().filter(|&c| linkable[c as usize]).collect())
        .collect();
    let mut sets: BTreeSet<Vec<u32>> = BTreeSet::from([vec![]]);
    for _ in 0..m {
        let mut larger = BTreeSet::new();
        for set in &sets {
            for transaction in published.iter().filter(|t| set.iter().all(|c| t.contains(c))) {
                let behind = transaction.iter().filter(|&c| set.last().is_none_or(|last| c > last));
                larger.extend(behind.map(|&c| [set.as_slice(), &[c]].concat()));
            }
        }
        let person = |number: usize| data.persons().map_or(number as u32, |persons| persons[number]);
        let support = |set: &&Vec<u32>| {
            let holding = published.iter().enumerate().filter(|(_, t)| set.iter().all(|c| t.contains(c)));
            holding.map(|(number, _)| person(number)).collect::<BTreeSet<u32>>().len()
        };
        if let Some(set) = larger.iter().find(|set| support(set) < k) {
            return Some(set.clone());
        }
        sets = larger;
    }
    None
}

/// Clusters are exactly the items of the data below a node, each item in one, named where they are several.
fn is_a_cut(data: &Transactions, tree: &Hierarchy, recoding: &TransactionsRecoding) -> bool {
    let below = |label: &str| -> Vec<u32> {
        let leaves = tree.leaves_below(tree.node(label).unwrap());
        let mut items: Vec<u32> =
            leaves.filter_map(|leaf| data.item(tree.label(tree.leaf_node(leaf)))).collect();
        items.sort_unstable();
        items
    };
    let in_place = |number: usize| {
        let cluster = &recoding.clusters[number];
        let members = cluster.items.iter().all(|&item| recoding.cluster_of[item as usize] == number as u32);
        let named = match &cluster.name {
            None => cluster.items.len() == 1,
            Some(name) => cluster.items.len() > 1 && below(name) == cluster.items,
        };
        members && named
    };
    recoding.suppressed() == 0 && (0..recoding.clusters.len()).all(in_place)
}

/// A random tree over the items a, b, …: each level joins neighbours of the level below.
fn trees(items: usize) -> impl Strategy<Value = Hierarchy> {
    prop::collection::vec(prop::collection::vec(any::<bool>(), items), 0..3).prop_map(move |levels| {
        let mut rows: Vec<Vec<String>> = (0..items).map(|item| vec![name(item)]).collect();
        let mut joined = vec![false; items];
        for (level, joins) in levels.iter().enumerate() {
            let mut group = 0;
            for item in 0..items {
                joined[item] |= joins[item];
                group = if joined[item] { group } else { item };
                rows[item].push(format!("{level}:{group}"));
            }
        }
        rows.iter_mut().for_each(|row| row.push("*".to_owned()));
        Hierarchy::from_rows(&rows).unwrap()
    })
}

fn name(item: usize) -> String {
    char::from(b'a' + item as u8).to_string()
}

const ITEMS: usize = 8;

/// Not all items occur, and some transactions are empty.
fn data() -> impl Strategy<Value = Transactions> {
    let transaction = prop::collection::btree_set(0..ITEMS, 0..5);
    prop::collection::vec(transaction, 5..25).prop_map(|transactions| {
        let texts: Vec<Vec<String>> =
            transactions.iter().map(|t| t.iter().map(|&item| name(item)).collect()).collect();
        Transactions::from_texts(&texts)
    })
}

fn holding(data: &Transactions) -> usize {
    data.iter().filter(|items| !items.is_empty()).count()
}

proptest! {
    #[test]
    fn the_promise_is_kept_by_a_cut(data in data(), tree in trees(ITEMS), k in 2..5_usize, m in 1..4_usize) {
        let result = anonymize(&data, &tree, &itemsets(k, m));
        if holding(&data) < k {
            prop_assert_eq!(
                result.unwrap_err(),
                TransactionsError::TooFewTransactions { k, transactions: holding(&data) }
            );
            return Ok(());
        }
        let recoding = result.unwrap();
        prop_assert!(is_a_cut(&data, &tree, &recoding), "{recoding:?}");
        let known = vec![true; data.items().len()];
        prop_assert_eq!(broken(&data, &recoding, k, m, &known), None);
        if broken(&data, &as_it_was(&data), k, m, &known).is_none() {
            prop_assert_eq!(recoding.clusters.len(), data.items().len(), "nothing had to be raised");
        }
    }

    #[test]
    fn people_are_counted(
        data in data(), tree in trees(ITEMS), k in 2..5_usize, m in 1..4_usize,
        persons in prop::collection::vec(0..7_u32, 25),
        known in prop::collection::vec(any::<bool>(), ITEMS),
    ) {
        let persons = persons[..data.len()].to_vec();
        let data = data.with_persons(persons);
        prop_assume!(data.people_with_items() >= k);
        let all = vec![true; data.items().len()];
        let recoding = anonymize(&data, &tree, &itemsets(k, m)).unwrap();
        prop_assert!(is_a_cut(&data, &tree, &recoding));
        prop_assert_eq!(broken(&data, &recoding, k, m, &all), None);
        if broken(&data, &as_it_was(&data), k, m, &all).is_none() {
            prop_assert_eq!(recoding.clusters.len(), data.items().len(), "nothing had to be raised");
        }
        let known = known[..data.items().len()].to_vec();
        let promise = TransactionsPromise::Itemsets { k, m, linkable: Some(known.clone()) };
        let recoding = anonymize(&data, &tree, &promise).unwrap();
        prop_assert_eq!(broken(&data, &recoding, k, m, &known), None);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        prop_assert_eq!(pool.install(|| anonymize(&data, &tree, &promise).unwrap()), recoding);
    }

    #[test]
    fn only_what_can_be_known_is_hidden(
        data in data(), tree in trees(ITEMS), k in 2..5_usize, m in 1..4_usize,
        known in prop::collection::vec(any::<bool>(), ITEMS),
    ) {
        prop_assume!(holding(&data) >= k);
        let known = known[..data.items().len()].to_vec();
        let promise = TransactionsPromise::Itemsets { k, m, linkable: Some(known.clone()) };
        let recoding = anonymize(&data, &tree, &promise).unwrap();
        prop_assert!(is_a_cut(&data, &tree, &recoding));
        prop_assert_eq!(broken(&data, &recoding, k, m, &known), None);
    }

    #[test]
    fn one_broken_item_is_raised_as_cheaply_as_can_be(tree in trees(ITEMS), odd in 0..ITEMS, often in prop::collection::vec(2..6_usize, ITEMS)) {
        let mut texts: Vec<Vec<String>> = Vec::new();
        for (item, &times) in often.iter().enumerate() {
            let times = if item == odd { 1 } else { times };
            texts.extend(std::iter::repeat_n(vec![name(item)], times));
        }
        let data = Transactions::from_texts(&texts);
        let recoding = anonymize(&data, &tree, &itemsets(2, 2)).unwrap();
        // The lowest node with a sibling of the odd item is the only minimal one.
        let leaf = tree.leaf(&name(odd)).unwrap();
        let lowest = (0..tree.level_count())
            .map(|level| tree.leaves_below(tree.ancestor(leaf, level)).len())
            .find(|&size| size > 1)
            .unwrap();
        let sizes: Vec<usize> = recoding.clusters.iter().map(|c| c.items.len()).filter(|&s| s > 1).collect();
        prop_assert_eq!(sizes, [lowest]);
    }
}

fn as_it_was(data: &Transactions) -> TransactionsRecoding {
    let cluster = |item| shoal_core::ItemCluster { items: vec![item], name: None };
    let items = data.items().len();
    TransactionsRecoding::from_clusters(items, (0..items as u32).map(cluster).collect())
}

#[test]
fn the_cheaper_side_of_a_pair_is_raised() {
    // Each pair occurs once, and raising either side fixes all. a and b occur rarely, c and d often.
    let mut texts = vec![vec!["a", "c"], vec!["b", "c"], vec!["a", "d"], vec!["b", "d"]];
    texts.extend(std::iter::repeat_n(vec!["a"], 2));
    texts.extend(std::iter::repeat_n(vec!["b"], 2));
    texts.extend(std::iter::repeat_n(vec!["c"], 10));
    texts.extend(std::iter::repeat_n(vec!["d"], 10));
    let data = Transactions::from_texts(&texts);
    let rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]].map(Vec::from);
    let tree = Hierarchy::from_rows(&rows).unwrap();
    let names = |weights: Option<Vec<f64>>| {
        let params = AprioriParams { hierarchy: tree.clone(), weights }.check().unwrap();
        let recoding = params.anonymize(&data, &itemsets(2, 2), &Silent).unwrap().recoding;
        recoding.clusters.into_iter().filter_map(|cluster| cluster.name).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["ab"]);
    assert_eq!(names(Some(vec![1.0, 1.0, 0.1, 0.1])), ["cd"]);
}

#[test]
fn what_apriori_cannot_do_is_said() {
    let data = Transactions::from_texts(&[vec!["a", "b"], vec!["a", "x"]]);
    let tree = Hierarchy::from_rows(&[vec!["a", "*"], vec!["b", "*"]]).unwrap();
    let refused = |promise: &TransactionsPromise| anonymize(&data, &tree, promise).unwrap_err();
    assert_eq!(refused(&itemsets(2, 2)), TransactionsError::NotInHierarchy { item: "x".into() });
    for promise in [
        TransactionsPromise::Complete { k: 2 },
        TransactionsPromise::Constraints { k: 2, sets: vec![vec![0]] },
    ] {
        assert_eq!(refused(&promise), TransactionsError::UnsupportedPromise { algorithm: "apriori" });
    }
    assert!(AprioriParams { hierarchy: tree, weights: Some(vec![2.0]) }.check().is_err());
}

/// BMS-WebView-1, k = 5, m = 2, an even fan-out-5 tree. Two public implementations lose 4.5 % and 5.8 %; the
/// figure depends on the order in which sets are fixed, so only the worse of the two is a bound.
#[test]
#[ignore = "needs SHOAL_DATA"]
fn bms1_is_k_m_anonymous() {
    let text = shoal_testkit::data::public_text("bms_webview/BMS-WebView-1.dat");
    let texts: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let data = Transactions::from_texts(&texts);
    assert_eq!((data.len(), data.items().len()), (59_602, 497));
    let tree = even_tree(&data.items().iter().collect::<Vec<_>>(), 5).unwrap().hierarchy;
    let recoding = anonymize(&data, &tree, &itemsets(5, 2)).unwrap();
    assert!(is_a_cut(&data, &tree, &recoding));

    let mut pairs = std::collections::BTreeMap::<(u32, u32), u32>::new();
    for items in data.iter() {
        let image = recoding.image(items);
        for (at, &a) in image.iter().enumerate() {
            image[at..].iter().for_each(|&b| *pairs.entry((a, b)).or_default() += 1);
        }
    }
    assert!(pairs.values().all(|&support| support >= 5));

    let ncp = ncp(&data, &recoding);
    assert!(ncp > 0.0 && ncp <= 0.058, "{ncp}");
}

fn ncp(data: &Transactions, recoding: &TransactionsRecoding) -> f64 {
    let supports = data.supports();
    let occurrences =
        |items: &[u32]| items.iter().map(|&item| f64::from(supports[item as usize])).sum::<f64>();
    let several = recoding.clusters.iter().filter(|cluster| cluster.items.len() > 1);
    let lost: f64 = several.map(|cluster| occurrences(&cluster.items) * cluster.items.len() as f64).sum();
    lost / (data.occurrences() * data.items().len()) as f64
}
