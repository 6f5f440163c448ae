//! The columns of a published table: how they are staged, read back, and compared with what they were.

use std::collections::HashMap;

use shoal_core::{Kind, Progress, RawColumn, RawTable, Role, Unseen, range_ends};
use shoal_io::{ColumnForm, ReadTable};
use shoal_privacy::Refusal;

use super::bind::bind;
use super::ranges::{in_one_column, in_two_columns};
use crate::{PipelineError, Request, Sink, Source, StagedData, WantedColumns};

/// Stages a published table, with ranges as the policy wants them.
pub(crate) fn stage_table<K: Sink>(
    request: &Request,
    to: &mut K,
    published: &RawTable,
    progress: &dyn Progress,
) -> Result<K::Staged, PipelineError> {
    let staged = in_two_columns(request, published)?;
    Ok(to.stage_table(&staged, &column_forms(request, &staged), progress)?)
}

/// The forms in which the columns of a published table may be written.
fn column_forms(request: &Request, published: &RawTable) -> Vec<ColumnForm> {
    let policy = request.policy();
    let ends: HashMap<String, Kind> = policy
        .range_columns()
        .flat_map(|(name, spec)| range_ends(name).map(|end| (end, spec.kind)))
        .collect();
    let form = |name: &String| match policy.columns.get(name).map(|c| (c.role, c.kind)) {
        Some((Role::Sensitive | Role::Insensitive, _)) => ColumnForm::Typed,
        // Numbers where all of them are published exactly; one range or star makes the column text.
        Some((Role::QuasiIdentifier, Kind::Integer | Kind::Decimal)) => ColumnForm::Typed,
        Some(_) => ColumnForm::Text,
        None => ends.get(name).map_or(ColumnForm::Text, |&kind| ColumnForm::OfKind(kind)),
    };
    published.columns.iter().map(|c| form(&c.name)).collect()
}

/// A published file, with its ranges in one column each.
pub(crate) fn read_published(
    request: &Request,
    published: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<ReadTable, PipelineError> {
    let read = published.read_table(&WantedColumns::ALL, progress)?;
    Ok(ReadTable { table: in_one_column(request.policy(), read.table)?, ..read })
}

/// What was staged, read as anybody would read it, with its SHA-256.
pub(crate) fn read_table_back(
    request: &Request,
    staged: &impl StagedData,
    progress: &dyn Progress,
) -> Result<(RawTable, String), PipelineError> {
    let read = read_published(request, &mut *staged.source(), &Unseen(progress))?;
    Ok((read.table, read.sha256))
}

/// The quasi-identifiers of a published file.
pub(crate) fn quasi_columns<'a>(request: &Request, published: &'a RawTable) -> Vec<&'a RawColumn> {
    let is_quasi = |c: &&RawColumn| request.policy().columns[&c.name].role == Role::QuasiIdentifier;
    published.columns.iter().filter(is_quasi).collect()
}

/// Checks that columns that nobody anonymizes are published as they were, in the claimed order.
pub(crate) fn check_untouched(
    request: &Request,
    before: &RawTable,
    after: &RawTable,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<(), PipelineError> {
    let original = bind(request, before)?.table;
    let left_out = before.rows - origin.len();
    Ok(shoal_privacy::table::conservation::check(&original, after, origin, left_out, progress)
        .map_err(Refusal::TableConservation)?)
}
