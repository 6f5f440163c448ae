//! Prints what PCTA and COAT lose, and how long they take, on the BMS clickstreams.
//!
//! `cargo run --release -p shoal-bench -- algorithms pcta_coat [m3]`; `m3` adds sets of three items.

use std::error::Error;
use std::time::Instant;

use shoal_algorithms::transactions::coat::CoatParams;
use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::{
    ConstrainedParams, Objective, TransactionsAlgorithm, UtilityConstraints,
};
use shoal_core::{
    SUPPRESSED, Silent, Transactions, TransactionsBuilder, TransactionsPromise, TransactionsRecoding,
};

use crate::data::shared_text;

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let one = baskets(&shared_text("bms_webview/BMS-WebView-1.dat")?);
    let two = baskets(&shared_text("bms_webview/BMS-WebView-2.dat.gz")?);

    compare("BMS-WebView-1", &one, &[2, 5, 10, 25, 50], 2)?;
    compare("BMS-WebView-2", &two, &[5], 2)?;
    if arguments.iter().any(|argument| argument == "m3") {
        compare("BMS-WebView-1", &one, &[5], 3)?;
    }
    Ok(())
}

fn compare(name: &str, data: &Transactions, crowds: &[usize], m: usize) -> Result<(), Box<dyn Error>> {
    println!("{name}: {} transactions, {} items, m = {m}", data.len(), data.items().len());
    for &k in crowds {
        for objective in [Objective::Ncp, Objective::Ul] {
            let promise = TransactionsPromise::Itemsets { k, m, linkable: None };
            let utility = UtilityConstraints::one_group(data.items().len());
            let coat = CoatParams(ConstrainedParams { objective, ..ConstrainedParams::new(utility) });
            show(data, &promise, objective, &PctaParams { objective, weights: None }.check()?)?;
            show(data, &promise, objective, &coat.check()?)?;
        }
    }
    Ok(())
}

fn show(
    data: &Transactions,
    promise: &TransactionsPromise,
    objective: Objective,
    algorithm: &dyn TransactionsAlgorithm,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let recoding = algorithm.anonymize(data, promise, &Silent)?.recoding;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "  {:5} {:4} k = {:2}: {:4} published items, the largest of {:3}, NCP {:.3} %, log2 UL {:.2}, {seconds:.3} s",
        algorithm.name(),
        format!("{objective:?}").to_lowercase(),
        promise.k(),
        recoding.clusters.len(),
        recoding.clusters.iter().map(|cluster| cluster.items.len()).max().unwrap_or(0),
        100.0 * ncp(data, &recoding),
        log2_ul(data, &recoding),
    );
    Ok(())
}

/// The mean loss of an occurrence of an item.
fn ncp(data: &Transactions, recoding: &TransactionsRecoding) -> f64 {
    let items = data.items().len() as f64;
    let loss = |&cluster: &u32| {
        if cluster == SUPPRESSED {
            return 1.0;
        }
        match recoding.clusters[cluster as usize].items.len() {
            1 => 0.0,
            size => size as f64 / items,
        }
    };
    let lost = recoding.cluster_of.iter().zip(data.supports()).map(|(c, n)| loss(c) * f64::from(n));
    lost.sum::<f64>() / data.occurrences() as f64
}

/// The sum of (2^size − 1) × support over the published items, by (2^items − 1) × transactions, as a logarithm.
fn log2_ul(data: &Transactions, recoding: &TransactionsRecoding) -> f64 {
    let mut supports = vec![0_u32; recoding.clusters.len()];
    data.iter().flat_map(|items| recoding.image(items)).for_each(|cluster| supports[cluster as usize] += 1);
    let largest = recoding.clusters.iter().map(|cluster| cluster.items.len()).max().unwrap_or(0) as i32;
    let scaled = |(cluster, &support): (&shoal_core::ItemCluster, &u32)| {
        let size = cluster.items.len() as i32;
        (2_f64.powi(size - largest) - 2_f64.powi(-largest)) * f64::from(support)
    };
    let sum: f64 = recoding.clusters.iter().zip(&supports).map(scaled).sum();
    sum.log2() + f64::from(largest) - data.items().len() as f64 - (data.len() as f64).log2()
}

fn baskets(text: &str) -> Transactions {
    let mut builder = TransactionsBuilder::default();
    for line in text.lines() {
        line.split_whitespace().for_each(|item| builder.item(item));
        builder.end();
    }
    builder.finish().0
}
