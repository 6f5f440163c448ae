//! What a run would do with the columns of a table.

use serde::Serialize;
use shoal_core::{Column, Kind, Role, Table};
use shoal_measure::table::uniqueness;
use shoal_privacy::Classes;

use super::sample::Units;
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
    /// How many records (or people, where they are counted) have a value in it that nobody else has; a missing value is a
    /// value like any other here. Of the records that would be published; not said of identifiers.
    pub unique: Option<usize>,
    /// How far its hierarchy and its values cover each other, where the policy gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<HierarchyPlan>,
    /// What would be published of it.
    pub published_as: String,
}

/// How far a hierarchy and the values of its column cover each other. That every value is a leaf has been checked by
/// then: one that is not is an error.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct HierarchyPlan {
    /// How many leaves it has.
    pub leaves: usize,
    /// How many of these occur among the records.
    pub leaves_used: usize,
    /// How many levels it has, from the leaves to the root.
    pub levels: usize,
}

impl HierarchyPlan {
    fn of(column: &Column) -> Option<HierarchyPlan> {
        let bound = column.hierarchy.as_ref()?;
        let mut used = bound.leaves().to_vec();
        used.sort_unstable();
        used.dedup();
        let tree = bound.tree();
        let (leaves, levels) = (tree.leaf_count() as usize, tree.level_count());
        Some(HierarchyPlan { leaves, leaves_used: used.len(), levels })
    }
}

/// What a run would do with a column; `table` holds those that are read, `usable` the records of it that would be published,
/// and `units` whose these are.
pub(crate) fn column_plan(
    request: &Request,
    table: &Table,
    usable: &Table,
    units: Units<'_>,
    name: &str,
) -> ColumnPlan {
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
    // That somebody is alone with their name says nothing.
    let compared = usable.columns.iter().find(|c| c.name == name && c.role != Role::Identifier);
    let unique =
        compared.map(|c| uniqueness::of(&Classes::of_codes(usable.rows, &[&c.codes]), units.person_of()));
    ColumnPlan {
        name: name.to_owned(),
        role: spec.role,
        kind: spec.kind,
        distinct,
        missing,
        unique,
        hierarchy: column.and_then(HierarchyPlan::of),
        published_as,
    }
}
