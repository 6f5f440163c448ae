use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use shoal_core::{Cancelled, Progress};

use crate::arrow::{ColumnError, check_types, push_arrays};
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
    // Before anything is unpacked: a page of kilobytes can declare, or become, gigabytes.
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
    check_types(file, &schema, into.gathered())?;
    if into.is_full() {
        return Ok(());
    }
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept);
    let room = usize::try_from(into.room()).unwrap_or(usize::MAX);
    let builder = builder.with_projection(mask).with_limit(room).with_batch_size(8192.min(room));
    for batch in builder.build().map_err(|e| broken(file, &e))? {
        progress.check();
        let batch = batch.map_err(|e| broken(file, &e))?;
        let first = into.gathered().next_rows(batch.num_rows() as u64, None)?;
        // The mask lets through exactly the kept columns, in their order.
        push_arrays(batch.columns().iter(), into.gathered(), first)
            .map_err(|ColumnError { error, .. }| broken(file, &error))?;
    }
    Ok(())
}

fn broken(file: &str, why: &impl ToString) -> ReadError {
    ReadError::Parquet { file: file.to_owned(), why: why.to_string() }
}
