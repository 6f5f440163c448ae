//! From a source to an encoded table: read it, compare its header with the policy, bind it.

use shoal_core::{Progress, Table};
use shoal_io::{ReadTable, Source};

use super::bind::{Bound, bind, check_columns};
use crate::{Job, PipelineError};

/// The policy's source, encoded.
pub fn load(job: &Job, progress: &dyn Progress) -> Result<Table, PipelineError> {
    Ok(load_from(job, &job.source()?, progress)?.1.table)
}

/// What was read from a source, and its encoded form. A source without records is an error.
pub(crate) fn load_from(
    job: &Job,
    source: &Source,
    progress: &dyn Progress,
) -> Result<(ReadTable, Bound), PipelineError> {
    let read = shoal_io::read_table(source, &|name| job.is_read(name), progress)?;
    check_columns(job, &read.header, &source.location)?;
    if read.table.rows == 0 {
        return Err(PipelineError::NoRecords { source_name: source.location.clone() });
    }
    let bound = bind(job, &read.table)?;
    Ok((read, bound))
}
