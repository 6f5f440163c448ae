//! Small transactions whose items are letters.

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use shoal_core::{Transactions, TransactionsPromise, TransactionsRecoding};

/// Transactions from words: every letter is an item.
pub(crate) fn letters(words: &[&str]) -> Transactions {
    let split = |word: &&str| word.chars().map(String::from).collect();
    Transactions::from_texts(&words.iter().map(split).collect::<Vec<Vec<String>>>())
}

/// The numbers of the items of a word.
pub(crate) fn set(data: &Transactions, word: &str) -> Vec<u32> {
    word.chars().map(|letter| data.item(&letter.to_string()).unwrap()).collect()
}

/// The clusters of a recoding as words.
pub(crate) fn words(data: &Transactions, recoding: &TransactionsRecoding) -> Vec<String> {
    let word = |items: &[u32]| items.iter().map(|&item| data.items().get(item)).collect();
    recoding.clusters.iter().map(|cluster| word(&cluster.items)).collect()
}

/// Up to 9 items and 24 transactions, some of them empty.
pub(crate) fn any_data() -> impl Strategy<Value = Transactions> {
    vec(btree_set(0_u8..9, 0..6), 4..24).prop_map(|baskets| {
        let text = |basket: &std::collections::BTreeSet<u8>| {
            basket.iter().map(|&item| char::from(b'a' + item).to_string()).collect()
        };
        Transactions::from_texts(&baskets.iter().map(text).collect::<Vec<Vec<String>>>())
    })
}

/// The same, half of them with people who may have several transactions.
pub(crate) fn any_data_of_people() -> impl Strategy<Value = Transactions> {
    (any_data(), proptest::option::of(vec(0_u32..8, 24))).prop_map(|(data, persons)| match persons {
        Some(persons) => {
            let persons = persons[..data.len()].to_vec();
            data.with_persons(persons)
        }
        None => data,
    })
}

/// Transactions with any kind of promise about them that they are enough for.
pub(crate) fn any_promised() -> impl Strategy<Value = (Transactions, TransactionsPromise)> {
    let promise = |data: Transactions| {
        let items = data.items().len();
        let crowd = data.people_with_items();
        let item_set =
            btree_set(0..items.max(1) as u32, 1..4).prop_map(|set| set.into_iter().collect::<Vec<_>>());
        let promise = (1..=crowd.clamp(1, 6)).prop_flat_map(move |k| {
            let linkable = prop_oneof![Just(None), vec(any::<bool>(), items).prop_map(Some)];
            prop_oneof![
                (1_usize..5, linkable).prop_map(move |(m, linkable)| TransactionsPromise::Itemsets {
                    k,
                    m,
                    linkable
                }),
                Just(TransactionsPromise::Complete { k }),
                vec(item_set.clone(), 0..6)
                    .prop_map(move |sets| TransactionsPromise::Constraints { k, sets }),
            ]
        });
        (Just(data), promise)
    };
    any_data_of_people().prop_filter("an item", |data| !data.items().is_empty()).prop_flat_map(promise)
}
