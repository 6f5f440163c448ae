//! Transactions in a list column of Parquet.

mod common;

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeListBuilder, GenericListBuilder, Int32Builder, ListBuilder, StringBuilder,
    StringDictionaryBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use common::{Folder, cells, written};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;
use shoal_core::{Place, RawColumnBuilder, RawTable, Silent};
use shoal_io::{
    ColumnForm, CsvOptions, ITEM_SEPARATOR, PendingFile, ReadError, ReadTable, Source, WriteOptions,
    read_header, read_table_with_list, write_table,
};

fn put(folder: &Folder, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let nullable = columns.into_iter().map(|(name, array)| (name, array, true));
    let batch = RecordBatch::try_from_iter_with_nullable(nullable).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    folder.put(name, writer.into_inner().unwrap());
}

fn read(source: &Source) -> Result<ReadTable, ReadError> {
    read_table_with_list(source, &|_| true, "codes", &Silent)
}

/// The items of the column `codes`, read from this array.
fn items(array: ArrayRef) -> Vec<Vec<String>> {
    let folder = Folder::new();
    put(&folder, "t.parquet", vec![("codes", array)]);
    let read = read(&folder.source("t.parquet")).unwrap();
    assert!(read.listed);
    split(&read.table)
}

fn split(table: &RawTable) -> Vec<Vec<String>> {
    let column = table.column("codes").unwrap();
    assert_eq!(column.null, None);
    let items = |row| column.text(row).split(ITEM_SEPARATOR).filter(|item| !item.is_empty());
    (0..table.rows).map(|row| items(row).map(str::to_owned).collect()).collect()
}

#[test]
fn lists_of_every_make() {
    let expected = [vec!["4280", "V5866"], vec![], vec![], vec!["486"]];

    let mut texts = ListBuilder::new(StringBuilder::new());
    texts.append_value([Some("4280"), None, Some("V5866"), Some("")]);
    texts.append_null();
    texts.append_value([None::<&str>; 0]);
    texts.append_value([Some("486")]);
    assert_eq!(items(Arc::new(texts.finish())), expected);

    let mut large = GenericListBuilder::<i64, _>::new(StringDictionaryBuilder::<Int8Type>::new());
    large.append_value([Some("4280"), Some("V5866")]);
    large.append_null();
    large.append_value([None::<&str>; 0]);
    large.append_value([Some("486")]);
    assert_eq!(items(Arc::new(large.finish())), expected);

    let mut numbers = ListBuilder::new(Int32Builder::new());
    numbers.append_value([Some(10), Some(-9)]);
    numbers.append_null();
    assert_eq!(items(Arc::new(numbers.finish())), [vec!["10", "-9"], vec![]]);

    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for (pair, valid) in [([1, 2], true), ([0, 0], false), ([3, 4], true)] {
        pairs.values().append_slice(&pair);
        pairs.append(valid);
    }
    assert_eq!(items(Arc::new(pairs.finish())), [vec!["1", "2"], vec![], vec!["3", "4"]]);
}

#[test]
fn rows_are_numbered_beyond_the_first_batch() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    (0..20_000).for_each(|n| lists.append_value([Some(n), Some(n + 1)]));
    let folder = Folder::new();
    put(&folder, "t.parquet", vec![("codes", Arc::new(lists.finish()))]);
    let table = read(&folder.source("t.parquet")).unwrap().table;
    let column = table.column("codes").unwrap();
    assert_eq!(column.text(12_345), format!("12345{ITEM_SEPARATOR}12346"));
    assert_eq!(column.first_seen[12_345].row, 12_346);
}

#[test]
fn plain_columns_are_read_as_ever() {
    let folder = Folder::new();
    let mut visits = ListBuilder::new(Int32Builder::new());
    visits.append_value([Some(1)]);
    put(
        &folder,
        "t.parquet",
        vec![("codes", Arc::new(StringArray::from(vec!["a;b"]))), ("visits", Arc::new(visits.finish()))],
    );
    let source = folder.source("t.parquet");
    let table = read_table_with_list(&source, &|name| name == "codes", "codes", &Silent).unwrap();
    assert!(!table.listed);
    assert_eq!(cells(&table.table), [[Some("a;b")]]);
    assert_eq!(read_header(&source).unwrap(), ["codes", "visits"]);
    let error = read(&source).unwrap_err();
    assert!(matches!(&error, ReadError::UnsupportedType { column, .. } if column == "visits"), "{error}");

    folder.put("t.csv", "codes\na;b\n");
    let table = read(&folder.source("t.csv")).unwrap();
    assert!(!table.listed);
    assert_eq!(cells(&table.table), [[Some("a;b")]]);
}

#[test]
fn lists_that_cannot_be_read() {
    let folder = Folder::new();
    let mut nested = ListBuilder::new(ListBuilder::new(Int32Builder::new()));
    nested.values().append_value([Some(1)]);
    nested.append(true);
    put(&folder, "t.parquet", vec![("codes", Arc::new(nested.finish()))]);
    let error = read(&folder.source("t.parquet")).unwrap_err();
    assert!(matches!(&error, ReadError::UnsupportedType { kind, .. } if kind == "List"), "{error}");

    let mut texts = ListBuilder::new(StringBuilder::new());
    texts.append_value([Some("a\u{1f}b")]);
    put(&folder, "t.parquet", vec![("codes", Arc::new(texts.finish()))]);
    let error = read(&folder.source("t.parquet")).unwrap_err();
    assert!(error.to_string().contains("an item holds the control character U+001F"), "{error}");

    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1)]);
    put(&folder, "p1.parquet", vec![("codes", Arc::new(lists.finish()))]);
    put(&folder, "p2.parquet", vec![("codes", Arc::new(Int32Array::from(vec![1])))]);
    let error = read(&folder.source("p*.parquet")).unwrap_err();
    assert!(matches!(&error, ReadError::ListDiffers { file, .. } if file.ends_with("p2.parquet")), "{error}");
    assert!(!error.hint().is_empty());
    folder.put("p2.csv", "codes\n1;2\n");
    let error = read(&folder.source("p[12].[pc]*")).unwrap_err();
    assert!(matches!(&error, ReadError::ListDiffers { file, .. } if file.ends_with("p2.csv")), "{error}");
}

/// A table of a number and a list a row, in the forms in which it is written.
fn table(lists: &[Vec<String>]) -> (RawTable, WriteOptions) {
    let separator = ITEM_SEPARATOR.to_string();
    let row = |(at, list): (usize, &Vec<String>)| vec![at.to_string(), list.join(&separator)];
    let rows: Vec<Vec<String>> = lists.iter().enumerate().map(row).collect();
    let options =
        WriteOptions { columns: vec![ColumnForm::Typed, ColumnForm::List], ..WriteOptions::default() };
    (RawTable::from_rows(&["id", "codes"], &rows), options)
}

#[test]
fn written_lists_are_lists_to_others_too() {
    let lists = [vec!["486".to_owned(), "(4280,V5866)".to_owned()], vec![]];
    let (table, options) = table(&lists);
    let bytes = bytes::Bytes::from(written("t.parquet", &table, &options));
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    match reader.schema().field(1).data_type() {
        DataType::List(item) => assert_eq!(item.data_type(), &DataType::Utf8),
        other => panic!("{other}"),
    }
}

#[test]
fn a_null_is_a_null_to_others_and_an_empty_list_to_us() {
    let mut codes = RawColumnBuilder::new("codes".to_owned());
    codes.push("486", Place::default());
    codes.push_null(Place::default());
    let table = RawTable { columns: vec![codes.finish()], rows: 2, files: vec![] };
    let options = WriteOptions { columns: vec![ColumnForm::List], ..WriteOptions::default() };
    let bytes = written("t.parquet", &table, &options);
    let folder = Folder::new();
    folder.put("t.parquet", &bytes);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    assert_eq!(batch.column(0).null_count(), 1);
    assert_eq!(split(&read(&folder.source("t.parquet")).unwrap().table), [vec!["486"], vec![]]);
}

proptest! {
    #[test]
    fn lists_come_back_the_same(
        lists in prop::collection::vec(prop::collection::vec("[^\u{1f}]{1,6}", 0..5), 0..8),
        ending in prop::sample::select(vec!["parquet", "parquet.gz"]),
    ) {
        let (table, options) = table(&lists);
        let folder = Folder::new();
        let mut pending = PendingFile::create(&folder.path().join(format!("t.{ending}"))).unwrap();
        write_table(&mut pending, &table, &options, &Silent).unwrap();
        pending.finish().unwrap();
        let back = read(&pending.source(CsvOptions::default())).unwrap();
        prop_assert!(back.listed);
        prop_assert_eq!(split(&back.table), lists);
        prop_assert_eq!(cells(&back.table), cells(&table));
    }
}
