//! The columns of a published table: how they are staged, read back, and compared with what they were.

use shoal_core::{Kind, Progress, RawColumn, RawTable, Role, Unseen};
use shoal_io::ColumnForm;
use shoal_privacy::Refusal;

use super::bind::bind;
use crate::{PipelineError, Request, StagedData, WantedColumns};

/// The forms in which the columns of a published table may be written.
pub(crate) fn column_forms(request: &Request, published: &RawTable) -> Vec<ColumnForm> {
    let policy = request.policy();
    let form = |name: &String| match policy.columns.get(name).map(|c| (c.role, c.kind)) {
        Some((Role::Sensitive | Role::Insensitive, _)) => ColumnForm::Typed,
        // Numbers where all of them are published exactly; one range or star makes the column text.
        Some((Role::QuasiIdentifier, Kind::Integer | Kind::Decimal)) => ColumnForm::Typed,
        _ => ColumnForm::Text,
    };
    published.columns.iter().map(|c| form(&c.name)).collect()
}

/// What was staged, read as anybody would read it, with its SHA-256.
pub(crate) fn read_table_back(
    staged: &impl StagedData,
    progress: &dyn Progress,
) -> Result<(RawTable, String), PipelineError> {
    let read = staged.source().read_table(&WantedColumns::ALL, &Unseen(progress))?;
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
