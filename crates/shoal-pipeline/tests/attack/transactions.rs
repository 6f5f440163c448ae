use arrow_array::RecordBatch;
use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::policy::TransactionsAlgorithmName;
use shoal_pipeline::{Assets, ItemList};

use crate::support::{attacked, batch, cases, publish, request};

const ITEMS: usize = 9;

pub(crate) fn assets() -> Assets {
    let tree: String = (0..ITEMS).map(|item| format!("i{item};g{};*\n", item / 3)).collect();
    let utility = ItemList::from_text("i0 i1 i2 i3\ni4 i5 i6\ni7 i8\n", ' ');
    let known = ItemList::from_text("i0 i1\ni2 i5\ni3 i7 i8\ni6\n", ' ');
    let assets = Assets::default().with_hierarchy("tree", from_text(&tree).unwrap());
    assets.with_item_list("utility", utility).with_item_list("known", known)
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub algorithm: TransactionsAlgorithmName,
    pub k: usize,
    pub privacy: &'static str,
    pub person: bool,
}

pub(crate) fn asked() -> impl Strategy<Value = Asked> {
    let privacy =
        vec!["m = 1", "m = 2", "m = 3", "complete = true", "constraints = \"known\"", "share = 0.5"];
    (
        prop::sample::select(TransactionsAlgorithmName::ALL),
        2..5_usize,
        prop::sample::select(privacy),
        any::<bool>(),
    )
        .prop_map(|(algorithm, k, privacy, person)| {
            let privacy = match algorithm {
                TransactionsAlgorithmName::Apriori if !privacy.starts_with('m') => "m = 2",
                _ => privacy,
            };
            Asked { algorithm, k, privacy, person }
        })
}

pub(crate) fn policy(asked: &Asked) -> String {
    let Asked { algorithm, k, privacy, person } = asked;
    let (hierarchy, utility) = match algorithm {
        TransactionsAlgorithmName::Apriori => ("hierarchy = \"tree\"", ""),
        TransactionsAlgorithmName::Upcta => {
            ("", "[utility]\nconstraints = \"utility\"\nmax-suppressed = 1.0")
        }
        TransactionsAlgorithmName::Coat | TransactionsAlgorithmName::Pcta => ("", ""),
    };
    let (person, column) = match person {
        true => ("person = \"who\"", "[columns.who]\nrole = \"identifier\""),
        false => ("", ""),
    };
    format!(
        "version = 1\n[data]\nshape = \"transactions\"\nformat = \"long\"\nid = \"id\"\nitem = \"item\"\n{person}\n{hierarchy}\n{column}\n\
         [privacy]\nk = {k}\n{privacy}\n[algorithm]\nname = \"{}\"\n{utility}\n",
        algorithm.name()
    )
}

/// Rows of id, person and item. The first baskets hold every item, so that lists of items name nothing unknown.
pub(crate) fn data(baskets: &[Vec<usize>]) -> RecordBatch {
    let all: Vec<usize> = (0..ITEMS).collect();
    let mut rows = Vec::new();
    for (number, basket) in std::iter::once(&all).chain(baskets).enumerate() {
        for item in basket {
            // Every third basket is of somebody who has been there before.
            rows.push(vec![
                format!("b{number}"),
                format!("p{}", number - number % 3 / 2),
                format!("i{item}"),
            ]);
        }
    }
    batch(&["id", "who", "item"], &rows)
}

pub(crate) fn baskets() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let basket = prop::collection::btree_set((0..ITEMS, 0..ITEMS).prop_map(|(a, b)| a.min(b)), 1..6);
    prop::collection::vec(basket.prop_map(|items| items.into_iter().collect()), 8..60)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn no_bound_is_beaten(baskets in baskets(), asked in asked()) {
        let (request, data) = (request(&policy(&asked), assets()), data(&baskets));
        let Some(published) = publish(&request, &data) else { return Ok(()) };
        let found = attacked(&request, &data, &published, &[]).unwrap();
        prop_assert!(found.holds(), "{:#?}", found.attacks);
        prop_assert_eq!(found.attacks.attacks[0].bound, Some(1.0 / asked.k as f64));
        prop_assert!(found.attacks.not_tried.iter().all(|what| !what.contains("counting people")));
    }

    /// The raw data, where a pair of items is rare. The adversary is asked by a count of its own.
    #[test]
    fn raw_data_are_beaten(baskets in baskets(), k in 2..5_usize) {
        let asked = Asked { algorithm: TransactionsAlgorithmName::Pcta, k, privacy: "m = 2", person: false };
        let (request, original) = (request(&policy(&asked), assets()), data(&baskets));
        let rows: Vec<Vec<usize>> = std::iter::once((0..ITEMS).collect()).chain(baskets).collect();
        let held = |a: usize, b: usize| rows.iter().filter(|row| row.contains(&a) && row.contains(&b)).count();
        let pairs = (0..ITEMS).flat_map(|a| (0..ITEMS).map(move |b| (a, b)));
        let rare = pairs.map(|(a, b)| held(a, b)).filter(|held| *held > 0).min().unwrap();
        let found = attacked(&request, &original, std::slice::from_ref(&original), &[]).unwrap();
        let attack = &found.attacks.attacks[0];
        prop_assert_eq!(attack.beaten, rare < k);
        prop_assert!((attack.success - 1.0 / rare as f64).abs() < 1e-12);
    }
}
