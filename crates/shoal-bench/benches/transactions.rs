//! One benchmark per algorithm and verifier of transactions, on made-up baskets most of whose items are rare:
//! `cargo bench -p shoal-bench --bench transactions`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use shoal_algorithms::transactions::apriori::AprioriParams;
use shoal_algorithms::transactions::coat::CoatParams;
use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::upcta::UpctaParams;
use shoal_algorithms::transactions::{
    ConstrainedParams, Objective, TransactionsAlgorithm, UtilityConstraints,
};
use shoal_core::hierarchy::build::even_tree;
use shoal_core::{Silent, Transactions, TransactionsPromise};
use shoal_privacy::matching::match_transactions;
use shoal_privacy::{
    CompleteAnonymity, ItemsetAnonymity, PublishedTransactions, RecordOrder, TransactionsClaim,
    TransactionsModel, Utility, judge_transactions,
};
use shoal_testkit::baskets;

const BASKETS: usize = 3_000;
const ITEMS: usize = 1_000;

fn made_up() -> Transactions {
    let mut text = Vec::new();
    baskets::write(&mut text, BASKETS, ITEMS, 4.0, 1).expect("memory can be written to");
    let text = String::from_utf8(text).expect("numbers are text");
    Transactions::from_texts(&text.lines().map(|line| line.split(' ').collect()).collect::<Vec<Vec<&str>>>())
}

fn algorithms(c: &mut Criterion) {
    let data = made_up();
    let promise = TransactionsPromise::Itemsets { k: 5, m: 2, linkable: None };
    let utility = || ConstrainedParams::new(UtilityConstraints::one_group(data.items().len()));
    let hierarchy =
        even_tree(&data.items().iter().collect::<Vec<_>>(), 5).expect("there are items").hierarchy;
    let pcta = |objective| PctaParams { objective, weights: None }.check().expect("valid");
    let algorithms: [(&str, Box<dyn TransactionsAlgorithm>); 5] = [
        ("pcta, ncp", Box::new(pcta(Objective::Ncp))),
        // Without the second construction: the merges alone.
        ("pcta, ul", Box::new(pcta(Objective::Ul))),
        ("coat", Box::new(CoatParams(utility()).check().expect("valid"))),
        ("upcta", Box::new(UpctaParams(utility()).check().expect("valid"))),
        ("apriori", Box::new(AprioriParams { hierarchy, weights: None }.check().expect("valid"))),
    ];
    let mut group = c.benchmark_group("anonymize transactions");
    group.sample_size(10);
    for (name, algorithm) in &algorithms {
        group.bench_function(*name, |b| {
            b.iter(|| algorithm.anonymize(black_box(&data), &promise, &Silent).expect("a recoding"));
        });
    }
}

/// Every transaction twice, so that each itemset has a crowd of two and none may be skipped.
fn verifiers(c: &mut Criterion) {
    let one = made_up();
    let texts: Vec<Vec<&str>> = one
        .iter()
        .chain(one.iter())
        .map(|set| set.iter().map(|&item| one.items().get(item)).collect())
        .collect();
    let data = Transactions::from_texts(&texts);
    let published = PublishedTransactions { data: data.clone(), rest: None, withheld_columns: Vec::new() };
    let origin: Vec<u32> = (0..data.len() as u32).collect();
    let models: [(&str, Box<dyn TransactionsModel>); 2] = [
        ("k^2", Box::new(ItemsetAnonymity::new(2, 2, None).expect("a promise"))),
        ("complete", Box::new(CompleteAnonymity::new(2).expect("a promise"))),
    ];
    let mut group = c.benchmark_group("verify transactions");
    group.sample_size(10);
    for (name, model) in models {
        let models = [model];
        group.bench_function(name, |b| {
            b.iter(|| {
                let order = RecordOrder::Input;
                let claim = TransactionsClaim { original: &data, hierarchy: None, origin: &origin, order };
                judge_transactions(black_box(&published), claim, &models, &Utility::default(), &Silent)
                    .expect("everybody has a double")
            });
        });
    }
    group.bench_function("origins", |b| {
        b.iter(|| match_transactions(black_box(&data), &data, None, None, &Silent).expect("their own"));
    });
}

criterion_group!(transactions, algorithms, verifiers);
criterion_main!(transactions);
