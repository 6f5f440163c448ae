//! Arrow's own files and streams.

mod common;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Date32Array, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use common::{Folder, cells, read};
use proptest::prelude::*;
use shoal_core::Silent;
use shoal_io::{ITEM_SEPARATOR, Limits, ReadError, read_header, read_table_with_list, sample};

fn batch() -> RecordBatch {
    let town: DictionaryArray<Int32Type> = ["Bonn", "Ulm", "Bonn"].into_iter().collect();
    let columns: [(&str, ArrayRef); 4] = [
        ("town", Arc::new(town)),
        ("age", Arc::new(Int64Array::from(vec![Some(34), None, Some(51)]))),
        ("day", Arc::new(Date32Array::from(vec![0, 1, 365]))),
        ("note", Arc::new(StringArray::from(vec!["x".repeat(500), "y".repeat(500), String::new()]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut bytes = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.write(&batch.slice(1, 2)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    bytes
}

#[test]
fn files_and_streams_are_read_packed_or_not() {
    let folder = Folder::new();
    for (name, bytes, rows) in [
        ("t.arrow", file(&batch(), None), 5),
        ("t.feather", file(&batch(), Some(CompressionType::LZ4_FRAME)), 5),
        ("t.ipc", file(&batch(), Some(CompressionType::ZSTD)), 5),
        ("t.arrow", stream(&batch()), 3),
    ] {
        folder.put(name, bytes);
        let source = folder.source(name);
        let found = read(&source).unwrap().table;
        assert_eq!(found.rows, rows);
        assert_eq!(cells(&found)[1][..3], [Some("Ulm"), None, Some("1970-01-02")]);
        assert_eq!(found.columns[3].text(0).len(), 500);
        assert_eq!(read_header(&source).unwrap(), ["town", "age", "day", "note"]);
        assert_eq!(sample(&source, 2, &Silent).unwrap().rows, 2);
    }
}

#[test]
fn a_column_of_lists_can_be_the_items() {
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), Some(2)]), None]);
    let batch = RecordBatch::try_from_iter([("codes", Arc::new(lists) as ArrayRef)]).unwrap();
    let folder = Folder::new();
    folder.put("t.arrow", stream(&batch));
    let read = read_table_with_list(&folder.source("t.arrow"), &|_| true, "codes", &Silent).unwrap();
    assert!(read.listed);
    assert_eq!(read.table.columns[0].text(0), format!("1{ITEM_SEPARATOR}2"));
}

#[test]
fn buffers_are_measured_before_they_are_unpacked() {
    let folder = Folder::new();
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        folder.put("t.arrow", file(&batch(), Some(compression)));
        let mut source = folder.source("t.arrow");
        source.limits = Limits { page: 200, ..Limits::default() };
        let error = read(&source).unwrap_err();
        assert!(error.to_string().contains("unpacks to more than"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn damaged_files_are_a_table_or_an_error(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
        compression in prop::sample::select(vec![None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)]),
        as_stream in any::<bool>(),
    ) {
        let folder = Folder::new();
        let mut bytes = if as_stream { stream(&batch()) } else { file(&batch(), compression) };
        let place = at.index(bytes.len());
        bytes[place] = byte;
        folder.put("t.arrow", &bytes);
        let _ = read(&folder.source("t.arrow"));
        bytes.truncate(cut.index(bytes.len()));
        folder.put("t.arrow", &bytes);
        let _ = read(&folder.source("t.arrow"));
    }

    #[test]
    fn any_bytes_are_an_error(bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        let folder = Folder::new();
        folder.put("t.arrow", &bytes);
        prop_assert!(read(&folder.source("t.arrow")).is_err());
        let mut magic = b"ARROW1\0\0".to_vec();
        magic.extend(bytes);
        magic.extend(b"ARROW1");
        folder.put("t.arrow", magic);
        let is_refused = matches!(read(&folder.source("t.arrow")), Err(ReadError::Arrow { .. }));
        prop_assert!(is_refused);
    }
}
