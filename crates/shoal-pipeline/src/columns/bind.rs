//! A policy meets the data: every column gets its role, kind, codes and hierarchy.

use std::collections::HashSet;

use shoal_core::hierarchy::BindError;
use shoal_core::policy::{ColumnPolicy, MissingPolicy, Shape};
use shoal_core::{
    BoundHierarchy, Column, DateFormat, Domain, RawColumn, RawTable, Role, Table, ValueParser,
    looks_generalized,
};

use crate::request::Asset;
use crate::table::{repeated_identifiers, same_person};
use crate::{Leak, PipelineError, Request, ValueAt};

/// The original data in codes, with the policy's hierarchies and no others: what the verifier compares with.
#[derive(Debug)]
pub(crate) struct Bound {
    /// All records of the source.
    pub table: Table,
    /// The records that the policy leaves out because a value is missing, ascending.
    pub incomplete: Vec<u32>,
    /// What is known of the records before anything is done to them, and should be reported.
    pub leaks: Vec<Leak>,
}

impl Bound {
    /// The records that have every value they must have, ascending; `None` where all of them do.
    pub(crate) fn complete_rows(&self) -> Option<Vec<u32>> {
        if self.incomplete.is_empty() {
            return None;
        }
        let mut complete = vec![true; self.table.rows];
        self.incomplete.iter().for_each(|&row| complete[row as usize] = false);
        Some((0..self.table.rows as u32).filter(|&row| complete[row as usize]).collect())
    }
}

/// Checks that policy and header name the same columns.
pub(crate) fn check_columns(request: &Request, header: &[String], source: &str) -> Result<(), PipelineError> {
    let policy = request.policy();
    // A file may have thousands of columns.
    let names: HashSet<&String> = header.iter().collect();
    if let Some(absent) = policy.columns.keys().find(|name| !names.contains(name)) {
        let message = format!("`{source}` has no column `{absent}`");
        let hint = format!("it has: {}", listed(header));
        return Err(request.complain_of_data(&format!("columns.{absent}"), message, hint, &[]));
    }
    if let Some(unnamed) = header.iter().find(|name| !policy.columns.contains_key(*name)) {
        let message = format!("column `{unnamed}` of `{source}` has no role");
        let hint = format!("no column gets a role silently: add  [columns.\"{unnamed}\"]  role = \"…\"");
        return Err(request.complain_of_data("columns", message, hint, &[unnamed]));
    }
    Ok(())
}

/// As many names as a person reads.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 50;
    match names.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        Some(more) => format!("{}, … and {more} more", names[..SHOWN].join(", ")),
        None => names.join(", "),
    }
}

/// Encodes what was read.
pub(crate) fn bind(request: &Request, raw: &RawTable) -> Result<Bound, PipelineError> {
    let policy = request.policy();
    let mut columns = Vec::new();
    let mut incomplete = Vec::new();
    for raw_column in &raw.columns {
        // Columns that the policy does not name were refused by `check_columns`.
        let Some(spec) = policy.columns.get(&raw_column.name) else { continue };
        let is_table = policy.data.shape == Shape::Table;
        let is_person = is_table && policy.data.person.as_ref() == Some(&raw_column.name);
        // Identifiers of tables are neither published nor used by algorithms. Sequences need theirs: it says whose
        // event a row is.
        if is_table && spec.role == Role::Identifier && !is_person {
            continue;
        }
        let mut column = bind_column(request, raw, raw_column, spec)?;
        if is_person {
            same_person(&mut column);
        }
        if let Some(missing) = column.domain.missing() {
            let rows = column.codes.iter().enumerate().filter(|&(_, &code)| code == missing);
            match spec.missing {
                // "Nobody" as a category would be one person with all such records.
                MissingPolicy::Category if is_person => {
                    let row = rows.map(|(row, _)| row).next().unwrap_or_default();
                    let at = Box::new(ValueAt::first(raw, raw_column, raw_column.codes[row]));
                    return Err(PipelineError::Nobodys { at });
                }
                MissingPolicy::Category => {}
                MissingPolicy::Suppress => incomplete.extend(rows.map(|(row, _)| row as u32)),
                MissingPolicy::Error => {
                    let row = rows.map(|(row, _)| row).next().unwrap_or_default();
                    let at = Box::new(ValueAt::first(raw, raw_column, raw_column.codes[row]));
                    return Err(PipelineError::MissingValue { at });
                }
            }
        }
        columns.push(column);
    }
    incomplete.sort_unstable();
    incomplete.dedup();
    let leaks = repeated_identifiers(request, raw);
    Ok(Bound { table: Table { columns, rows: raw.rows }, incomplete, leaks })
}

fn bind_column(
    request: &Request,
    raw: &RawTable,
    raw_column: &RawColumn,
    spec: &ColumnPolicy,
) -> Result<Column, PipelineError> {
    let name = raw_column.name.clone();
    let parser = parser(spec);
    let value_at = |raw_code: u32| Box::new(ValueAt::first(raw, raw_column, raw_code));
    let (domain, code_of) = Domain::of(raw_column, parser, &request.policy().data.missing)
        .map_err(|bad| PipelineError::NotOfKind { at: value_at(bad.raw_code), kind: spec.kind.name() })?;
    // Where a value of the domain occurs first in the source.
    let first_seen = |code: u32| {
        // Several texts may be one value, such as the tokens for a missing one. Any of them shows the place; this
        // runs for errors only.
        let raw_code = code_of.iter().position(|&c| c == code).unwrap_or_default();
        value_at(raw_code as u32)
    };
    let mut bound = None;
    if spec.role == Role::QuasiIdentifier
        && let Some(code) = (0..domain.len() as u32).find(|&c| looks_generalized(domain.label(c)))
    {
        return Err(PipelineError::LooksGeneralized { at: first_seen(code) });
    }
    // The policy's check lets only quasi-identifiers and sensitive columns have one.
    if let Some(file) = &spec.hierarchy {
        let Asset { place, content: tree } = request.hierarchy(file);
        let file = place.to_owned();
        // Below a root `*` a missing value joins the tree; any other tree would grow a root, and all distances change.
        if let Some(missing) = domain.missing()
            && spec.role == Role::Sensitive
            && tree.leaf(domain.label(missing)).is_none()
            && tree.label(tree.root()) != "*"
        {
            return Err(PipelineError::OutsideHierarchy { at: first_seen(missing), file });
        }
        bound = Some(BoundHierarchy::new(tree, &domain).map_err(|error| match error {
            BindError::Outside { code } => PipelineError::OutsideHierarchy { at: first_seen(code), file },
            BindError::Missing(error) => {
                PipelineError::Hierarchy { file, column: name.clone(), error: Box::new(error) }
            }
        })?);
    }
    if spec.role == Role::PersonalK {
        let is_k = |k: &f64| (1.0..=f64::from(u32::MAX)).contains(k);
        if let Some(code) = domain.positions().iter().position(|k| !is_k(k)) {
            return Err(PipelineError::PersonalK { at: first_seen(code as u32) });
        }
    }
    let codes = raw_column.codes.iter().map(|&raw_code| code_of[raw_code as usize]).collect();
    Ok(Column { name, role: spec.role, domain, hierarchy: bound, weight: spec.weight, codes })
}

/// How the texts of a column are read.
pub(crate) fn parser(spec: &ColumnPolicy) -> ValueParser {
    ValueParser::new(spec.kind, date_format(spec))
}

fn date_format(spec: &ColumnPolicy) -> DateFormat {
    // The policy's check has tried the format already.
    spec.format.as_deref().and_then(|f| DateFormat::new(f).ok()).unwrap_or_default()
}
