//! Where the papers' loops, which look at every constraint once, break their promise.

use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::{Objective, TransactionsAlgorithm};
use shoal_core::{ItemCluster, Silent, Transactions, TransactionsPromise, TransactionsRecoding};

use crate::data::{letters, set};
use crate::promise::broken;
use crate::slow::Slow;

/// What the loop as printed publishes.
fn unmended(data: &Transactions, k: usize, sets: Vec<Vec<u32>>) -> TransactionsRecoding {
    let mut slow = Slow::new(data, k, Objective::Ncp);
    assert!(slow.pass(sets));
    let cluster = |items: &std::collections::BTreeSet<u32>| ItemCluster {
        items: items.iter().copied().collect(),
        name: None,
    };
    TransactionsRecoding::from_clusters(data.items().len(), slow.clusters.iter().map(cluster).collect())
}

fn ours(data: &Transactions, promise: &TransactionsPromise) -> TransactionsRecoding {
    PctaParams::default().check().unwrap().anonymize(data, promise, &Silent).unwrap().recoding
}

#[test]
fn a_set_that_nobody_held_occurs_after_a_merge() {
    let data = letters(&["c", "de", "abd", "b"]);
    let sets = ["be", "c", "cd"].map(|word| set(&data, word)).to_vec();
    let promise = TransactionsPromise::Constraints { k: 2, sets: sets.clone() };
    // {b,e} is in no transaction and done with, when {c,d} asks for (a,c,e), which is with b in one.
    assert!(broken(&data, &unmended(&data, 2, sets), &promise).is_some());
    assert_eq!(broken(&data, &ours(&data, &promise), &promise), None);
}

#[test]
fn an_item_without_company_is_in_no_pair() {
    let data = letters(&["ab", "ab", "c"]);
    let promise = TransactionsPromise::Itemsets { k: 2, m: 2, linkable: None };
    let pairs = vec![set(&data, "ab")];
    // All pairs are fine, and whoever is known to have c is found.
    assert!(broken(&data, &unmended(&data, 2, pairs), &promise).is_some());
    assert_eq!(broken(&data, &ours(&data, &promise), &promise), None);
}
