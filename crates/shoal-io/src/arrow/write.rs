use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use shoal_core::{RawColumn, RawTable};

use super::BATCH;
use super::typed::{Typed, nullable};
use crate::error::WriteError;
use crate::write::ColumnForm;

/// Gives a table as record batches of at most 65,536 rows; columns beyond the end of `columns` are text. A table
/// without records is one batch without rows, so that its columns are known.
///
/// Columns of text are dictionaries of texts with 32-bit keys. The dictionary of a batch holds exactly the texts
/// that its own records have, each once, in the order in which they have them first. Typed columns have the
/// types that they have in Parquet, and lists are lists of texts. Nulls stay nulls. There is no metadata.
///
/// ```
/// use shoal_core::{RawTable, Silent};
/// use shoal_io::{ColumnForm, read_batches, write_batches};
///
/// let table = RawTable::from_rows(&["age", "visits"], &[vec!["30-39", "3"], vec!["40-49", "12"]]);
/// let batches = write_batches(&table, &[ColumnForm::Text, ColumnForm::Typed])?;
/// let read = read_batches("published", batches.into_iter().map(Ok), &|_| true, None, &Silent)?;
/// assert_eq!(read.table.columns, table.columns);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_batches(table: &RawTable, columns: &[ColumnForm]) -> Result<Vec<RecordBatch>, WriteError> {
    if table.columns.is_empty() {
        return Err(WriteError::NoColumns { path: PathBuf::from("record batches") });
    }
    let types = Typed::all(table, columns);
    let field = |(column, typed): (&RawColumn, &Typed)| {
        let kind = match typed {
            Typed::Text => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            typed => typed.data_type(),
        };
        Field::new(&column.name, kind, nullable(column))
    };
    let schema = Arc::new(Schema::new(table.columns.iter().zip(&types).map(field).collect::<Vec<_>>()));
    let batch = |from: usize| {
        let to = table.rows.min(from + BATCH);
        let array = |(column, typed): (&RawColumn, &Typed)| {
            check_length(column, from, to)?;
            match typed {
                Typed::Text => dictionary_of(column, from, to),
                typed => Ok(typed.array(column, from, to)),
            }
        };
        let arrays = table.columns.iter().zip(&types).map(array).collect::<Result<_, _>>()?;
        RecordBatch::try_new(schema.clone(), arrays)
    };
    // At least one, also for no records.
    let batches = (0..table.rows.max(1)).step_by(BATCH).map(batch);
    batches.collect::<Result<_, _>>().map_err(|error| WriteError::Batches { why: error.to_string() })
}

/// The texts of an array are addressed by 31 bits; the builders of arrays panic when these are not enough.
fn check_length(column: &RawColumn, from: usize, to: usize) -> Result<(), ArrowError> {
    let length: usize = column.codes[from..to].iter().map(|&code| column.labels.get(code).len()).sum();
    if length > i32::MAX as usize {
        let why = format!("column {}: more than 2 GiB of text in {BATCH} records", column.name);
        return Err(ArrowError::InvalidArgumentError(why));
    }
    Ok(())
}

fn dictionary_of(column: &RawColumn, from: usize, to: usize) -> Result<ArrayRef, ArrowError> {
    // The key of each label plus 1; 0 as long as no record of this batch has it.
    let mut numbers = vec![0_i32; column.labels.len()];
    // Codes with the same text share an entry: that there were two codes is not part of the table.
    let mut known: HashMap<&str, i32> = HashMap::new();
    let mut texts = StringBuilder::new();
    let mut keys = Int32Builder::with_capacity(to - from);
    for &code in &column.codes[from..to] {
        if column.null == Some(code) {
            keys.append_null();
            continue;
        }
        let number = &mut numbers[code as usize];
        if *number == 0 {
            let label = column.labels.get(code);
            let next = known.len() as i32 + 1;
            *number = *known.entry(label).or_insert_with(|| {
                texts.append_value(label);
                next
            });
        }
        keys.append_value(*number - 1);
    }
    let array = DictionaryArray::<Int32Type>::try_new(keys.finish(), Arc::new(texts.finish()))?;
    Ok(Arc::new(array))
}
