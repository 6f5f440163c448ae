//! Files that would take all memory: each is refused at a stated limit, with its place.

use std::fs;
use std::io::{Read, repeat};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use shoal_core::Silent;
use shoal_io::{BasketOptions, Limits, ReadError, ReadTable, Source, read_baskets, read_table};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn source(&self, name: &str, bytes: impl AsRef<[u8]>) -> Source {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        Source::new(path.to_str().unwrap())
    }
}

fn read(source: &Source) -> Result<ReadTable, ReadError> {
    read_table(source, &|_| true, &Silent)
}

/// A text that begins with `head` and then has `x` many times, compressed to a few kilobytes.
fn bomb(head: &'static [u8], length: u64) -> Vec<u8> {
    zstd::encode_all(head.chain(repeat(b'x').take(length)), 3).unwrap()
}

#[test]
fn a_line_of_gigabytes_in_a_few_kilobytes() {
    let folder = Folder::new();
    let long = Limits::default().line as u64 + 1;
    for (head, at) in [(&b""[..], 1), (b"a,b\n1,2\n", 3), (b"a,b\n1,\"2\n", 2)] {
        let packed = bomb(head, long);
        assert!(packed.len() < 4096);
        let error = read(&folder.source("t.csv.zst", &packed)).unwrap_err();
        assert!(matches!(&error, ReadError::LineTooLong { line, .. } if *line == at), "{error}");
        assert!(
            error.to_string().ends_with(&format!("t.csv.zst, line {at}: the line is longer than 16 MiB"))
        );
    }
    let source = folder.source("t.txt.zst", bomb(b"a b\n", long));
    let error = read_baskets(&source, &BasketOptions::default(), &Silent).unwrap_err();
    assert!(matches!(error, ReadError::LineTooLong { line: 2, .. }), "{error}");
}

#[test]
fn a_line_may_be_as_long_as_the_limit() {
    let folder = Folder::new();
    let mut source = folder.source("t.csv", "a,b\n12345,678\n\"12345\",\"8\"\n");
    source.limits.line = 11;
    assert_eq!(read(&source).unwrap().table.rows, 2);
    source.limits.line = 10;
    assert!(matches!(read(&source), Err(ReadError::LineTooLong { line: 3, limit: 10, .. })));
}

#[test]
fn a_value_is_named_by_its_column() {
    let folder = Folder::new();
    let mut source = folder.source("t.csv", "a,b\n1,12345\n1,\"1\n2345\"\n");
    source.limits.value = 6;
    assert_eq!(read(&source).unwrap().table.rows, 2);
    source.limits.value = 5;
    let error = read(&source).unwrap_err();
    assert!(
        error.to_string().ends_with("t.csv, line 3, column b: the value is longer than 5 bytes"),
        "{error}"
    );
    let real = folder.source("v.csv.zst", bomb(b"a,b\n1,", Limits::default().value as u64 + 1));
    assert!(matches!(read(&real), Err(ReadError::ValueTooLong { line: 2, .. })));
}

#[test]
fn columns_are_counted_before_anything_is_made_of_them() {
    let folder = Folder::new();
    let names = |count: usize| (0..count).map(|n| format!("c{n}")).collect::<Vec<_>>().join(",");
    let most = Limits::default().columns;
    let fits = format!("{}\n{}\n", names(most), ",".repeat(most - 1));
    assert_eq!(read(&folder.source("fits.csv", fits)).unwrap().table.columns.len(), most);
    let error = read(&folder.source("wide.csv", names(100_000))).unwrap_err();
    assert!(error.to_string().ends_with("wide.csv: 100000 columns, but at most 20000 are read"), "{error}");
}

#[test]
fn records_and_values_are_counted() {
    let folder = Folder::new();
    let mut source = folder.source("t.csv", "a,b\n1,2\n3,4\n5,6\n");
    source.limits.rows = 3;
    source.limits.cells = 6;
    assert_eq!(read(&source).unwrap().table.rows, 3);
    source.limits.cells = 5;
    assert!(matches!(read(&source), Err(ReadError::TooManyCells { columns: 2, limit: 5, .. })));
    source.limits.rows = 2;
    assert!(matches!(read(&source), Err(ReadError::TooManyRows { limit: 2, .. })));
    // Values that are not read are not held.
    source.limits = Limits { cells: 3, ..Limits::default() };
    assert_eq!(read_table(&source, &|name| name == "a", &Silent).unwrap().table.rows, 3);
}

#[test]
fn transactions_are_counted_over_all_files() {
    let folder = Folder::new();
    folder.source("a.txt", "1 2\n\n");
    let mut source = folder.source("b.txt", "3\n");
    source.location = source.location.replace("b.txt", "*.txt");
    source.limits.rows = 3;
    let count = |source: &Source| read_baskets(source, &BasketOptions::default(), &Silent);
    assert_eq!(count(&source).unwrap().transactions.len(), 3);
    source.limits.rows = 2;
    let error = count(&source).unwrap_err();
    assert!(error.to_string().ends_with("b.txt: more than 2 records"), "{error}");
}

fn parquet(text: &str, rows: usize, compression: Compression) -> Vec<u8> {
    let column: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("{text}{row}"))));
    let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
    let properties =
        WriterProperties::builder().set_compression(compression).set_dictionary_enabled(false).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn pages_of_parquet_are_measured_before_they_are_unpacked() {
    let folder = Folder::new();
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::SNAPPY, Compression::UNCOMPRESSED, zstd] {
        let mut source = folder.source("t.parquet", parquet(&"x".repeat(1000), 100, compression));
        assert_eq!(read(&source).unwrap().table.rows, 100);
        source.limits.page = 50_000;
        let error = read(&source).unwrap_err().to_string();
        assert!(
            error.contains("column a: a page of 1") && error.ends_with("where 50000 are allowed"),
            "{error}"
        );
        source.limits = Limits { rows: 99, ..Limits::default() };
        assert!(matches!(read(&source), Err(ReadError::TooManyRows { limit: 99, .. })));
    }
}
