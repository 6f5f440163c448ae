//! Columns that are published as they are.

use std::collections::HashSet;

use shoal_core::{RawColumn, RawTable, Role};
use shoal_measure::leaks::{folded, free_text, names, naming_records, unique_records};
use shoal_privacy::Classes;

use super::Leak;
use crate::Request;

/// The share of records from which a column's values are called nearly unique.
const NEARLY: f64 = 0.5;

/// What columns give away that nobody touches: values that nobody else has, alone or together, and free text. They are
/// the same before and after a run, so that a dry run can say it too.
pub(crate) fn of_untouched(request: &Request, table: &RawTable) -> Vec<Leak> {
    let untouched: Vec<&RawColumn> =
        table.columns.iter().filter(|column| is_untouched(request, column)).collect();
    let mut leaks = Vec::new();
    let mut alone = false;
    for column in &untouched {
        let values = folded(column, &request.policy().data.missing);
        if let Some(unique) = nearly_unique(&values, table.rows) {
            alone = true;
            leaks.push(unique_values(&column.name, unique, table.rows));
        }
        if let Some(text) = free_text(column, &request.policy().data.missing) {
            let what = format!(
                "`{}` reads like free text ({} different texts of {:.0} words on average), which often names people, places \
                 and dates; it is published as it is",
                column.name, text.distinct, text.words
            );
            leaks.push(Leak::new("free-text", what).of_column(&column.name).counted(text.distinct));
        }
    }
    let insensitive: Vec<&RawColumn> =
        untouched.into_iter().filter(|column| role(request, column) == Some(Role::Insensitive)).collect();
    // Together they are unique as well where one column alone is; that has been reported already.
    if !alone && insensitive.len() > 1 {
        let together = Classes::of(table.rows, &insensitive).class_of;
        leaks.extend(nearly_unique(&together, table.rows).map(|unique| {
            let names: Vec<String> = insensitive.iter().map(|column| format!("`{}`", column.name)).collect();
            let what = format!(
                "{unique} of {} records have values in {} together that no other record has: whoever knows them finds the \
                 record; make them quasi-identifiers if somebody could",
                table.rows,
                names.join(", ")
            );
            Leak::new("unique-combinations", what).counted(unique)
        }));
    }
    leaks
}

/// Whether values that are published as they are name people: they hold what an identifier holds. Only the original can
/// show that, and only identifiers that were read.
pub(crate) fn of_names(request: &Request, original: &RawTable) -> Vec<Leak> {
    let identifiers =
        original.columns.iter().filter(|column| role(request, column) == Some(Role::Identifier));
    let known: HashSet<String> = identifiers.flat_map(names).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let untouched = original.columns.iter().filter(|column| is_untouched(request, column));
    let found =
        untouched.map(|column| (column, naming_records(column, &known))).filter(|(_, records)| *records > 0);
    found
        .map(|(column, records)| {
            let name = &column.name;
            let what = format!(
                "{records} of {} records hold in `{name}`, which is published as it is, what an identifier holds: a name stays a name \
                 in any column",
                original.rows
            );
            Leak::new("names-people", what).of_column(name).counted(records)
        })
        .collect()
}

fn unique_values(column: &str, unique: usize, rows: usize) -> Leak {
    let what = format!(
        "{unique} of {rows} records have a value in `{column}` that no other record has: whoever knows it finds the record, \
         whatever the crowd; make the column a quasi-identifier or leave it out if somebody could"
    );
    Leak::new("unique-values", what).of_column(column).counted(unique)
}

/// How many records are unique, where most are.
fn nearly_unique(values: &[u32], rows: usize) -> Option<usize> {
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
