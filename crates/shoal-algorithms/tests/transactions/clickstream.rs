//! BMS-WebView-1: pages that 59,602 visitors of a shop looked at.

use std::collections::HashMap;

use shoal_algorithms::transactions::TransactionsAlgorithm;
use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_core::{Silent, Transactions, TransactionsPromise, TransactionsRecoding};

fn bms1() -> Transactions {
    let text = shoal_testkit::data::public_text("bms_webview/BMS-WebView-1.dat");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    Transactions::from_texts(&lines)
}

/// The least support of a published item or pair that occurs.
fn least_support(data: &Transactions, recoding: &TransactionsRecoding) -> usize {
    let mut supports: HashMap<(u32, u32), usize> = HashMap::new();
    for items in data.iter() {
        let image = recoding.image(items);
        for (at, &a) in image.iter().enumerate() {
            image[at..].iter().for_each(|&b| *supports.entry((a, b)).or_default() += 1);
        }
    }
    supports.into_values().min().unwrap()
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn pairs_of_pages_are_hidden_for_less_than_half_a_percent() {
    let data = bms1();
    let promise = TransactionsPromise::Itemsets { k: 5, m: 2, linkable: None };
    let recoding =
        PctaParams::default().check().unwrap().anonymize(&data, &promise, &Silent).unwrap().recoding;
    assert!(least_support(&data, &recoding) >= 5);
    let size = |cluster: &u32| recoding.clusters[*cluster as usize].items.len() as f64;
    let loss =
        |cluster: &u32| if size(cluster) > 1.0 { size(cluster) / data.items().len() as f64 } else { 0.0 };
    let lost = recoding.cluster_of.iter().zip(data.supports()).map(|(c, n)| loss(c) * f64::from(n));
    let ncp = lost.sum::<f64>() / data.occurrences() as f64;
    assert!(ncp <= 0.0040, "{ncp}");
}
