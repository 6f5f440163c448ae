mod hint;

use std::io;

use shoal_core::GroupsProblem;

use super::PostgresError;
use crate::encoding::TextEncoding;
use crate::format::Layout;

/// Why a file is not a dictionary of groups.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotADictionary {
    /// It has other columns.
    #[error("its columns are not `number` and `members`")]
    Columns,
    /// Its rows are not numbered groups in their order.
    #[error(transparent)]
    Groups(#[from] GroupsProblem),
    /// It says what a dictionary says, in other bytes.
    #[error(
        "it is not written as dictionaries are: a byte order mark, other line ends or quotes that nothing needs could mark it"
    )]
    Bytes,
}

/// Why a source cannot be read. `file` is the name as it was given, `-` for standard input; of record batches in
/// memory it is the name that their reader was given.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("{file}: there is no such file")]
    NotFound {
        /// The file.
        file: String,
    },
    /// The dictionary of groups beside published transactions is not one.
    #[error("{file}: {problem}")]
    Groups {
        /// The dictionary.
        file: String,
        /// What is wrong with it.
        problem: NotADictionary,
    },
    /// The operating system refuses the file.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The location is not a pattern that can be matched.
    #[error("`{pattern}` cannot be used as a pattern: {why}")]
    BadGlob {
        /// The location.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// The pattern matches no file.
    #[error("no file matches `{pattern}`")]
    NoMatch {
        /// The location.
        pattern: String,
    },
    /// There is not even a header.
    #[error("{file}: the file is empty")]
    Empty {
        /// The file.
        file: String,
    },
    /// A row has too many or too few fields.
    #[error("{file}, line {line}: {found} fields where {expected} are expected")]
    Ragged {
        /// The file.
        file: String,
        /// The line on which the row begins.
        line: u64,
        /// The number of columns.
        expected: usize,
        /// The number of fields.
        found: usize,
    },
    /// A byte that is not part of any UTF-8 text.
    #[error("{file}, line {line}, column {column}: not UTF-8 (byte {offset} of the text)")]
    InvalidUtf8 {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// The column's name, or `#` and its number in the header itself.
        column: String,
        /// How many bytes come before it in the (unpacked) file.
        offset: u64,
        /// The encoding that the text is in, by the look of it.
        likely: Option<TextEncoding>,
    },
    /// A byte that means nothing in the encoding of its text.
    #[error("{file}, line {line}: not {} (byte {offset} of the text)", encoding.label())]
    NotInEncoding {
        /// The file.
        file: String,
        /// The encoding.
        encoding: TextEncoding,
        /// The line.
        line: u64,
        /// How many bytes come before it in the (unpacked) file.
        offset: u64,
    },
    /// Two bytes a character, and nothing that says so.
    #[error("{file}: the text looks like UTF-16 without a byte order mark")]
    Unmarked {
        /// The file.
        file: String,
        /// The encoding.
        encoding: TextEncoding,
    },
    /// A quote is opened and the file ends.
    #[error("{file}, line {line}, column {column}: the quote that opens here is never closed")]
    OpenQuote {
        /// The file.
        file: String,
        /// The line of the opening quote.
        line: u64,
        /// The column's name, or `#` and its number in the header itself.
        column: String,
    },
    /// A field goes on after its closing quote.
    #[error("{file}, line {line}, column {column}: text after the closing quote")]
    TextAfterQuote {
        /// The file.
        file: String,
        /// The line of the closing quote.
        line: u64,
        /// The column's name, or `#` and its number in the header itself.
        column: String,
    },
    /// Two columns have one name.
    #[error("{file}: columns {first} and {second} are both named `{name}`")]
    DuplicateName {
        /// The file.
        file: String,
        /// The name.
        name: String,
        /// The first of the two columns, counted from 1.
        first: usize,
        /// The other one.
        second: usize,
    },
    /// The files of one source have different columns.
    #[error(
        "{file}: column {column} is {}, but {} in {first_file}",
        name_or_nothing(found),
        name_or_nothing(expected)
    )]
    HeaderDiffers {
        /// The file.
        file: String,
        /// The first file of the source.
        first_file: String,
        /// The first column that differs, counted from 1.
        column: usize,
        /// Its name in the first file, if that has as many columns.
        expected: Option<String>,
        /// Its name in this file, if this has as many columns.
        found: Option<String>,
    },
    /// There is no header and nobody named the columns.
    #[error("{file}: the file has no header, and its {columns} columns have no names")]
    NamesMissing {
        /// The file.
        file: String,
        /// How many columns its first row has.
        columns: usize,
    },
    /// There is no header and not one name a column.
    #[error("{file}, line {line}: {columns} columns, but {names} names are given")]
    NamesCount {
        /// The file.
        file: String,
        /// The line of the first row.
        line: u64,
        /// How many names there are.
        names: usize,
        /// How many columns the first row has.
        columns: usize,
    },
    /// The packing is broken or cut off.
    #[error("{file}: the {packing} data is damaged: {source}")]
    Corrupt {
        /// The file.
        file: String,
        /// gzip or Zstandard.
        packing: &'static str,
        /// What the unpacker said.
        source: io::Error,
    },
    /// The name says that it is packed, and it is not, or otherwise.
    #[error("{file}: this is not packed by {packing}, as its name says: it is {is}")]
    NotPacked {
        /// The file.
        file: String,
        /// gzip or Zstandard.
        packing: &'static str,
        /// What it is.
        is: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
    /// The Parquet file cannot be understood.
    #[error("{file}: not a Parquet file that can be read: {why}")]
    Parquet {
        /// The file.
        file: String,
        /// What the Parquet reader said.
        why: String,
    },
    /// The Arrow file cannot be understood.
    #[error("{file}: not an Arrow file that can be read: {why}")]
    Arrow {
        /// The file.
        file: String,
        /// What the Arrow reader said.
        why: String,
    },
    /// The Excel file cannot be understood.
    #[error("{file}: not an Excel file that can be read: {why}")]
    Excel {
        /// The file.
        file: String,
        /// What the reader said.
        why: String,
    },
    /// The workbook has no sheet of this name.
    #[error("{file}: there is no sheet `{sheet}`; there are {}", quoted(sheets))]
    NoSheet {
        /// The file.
        file: String,
        /// The sheet that is asked for.
        sheet: String,
        /// All sheets.
        sheets: Vec<String>,
    },
    /// A cell that cannot be part of a table.
    #[error("{file}, sheet {sheet}, cell {cell}: {what}")]
    Cell {
        /// The file.
        file: String,
        /// The sheet.
        sheet: String,
        /// The cell, such as `B7`.
        cell: String,
        /// What is wrong with it.
        what: String,
    },
    /// The SQLite database cannot be understood, or does not answer.
    #[error("{file}: {why}")]
    Sqlite {
        /// The file.
        file: String,
        /// What SQLite said.
        why: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A PostgreSQL server does not give what it is asked for.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// A number with a decimal point among those with decimal commas.
    #[error(
        "{file}, record {row}, column {column}: `{value}` has a decimal point where numbers have a decimal comma"
    )]
    DecimalPoint {
        /// The file.
        file: String,
        /// The record, from 1.
        row: u64,
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// A file of another format than its name says, or of one that is not read.
    #[error("{file}: this is {is}")]
    OtherFormat {
        /// The file.
        file: String,
        /// What it is.
        is: &'static str,
        /// What to do about it.
        hint: &'static str,
    },
    /// A column of Parquet or of record batches that is not one plain value a record.
    #[error("{file}, column {column}: values of the type {kind} cannot be read")]
    UnsupportedType {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its type as Arrow calls it.
        kind: String,
    },
    /// A column holds lists in one file of a source and plain values in another.
    #[error("{file}, column {column}: lists in one file and plain values in another, {first_file}")]
    ListDiffers {
        /// The file.
        file: String,
        /// The first file of the source.
        first_file: String,
        /// The column.
        column: String,
    },
    /// A line or an element of an array that is not a JSON object.
    #[error("{file}, line {line}: no JSON object: {why}")]
    NotJson {
        /// The file.
        file: String,
        /// The line on which it begins.
        line: u64,
        /// What is wrong.
        why: String,
    },
    /// A JSON value that is not one plain value.
    #[error("{file}, line {line}: `{path}` is {what}, and a column holds plain values")]
    Nested {
        /// The file.
        file: String,
        /// The line on which its record begins.
        line: u64,
        /// The way to it: keys with a dot between them.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// A key twice in one JSON object.
    #[error("{file}, line {line}: the key `{name}` is given twice")]
    KeyTwice {
        /// The file.
        file: String,
        /// The line on which its record begins.
        line: u64,
        /// The key.
        name: String,
    },
    /// The column of items holds lists in some records and plain values in others.
    #[error("{file}, line {line}, column {column}: lists in some records and plain values in others")]
    ListOrValue {
        /// The file.
        file: String,
        /// The line on which the record begins that differs from those before.
        line: u64,
        /// The column.
        column: String,
    },
    /// Transactions are asked for a line each, of a source that has columns.
    #[error("`{source_name}` has columns, not lines of items")]
    NotLines {
        /// The source.
        source_name: String,
    },
    /// There is no record batch, and only a batch has a schema.
    #[error("{file}: there is no record batch, so its columns are not known")]
    NoBatches {
        /// The name of the source.
        file: String,
    },
    /// The producer of the record batches fails.
    #[error("{file}: the next record batch cannot be produced: {why}")]
    Batches {
        /// The name of the source.
        file: String,
        /// What the producer said.
        why: String,
    },
    /// A column holds lists in one record batch and plain values in another.
    #[error("{file}, column {column}: lists in one record batch and plain values in another")]
    ListBatchDiffers {
        /// The name of the source.
        file: String,
        /// The column.
        column: String,
    },
    /// A value in a record batch that has no text.
    #[error("{file}, column {column}: a value of the type {kind} cannot be read: {why}")]
    BadValue {
        /// The name of the source.
        file: String,
        /// The column.
        column: String,
        /// Its type as Arrow calls it.
        kind: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is not a single transaction.
    #[error("{file}: the file is empty")]
    NoLines {
        /// The file.
        file: String,
    },
    /// A line that no record and no transaction can need.
    #[error("{file}, line {line}: the line is longer than {}", size(*limit))]
    LineTooLong {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// How many bytes a line may have.
        limit: usize,
    },
    /// A value that no record can need.
    #[error("{file}, line {line}, column {column}: the value is longer than {}", size(*limit))]
    ValueTooLong {
        /// The file.
        file: String,
        /// The line on which its record begins.
        line: u64,
        /// The column's name, or `#` and its number in the header itself.
        column: String,
        /// How many bytes a value may have.
        limit: usize,
    },
    /// More columns than are read.
    #[error("{file}: {columns} columns, but at most {limit} are read")]
    TooManyColumns {
        /// The file.
        file: String,
        /// How many columns there are.
        columns: usize,
        /// How many there may be.
        limit: usize,
    },
    /// More records than are read.
    #[error("{file}: more than {limit} records")]
    TooManyRows {
        /// The file in which the limit was passed.
        file: String,
        /// How many records there may be.
        limit: u64,
    },
    /// More values than can be held.
    #[error("{file}: more than {limit} values in {columns} columns")]
    TooManyCells {
        /// The file in which the limit was passed.
        file: String,
        /// How many columns are held.
        columns: usize,
        /// How many values there may be.
        limit: u64,
    },
    /// A line with a byte that is not part of any UTF-8 text.
    #[error("{file}, line {line}: not UTF-8 (byte {offset} of the text)")]
    LineNotUtf8 {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// How many bytes come before it in the (unpacked) file.
        offset: u64,
        /// The encoding that the text is in, by the look of it.
        likely: Option<TextEncoding>,
    },
    /// A file of columns where lines are expected.
    #[error("{file}: {} file has no lines of items", layout.with_article())]
    NotABasketFile {
        /// The file.
        file: String,
        /// What it is.
        layout: Layout,
    },
}

impl ReadError {
    /// The error for a file that does not open.
    pub(crate) fn opening(file: &str, source: io::Error) -> ReadError {
        let file = file.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => ReadError::NotFound { file },
            _ => ReadError::Unreadable { file, source },
        }
    }
}

/// A number of bytes as people say it.
fn size(bytes: usize) -> String {
    if bytes >= 1 << 20 { format!("{} MiB", bytes >> 20) } else { format!("{bytes} bytes") }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn name_or_nothing(name: &Option<String>) -> String {
    name.as_ref().map_or_else(|| "absent".to_owned(), |name| format!("`{name}`"))
}
