//! What a run would do with the columns of a table.

use serde::Serialize;
use shoal_core::{Kind, Role, Table};

use crate::Request;

/// What a run would do with one column.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ColumnPlan {
    /// The column.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Its kind.
    pub kind: Kind,
    /// How many different values it has, the missing one not counted; not said of identifiers that are not the person.
    pub distinct: Option<usize>,
    /// How many records have no value in it; not said of identifiers that are not the person.
    pub missing: Option<usize>,
    /// What would be published of it.
    pub published_as: String,
}

/// What a run would do with a column; `table` holds those that are read.
pub(crate) fn column_plan(request: &Request, table: &Table, name: &str) -> ColumnPlan {
    let spec = &request.policy().columns[name];
    let column = table.columns.iter().find(|c| c.name == name);
    let missing = column.map(|c| match c.domain.missing() {
        Some(missing) => c.codes.iter().filter(|&&code| code == missing).count(),
        None => 0,
    });
    let published_as = match (spec.role, column.and_then(|c| c.hierarchy.as_ref())) {
        (Role::Identifier | Role::PersonalK, _) => "not published".to_owned(),
        (Role::Sensitive | Role::Insensitive, _) => "as it is".to_owned(),
        (Role::QuasiIdentifier, Some(bound)) => {
            let tree = bound.tree();
            format!("nodes of a hierarchy ({} leaves, {} levels)", tree.leaf_count(), tree.level_count())
        }
        (Role::QuasiIdentifier, None) if spec.kind.is_ordered() => "ranges".to_owned(),
        (Role::QuasiIdentifier, None) => "sets".to_owned(),
    };
    let distinct = column.map(|c| c.domain.len() - usize::from(c.domain.missing().is_some()));
    ColumnPlan { name: name.to_owned(), role: spec.role, kind: spec.kind, distinct, missing, published_as }
}
