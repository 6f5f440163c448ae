use rayon::prelude::*;
use shoal_core::{Column, PublishedError, PublishedValue, RawColumn, RawTable, Role, Table};

use crate::MeasureError;
use crate::table::measure::find;

/// A quasi-identifier of a published file: each distinct text read once, and how often it occurs there, so
/// that a loss costs time in the number of distinct texts and not of records.
#[derive(Clone, Debug)]
pub struct QuasiColumn<'a> {
    /// The column before.
    pub original: &'a Column,
    /// The column after.
    pub published: &'a RawColumn,
    /// What each distinct text says, and in how many records.
    pub values: Vec<(PublishedValue, u64)>,
}

impl<'a> QuasiColumn<'a> {
    /// Reads a published column.
    pub fn read(original: &'a Column, published: &'a RawColumn) -> Result<Self, MeasureError> {
        let mut counts = vec![0; published.labels.len()];
        published.codes.iter().for_each(|&code| counts[code as usize] += 1);
        let unreadable = |code: u32, source: PublishedError| {
            // Looked for only now: most files have no unreadable value.
            let row = published.codes.iter().position(|&other| other == code).unwrap_or(0) as u64 + 1;
            MeasureError::Unreadable { column: original.name.clone(), row, source }
        };
        let read = |(code, count): (u32, u64)| {
            value(original, published, code)
                .map(|value| (value, count))
                .map_err(|source| unreadable(code, source))
        };
        let values = (0..).zip(counts).map(read).collect::<Result<_, _>>()?;
        Ok(QuasiColumn { original, published, values })
    }

    /// The sum of a cell's loss over the records of the file, and `suppressed` for each of the `left_out`.
    pub fn sum(&self, left_out: u64, suppressed: f64, loss: impl Fn(&PublishedValue, &Column) -> f64) -> f64 {
        let inside: f64 =
            self.values.iter().map(|(value, count)| loss(value, self.original) * *count as f64).sum();
        inside + left_out as f64 * suppressed
    }
}

/// Reads all quasi-identifiers, of which there must be one.
pub(crate) fn read_all<'a>(
    original: &'a Table,
    published: &'a RawTable,
) -> Result<Vec<QuasiColumn<'a>>, MeasureError> {
    let columns: Vec<_> = original.of_role(Role::QuasiIdentifier).collect();
    if columns.is_empty() {
        return Err(MeasureError::NoQuasiIdentifier);
    }
    let read = |column: &&'a Column| QuasiColumn::read(column, find(published, &column.name)?);
    // Collected before errors are looked at, so that the first bad column is named for any thread count.
    columns.par_iter().map(read).collect::<Vec<_>>().into_iter().collect()
}

/// `*` is read as suppression also where it is the root of a hierarchy, so that a record of stars and a
/// record that is left out have lost the same. A null is the missing value.
fn value(original: &Column, published: &RawColumn, code: u32) -> Result<PublishedValue, PublishedError> {
    let (text, domain) = (published.labels.get(code), &original.domain);
    if published.null == Some(code) {
        let unknown = || PublishedError::Unknown { text: text.to_owned() };
        return domain.missing().map(PublishedValue::Exact).ok_or_else(unknown);
    }
    match PublishedValue::parse(text, domain, original.hierarchy.as_ref())? {
        PublishedValue::Node(_) if text == "*" => Ok(PublishedValue::Suppressed),
        value => Ok(value),
    }
}

/// How many values an attribute has: the leaves of its hierarchy where there is one, else the values that
/// occur.
pub(crate) fn cardinality(column: &Column) -> usize {
    column.hierarchy.as_ref().map_or(column.domain.len(), |bound| bound.tree().leaf_count() as usize)
}
