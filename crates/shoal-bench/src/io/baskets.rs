//! How fast a basket file is read (the best of five) and written again:
//! `cargo run --release -p shoal-bench -- io baskets FILE`.

use std::error::Error;
use std::time::Instant;

use shoal_core::Silent;
use shoal_io::{BasketOptions, PendingFile, Source, read_baskets, write_baskets};

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let file = arguments.first().ok_or("which basket file?")?;
    let source = Source::new(file);
    let read_once = || {
        let start = Instant::now();
        let read = read_baskets(&source, &BasketOptions::default(), &Silent).expect("read");
        (start.elapsed(), read)
    };
    let (took, read) = (0..5).map(|_| read_once()).min_by_key(|(took, _)| *took).expect("five runs");
    let transactions = &read.transactions;
    let (count, items) = (transactions.len(), transactions.items().len());
    println!(
        "{count} transactions, {items} items, {} occurrences: read {took:.2?}",
        transactions.occurrences()
    );
    let folder = tempfile::tempdir().expect("a folder for the files");
    for name in ["t.txt", "t.txt.gz", "t.txt.zst"] {
        let mut pending = PendingFile::create(&folder.path().join(name)).expect("a pending file");
        let start = Instant::now();
        write_baskets(&mut pending, transactions, ' ', &Silent).expect("written");
        let wrote = start.elapsed();
        let source = pending.source(Default::default());
        let start = Instant::now();
        let published = BasketOptions::default().published();
        let back = read_baskets(&source, &published, &Silent).expect("read back");
        assert_eq!(back.transactions, *transactions);
        println!(
            "{name:10} {:5.1} MB  write {wrote:.2?}  read as published {:.2?}",
            back.bytes as f64 / 1e6,
            start.elapsed()
        );
    }
    Ok(())
}
