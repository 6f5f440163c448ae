//! Parquet: every flat type in, and only faithful types out.

mod common;

use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use common::{Folder, cells, names, read, round_trip, rows, written};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::WriterProperties;
use shoal_core::{Place, RawColumnBuilder, RawTable, Silent};
use shoal_io::{ColumnForm, ReadError, WriteOptions, read_header, read_table, sample};

/// The bytes of a Parquet file with these columns.
fn parquet_file(columns: Vec<(&str, ArrayRef)>, packing: Compression) -> Vec<u8> {
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap();
    let properties = WriterProperties::builder().set_compression(packing).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn texts(array: impl Array + 'static) -> Vec<Option<String>> {
    let folder = Folder::new();
    folder.put("t.parquet", parquet_file(vec![("c", Arc::new(array))], Compression::SNAPPY));
    let table = read(&folder.source("t.parquet")).unwrap().table;
    cells(&table).into_iter().map(|row| row[0].map(str::to_owned)).collect()
}

fn some<const N: usize>(texts: [&str; N]) -> Vec<Option<String>> {
    let mut all: Vec<_> = texts.iter().map(|&t| Some(t.to_owned())).collect();
    all.push(None);
    all
}

#[test]
fn numbers_and_truth_values() {
    assert_eq!(texts(Int8Array::from(vec![Some(-128), None])), some(["-128"]));
    assert_eq!(texts(Int16Array::from(vec![Some(-7), None])), some(["-7"]));
    assert_eq!(texts(Int32Array::from(vec![Some(1994), None])), some(["1994"]));
    assert_eq!(texts(Int64Array::from(vec![Some(i64::MIN), None])), some(["-9223372036854775808"]));
    assert_eq!(texts(UInt8Array::from(vec![Some(255), None])), some(["255"]));
    assert_eq!(texts(UInt16Array::from(vec![Some(65535), None])), some(["65535"]));
    assert_eq!(texts(UInt32Array::from(vec![Some(u32::MAX), None])), some(["4294967295"]));
    assert_eq!(texts(UInt64Array::from(vec![Some(u64::MAX), None])), some(["18446744073709551615"]));
    assert_eq!(texts(Float32Array::from(vec![Some(0.1), None])), some(["0.1"]));
    let floats = Float64Array::from(vec![Some(1.0), Some(-2.5), Some(0.1 + 0.2), Some(f64::NAN), None]);
    assert_eq!(texts(floats), some(["1", "-2.5", "0.30000000000000004", "NaN"]));
    assert_eq!(texts(BooleanArray::from(vec![Some(true), Some(false), None])), some(["true", "false"]));
    let money =
        Decimal128Array::from(vec![Some(12_30), Some(-5), None]).with_precision_and_scale(10, 2).unwrap();
    assert_eq!(texts(money), some(["12.30", "-0.05"]));
}

#[test]
fn dates_and_times() {
    assert_eq!(
        texts(Date32Array::from(vec![Some(0), Some(19_782), None])),
        some(["1970-01-01", "2024-02-29"])
    );
    assert_eq!(texts(Date64Array::from(vec![Some(86_400_000), None])), some(["1970-01-02"]));
    let local = TimestampMillisecondArray::from(vec![Some(0), Some(1_500), None]);
    assert_eq!(texts(local), some(["1970-01-01T00:00:00", "1970-01-01T00:00:01.500"]));
    for zone in ["UTC", "+02:00", "Europe/Berlin"] {
        let instant = TimestampMicrosecondArray::from(vec![Some(0), None]).with_timezone(zone);
        assert_eq!(texts(instant), some(["1970-01-01T00:00:00Z"]), "{zone}");
    }
    assert_eq!(texts(Time64MicrosecondArray::from(vec![Some(3_600_000_000), None])), some(["01:00:00"]));
}

#[test]
fn texts_of_every_make() {
    let words = vec![Some("a"), Some(""), Some("ü, \"x\"\n"), None];
    let expected = some(["a", "", "ü, \"x\"\n"]);
    assert_eq!(texts(StringArray::from(words.clone())), expected);
    assert_eq!(texts(LargeStringArray::from(words.clone())), expected);
    assert_eq!(texts(StringViewArray::from(words.clone())), expected);
    let bytes = words.iter().map(|w| w.map(str::as_bytes)).collect::<Vec<_>>();
    assert_eq!(texts(BinaryArray::from(bytes)), expected);
    let mut folded = StringDictionaryBuilder::<Int8Type>::new();
    words.iter().for_each(|w| folded.append_option(*w));
    assert_eq!(texts(folded.finish()), expected);
    assert_eq!(texts(NullArray::new(1)), [None]);
}

#[test]
fn pages_packed_in_the_usual_ways() {
    for packing in [Compression::GZIP(GzipLevel::default()), Compression::ZSTD(Default::default())] {
        let folder = Folder::new();
        let column: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
        folder.put("t.parquet", parquet_file(vec![("c", column)], packing));
        assert_eq!(rows(&read(&folder.source("t.parquet")).unwrap().table), [["1"], ["2"]]);
    }
}

#[test]
fn nested_columns_are_named_unless_they_are_not_wanted() {
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1)]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("visits", Arc::new(lists.finish())), ("age", Arc::new(Int32Array::from(vec![3])))];
    let folder = Folder::new();
    folder.put("t.parquet", parquet_file(columns, Compression::SNAPPY));
    let source = folder.source("t.parquet");
    match read(&source).unwrap_err() {
        ReadError::UnsupportedType { column, kind, .. } => {
            assert_eq!((&column[..], &kind[..]), ("visits", "List"));
        }
        other => panic!("{other}"),
    }
    let read = read_table(&source, &|name| name == "age", &Silent).unwrap();
    assert_eq!(read.header, ["visits", "age"]);
    assert_eq!((names(&read.table), rows(&read.table)), (vec!["age"], vec![vec!["3"]]));
}

#[test]
fn bytes_that_are_no_text_are_an_error() {
    let folder = Folder::new();
    let column: ArrayRef = Arc::new(BinaryArray::from(vec![&b"\xff"[..]]));
    folder.put("t.parquet", parquet_file(vec![("c", column)], Compression::SNAPPY));
    assert!(read(&folder.source("t.parquet")).unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn headers_samples_and_rows_over_files() {
    let folder = Folder::new();
    for (name, from) in [("p1.parquet", 0), ("p2.parquet", 20_000)] {
        let column: ArrayRef = Arc::new(Int32Array::from_iter_values(from..from + 20_000));
        folder.put(name, parquet_file(vec![("c", column)], Compression::SNAPPY));
    }
    let source = folder.source("p*.parquet");
    assert_eq!(read_header(&source).unwrap(), ["c"]);
    assert_eq!(rows(&sample(&source, 2, &Silent).unwrap()), [["0"], ["1"]]);
    assert_eq!(sample(&source, 30_000, &Silent).unwrap().rows, 30_000);
    let table = read(&source).unwrap().table;
    assert_eq!(table.rows, 40_000);
    let column = &table.columns[0];
    assert_eq!(column.text(39_999), "39999");
    assert_eq!(column.first_seen[20_001], Place { row: 20_002, line: None, file: 1 });
}

/// A table with nulls; `null` must come back as null and the empty text as the empty text.
fn published() -> RawTable {
    let column = |name: &str, cells: &[Option<&str>]| {
        let mut builder = RawColumnBuilder::new(name.to_owned());
        for cell in cells {
            match cell {
                Some(text) => builder.push(text, Place::default()),
                None => builder.push_null(Place::default()),
            }
        }
        builder.finish()
    };
    let columns = vec![
        column("age", &[Some("25"), Some("30"), None]),
        column("count", &[Some("25"), Some("30"), None]),
        column("zip", &[Some("01234"), Some("9"), Some("")]),
        column("score", &[Some("1"), Some("2.5"), None]),
        column("flag", &[Some("true"), None, Some("false")]),
    ];
    RawTable { columns, rows: 3, files: vec![] }
}

#[test]
fn columns_are_typed_only_where_that_is_faithful() {
    let table = published();
    let mut options = WriteOptions { columns: vec![ColumnForm::Typed; 5], ..WriteOptions::default() };
    options.columns[0] = ColumnForm::Text;
    let bytes = bytes::Bytes::from(written("t.parquet", &table, &options));
    let schema: Arc<Schema> = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().schema().clone();
    let types: Vec<&DataType> = schema.fields().iter().map(|f: &Arc<Field>| f.data_type()).collect();
    let (text, integer, float) = (&DataType::Utf8, &DataType::Int64, &DataType::Float64);
    assert_eq!(types, [text, integer, text, float, &DataType::Boolean]);
    assert_eq!(cells(&round_trip("t.parquet", &table, &options)), cells(&table));
}

#[test]
fn packed_parquet_is_parquet_too() {
    let table = published();
    let back = round_trip("t.parquet.zst", &table, &WriteOptions::default());
    assert_eq!(cells(&back), cells(&table));
}

#[test]
fn no_rows_are_still_a_table() {
    let table = RawTable::from_rows::<&str>(&["a", "b"], &[]);
    let back = round_trip("t.parquet", &table, &WriteOptions::default());
    assert_eq!((names(&back), back.rows), (vec!["a", "b"], 0));
}
