//! What is published of the columns of a table.

use std::collections::HashMap;

use shoal_core::{
    Cell, Place, Policy, RawColumn, RawColumnBuilder, RawTable, Role, SUPPRESSED, Table, TableRecoding,
};

use super::ranges::with_plain_ranges;

/// A table to be written, and for each of its rows the record it comes from.
pub(crate) struct Composed {
    /// What is written.
    pub published: RawTable,
    /// For each published row its original record. The verifier checks this claim, it does not trust it.
    pub origin: Vec<u32>,
}

/// Classes that publish the texts of an earlier release, a text per quasi-identifier: the ends of an earlier range need not be values of
/// the new data, so that cells in codes could not say them.
#[derive(Debug, Default)]
pub(crate) struct EarlierTexts(pub HashMap<u32, Vec<String>>);

impl EarlierTexts {
    fn of(&self, class: usize, quasi: usize) -> Option<&String> {
        self.0.get(&(class as u32)).map(|texts| &texts[quasi])
    }
}

/// What is published of every column, in the order of the source.
pub(crate) fn published_columns(
    policy: &Policy,
    raw: &RawTable,
    table: &Table,
    recoding: &TableRecoding,
    origin: &[u32],
) -> Vec<RawColumn> {
    published_columns_with(policy, raw, table, recoding, &EarlierTexts::default(), origin)
}

/// The same, where some classes keep the texts of an earlier release.
pub(crate) fn published_columns_with(
    policy: &Policy,
    raw: &RawTable,
    table: &Table,
    recoding: &TableRecoding,
    texts: &EarlierTexts,
    origin: &[u32],
) -> Vec<RawColumn> {
    let mut quasi = 0;
    let mut columns = Vec::new();
    for column in table.columns.iter().filter(|c| c.role.is_published()) {
        if column.role == Role::QuasiIdentifier {
            columns.push(recoded(column, quasi, recoding, texts, origin));
            quasi += 1;
        } else if let Some(untouched) = raw.column(&column.name) {
            columns.push(reordered(untouched, origin));
        }
    }
    with_plain_ranges(policy, &mut columns);
    columns
}

/// A quasi-identifier: every distinct text once, then a code per row. Two classes may publish the same text.
fn recoded(
    column: &shoal_core::Column,
    quasi: usize,
    recoding: &TableRecoding,
    texts: &EarlierTexts,
    origin: &[u32],
) -> RawColumn {
    let mut builder = RawColumnBuilder::new(column.name.clone());
    for (number, class) in recoding.classes.iter().enumerate() {
        match texts.of(number, quasi) {
            Some(text) => builder.push(text, Place::default()),
            None => builder.push(&column.render(&class.cells[quasi]), Place::default()),
        }
    }
    builder.push(&column.render(&Cell::Suppressed), Place::default());
    let mut texts = builder.finish();
    // The builder has numbered the texts of the classes, and of `*` after them, as if each were a record; from these
    // the codes of the rows are looked up.
    let of_class = std::mem::take(&mut texts.codes);
    let star = of_class[recoding.classes.len()];
    texts.codes = origin
        .iter()
        .map(|&row| match recoding.class_of[row as usize] {
            SUPPRESSED => star,
            class => of_class[class as usize],
        })
        .collect();
    texts
}

/// A column as it was, in another order.
pub(crate) fn reordered(raw: &RawColumn, origin: &[u32]) -> RawColumn {
    RawColumn {
        name: raw.name.clone(),
        labels: raw.labels.clone(),
        first_seen: Vec::new(),
        null: raw.null,
        codes: reordered_codes(&raw.codes, origin),
    }
}

/// The codes of records in another order.
pub(crate) fn reordered_codes(codes: &[u32], origin: &[u32]) -> Vec<u32> {
    origin.iter().map(|&row| codes[row as usize]).collect()
}
