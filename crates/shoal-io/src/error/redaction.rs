//! Errors of reading and writing without anything from the data. Names of files, columns and sheets stay.

use shoal_core::without_texts;

use super::{ReadError, WriteError};

impl ReadError {
    /// The message without anything from the data. A header is part of the data where it may be a record.
    pub fn redacted(&self) -> String {
        match self {
            ReadError::NotFound { .. }
            | ReadError::Unreadable { .. }
            | ReadError::BadGlob { .. }
            | ReadError::NoMatch { .. }
            | ReadError::Empty { .. }
            | ReadError::Ragged { .. }
            | ReadError::InvalidUtf8 { .. }
            | ReadError::NotInEncoding { .. }
            | ReadError::Unmarked { .. }
            | ReadError::OpenQuote { .. }
            | ReadError::TextAfterQuote { .. }
            | ReadError::NamesMissing { .. }
            | ReadError::NamesCount { .. }
            | ReadError::Corrupt { .. }
            | ReadError::NotPacked { .. }
            | ReadError::NoSheet { .. }
            | ReadError::OtherFormat { .. }
            | ReadError::UnsupportedType { .. }
            | ReadError::ListDiffers { .. }
            | ReadError::ListOrValue { .. }
            | ReadError::NotLines { .. }
            | ReadError::NoBatches { .. }
            | ReadError::ListBatchDiffers { .. }
            | ReadError::NoLines { .. }
            | ReadError::LineTooLong { .. }
            | ReadError::ValueTooLong { .. }
            | ReadError::TooManyColumns { .. }
            | ReadError::TooManyRows { .. }
            | ReadError::TooManyCells { .. }
            | ReadError::LineNotUtf8 { .. }
            | ReadError::NotABasketFile { .. } => self.to_string(),

            ReadError::DecimalPoint { file, column, row: _, value: _ } => {
                without_texts(self, &[file, column])
            }
            ReadError::Cell { file, sheet, cell, what: _ } => without_texts(self, &[file, sheet, cell]),
            ReadError::BadValue { file, column, kind, why: _ } => without_texts(self, &[file, column, kind]),
            ReadError::HeaderDiffers { file, first_file, column: _, expected: _, found: _ } => {
                without_texts(self, &[file, first_file])
            }
            ReadError::Nested { file, what, line: _, path: _ } => without_texts(self, &[file, what]),
            // What a parser, a library or a server says may quote what it has read.
            ReadError::Postgres(error) => without_texts(self, &[&error.place]),
            ReadError::Groups { file, problem: _ }
            | ReadError::Parquet { file, why: _ }
            | ReadError::Arrow { file, why: _ }
            | ReadError::Excel { file, why: _ }
            | ReadError::Sqlite { file, why: _, hint: _ }
            | ReadError::NotJson { file, line: _, why: _ }
            | ReadError::Batches { file, why: _ }
            | ReadError::DuplicateName { file, name: _, first: _, second: _ }
            | ReadError::KeyTwice { file, line: _, name: _ } => without_texts(self, &[file]),
        }
    }
}

impl WriteError {
    /// The message without anything from the data.
    pub fn redacted(&self) -> String {
        match self {
            WriteError::MissingFolder { .. }
            | WriteError::IsFolder { .. }
            | WriteError::Io { .. }
            | WriteError::NoColumns { .. }
            | WriteError::NotWritten { .. }
            | WriteError::OtherEnding { .. }
            | WriteError::NotABasketFile { .. }
            | WriteError::NoLists { .. }
            | WriteError::NotACopy { .. }
            | WriteError::LostNulls { .. }
            | WriteError::WithoutGroups { .. }
            | WriteError::NoPlaceForGroups { .. }
            | WriteError::NotTheVerifiedBytes { .. } => self.to_string(),

            // What a library or a server says may quote what it was given.
            WriteError::Postgres(error) => without_texts(self, &[&error.place]),
            WriteError::Parquet { path, why: _ }
            | WriteError::UnreadableItem { path, item: _, separator: _ } => {
                without_texts(self, &[&path.to_string_lossy()])
            }
            WriteError::Batches { why: _ } => without_texts(self, &[]),
        }
    }
}

#[cfg(test)]
mod tests;
