use std::io::Read;

use shoal_core::{Progress, Transactions, TransactionsBuilder};

use super::BasketOptions;
use super::items::{items_of, original_items};
use crate::error::ReadError;
use crate::format::Layout;
use crate::limits::Limits;
use crate::lines::{LineError, Lines};
use crate::postgres::is_postgres;
use crate::read::each_file;
use crate::source::Source;

/// Transactions, read to their end.
#[derive(Clone, Debug)]
pub struct ReadTransactions {
    /// One a line, blank lines included.
    pub transactions: Transactions,
    /// How many items were in their transaction already. They were folded.
    pub repeated: usize,
    /// How many transactions have no item.
    pub empty: usize,
    /// The files that were read, in the order of the transactions.
    pub files: Vec<String>,
    /// The SHA-256 of the stored bytes in lower-case hex, as `sha256sum` prints it; of several files that
    /// of their bytes one after the other.
    pub sha256: String,
    /// How many bytes were stored.
    pub bytes: u64,
}

/// Reads all transactions of a source. A blank line is a transaction without items.
///
/// Progress counts stored bytes.
pub fn read_baskets(
    source: &Source,
    options: &BasketOptions,
    progress: &dyn Progress,
) -> Result<ReadTransactions, ReadError> {
    if is_postgres(&source.location) {
        // A database has columns, not lines.
        return Err(ReadError::NotLines { source_name: source.location.clone() });
    }
    let mut builder = TransactionsBuilder::default();
    let (mut empty, mut rows, mut files) = (0, 0, Vec::new());
    let (sha256, bytes) = each_file(source, progress, |file, layout, input| {
        if layout != Layout::Csv {
            return Err(ReadError::NotABasketFile { file: file.to_owned(), layout });
        }
        empty += read_file(file, input, *options, &source.limits, &mut rows, &mut builder)?;
        files.push(file.to_owned());
        Ok(())
    })?;
    let (transactions, repeated) = builder.finish();
    Ok(ReadTransactions { transactions, repeated, empty, files, sha256, bytes })
}

/// Adds one file's transactions, counts them in `rows`, and returns how many of them are empty.
fn read_file(
    file: &str,
    input: impl Read,
    options: BasketOptions,
    limits: &Limits,
    rows: &mut u64,
    into: &mut TransactionsBuilder,
) -> Result<usize, ReadError> {
    let mut lines = Lines::new(input, limits.line);
    let (mut count, mut empty) = (0_u64, 0);
    while let Some(line) = lines.next().map_err(|error| located(error, file, limits.line))? {
        if *rows == limits.most_rows() {
            return Err(ReadError::TooManyRows { file: file.to_owned(), limit: limits.most_rows() });
        }
        *rows += 1;
        let mut blank = true;
        if options.grouped {
            for item in items_of(line.text, options) {
                into.item(item);
                blank = false;
            }
        } else {
            for item in original_items(line.text, options.separator) {
                into.item(&item);
                blank = false;
            }
        }
        into.end();
        empty += usize::from(blank);
        count = line.number;
    }
    if count == 0 {
        return Err(ReadError::NoLines { file: file.to_owned() });
    }
    Ok(empty)
}

fn located(error: LineError, file: &str, limit: usize) -> ReadError {
    let file = file.to_owned();
    match error {
        LineError::Io(source) => ReadError::Unreadable { file, source },
        LineError::TooLong { line } => ReadError::LineTooLong { file, line, limit },
        LineError::NotUtf8 { line, offset, likely } => ReadError::LineNotUtf8 { file, line, offset, likely },
    }
}
