use std::fs;
use std::io::{self, Cursor, Read};

use shoal_core::{Progress, RawTable, Silent};

use crate::collect::Collector;
use crate::compress::{NotPacked, unpack};
use crate::csv;
use crate::decimal::to_points;
use crate::digest::Digest;
use crate::encoding::{NotInEncoding, TextEncoding, applied, decoded, likely, likely_utf16, marked};
use crate::error::ReadError;
use crate::excel;
use crate::format::{Compression, Format, Layout};
use crate::ipc;
use crate::json;
use crate::parquet;
use crate::postgres::{self, is_postgres};
use crate::recognise;
use crate::source::{STDIN, Source};
use crate::sqlite;
use crate::stored::StoredBytes;

/// A source, read to its end.
#[derive(Clone, Debug)]
pub struct ReadTable {
    /// The columns that were wanted.
    pub table: RawTable,
    /// The names of all columns of the source.
    pub header: Vec<String>,
    /// The SHA-256 of the stored bytes in lower-case hex, as `sha256sum` prints it; of several files that
    /// of their bytes one after the other. The records of a database have no order that lasts: theirs is the digest that
    /// `docs/postgresql.md` describes, in which the order has no part. Record batches in memory have no stored bytes: theirs is the
    /// digest of the content that [`TableBuilder`](crate::TableBuilder) describes.
    pub sha256: String,
    /// How many bytes were stored; of record batches, how many bytes their content has as it is digested.
    pub bytes: u64,
    /// Whether there is a column of lists; see [`read_table_with_list`].
    pub listed: bool,
}

/// What separates the items of a list in the text of its cell: the unit separator of ASCII, which no
/// item may hold.
pub const ITEM_SEPARATOR: char = '\u{1f}';

/// Reads all records of a source. Columns that `keep` does not want are neither stored nor looked at,
/// beyond the check that they are UTF-8. A source with a header and no records is a table of no rows.
///
/// Progress counts stored bytes.
pub fn read_table(
    source: &Source,
    keep: &dyn Fn(&str) -> bool,
    progress: &dyn Progress,
) -> Result<ReadTable, ReadError> {
    read_all(source, Collector::new(keep, u64::MAX, source.limits, None), progress)
}

/// Like [`read_table`], but the column of this name may be a list where the format knows lists (Parquet).
/// The text of such a cell is its items with an [`ITEM_SEPARATOR`] between them; a list without items, and
/// one that is null, is the empty text. Nulls and empty texts inside a list are not items.
///
/// [`ReadTable::listed`] says whether it is a list.
pub fn read_table_with_list(
    source: &Source,
    keep: &dyn Fn(&str) -> bool,
    list: &str,
    progress: &dyn Progress,
) -> Result<ReadTable, ReadError> {
    read_all(source, Collector::new(keep, u64::MAX, source.limits, Some(list)), progress)
}

/// The names of a source's columns. Reads no more than the beginning of its first file. (Of standard input
/// this beginning is then gone.)
pub fn read_header(source: &Source) -> Result<Vec<String>, ReadError> {
    Ok(beginning(source, 0, &Silent)?.1)
}

/// The first records of a source with all columns, and no more of its files than needed.
pub fn sample(source: &Source, rows: usize, progress: &dyn Progress) -> Result<RawTable, ReadError> {
    Ok(beginning(source, rows as u64, progress)?.0)
}

/// The separator of a location's first file, for those who do not know it yet; see
/// [`separator_of`](crate::separator_of). Parquet has none.
pub fn sniff_separator(location: &str) -> Result<Option<u8>, ReadError> {
    Ok(sniff_head(location)?.and_then(|head| csv::separator_of(&head)))
}

/// The first bytes of a location's first file, unpacked and as UTF-8, for those who do not know yet how it is written. None where
/// it has no lines of fields, like Parquet.
pub fn sniff_head(location: &str) -> Result<Option<Vec<u8>>, ReadError> {
    const ENOUGH: u64 = 1 << 16;
    if is_postgres(location) {
        return Ok(None);
    }
    let files = Source::new(location).files()?;
    let file = &files[0];
    let format = Format::of(file);
    if format.layout != Layout::Csv {
        return Ok(None);
    }
    let (head, _) = beginning_of_text(file, format, ENOUGH)?;
    let encoding = likely(&head);
    let mut text = Vec::new();
    // What cannot be decoded ends the sample.
    let _ = decoded(&head, encoding, Box::new(&head[..])).read_to_end(&mut text);
    Ok(Some(text))
}

/// How the text of a location's first file is stored, where that is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEncoding {
    /// The encoding.
    pub encoding: TextEncoding,
    /// What gives it away.
    pub because: String,
}

/// Finds out how the text of a location's first file is stored, for those who do not know it yet. `None` for UTF-8, for
/// layouts without text, and where nothing is likely. No more than the first 64 MiB are looked at.
pub fn sniff_encoding(location: &str) -> Result<Option<FoundEncoding>, ReadError> {
    const ENOUGH: u64 = 64 << 20;
    // A server says how its texts are stored.
    if is_postgres(location) {
        return Ok(None);
    }
    let files = Source::new(location).files()?;
    let file = &files[0];
    let format = Format::of(file);
    if !format.layout.is_text() || file == STDIN {
        return Ok(None);
    }
    let (text, whole) = beginning_of_text(file, format, ENOUGH)?;
    let found = |encoding, because: &str| Ok(Some(FoundEncoding { encoding, because: because.to_owned() }));
    match marked(&text) {
        Some(encoding) if encoding == TextEncoding::UTF_8 => return Ok(None),
        Some(encoding) => return found(encoding, "the file begins with its byte order mark"),
        None => {}
    }
    if let Some(encoding) = likely_utf16(&text) {
        return found(encoding, "every other byte is 0");
    }
    let Err(error) = std::str::from_utf8(&text) else { return Ok(None) };
    // A character that is cut off by the end of what was read is no mistake.
    if error.error_len().is_none() && !whole {
        return Ok(None);
    }
    let at = error.valid_up_to();
    let Some(encoding) = likely(&text[at..text.len().min(at + (1 << 16))]) else { return Ok(None) };
    let line = 1 + memchr::memchr_iter(b'\n', &text[..at]).count();
    let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let start = at - text[..at].iter().rev().take(20).take_while(is_letter).count();
    let end = at + text[at..].iter().take(20).take_while(is_letter).count();
    let mut word = String::new();
    let _ = decoded(&[], Some(encoding), Box::new(&text[start..end])).read_to_string(&mut word);
    let because = format!("line {line} is not UTF-8, and reads `{word}` so");
    Ok(Some(FoundEncoding { encoding, because }))
}

/// The encoding that a file of a source is decoded from; `None` for UTF-8.
pub(crate) fn encoding_of(source: &Source, file: &str) -> Result<Option<TextEncoding>, ReadError> {
    let (head, _) = beginning_of_text(file, source.format_of(file), 4)?;
    Ok(applied(&head, source.encoding))
}

/// The first bytes of a text inside its packing, at most `limit`, and whether they are all there are.
fn beginning_of_text(file: &str, format: Format, limit: u64) -> Result<(Vec<u8>, bool), ReadError> {
    let mut stored = StoredBytes::open(file, None, &Silent)?;
    let head = unpack(format.compression, &mut stored).and_then(|text| csv::head(text, limit));
    let head = head.map_err(|source| ReadError::Unreadable { file: file.to_owned(), source });
    let head = head.map_err(|error| blame(error, format.compression, stored.failed()))?;
    let whole = (head.len() as u64) < limit;
    Ok((head, whole))
}

/// Reads the files of a source one after the other and returns the SHA-256 and the number of their stored
/// bytes. `read` gets the name of a file, its layout, and what is inside its packing.
pub(crate) fn each_file(
    source: &Source,
    progress: &dyn Progress,
    mut read: impl FnMut(&str, Layout, Box<dyn Read + '_>) -> Result<(), ReadError>,
) -> Result<(String, u64), ReadError> {
    let files = source.files()?;
    progress.stage("reading", stored_size(&files));
    let mut digest = Digest::default();
    let mut bytes = 0;
    for file in &files {
        let mut stored = StoredBytes::open(file, Some(&mut digest), progress)?;
        let format = source.format_of(file);
        read_unpacked(source, file, &mut stored, |input| read(file, format.layout, input))?;
        // A reader may stop before the end of a file; the digest must not.
        bytes += stored.drain().map_err(|error| ReadError::opening(file, error))?;
    }
    Ok((digest.hex(), bytes))
}

fn read_all(
    source: &Source,
    mut into: Collector<'_>,
    progress: &dyn Progress,
) -> Result<ReadTable, ReadError> {
    let (sha256, bytes) = match is_postgres(&source.location) {
        true => postgres::read(source, &mut into, progress)?,
        false => each_file(source, progress, |file, layout, input| {
            read_records(source, file, layout, input, &mut into, progress)
        })?,
    };
    let listed = into.gathered().is_listed();
    let (mut table, header) = into.finish();
    to_points(&mut table, &source.comma_numbers)?;
    Ok(ReadTable { table, header, sha256, bytes, listed })
}

fn stored_size(files: &[String]) -> u64 {
    files
        .iter()
        .filter(|file| *file != STDIN)
        .filter_map(|file| fs::metadata(file).ok())
        .map(|m| m.len())
        .sum()
}

fn beginning(
    source: &Source,
    rows: u64,
    progress: &dyn Progress,
) -> Result<(RawTable, Vec<String>), ReadError> {
    // Where only the header is wanted, no column has to be read.
    let keep = |_: &str| rows > 0;
    let mut collector = Collector::new(&keep, rows, source.limits, None);
    if is_postgres(&source.location) {
        postgres::read(source, &mut collector, progress)?;
        return Ok(collector.finish());
    }
    for file in &source.files()? {
        let format = source.format_of(file);
        if format == (Format { layout: Layout::Parquet, compression: Compression::None }) {
            // Its pages are looked at before they are unpacked, so all of it has to be in memory.
            let bytes = fs::read(file).map_err(|error| ReadError::opening(file, error))?;
            recognise::check(file, format, &bytes[..bytes.len().min(4096)])?;
            parquet::read(file, bytes::Bytes::from(bytes), &source.limits, &mut collector, progress)?;
        } else {
            let mut stored = StoredBytes::open(file, None, progress)?;
            read_unpacked(source, file, &mut stored, |input| {
                read_records(source, file, format.layout, input, &mut collector, progress)
            })?;
        }
        if collector.is_full() {
            break;
        }
    }
    Ok(collector.finish())
}

/// Reads what is inside a file's packing, texts as UTF-8.
fn read_unpacked(
    source: &Source,
    file: &str,
    stored: &mut StoredBytes<'_>,
    read: impl FnOnce(Box<dyn Read + '_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let format = source.format_of(file);
    let unreadable = |source| ReadError::Unreadable { file: file.to_owned(), source };
    let outcome = unpack(format.compression, &mut *stored).and_then(peek).map_err(unreadable);
    let outcome = outcome.and_then(|(head, input)| {
        recognise::check(file, format, &head)?;
        if !format.layout.is_text() {
            return read(input);
        }
        if source.encoding.is_none()
            && marked(&head).is_none()
            && let Some(encoding) = likely_utf16(&head)
        {
            return Err(ReadError::Unmarked { file: file.to_owned(), encoding });
        }
        read(decoded(&head, source.encoding, input))
    });
    outcome.map_err(|error| blame(error, format.compression, stored.failed()))
}

/// The first bytes of an input, and the whole of it.
pub(crate) fn peek<'a>(mut input: Box<dyn Read + 'a>) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    const ENOUGH: u64 = 4096;
    let mut head = Vec::new();
    input.by_ref().take(ENOUGH).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(input);
    Ok((head, Box::new(whole)))
}

fn read_records(
    source: &Source,
    file: &str,
    layout: Layout,
    mut input: Box<dyn Read + '_>,
    into: &mut Collector<'_>,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    match layout {
        Layout::Csv => {
            csv::read(file, input, &source.csv, source.limits, into)?;
            into.gathered().note_list(false)
        }
        Layout::Json => json::read(file, input, source.limits, into),
        // These are not read from front to back. Taken into memory, what is hashed is what is read.
        Layout::Parquet => parquet::read(file, whole(file, &mut input)?, &source.limits, into, progress),
        Layout::Arrow => ipc::read(file, whole(file, &mut input)?, &source.limits, into, progress),
        Layout::Excel => {
            let (bytes, sheet) = (whole(file, &mut input)?, source.sheet.as_deref());
            excel::read(file, bytes, sheet, &source.csv, &source.limits, into, progress)
        }
        Layout::Sqlite => {
            let (bytes, query) = (whole(file, &mut input)?, source.query.as_ref());
            sqlite::read(file, bytes, query, &source.limits, into, progress)
        }
    }
}

/// All bytes of an input.
fn whole(file: &str, input: &mut dyn Read) -> Result<bytes::Bytes, ReadError> {
    let mut bytes = Vec::new();
    let taken = input.read_to_end(&mut bytes);
    taken.map_err(|source| ReadError::Unreadable { file: file.to_owned(), source })?;
    Ok(bytes::Bytes::from(bytes))
}

/// The sheets of an Excel file that hold anything.
pub(crate) fn filled_sheets(source: &Source, file: &str) -> Result<Vec<String>, ReadError> {
    let mut stored = StoredBytes::open(file, None, &Silent)?;
    let mut sheets = Vec::new();
    read_unpacked(source, file, &mut stored, |mut input| {
        sheets = excel::filled_sheets(file, whole(file, &mut input)?, &source.limits)?;
        Ok(())
    })?;
    Ok(sheets)
}

/// Reading can fail in the device or in the packing; from above both look alike.
fn blame(error: ReadError, compression: Compression, device_failed: bool) -> ReadError {
    let error = match error {
        ReadError::Unreadable { file, source } => not_in_encoding(file, source),
        error => error,
    };
    match error {
        ReadError::Unreadable { file, source } if compression != Compression::None && !device_failed => {
            let not_packed = source.get_ref().and_then(|inner| inner.downcast_ref::<NotPacked>());
            if let Some((is, hint)) = not_packed.and_then(|found| recognise::instead_of_packed(&found.head)) {
                return ReadError::NotPacked { file, packing: compression.name(), is, hint };
            }
            ReadError::Corrupt { file, packing: compression.name(), source }
        }
        error => error,
    }
}

/// A text that cannot be decoded fails as a device does, since readers know of no other way.
fn not_in_encoding(file: String, source: io::Error) -> ReadError {
    match source.get_ref().and_then(|inner| inner.downcast_ref::<NotInEncoding>()) {
        Some(&NotInEncoding { encoding, line, offset }) => {
            ReadError::NotInEncoding { file, encoding, line, offset }
        }
        None => ReadError::Unreadable { file, source },
    }
}
