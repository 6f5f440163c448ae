//! Frames as Arrow streams: in without a copy, out without a copy.

use arrow_array::{Array, RecordBatch};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use shoal_core::Silent;
use shoal_pipeline::BatchSource;

use crate::errors::with_hint;

/// What errors call data in memory.
const NAME: &str = "the data";

/// Whatever has `__arrow_c_stream__` or `__arrow_c_array__`, as a source.
pub(crate) fn source(table: PyTable) -> BatchSource {
    BatchSource::new(NAME, batches(table))
}

/// The batches, at least one, so that the columns are known.
pub(crate) fn batches(table: PyTable) -> Vec<RecordBatch> {
    let (mut batches, schema) = table.into_inner();
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(schema));
    }
    batches
}

/// The first address of each buffer of each column, as they arrived: for the tests, which compare them with the addresses in Python.
#[pyfunction]
pub(crate) fn addresses(table: PyTable) -> Vec<(String, Vec<usize>)> {
    let (batches, schema) = table.into_inner();
    let of_column = |at: usize| {
        let buffers = batches.iter().flat_map(|batch| batch.column(at).to_data().buffers().to_vec());
        buffers.map(|buffer| buffer.as_ptr() as usize).collect()
    };
    schema.fields().iter().enumerate().map(|(at, field)| (field.name().clone(), of_column(at))).collect()
}

/// The distinct values of a column as texts, in the order in which records have them first; a missing value is left out.
#[pyfunction]
pub(crate) fn distinct(table: PyTable, column: &str) -> PyResult<Vec<String>> {
    let column = read_column(table, column)?;
    let texts = (0..).zip(column.labels.iter()).filter(|(code, _)| column.null != Some(*code));
    Ok(texts.map(|(_, text)| text.to_owned()).collect())
}

/// One column, read as every source is.
pub(crate) fn read_column(table: PyTable, name: &str) -> PyResult<shoal_core::RawColumn> {
    let batches = batches(table).into_iter().map(Ok);
    let read = shoal_io::read_batches(NAME, batches, &|column| column == name, None, &Silent)
        .map_err(|error| with_hint(error.to_string(), error.hint()))?;
    let column = read.table.columns.into_iter().next();
    column.ok_or_else(|| {
        with_hint(format!("there is no column `{name}`"), &format!("there are: {}", read.header.join(", ")))
    })
}
