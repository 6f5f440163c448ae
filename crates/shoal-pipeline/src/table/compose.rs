//! The published table: what the classes say, in the order in which it is written.

use shoal_core::{Policy, RawTable, SUPPRESSED, Table, TableRecoding};
use shoal_privacy::rows_as_published;

use crate::columns::{Composed, EarlierTexts, published_columns_with, reordered_codes};

/// Puts the recoded quasi-identifiers and the untouched columns together. `table` is the one that the
/// recoding refers to, `raw` what was read, `source_rows` where each record was in the source, `texts` what classes say as in an earlier
/// release.
pub(crate) fn compose(
    policy: &Policy,
    raw: &RawTable,
    source_rows: &[u32],
    table: &Table,
    recoding: &TableRecoding,
    texts: &EarlierTexts,
) -> Composed {
    let mut origin = published_rows(policy, recoding);
    if policy.output.keep_order {
        origin.sort_unstable_by_key(|&row| source_rows[row as usize]);
    }
    let columns = published_columns_with(policy, raw, table, recoding, texts, &origin);
    let mut published = RawTable { columns, rows: origin.len(), files: Vec::new() };
    if !policy.output.keep_order {
        let order = rows_as_published(&published);
        published.columns.iter_mut().for_each(|column| column.codes = reordered_codes(&column.codes, &order));
        origin = reordered_codes(&origin, &order);
    }
    Composed { published, origin }
}

/// Which records are published.
fn published_rows(policy: &Policy, recoding: &TableRecoding) -> Vec<u32> {
    let starred = policy.output.keeps_suppressed();
    let rows = 0..recoding.class_of.len() as u32;
    rows.filter(|&row| starred || recoding.class_of[row as usize] != SUPPRESSED).collect()
}
