use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use shoal_core::{Cancelled, Place, Progress};

use super::list::{is_list, item_field, push_lists};
use super::text::{is_readable, push_texts};
use crate::collect::Collector;
use crate::error::ReadError;
use crate::inspect::check_parquet_sizes;
use crate::limits::Limits;

/// Reads one file's records into the collector, until its end or until the collector is full.
pub(crate) fn read(
    file: &str,
    input: Bytes,
    limits: &Limits,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    if input.is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    check_parquet_sizes(&input, limits)
        .map_err(|(column, why)| broken(file, &format!("column {column}: {why}")))?;
    // The Parquet reader trusts what a file says about itself, and a damaged file can make it panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| read_trusting(file, input, into, progress)));
    outcome.unwrap_or_else(|payload| match payload.is::<Cancelled>() {
        true => resume_unwind(payload),
        false => Err(broken(file, &"its parts contradict each other")),
    })
}

fn read_trusting(
    file: &str,
    input: Bytes,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(input).map_err(|e| broken(file, &e))?;
    let schema = builder.schema().clone();
    into.begin(file, schema.fields().iter().map(|field| field.name().clone()).collect())?;
    let kept: Vec<usize> = into.kept().iter().map(|(column, _)| *column).collect();
    check_types(file, &schema, &kept, into)?;
    if into.is_full() {
        return Ok(());
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept);
    let room = usize::try_from(into.room()).unwrap_or(usize::MAX);
    let builder = builder.with_projection(mask).with_limit(room).with_batch_size(8192.min(room));
    for batch in builder.build().map_err(|e| broken(file, &e))? {
        progress.check();
        let batch = batch.map_err(|e| broken(file, &e))?;
        let first = into.next_rows(batch.num_rows() as u64)?;
        push_batch(&batch, first, into).map_err(|e| broken(file, &e))?;
    }
    Ok(())
}

fn check_types(
    file: &str,
    schema: &Schema,
    kept: &[usize],
    into: &mut Collector<'_>,
) -> Result<(), ReadError> {
    for &column in kept {
        let field = schema.field(column);
        let may_be_list = into.may_be_list(field.name());
        let listed = may_be_list && is_list(field.data_type());
        if !listed && !is_readable(field.data_type()) {
            return Err(ReadError::UnsupportedType {
                file: file.to_owned(),
                column: field.name().clone(),
                kind: short_name(field.data_type()),
            });
        }
        if may_be_list {
            into.note_list(listed)?;
        }
    }
    Ok(())
}

fn push_batch(
    batch: &RecordBatch,
    first: Place,
    into: &mut Collector<'_>,
) -> Result<(), arrow_schema::ArrowError> {
    for ((_, builder), array) in into.kept().iter_mut().zip(batch.columns()) {
        match item_field(array.data_type()) {
            Some(item) => push_lists(array, item, builder, first)?,
            None => push_texts(array, builder, first)?,
        }
    }
    Ok(())
}

/// The outermost part of a type; the whole of a nested one can fill a page.
fn short_name(kind: &DataType) -> String {
    let whole = format!("{kind:?}");
    whole.split(['(', ' ']).next().unwrap_or_default().to_owned()
}

fn broken(file: &str, why: &impl ToString) -> ReadError {
    ReadError::Parquet { file: file.to_owned(), why: why.to_string() }
}
