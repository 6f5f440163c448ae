//! Frames as Arrow streams: in without a copy, out without a copy.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyTable;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};
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

/// A stream that can be read once, as an object that can be read again.
#[pyfunction]
pub(crate) fn hold(table: PyTable) -> HeldFrame {
    let (batches, schema) = table.into_inner();
    HeldFrame { batches, schema }
}

/// Batches that are handed out as often as somebody asks.
#[pyclass(frozen)]
pub(crate) struct HeldFrame {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
}

#[pymethods]
impl HeldFrame {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        stream(py, self.batches.clone(), &self.schema, requested_schema)
    }
}

/// Batches as an Arrow stream, without a copy.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    batches: Vec<RecordBatch>,
    schema: &SchemaRef,
    requested_schema: Option<Bound<'py, PyCapsule>>,
) -> PyArrowResult<Bound<'py, PyCapsule>> {
    let field = Field::new_struct("", schema.fields().clone(), false);
    let arrays =
        batches.into_iter().map(|batch| Ok::<_, ArrowError>(Arc::new(StructArray::from(batch)) as _));
    to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, field.into())), requested_schema)
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

/// The columns of points in time, and whether each has a time zone. Their texts need a format, which a frame's type implies.
#[pyfunction]
pub(crate) fn timestamps(table: PyTable) -> HashMap<String, bool> {
    let (_, schema) = table.into_inner();
    let zone = |field: &FieldRef| match field.data_type() {
        DataType::Timestamp(_, zone) => Some((field.name().clone(), zone.is_some())),
        _ => None,
    };
    schema.fields().iter().filter_map(zone).collect()
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
