//! What Apriori loses and how long it takes on real transactions, with an even fan-out-5 tree:
//! `cargo run --release -p shoal-bench -- algorithms apriori`

use std::error::Error;
use std::time::Instant;

use shoal_algorithms::transactions::TransactionsAlgorithm as _;
use shoal_algorithms::transactions::apriori::AprioriParams;
use shoal_core::hierarchy::build::even_tree;
use shoal_core::{Silent, Transactions, TransactionsPromise, TransactionsRecoding};

use crate::data::shared_text;

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let bms1 = read("bms_webview/BMS-WebView-1.dat")?;
    let bms2 = read("bms_webview/BMS-WebView-2.dat.gz")?;
    for k in [2, 5, 10, 25, 50] {
        print("BMS1", &bms1, k, 2);
    }
    print("BMS1", &bms1, 5, 3);
    print("BMS2", &bms2, 5, 2);
    print("BMS2", &bms2, 25, 2);
    Ok(())
}

fn print(name: &str, data: &Transactions, k: usize, m: usize) {
    let hierarchy =
        even_tree(&data.items().iter().collect::<Vec<_>>(), 5).expect("there are items").hierarchy;
    let apriori = AprioriParams { hierarchy, weights: None }.check().expect("no weights are fine weights");
    let start = Instant::now();
    let recoding = apriori
        .anonymize(data, &TransactionsPromise::Itemsets { k, m, linkable: None }, &Silent)
        .expect("there are enough transactions")
        .recoding;
    println!(
        "{name} k = {k}, m = {m}: {:.3} s, NCP {:.2} %, {} of {} items published",
        start.elapsed().as_secs_f64(),
        100.0 * ncp(data, &recoding),
        recoding.clusters.len(),
        data.items().len(),
    );
}

fn ncp(data: &Transactions, recoding: &TransactionsRecoding) -> f64 {
    let supports = data.supports();
    let occurrences =
        |items: &[u32]| items.iter().map(|&item| f64::from(supports[item as usize])).sum::<f64>();
    let several = recoding.clusters.iter().filter(|cluster| cluster.items.len() > 1);
    let lost: f64 = several.map(|cluster| occurrences(&cluster.items) * cluster.items.len() as f64).sum();
    lost / (data.occurrences() * data.items().len()) as f64
}

fn read(name: &str) -> Result<Transactions, Box<dyn Error>> {
    let text = shared_text(name)?;
    let transactions: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    Ok(Transactions::from_texts(&transactions))
}
