//! Columns that are published as they are.

use std::collections::HashSet;

use shoal_core::{Hierarchy, PersonKey, RawColumn, RawTable, Role};
use shoal_measure::leaks::{folded, free_text, names, naming_records, unique_records};
use shoal_privacy::Classes;
use shoal_privacy::total_loss::columns_say_nothing;

use super::{Leak, LeakKind, Unit};
use crate::Request;
use crate::columns::quasi_columns;

/// The share of records from which a column's values are called nearly unique.
const NEARLY: f64 = 0.5;

/// Whether the quasi-identifiers of a table, or of a file of events, say nothing.
pub(crate) fn says_nothing(request: &Request, published: &RawTable, unit: Unit) -> Option<Leak> {
    let tree_of = |column: &RawColumn| -> Option<&Hierarchy> {
        let name = request.policy().columns[&column.name].hierarchy.as_ref()?;
        Some(request.hierarchy(name).content)
    };
    let quasi = quasi_columns(request, published).into_iter();
    let quasi: Vec<_> = quasi.map(|column| (column, tree_of(column))).collect();
    columns_say_nothing(&quasi).then(|| LeakKind::SaysNothing { count: published.rows, unit }.into())
}

/// What columns give away that nobody touches: values that nobody else has, alone or together, and free text. They are
/// the same before and after a run, so that a dry run can say it too.
pub(crate) fn of_untouched(request: &Request, table: &RawTable) -> Vec<Leak> {
    let untouched: Vec<&RawColumn> =
        table.columns.iter().filter(|column| is_untouched(request, column)).collect();
    let mut leaks = Vec::new();
    let mut alone = false;
    let missing = request.policy().data.missing_texts();
    for column in &untouched {
        let values = folded(column, &missing);
        if let Some(unique) = nearly_unique(values.iter().flatten().copied(), table.rows) {
            alone = true;
            leaks.push(LeakKind::UniqueValues { count: unique, of: table.rows }.of_column(&column.name));
        }
        if let Some(text) = free_text(column, &missing) {
            leaks
                .push(LeakKind::FreeText { count: text.distinct, words: text.words }.of_column(&column.name));
        }
    }
    let insensitive: Vec<&RawColumn> =
        untouched.into_iter().filter(|column| role(request, column) == Some(Role::Insensitive)).collect();
    // Together they are unique as well where one column alone is; that has been reported already.
    if !alone && insensitive.len() > 1 {
        let together = Classes::of(table.rows, &insensitive).class_of;
        leaks.extend(nearly_unique(together.iter().copied(), table.rows).map(|unique| {
            let columns = insensitive.iter().map(|column| column.name.clone()).collect();
            LeakKind::UniqueCombinations { count: unique, of: table.rows, columns }.into()
        }));
    }
    leaks
}

/// Whether values that are published as they are name people: they hold what an identifier holds. Only the original can
/// show that, and only identifiers that were read.
pub(crate) fn of_names(request: &Request, original: &RawTable) -> Vec<Leak> {
    let identifiers =
        original.columns.iter().filter(|column| role(request, column) == Some(Role::Identifier));
    let known: HashSet<PersonKey> = identifiers.flat_map(names).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let untouched = original.columns.iter().filter(|column| is_untouched(request, column));
    let found =
        untouched.map(|column| (column, naming_records(column, &known))).filter(|(_, records)| *records > 0);
    found
        .map(|(column, count)| LeakKind::NamesPeople { count, of: original.rows }.of_column(&column.name))
        .collect()
}

/// How many records are unique, where most are.
fn nearly_unique(values: impl Iterator<Item = u32> + Clone, rows: usize) -> Option<usize> {
    let unique = unique_records(values);
    // A table of one record is always unique; that says nothing.
    (rows > 1 && unique as f64 > NEARLY * rows as f64).then_some(unique)
}

fn role(request: &Request, column: &RawColumn) -> Option<Role> {
    request.policy().columns.get(&column.name).map(|policy| policy.role)
}

fn is_untouched(request: &Request, column: &RawColumn) -> bool {
    match role(request, column) {
        Some(Role::Sensitive | Role::Insensitive) => true,
        Some(Role::Identifier | Role::QuasiIdentifier | Role::PersonalK) | None => false,
    }
}
