//! Sensitive values that look alike, as one.

use std::borrow::Cow;

use shoal_core::{Column, Role, Table};

/// The table as algorithms see it: in its sensitive columns, texts that look alike are one value. What is published of
/// them are the texts as they were, and the verifier, too, counts what a reader would count.
pub(crate) fn with_alike_merged<'a>(table: Cow<'a, Table>) -> Cow<'a, Table> {
    let merged = |column: &Column| match column.role {
        Role::Sensitive => column.merged(),
        Role::Identifier | Role::QuasiIdentifier | Role::Insensitive | Role::PersonalK => None,
    };
    let merged: Vec<(usize, Column)> =
        (0..).zip(&table.columns).filter_map(|(number, column)| Some((number, merged(column)?))).collect();
    if merged.is_empty() {
        return table;
    }
    let mut table = table.into_owned();
    merged.into_iter().for_each(|(number, column)| table.columns[number] = column);
    Cow::Owned(table)
}
