//! Arrow record batches in memory: the same texts as through a Parquet file, in and out.

mod common;

use std::sync::Arc;

use arrow_array::builder::{FixedSizeListBuilder, Int32Builder, ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::*;
use arrow_schema::{ArrowError, DataType, Schema};
use common::{Folder, cells};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use shoal_core::{RawTable, Silent};
use shoal_io::{
    ColumnForm, ITEM_SEPARATOR, Limits, ReadError, ReadTable, TableBuilder, WriteError, read_batches,
    read_table_with_list, sha256_hex, write_batches,
};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true))).unwrap()
}

fn one(array: ArrayRef) -> RecordBatch {
    batch(vec![("c", array)])
}

/// Reads batches of a column `c`, which may be one of lists.
fn read(batches: impl IntoIterator<Item = RecordBatch>) -> Result<ReadTable, ReadError> {
    read_batches("people", batches.into_iter().map(Ok), &|_| true, Some("c"), &Silent)
}

fn through_parquet(batch: &RecordBatch) -> ReadTable {
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    let folder = Folder::new();
    folder.put("t.parquet", writer.into_inner().unwrap());
    read_table_with_list(&folder.source("t.parquet"), &|_| true, "c", &Silent).unwrap()
}

fn column(table: &RawTable) -> Vec<Option<String>> {
    cells(table).into_iter().map(|row| row[0].map(str::to_owned)).collect()
}

fn dictionary<K: ArrowDictionaryKeyType>(keys: PrimitiveArray<K>, values: ArrayRef) -> ArrayRef {
    Arc::new(DictionaryArray::<K>::try_new(keys, values).unwrap())
}

/// Arrays of all types, each of the given texts and a null.
fn every_type() -> Vec<(ArrayRef, Vec<&'static str>)> {
    let words = vec![Some("a"), Some(""), Some("ü, \"x\"\n"), None];
    let texts = vec!["a", "", "ü, \"x\"\n"];
    let bytes: Vec<_> = words.iter().map(|word| word.map(str::as_bytes)).collect();
    let money = |cents| Decimal128Array::from(cents).with_precision_and_scale(10, 2).unwrap();
    let wide =
        Decimal256Array::from(vec![Some(arrow_i256(-5)), None]).with_precision_and_scale(50, 2).unwrap();
    let instant = |zone: &str| TimestampMicrosecondArray::from(vec![Some(0), None]).with_timezone(zone);
    vec![
        (Arc::new(Int8Array::from(vec![Some(-128), None])), vec!["-128"]),
        (Arc::new(Int16Array::from(vec![Some(-7), None])), vec!["-7"]),
        (Arc::new(Int32Array::from(vec![Some(1994), None])), vec!["1994"]),
        (Arc::new(Int64Array::from(vec![Some(i64::MIN), None])), vec!["-9223372036854775808"]),
        (Arc::new(UInt8Array::from(vec![Some(255), None])), vec!["255"]),
        (Arc::new(UInt16Array::from(vec![Some(65535), None])), vec!["65535"]),
        (Arc::new(UInt32Array::from(vec![Some(u32::MAX), None])), vec!["4294967295"]),
        (Arc::new(UInt64Array::from(vec![Some(u64::MAX), None])), vec!["18446744073709551615"]),
        (Arc::new(Float32Array::from(vec![Some(0.1), None])), vec!["0.1"]),
        (Arc::new(Float64Array::from(vec![Some(1.0), Some(f64::NAN), None])), vec!["1", "NaN"]),
        (Arc::new(BooleanArray::from(vec![Some(true), Some(false), None])), vec!["true", "false"]),
        (Arc::new(money(vec![Some(12_30), Some(-5), None])), vec!["12.30", "-0.05"]),
        (Arc::new(wide), vec!["-0.05"]),
        (Arc::new(Date32Array::from(vec![Some(19_782), None])), vec!["2024-02-29"]),
        (Arc::new(Date64Array::from(vec![Some(86_400_000), None])), vec!["1970-01-02"]),
        (Arc::new(Time64MicrosecondArray::from(vec![Some(3_600_000_000), None])), vec!["01:00:00"]),
        (Arc::new(TimestampSecondArray::from(vec![Some(1), None])), vec!["1970-01-01T00:00:01"]),
        (Arc::new(TimestampMillisecondArray::from(vec![Some(1_500), None])), vec!["1970-01-01T00:00:01.500"]),
        (Arc::new(TimestampNanosecondArray::from(vec![Some(0), None])), vec!["1970-01-01T00:00:00"]),
        (Arc::new(instant("UTC")), vec!["1970-01-01T00:00:00Z"]),
        (Arc::new(instant("+02:00")), vec!["1970-01-01T00:00:00Z"]),
        (Arc::new(instant("Europe/Berlin")), vec!["1970-01-01T00:00:00Z"]),
        (Arc::new(StringArray::from(words.clone())), texts.clone()),
        (Arc::new(LargeStringArray::from(words.clone())), texts.clone()),
        (Arc::new(StringViewArray::from(words.clone())), texts.clone()),
        (Arc::new(BinaryArray::from(bytes)), texts.clone()),
        (Arc::new(NullArray::new(1)), vec![]),
    ]
}

fn arrow_i256(value: i128) -> <Decimal256Type as ArrowPrimitiveType>::Native {
    <Decimal256Type as ArrowPrimitiveType>::Native::from_i128(value)
}

fn with_null(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|&text| Some(text.to_owned())).chain([None]).collect()
}

#[test]
fn every_type_has_its_texts_and_keeps_them_on_the_way_out_and_in() {
    for (array, texts) in every_type() {
        let kind = array.data_type().clone();
        let batch = one(array);
        let first = read([batch.clone()]).unwrap();
        assert_eq!(column(&first.table), with_null(&texts), "{kind}");
        assert_eq!(first.table.columns, through_parquet(&batch).table.columns, "{kind}");
        for form in [ColumnForm::Text, ColumnForm::Typed] {
            let again = read(write_batches(&first.table, &[form]).unwrap()).unwrap();
            assert_eq!(again.table.columns, first.table.columns, "{kind} {form:?}");
            assert_eq!(again.sha256, first.sha256, "{kind} {form:?}");
        }
    }
}

#[test]
fn dictionaries_of_every_type() {
    for (values, texts) in every_type() {
        let kind = values.data_type().clone();
        // All entries, the null among them, and back to the first.
        let keys = Int8Array::from_iter_values((0..values.len() as i8).chain([0]));
        let mut expected = with_null(&texts);
        expected.push(expected[0].clone());
        let read = read([one(dictionary(keys, values))]).unwrap();
        assert_eq!(column(&read.table), expected, "{kind}");
    }
}

#[test]
fn keys_of_every_width() {
    fn check<K: ArrowDictionaryKeyType>(keys: PrimitiveArray<K>) {
        let values = Arc::new(StringArray::from(vec!["a", "b"]));
        let read = read([one(dictionary(keys, values))]).unwrap();
        assert_eq!(column(&read.table), [Some("b".to_owned()), None, Some("a".to_owned())]);
    }
    check(Int8Array::from(vec![Some(1), None, Some(0)]));
    check(Int16Array::from(vec![Some(1), None, Some(0)]));
    check(Int32Array::from(vec![Some(1), None, Some(0)]));
    check(Int64Array::from(vec![Some(1), None, Some(0)]));
    check(UInt8Array::from(vec![Some(1), None, Some(0)]));
    check(UInt16Array::from(vec![Some(1), None, Some(0)]));
    check(UInt32Array::from(vec![Some(1), None, Some(0)]));
    check(UInt64Array::from(vec![Some(1), None, Some(0)]));
}

#[test]
fn entries_that_no_record_has_do_not_appear() {
    let people: ArrayRef = Arc::new(StringArray::from(vec!["Ada", "Bob", "Eve"]));
    // The key that is stored for the null is 0, Ada.
    let array = dictionary(Int32Array::from(vec![Some(2), None, Some(2), Some(1)]), people);
    let read = read([one(array.clone()), one(array.slice(1, 2))]).unwrap();
    let labels: Vec<_> = read.table.columns[0].labels.iter().collect();
    assert_eq!(labels, ["Eve", "", "Bob"]);
    let read = self::read([one(array.slice(0, 3))]).unwrap();
    assert_eq!(read.table.columns[0].labels.iter().collect::<Vec<_>>(), ["Eve", ""]);
    // A dictionary without entries has a key for nothing but null.
    let none = dictionary(Int8Array::from(vec![None, None]), Arc::new(StringArray::new_null(0)));
    assert_eq!(column(&self::read([one(none)]).unwrap().table), [None, None]);
}

#[test]
fn an_unused_entry_that_is_not_text_is_not_looked_at() {
    let values: ArrayRef = Arc::new(BinaryArray::from(vec![&b"ok"[..], &b"\xff"[..]]));
    let array = dictionary(Int32Array::from(vec![0, 0, 1]), values);
    assert_eq!(read([one(array.slice(0, 2))]).unwrap().table.rows, 2);
    let error = read([one(array)]).unwrap_err().to_string();
    assert!(
        error.starts_with("people, column c: a value of the type Dictionary cannot be read: ")
            && error.contains("a text is not UTF-8"),
        "{error}"
    );
}

#[test]
fn lists_and_slices_of_lists() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("out\u{1f}side")]);
    lists.append_value([Some("4280"), None, Some("V5866"), Some("")]);
    lists.append_null();
    lists.append_value([None::<&str>; 0]);
    lists.append_value([Some("486")]);
    let lists: ArrayRef = Arc::new(lists.finish());
    let batch = one(lists.slice(1, 4));
    let read = read([batch.clone()]).unwrap();
    assert!(read.listed);
    let pair = format!("4280{ITEM_SEPARATOR}V5866");
    let expected = [pair.as_str(), "", "", "486"].map(|text| Some(text.to_owned()));
    assert_eq!(column(&read.table), expected);
    assert_eq!(read.table.columns, through_parquet(&batch).table.columns);

    let written = write_batches(&read.table, &[ColumnForm::List]).unwrap();
    assert!(matches!(written[0].column(0).data_type(), DataType::List(_)));
    let again = self::read(written).unwrap();
    assert!(again.listed);
    assert_eq!(again.table.columns, read.table.columns);

    let mut pairs = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    for (pair, valid) in [([9, 9], true), ([1, 2], true), ([0, 0], false), ([3, 4], true)] {
        pairs.values().append_slice(&pair);
        pairs.append(valid);
    }
    let pairs: ArrayRef = Arc::new(pairs.finish());
    let expected = ["1\u{1f}2", "", "3\u{1f}4"].map(|text| Some(text.to_owned()));
    assert_eq!(column(&self::read([one(pairs.slice(1, 3))]).unwrap().table), expected);

    let error = self::read([one(lists)]).unwrap_err().to_string();
    assert!(error.starts_with("people, column c: a value of the type List cannot be read: "), "{error}");
    assert!(error.contains("U+001F"), "{error}");
}

#[test]
fn what_cannot_be_read_is_named() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let mut lists = ListBuilder::new(Int32Builder::new());
    lists.append_value([Some(1)]);
    let lists: ArrayRef = Arc::new(lists.finish());
    let two = batch(vec![("age", numbers.clone()), ("visits", lists.clone())]);

    let said = |read: Result<ReadTable, ReadError>| read.unwrap_err().to_string();
    assert_eq!(said(read([two.clone()])), "people, column visits: values of the type List cannot be read");
    let kept = read_batches("people", [Ok(two.clone())], &|name| name == "age", None, &Silent).unwrap();
    assert_eq!(kept.header, ["age", "visits"]);
    assert_eq!((column(&kept.table), kept.table.columns.len()), (vec![Some("1".to_owned())], 1));

    assert_eq!(said(read([])), "people: there is no record batch, so its columns are not known");
    let failing = [Ok(one(numbers.clone())), Err(ArrowError::ComputeError("lost".into()))];
    let failed = read_batches("people", failing, &|_| true, None, &Silent);
    assert_eq!(said(failed), "people: the next record batch cannot be produced: Compute error: lost");
    let other = batch(vec![("d", numbers.clone())]);
    assert_eq!(said(read([one(numbers.clone()), other])), "people: column 1 is `d`, but `c` in the schema");
    assert_eq!(
        said(read([one(numbers.clone()), one(lists)])),
        "people, column c: lists in one record batch and plain values in another"
    );
    let twice = RecordBatch::try_from_iter([("c", numbers.clone()), ("c", numbers)]).unwrap();
    assert_eq!(said(read([twice])), "people: columns 1 and 2 are both named `c`");
}

#[test]
fn a_batch_beyond_the_limit_is_refused_and_left_out() {
    let batch = one(Arc::new(Int32Array::from(vec![1, 2])));
    let limits = Limits { rows: 3, ..Limits::default() };
    let mut builder = TableBuilder::with_limits("people", &batch.schema(), &|_| true, None, limits).unwrap();
    builder.push_batch(&batch).unwrap();
    assert_eq!(builder.push_batch(&batch).unwrap_err().to_string(), "people: more than 3 records");
    builder.push_batch(&batch.slice(1, 1)).unwrap();
    assert_eq!(builder.rows(), 3);
    assert_eq!(builder.finish().table.columns[0].codes, [0, 1, 1]);
}

#[test]
#[should_panic = "people: a batch was read in part"]
fn a_table_with_half_a_batch_is_not_given_out() {
    let bad = one(Arc::new(BinaryArray::from(vec![&b"ok"[..], &b"\xff"[..]])));
    let mut builder = TableBuilder::new("people", &bad.schema(), &|_| true, None).unwrap();
    builder.push_batch(&bad).unwrap_err();
    builder.finish();
}

#[test]
fn written_dictionaries_hold_the_texts_of_their_own_batch_once() {
    let rows: Vec<Vec<String>> = (0..70_000).map(|row| vec![format!("{}", row / 10_000)]).collect();
    let mut table = RawTable::from_rows(&["c"], &rows);
    // A label that no record has, and two codes with one text.
    let unused = table.columns[0].labels.push("nobody");
    let double = table.columns[0].labels.push("6");
    assert_eq!((unused, double), (7, 8));
    table.columns[0].codes[69_999] = double;
    let batches = write_batches(&table, &[]).unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [65_536, 4_464]);
    let texts = |batch: &RecordBatch| {
        let values = batch.column(0).as_dictionary::<Int32Type>().values().clone();
        values.as_string::<i32>().iter().map(|text| text.unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&batches[0]), ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(texts(&batches[1]), ["6"]);
    let read = read(batches).unwrap();
    assert!((0..table.rows).all(|row| read.table.columns[0].text(row) == table.columns[0].text(row)));
}

#[test]
fn written_types_are_those_of_parquet() {
    let table = RawTable::from_rows(
        &["i", "f", "b", "t", "text"],
        &[vec!["1", "2.5", "true", "007", "1"], vec!["-2", "1", "false", "7", "2"]],
    );
    use ColumnForm::Typed;
    let batches = write_batches(&table, &[Typed, Typed, Typed, Typed]).unwrap();
    let schema: &Schema = batches[0].schema_ref();
    let kinds: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
    let text = "Dictionary(Int32, Utf8)";
    assert_eq!(kinds, ["Int64", "Float64", "Boolean", text, text]);
    assert!(schema.metadata().is_empty() && schema.fields().iter().all(|field| !field.is_nullable()));

    let none = write_batches(&RawTable::from_rows::<&str>(&["c"], &[]), &[]).unwrap();
    assert_eq!((none.len(), none[0].num_rows()), (1, 0));
    assert_eq!(read(none).unwrap().header, ["c"]);
    let error = write_batches(&RawTable::default(), &[]).unwrap_err();
    assert!(matches!(error, WriteError::NoColumns { .. }), "{error}");
}

#[test]
fn the_digest_is_that_of_the_documented_bytes() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("é"), None, Some(""), Some("é")]));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3, 4]));
    let two = batch(vec![("id", numbers), ("c", texts)]);
    let read = read_batches("people", [Ok(two)], &|name| name == "c", None, &Silent).unwrap();
    let mut bytes = b"shoal table 1\n".to_vec();
    let number = |n: u64| n.to_le_bytes();
    bytes.extend([&number(2)[..], &number(2), b"id", &number(1), b"c", &number(4), &number(1)].concat());
    bytes.extend([&number(1)[..], b"c", &number(3)].concat());
    bytes.extend([&[1][..], &number(2), "é".as_bytes(), &[0], &[1], &number(0)].concat());
    bytes.extend([0, 1, 2, 0]);
    assert_eq!((read.sha256, read.bytes), (sha256_hex(&bytes), bytes.len() as u64));
}

/// Cuts a batch at these places.
fn cut(batch: &RecordBatch, cuts: &[usize]) -> Vec<RecordBatch> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (batch.num_rows() + 1)).collect();
    cuts.extend([0, batch.num_rows()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|pair| batch.slice(pair[0], pair[1] - pair[0])).collect()
}

proptest! {
    /// The slow reference: cast to plain text first. Slices, null keys, null, equal and unused entries included.
    #[test]
    fn dictionaries_read_as_if_they_were_plain(
        values in prop::collection::vec(prop::option::weighted(0.9, "[ab]{0,2}"), 1..12),
        keys in prop::collection::vec(prop::option::weighted(0.8, any::<usize>()), 0..60),
        cuts in prop::collection::vec(any::<usize>(), 0..4),
        other_cuts in prop::collection::vec(any::<usize>(), 0..4),
        plain_every in 2_usize..4,
    ) {
        let key = |key: &Option<usize>| key.map(|key| (key % values.len()) as i32);
        let keys: Int32Array = keys.iter().map(key).collect();
        let folded = dictionary(keys, Arc::new(StringArray::from(values.clone())));
        let plain = arrow_cast::cast(&folded, &DataType::Utf8).unwrap();
        let (folded, plain) = (one(folded), one(plain));

        let slow = read([plain.clone()]).unwrap();
        let fast = read([folded.clone()]).unwrap();
        prop_assert_eq!(&fast.table, &slow.table);
        prop_assert_eq!(&fast.sha256, &slow.sha256);

        // Cut into batches, and some of them plain.
        let plain_cut = cut(&plain, &cuts);
        let mixed = cut(&folded, &cuts).into_iter().zip(plain_cut).enumerate();
        let mixed = mixed.map(|(at, (folded, plain))| if at % plain_every == 0 { plain } else { folded });
        for fast in [read(mixed).unwrap(), read(cut(&folded, &other_cuts)).unwrap()] {
            prop_assert_eq!(&fast.table, &slow.table);
            prop_assert_eq!((&fast.sha256, fast.bytes), (&slow.sha256, slow.bytes));
        }

        // No label without a record.
        let column = &slow.table.columns[0];
        prop_assert!((0..column.labels.len() as u32).all(|code| column.codes.contains(&code)));
        prop_assert_eq!(&through_parquet(&folded).table.columns[0], column);
    }

    #[test]
    fn other_cells_have_another_digest(
        cells in prop::collection::vec(prop::option::of("[ab]{0,2}"), 1..20),
        at in any::<usize>(),
        other in prop::option::of("[ab]{0,2}"),
    ) {
        let array = |cells: &Vec<Option<String>>| one(Arc::new(StringArray::from(cells.clone())));
        let mut changed = cells.clone();
        let at = at % cells.len();
        changed[at] = other;
        let (one, two) = (read([array(&cells)]).unwrap(), read([array(&changed)]).unwrap());
        prop_assert_eq!(one.sha256 == two.sha256, cells == changed);
    }
}
