//! From a source to an encoded table: read it, compare its header with the policy, bind it.

use shoal_core::{Progress, RawColumn, RawTable, Role, Table};
use shoal_io::{ReadTable, Source};

use super::bind::{Bound, bind, check_columns};
use super::compose::reordered_codes;
use crate::order::rows_by_content;
use crate::{Job, PipelineError};

/// What was read from a source, in the order of its content and not in that of the source.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The records as texts.
    pub read: ReadTable,
    /// The same records in codes.
    pub bound: Bound,
    /// For each record its row in the source, counted from 0: for `output.keep-order`, and for errors that name a
    /// record.
    pub source_rows: Vec<u32>,
}

/// The policy's source, encoded.
pub fn load(job: &Job, progress: &dyn Progress) -> Result<Table, PipelineError> {
    Ok(load_from(job, &job.source()?, progress)?.bound.table)
}

/// Reads and encodes a source. One without records is an error.
pub(crate) fn load_from(
    job: &Job,
    source: &Source,
    progress: &dyn Progress,
) -> Result<Loaded, PipelineError> {
    let mut read = shoal_io::read_table(source, &|name| job.is_read(name), progress)?;
    check_columns(job, &read.header, &source.location)?;
    if read.table.rows == 0 {
        return Err(PipelineError::NoRecords { source_name: source.location.clone() });
    }
    let source_rows = by_content(job, &read.table);
    read.table
        .columns
        .iter_mut()
        .for_each(|column| column.codes = reordered_codes(&column.codes, &source_rows));
    let bound = bind(job, &read.table)?;
    Ok(Loaded { read, bound, source_rows })
}

/// The rows of a table in the order of what they say; identifiers have no part in it, but for the one that says whose a
/// record is where that decides about crowds.
fn by_content(job: &Job, table: &RawTable) -> Vec<u32> {
    let policy = job.policy();
    let says = |column: &&RawColumn| {
        let is_person = policy.data.person.as_ref() == Some(&column.name);
        is_person || policy.columns.get(&column.name).is_some_and(|spec| spec.role != Role::Identifier)
    };
    let columns: Vec<&RawColumn> = table.columns.iter().filter(says).collect();
    rows_by_content(policy.algorithm.seed, &columns, table.rows, None)
}
