//! The published table: what the classes say, in the order in which it is written.

use shoal_core::policy::SuppressedPolicy;
use shoal_core::{
    Cell, Place, Policy, RawColumn, RawColumnBuilder, RawTable, Role, SUPPRESSED, Table, TableRecoding,
};

use crate::order::PublishedPlaces;

/// A table to be written, and for each of its rows the record it comes from.
pub(crate) struct Composed {
    /// What is written.
    pub published: RawTable,
    /// For each published row its original record. The verifier checks this claim, it does not trust it.
    pub origin: Vec<u32>,
}

/// Puts the recoded quasi-identifiers and the untouched columns together. `table` is the one that the
/// recoding speaks of, `raw` what was read, `source_rows` where each record stood in the source.
pub(crate) fn compose(
    policy: &Policy,
    raw: &RawTable,
    source_rows: &[u32],
    table: &Table,
    recoding: &TableRecoding,
) -> Composed {
    let mut origin = published_rows(policy, recoding);
    if policy.output.keep_order {
        origin.sort_unstable_by_key(|&row| source_rows[row as usize]);
    }
    let columns = published_columns(raw, table, recoding, &origin);
    let mut published = RawTable { columns, rows: origin.len(), files: Vec::new() };
    if !policy.output.keep_order {
        let order = PublishedPlaces::of(&published).sorted(published.rows);
        published.columns.iter_mut().for_each(|column| column.codes = reordered_codes(&column.codes, &order));
        origin = reordered_codes(&origin, &order);
    }
    Composed { published, origin }
}

/// What is published of every column, in the order of the source.
pub(crate) fn published_columns(
    raw: &RawTable,
    table: &Table,
    recoding: &TableRecoding,
    origin: &[u32],
) -> Vec<RawColumn> {
    let mut quasi = 0;
    let mut columns = Vec::new();
    for column in table.columns.iter().filter(|c| c.role.is_published()) {
        if column.role == Role::QuasiIdentifier {
            columns.push(recoded(column, quasi, recoding, origin));
            quasi += 1;
        } else if let Some(untouched) = raw.column(&column.name) {
            columns.push(reordered(untouched, origin));
        }
    }
    columns
}

/// Which records are published.
fn published_rows(policy: &Policy, recoding: &TableRecoding) -> Vec<u32> {
    let starred = policy.output.suppressed == SuppressedPolicy::Star;
    let rows = 0..recoding.class_of.len() as u32;
    rows.filter(|&row| starred || recoding.class_of[row as usize] != SUPPRESSED).collect()
}

/// A quasi-identifier: every distinct text once, then a code per row. Two classes may well say the same.
fn recoded(column: &shoal_core::Column, quasi: usize, recoding: &TableRecoding, origin: &[u32]) -> RawColumn {
    let mut builder = RawColumnBuilder::new(column.name.clone());
    for class in &recoding.classes {
        builder.push(&column.render(&class.cells[quasi]), Place::default());
    }
    builder.push(&column.render(&Cell::Suppressed), Place::default());
    let mut texts = builder.finish();
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
