//! How long the verifier needs on click streams: `cargo run --release -p shoal-bench -- privacy itemsets`.
//!
//! Every transaction is there twice, so that each itemset has a crowd of two and none may be skipped: that is
//! twice the data and more sets than any release of it holds.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use shoal_core::Transactions;
use shoal_privacy::{
    CompleteAnonymity, ItemConstraints, ItemsetAnonymity, PublishedTransactions, RecordOrder,
    TransactionsClaim, TransactionsModel, Utility, judge_transactions,
};

use crate::data::shared_text;

pub(crate) fn run(_arguments: &[String]) -> Result<(), Box<dyn Error>> {
    for (file, deepest) in [("BMS-WebView-1.dat", 3), ("BMS-WebView-2.dat.gz", 3)] {
        let rows = read(&format!("bms_webview/{file}"))?;
        let doubled = Transactions::from_texts(&[rows.clone(), rows.clone()].concat());
        println!("{file}, twice: {} transactions, {} items", doubled.len(), doubled.items().len());
        for m in 1..=deepest {
            time(
                &format!("k^{m}"),
                &doubled,
                Box::new(ItemsetAnonymity::new(2, m, None).expect("a promise")),
            );
        }
        time("complete", &doubled, Box::new(CompleteAnonymity::new(2).expect("a promise")));
        time("constraints", &doubled, Box::new(ItemConstraints::new(2, rows).expect("a promise")));
    }
    Ok(())
}

/// Times all that a release goes through: reading the texts, the promise, conservation.
fn time(what: &str, data: &Transactions, model: Box<dyn TransactionsModel>) {
    let origin: Vec<u32> = (0..data.len() as u32).collect();
    let published = PublishedTransactions { data: data.clone(), rest: None, withheld_columns: Vec::new() };
    let start = Instant::now();
    let claim =
        TransactionsClaim { original: data, hierarchy: None, origin: &origin, order: RecordOrder::Input };
    let verified = judge_transactions(&published, claim, &[model], &Utility::default(), &shoal_core::Silent)
        .expect("everybody has a double");
    println!("{what:12} {:8.1} ms", start.elapsed().as_secs_f64() * 1e3);
    black_box(verified);
}

fn read(name: &str) -> Result<Vec<Vec<String>>, Box<dyn Error>> {
    let text = shared_text(name)?;
    Ok(text.lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
}
