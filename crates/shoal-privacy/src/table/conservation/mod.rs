//! Conservation: the published file against the input.
//!
//! A release with the right class sizes and the wrong rows is wrong. So every published record names the
//! input record that it comes from. That witness is not trusted either: no record may be named twice, and
//! what is published must be true of the record that is named. Quasi-identifiers must cover the original
//! value, everything else that is published must be the original value, and nothing may be published, or
//! be missing, that the roles do not allow.
//!
//! The hierarchies of the original's columns decide what a node covers, so they must be the policy's.

mod error;

use rayon::prelude::*;
use shoal_core::{Column, Progress, PublishedError, PublishedValue, RawColumn, RawTable, Role, Table};

pub use error::TableConservationError;

use crate::origin::{check_origins, number};

/// Compares a published file with its input.
///
/// `origin` holds, for every published record, the input record it comes from, both counted from 0;
/// `left_out` is how many input records are said not to be in the file. Columns are compared in parallel; the
/// error is that of the first bad column, at its first bad row.
pub fn check(
    original: &Table,
    published: &RawTable,
    origin: &[u32],
    left_out: usize,
    progress: &dyn Progress,
) -> Result<(), TableConservationError> {
    check_origins(original.rows, published.rows, origin, left_out)?;
    check_columns(original, published, None, origin, progress)
}

/// Compares the columns of a published file with those of its input, given that every record has an origin.
/// A column of `pseudonyms` stands beside them: it shows nothing of the input, whatever its name is there.
pub(crate) fn check_columns(
    original: &Table,
    published: &RawTable,
    pseudonyms: Option<&str>,
    origin: &[u32],
    progress: &dyn Progress,
) -> Result<(), TableConservationError> {
    let columns = pair_columns(original, published, pseudonyms)?;
    let checked: Vec<_> = columns
        .into_par_iter()
        .with_max_len(1)
        .map(|(from, to)| {
            progress.check();
            check_column(from, to, origin)
        })
        .collect();
    checked.into_iter().collect()
}

/// Every published column with the original that it shows: all that may be there and no other.
pub(crate) fn pair_columns<'a>(
    original: &'a Table,
    published: &'a RawTable,
    pseudonyms: Option<&str>,
) -> Result<Vec<(&'a Column, &'a RawColumn)>, TableConservationError> {
    for to in published.columns.iter().filter(|to| pseudonyms != Some(to.name.as_str())) {
        let column = to.name.clone();
        match original.columns.iter().find(|from| from.name == to.name) {
            None => return Err(TableConservationError::UnknownColumn { column }),
            Some(from) if !from.role.is_published() => {
                return Err(TableConservationError::Withheld { column, role: from.role });
            }
            Some(_) => {}
        }
    }
    let expected = original.columns.iter().filter(|from| from.role.is_published());
    expected
        .map(|from| match published.column(&from.name) {
            Some(to) => Ok((from, to)),
            None => Err(TableConservationError::LackingColumn { column: from.name.clone() }),
        })
        .collect()
}

fn check_column(from: &Column, to: &RawColumn, origin: &[u32]) -> Result<(), TableConservationError> {
    match from.role {
        Role::QuasiIdentifier => check_covered(from, to, origin),
        _ => check_unchanged(from, to, origin),
    }
}

fn check_covered(from: &Column, to: &RawColumn, origin: &[u32]) -> Result<(), TableConservationError> {
    let (domain, hierarchy) = (&from.domain, from.hierarchy.as_ref());
    let values = read_texts(from, to)?;
    let covers = |published: u32, code: u32| values[published as usize].covers(code, domain, hierarchy);
    first_untrue(from, to, origin, covers).map_or(Ok(()), |at| {
        let Untrue { row, original_row, text, cells } = at;
        Err(TableConservationError::NotCovered { row, original_row, column: from.name.clone(), text, cells })
    })
}

fn check_unchanged(from: &Column, to: &RawColumn, origin: &[u32]) -> Result<(), TableConservationError> {
    let codes: Vec<Option<u32>> = (0..to.labels.len() as u32)
        .map(|code| {
            if to.null == Some(code) {
                from.domain.missing()
            } else {
                from.domain.code_of(to.labels.get(code))
            }
        })
        .collect();
    let equals = |published: u32, code: u32| codes[published as usize] == Some(code);
    first_untrue(from, to, origin, equals).map_or(Ok(()), |at| {
        let Untrue { row, original_row, text, cells } = at;
        Err(TableConservationError::Changed { row, original_row, column: from.name.clone(), text, cells })
    })
}

/// What each distinct text of a quasi-identifier means. A null is the missing value.
pub(crate) fn read_texts(
    from: &Column,
    to: &RawColumn,
) -> Result<Vec<PublishedValue>, TableConservationError> {
    let read = |code: u32| {
        let text = to.labels.get(code);
        if to.null == Some(code) {
            let unknown = || PublishedError::Unknown { text: text.to_owned() };
            return from.domain.missing().map(PublishedValue::Exact).ok_or_else(unknown);
        }
        PublishedValue::parse(text, &from.domain, from.hierarchy.as_ref())
    };
    let place = |code: u32, source: PublishedError| {
        let row = number(to.codes.iter().position(|&other| other == code).unwrap_or(0));
        TableConservationError::Unreadable { row, column: from.name.clone(), source }
    };
    // In pieces, so that one column of many texts does not keep all others waiting; the first error is that of the first piece.
    let pieces: Vec<Result<Vec<PublishedValue>, TableConservationError>> = (0..to.labels.len() as u32)
        .into_par_iter()
        .chunks(4096)
        .map(|piece| piece.into_iter().map(|code| read(code).map_err(|source| place(code, source))).collect())
        .collect();
    let mut values = Vec::with_capacity(to.labels.len());
    for piece in pieces {
        values.append(&mut piece?);
    }
    Ok(values)
}

/// Where a published column is not true of the input.
struct Untrue {
    row: u64,
    original_row: u64,
    text: String,
    cells: usize,
}

fn first_untrue(
    from: &Column,
    to: &RawColumn,
    origin: &[u32],
    is_true: impl Fn(u32, u32) -> bool,
) -> Option<Untrue> {
    // Where null is the missing value, the empty text can be a value beside it under the same label; a
    // text that is the record's own label is true whichever of the two it was taken for.
    let same_text = |published: u32, code: u32| {
        to.null != Some(published) && to.labels.get(published) == from.domain.label(code)
    };
    let mut untrue = to.codes.iter().zip(origin).enumerate().filter(|(_, (published, row))| {
        let code = from.codes[**row as usize];
        !is_true(**published, code) && !same_text(**published, code)
    });
    let (row, (&published, &original_row)) = untrue.next()?;
    Some(Untrue {
        row: number(row),
        original_row: u64::from(original_row) + 1,
        text: to.labels.get(published).to_owned(),
        cells: 1 + untrue.count(),
    })
}
