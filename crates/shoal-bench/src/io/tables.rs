//! How fast 1,000,000 records of 9 columns are written and read:
//! `cargo run --release -p shoal-bench -- io tables [ROWS]`.

use std::error::Error;
use std::time::Instant;

use shoal_core::{Place, RawColumnBuilder, RawTable, Silent};
use shoal_io::{ColumnForm, CsvOptions, PendingFile, WriteOptions, read_table, write_table};

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let rows = arguments.first().map_or(Ok(1_000_000), |rows| rows.parse())?;
    let table = people(rows);
    let folder = tempfile::tempdir().expect("a folder for the files");
    let options = WriteOptions { columns: vec![ColumnForm::Typed; 9], ..WriteOptions::default() };
    println!("{rows} rows, {} columns", table.columns.len());
    for name in ["t.csv", "t.csv.gz", "t.csv.zst", "t.parquet"] {
        let mut pending = PendingFile::create(&folder.path().join(name)).expect("a pending file");
        let start = Instant::now();
        write_table(&mut pending, &table, &options, &Silent).expect("written");
        let wrote = start.elapsed();
        pending.finish().expect("finished");
        let synced = start.elapsed() - wrote;
        let source = pending.source(CsvOptions::default());
        let start = Instant::now();
        let read = read_table(&source, &|_| true, &Silent).expect("read back");
        let took = start.elapsed();
        assert_eq!(read.table.rows, rows);
        println!(
            "{name:10} {:6.1} MB  write {wrote:.2?} (sync {synced:.2?})  read {took:.2?}",
            read.bytes as f64 / 1e6
        );
    }
    Ok(())
}

/// Columns shaped like those of the ARX Adult table, one of them with many distinct values.
fn people(rows: usize) -> RawTable {
    const WIDTHS: [(&str, &str, u64); 9] = [
        ("sex", "Sex-", 2),
        ("age", "", 90_000),
        ("race", "Race-of-people-", 5),
        ("marital-status", "Married-civ-spouse-", 7),
        ("education", "Some-college-", 16),
        ("native-country", "United-States-", 41),
        ("workclass", "Self-emp-not-inc, ", 8),
        ("occupation", "Machine-op-inspct-", 14),
        ("salary-class", "<=50K-", 2),
    ];
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let columns = WIDTHS.iter().map(|&(name, prefix, distinct)| {
        let mut builder = RawColumnBuilder::new(name.to_owned());
        let labels: Vec<String> = (0..distinct).map(|n| format!("{prefix}{n}")).collect();
        for _ in 0..rows {
            builder.push(&labels[(next() % distinct) as usize], Place::default());
        }
        builder.finish()
    });
    RawTable { columns: columns.collect(), rows, files: Vec::new() }
}
