//! How to mend what was wrong with a source.

use std::io;

use super::ReadError;
use crate::encoding::TextEncoding;

impl ReadError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ReadError::NotFound { .. } => "check the path; in a policy it is relative to the policy's folder",
            ReadError::Groups { .. } => {
                "take it from the release again: it is published with the file, and neither is changed afterwards"
            }
            ReadError::Unreadable { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => "you may not read this file; ask its owner",
                io::ErrorKind::IsADirectory => {
                    "this is a folder; name a file, or a pattern such as `folder/*.csv`"
                }
                _ => "check the disk or the connection, then try again",
            },
            ReadError::BadGlob { .. } => "use `*` and `?`; write `[*]` for a star that is part of a name",
            ReadError::NoMatch { .. } => "check the folder and the ending; quote the pattern in a shell",
            ReadError::Empty { .. } => {
                "give a file with a header line, or with `header = false` at least one row"
            }
            ReadError::Ragged { .. } => {
                "check the separator; a field that contains it must be in double quotes"
            }
            ReadError::InvalidUtf8 { likely, .. } | ReadError::LineNotUtf8 { likely, .. } => {
                not_utf8(*likely)
            }
            ReadError::Unmarked { encoding, .. } => not_utf8(Some(*encoding)),
            ReadError::NotInEncoding { .. } => {
                "check `encoding` in [data]; where the file is UTF-8 remove the key, where its end is cut off fetch it again"
            }
            ReadError::OpenQuote { .. } => {
                "close the quote; a double quote inside a quoted field is written twice"
            }
            ReadError::TextAfterQuote { .. } => {
                "quote the whole field; a double quote inside a quoted field is written twice"
            }
            ReadError::DuplicateName { .. } => "rename one of the columns",
            ReadError::HeaderDiffers { .. } => "files of one source need the same columns in the same order",
            ReadError::NamesMissing { .. } => {
                "list the names: `names = [\"age\", …]`, or set `header = true`"
            }
            ReadError::NamesCount { .. } => "give one name per column, in order; check the separator too",
            ReadError::Corrupt { .. } => "fetch the file again; its copy is damaged or was cut off",
            ReadError::Parquet { .. } => {
                "check that the file is whole; pages packed by snappy, gzip or zstd are read"
            }
            ReadError::Arrow { .. } => {
                "check that the file is whole; Arrow files and streams are read, plain or packed by LZ4 or Zstandard (docs/limits.md)"
            }
            ReadError::Excel { .. } => {
                "open it in Excel or LibreOffice and save it as .xlsx or CSV; a password must be removed before (docs/limits.md)"
            }
            ReadError::NoSheet { .. } => "name one of them in [data]:  sheet = \"…\"",
            ReadError::Cell { .. } => {
                "a sheet must hold one table: names in its first row, a record per row, no title above, no merged cells, no errors; correct it, or export that part as CSV"
            }
            ReadError::DecimalPoint { .. } => {
                "remove  decimal = \",\"  from [data] where numbers have a point; where both occur, write them in one way before"
            }
            ReadError::Postgres(error) => error.hint,
            ReadError::Sqlite { hint, .. }
            | ReadError::OtherFormat { hint, .. }
            | ReadError::NotPacked { hint, .. } => hint,
            ReadError::UnsupportedType { .. } => {
                "turn the column into text or numbers before, or leave it out; only one column may hold lists: the items"
            }
            ReadError::ListDiffers { .. } => "store the column in the same way in all files",
            ReadError::NotJson { .. } => {
                "a table is an object per line, or an array of objects; where the list is inside an object, take it out: `jq -c '.list[]' in.json > out.ndjson`"
            }
            ReadError::Nested { .. } => {
                "flatten it before, e.g. `jq -c '.city = .address.city | del(.address)' in.json > out.ndjson`; one list of plain values per record can be the transactions' items: `items = \"…\"`"
            }
            ReadError::KeyTwice { .. } => "give each key once per object",
            ReadError::ListOrValue { .. } => "write a single item as a list of one",
            ReadError::NotLines { .. } => {
                "name the column of lists in data.items, or the columns of id and item in data.id and data.item"
            }
            ReadError::NoBatches { .. } => "give at least one batch; one without rows is enough",
            ReadError::Batches { .. } => "look for the cause where the batches are produced",
            ReadError::ListBatchDiffers { .. } => "store the column in the same way in all batches",
            ReadError::BadValue { .. } => {
                "texts must be UTF-8, times within the years of the calendar, and items without U+001F"
            }
            ReadError::NoLines { .. } => {
                "give a file with a line per transaction; a blank line is one without items"
            }
            ReadError::LineTooLong { .. } => {
                "a line is one record; check the separator, the quotes and where lines end (docs/limits.md)"
            }
            ReadError::ValueTooLong { .. } => {
                "check the separator and the quotes; very long texts are not published in columns (docs/limits.md)"
            }
            ReadError::TooManyColumns { .. } => {
                "leave out columns before, or turn them into rows (docs/limits.md)"
            }
            ReadError::TooManyRows { .. } | ReadError::TooManyCells { .. } => {
                "publish the data in parts, each of other people (docs/limits.md)"
            }
            ReadError::NotABasketFile { .. } => "name its column of items instead: `items = \"…\"`",
        }
    }
}

/// How to read a text that is not UTF-8.
fn not_utf8(likely: Option<TextEncoding>) -> &'static str {
    match likely.map(TextEncoding::label).as_deref() {
        Some("windows-1252") => {
            "it is most likely Windows-1252, which Excel writes: add  encoding = \"windows-1252\"  to [data], or save the file as UTF-8"
        }
        Some("utf-16le") => {
            "it looks like UTF-16: add  encoding = \"utf-16le\"  to [data], or save the file as UTF-8"
        }
        Some("utf-16be") => {
            "it looks like UTF-16: add  encoding = \"utf-16be\"  to [data], or save the file as UTF-8"
        }
        _ => {
            "name its encoding in [data], e.g.  encoding = \"windows-1251\"  or \"shift_jis\", or save the file as UTF-8; a packed file must end in .gz or .zst"
        }
    }
}
