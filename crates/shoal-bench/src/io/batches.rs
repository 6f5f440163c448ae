//! How fast record batches are read: dictionary columns as they are, and the same cells as plain text.
//!
//! `cargo run --release -p shoal-bench -- io batches [rows]`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_schema::DataType;
use shoal_core::Silent;
use shoal_io::{ReadTable, read_batches};

const COLUMNS: usize = 8;
const ROUNDS: usize = 5;

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let rows = arguments.first().map_or(Ok(1_000_000), |rows| rows.parse())?;
    let folded: Vec<RecordBatch> =
        (0..rows).step_by(1 << 16).map(|from| batch(from, rows.min(from + (1 << 16)))).collect();
    let plain: Vec<RecordBatch> = folded.iter().map(as_text).collect();
    let (fast, slow) = (best(&folded), best(&plain));
    assert_eq!(fast.1.sha256, slow.1.sha256);
    println!("{rows} rows, {COLUMNS} columns, the best of {ROUNDS}");
    println!("dictionaries {:.3} s, text {:.3} s, ratio {:.1}", fast.0, slow.0, slow.0 / fast.0);
    Ok(())
}

/// Columns of 2, 5, 10, … distinct texts, in an order that looks random.
fn batch(from: usize, to: usize) -> RecordBatch {
    let distinct = [2, 5, 10, 50, 100, 500, 1_000, 5_000];
    let columns = (0..COLUMNS).map(|column| {
        let texts = (0..distinct[column]).map(|value| format!("value {value} of column {column}"));
        let value = |row: usize| (row.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % distinct[column];
        let keys = Int32Array::from_iter_values((from..to).map(|row| value(row + column) as i32));
        let texts = Arc::new(StringArray::from_iter_values(texts));
        let array = DictionaryArray::<Int32Type>::try_new(keys, texts).expect("all keys have a text");
        (format!("c{column}"), Arc::new(array) as ArrayRef)
    });
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

fn as_text(batch: &RecordBatch) -> RecordBatch {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
        (field.name(), arrow_cast::cast(column, &DataType::Utf8).expect("dictionaries of text"))
    });
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

/// The shortest time in seconds, and what was read.
fn best(batches: &[RecordBatch]) -> (f64, ReadTable) {
    let round = |_| {
        let batches = batches.iter().cloned().map(Ok);
        let start = Instant::now();
        let read = read_batches("memory", batches, &|_| true, None, &Silent).expect("readable batches");
        (start.elapsed().as_secs_f64(), read)
    };
    (0..ROUNDS).map(round).min_by(|a, b| a.0.total_cmp(&b.0)).expect("at least one round")
}
