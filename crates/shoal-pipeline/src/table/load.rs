//! From a source to an encoded table: read it, compare its header with the policy, bind it.

use shoal_core::{Progress, RawTable, Table};
use shoal_io::ReadTable;

use super::person::persons;
use crate::columns::{Bound, bind, check_columns, reordered_codes, with_plain_values};
use crate::{PipelineError, ReleaseKey, Request, Source, WantedColumns};

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

/// A source, encoded, in its own order.
pub fn load(
    request: &Request,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Table, PipelineError> {
    let Loaded { bound, source_rows, .. } = load_from(request, &ReleaseKey::UNPUBLISHED, source, progress)?;
    let mut in_source: Vec<u32> = (0..source_rows.len() as u32).collect();
    in_source.sort_unstable_by_key(|&row| source_rows[row as usize]);
    Ok(bound.table.select(&in_source))
}

/// Reads and encodes a source. One without records is an error.
pub(crate) fn load_from(
    request: &Request,
    key: &ReleaseKey,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Loaded, PipelineError> {
    let wanted = WantedColumns { keep: &|name| request.is_read(name), list: None };
    let mut read = source.read_table(&wanted, progress)?;
    check_columns(request, &read.header, &source.name())?;
    if read.table.rows == 0 {
        return Err(PipelineError::NoRecords { source_name: source.name() });
    }
    with_plain_values(request.policy(), &mut read.table);
    progress.check();
    let source_rows = by_content(request, key, &read.table);
    progress.check();
    read.table
        .columns
        .iter_mut()
        .for_each(|column| column.codes = reordered_codes(&column.codes, &source_rows));
    progress.check();
    let bound = bind(request, &read.table)?;
    Ok(Loaded { read, bound, source_rows })
}

fn by_content(request: &Request, key: &ReleaseKey, table: &RawTable) -> Vec<u32> {
    let person = request.policy().data.person.as_ref().and_then(|name| table.column(name)).map(persons);
    request.content_order(key).rows(table, person.as_deref())
}
