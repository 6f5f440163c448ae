//! Hierarchies that the policy does not give and an algorithm needs.

use std::borrow::Cow;
use std::sync::Arc;

use shoal_core::hierarchy::build;
use shoal_core::{BoundHierarchy, Role, Table};

use crate::PipelineError;

/// The table with a hierarchy for every quasi-identifier, and a sentence for each one that was built.
pub(crate) fn with_hierarchies(table: &Table) -> Result<(Cow<'_, Table>, Vec<String>), PipelineError> {
    let needs_one = |c: &shoal_core::Column| c.role == Role::QuasiIdentifier && c.hierarchy.is_none();
    if !table.columns.iter().any(needs_one) {
        return Ok((Cow::Borrowed(table), Vec::new()));
    }
    let mut complete = table.clone();
    let mut notes = Vec::new();
    for column in complete.columns.iter_mut().filter(|c| needs_one(c)) {
        let built = build::default_for(&column.domain)
            .map_err(|error| PipelineError::Build { column: column.name.clone(), error: Box::new(error) })?;
        let bound = BoundHierarchy::new(&Arc::new(built.hierarchy), &column.domain)
            .expect("a hierarchy built from a domain holds every value of it");
        notes.push(format!("no hierarchy for `{}`: built {}", column.name, built.description));
        column.hierarchy = Some(bound);
    }
    Ok((Cow::Owned(complete), notes))
}
