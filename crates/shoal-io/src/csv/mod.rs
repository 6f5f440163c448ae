//! Comma-separated values, also with other separators and quotes.

mod options;
mod records;
mod sniff;
mod split;
mod write;

use std::io::{self, Read};

pub use options::{CsvOptions, SeparatorError};
pub(crate) use sniff::first_records;
pub use sniff::{separator_of, unusual_separator_of};
pub(crate) use split::{Fields, Quoted, Rules, common_prefix};
pub(crate) use write::{push_field, write};

use crate::collect::Collector;
use crate::error::ReadError;
use crate::limits::Limits;
use records::{Records, Row, ScanError};

/// Reads one file's records into the collector, until its end or until the collector is full.
pub(crate) fn read(
    file: &str,
    input: impl Read,
    options: &CsvOptions,
    limits: Limits,
    into: &mut Collector<'_>,
) -> Result<(), ReadError> {
    let mut records = Records::new(input, options, limits);
    let fail = |error: ScanError, names: &[String]| located(error, file, names, limits);
    let Some(first) = records.next().map_err(|e| fail(e, &[]))? else {
        return Err(ReadError::Empty { file: file.to_owned() });
    };
    // Every further record must have as many fields as the first, whether that is a header or not.
    let expected = first.len();
    if options.header {
        into.begin(file, header_names(&first))?;
    } else {
        into.begin(file, given_names(file, &first, options)?)?;
        push(&first, into)?;
    }
    // What is like the record above is like the last that was pushed, so the first record after a header is not compared.
    let mut pushed = !options.header;
    while !into.is_full() {
        let row = if pushed { records.next_alike() } else { records.next() };
        let Some(row) = row.map_err(|e| fail(e, into.header()))? else { break };
        pushed = true;
        if row.len() != expected {
            let (line, found) = (row.line, row.len());
            return Err(ReadError::Ragged { file: file.to_owned(), line, expected, found });
        }
        push(&row, into)?;
    }
    Ok(())
}

/// The names of a header. A column whose header cell is empty, as pandas writes it above its index, is called `column1` after
/// its place.
fn header_names(first: &Row<'_>) -> Vec<String> {
    let name = |(at, cell): (usize, &str)| match cell {
        "" => format!("column{}", at + 1),
        _ => cell.to_owned(),
    };
    first.iter().enumerate().map(name).collect()
}

/// The names for a file without a header.
fn given_names(file: &str, first: &Row<'_>, options: &CsvOptions) -> Result<Vec<String>, ReadError> {
    let (names, columns) = (options.names.len(), first.len());
    if names == 0 {
        return Err(ReadError::NamesMissing { file: file.to_owned(), columns });
    }
    if names != columns {
        return Err(ReadError::NamesCount { file: file.to_owned(), line: first.line, names, columns });
    }
    Ok(options.names.clone())
}

fn push(row: &Row<'_>, into: &mut Collector<'_>) -> Result<(), ReadError> {
    let place = into.next_row(Some(row.line))?;
    for (column, builder) in into.kept() {
        match row.get(*column) {
            Some(text) => builder.push(text, place),
            None => builder.push_again(place),
        }
    }
    Ok(())
}

fn located(error: ScanError, file: &str, names: &[String], limits: Limits) -> ReadError {
    let file = file.to_owned();
    let name = |column: usize| names.get(column).cloned().unwrap_or_else(|| format!("#{}", column + 1));
    match error {
        ScanError::Io(source) => ReadError::Unreadable { file, source },
        ScanError::OpenQuote { line, column } => ReadError::OpenQuote { file, line, column: name(column) },
        ScanError::TextAfterQuote { line, column } => {
            ReadError::TextAfterQuote { file, line, column: name(column) }
        }
        ScanError::InvalidUtf8 { line, column, offset, likely } => {
            ReadError::InvalidUtf8 { file, line, column: name(column), offset, likely }
        }
        ScanError::TooLong { line } => ReadError::LineTooLong { file, line, limit: limits.line },
        ScanError::ValueTooLong { line, column } => {
            ReadError::ValueTooLong { file, line, column: name(column), limit: limits.value }
        }
    }
}

/// The first bytes of a text, at most `limit`.
pub(crate) fn head(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
