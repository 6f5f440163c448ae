use std::fs;
use std::io::Read;

use shoal_core::{Progress, RawTable, Silent};

use crate::collect::Collector;
use crate::compress::unpack;
use crate::csv;
use crate::digest::Digest;
use crate::error::ReadError;
use crate::format::{Compression, Format, Layout};
use crate::parquet;
use crate::source::{STDIN, Source};
use crate::stored::StoredBytes;

/// A source, read to its end.
#[derive(Clone, Debug)]
pub struct ReadTable {
    /// The columns that were wanted.
    pub table: RawTable,
    /// The names of all columns of the source.
    pub header: Vec<String>,
    /// The SHA-256 of the stored bytes in lower-case hex, as `sha256sum` prints it; of several files that
    /// of their bytes one after the other. Record batches in memory have no stored bytes: theirs is the
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

/// The first bytes of a location's first file, unpacked, for those who do not know yet how it is written. Parquet has no text.
pub fn sniff_head(location: &str) -> Result<Option<Vec<u8>>, ReadError> {
    const ENOUGH: u64 = 1 << 16;
    let files = Source::new(location).files()?;
    let file = &files[0];
    let format = Format::of(file);
    if format.layout == Layout::Parquet {
        return Ok(None);
    }
    let mut stored = StoredBytes::open(file, None, &Silent)?;
    let head = unpack(format.compression, &mut stored).and_then(|text| csv::head(text, ENOUGH));
    let head = head.map_err(|source| ReadError::Unreadable { file: file.clone(), source });
    Ok(Some(head.map_err(|error| blame(error, format.compression, stored.failed()))?))
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
        read_unpacked(file, format, &mut stored, |input| read(file, format.layout, input))?;
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
    let (sha256, bytes) = each_file(source, progress, |file, layout, input| {
        read_records(source, file, layout, input, &mut into, progress)
    })?;
    let listed = into.gathered().is_listed();
    let (table, header) = into.finish();
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
    for file in &source.files()? {
        let format = source.format_of(file);
        if format == (Format { layout: Layout::Parquet, compression: Compression::None }) {
            // Its pages are looked at before they are unpacked, so all of it has to be in memory.
            let bytes = fs::read(file).map_err(|error| ReadError::opening(file, error))?;
            parquet::read(file, bytes::Bytes::from(bytes), &source.limits, &mut collector, progress)?;
        } else {
            let mut stored = StoredBytes::open(file, None, progress)?;
            read_unpacked(file, format, &mut stored, |input| {
                read_records(source, file, format.layout, input, &mut collector, progress)
            })?;
        }
        if collector.is_full() {
            break;
        }
    }
    Ok(collector.finish())
}

fn read_unpacked(
    file: &str,
    format: Format,
    stored: &mut StoredBytes<'_>,
    read: impl FnOnce(Box<dyn Read + '_>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let unreadable = |source| ReadError::Unreadable { file: file.to_owned(), source };
    let outcome = unpack(format.compression, &mut *stored).map_err(unreadable).and_then(read);
    outcome.map_err(|error| blame(error, format.compression, stored.failed()))
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
        Layout::Parquet => {
            // Parquet is read from its end. Taken into memory, what is hashed is what is read.
            let mut bytes = Vec::new();
            let taken = input.read_to_end(&mut bytes);
            taken.map_err(|source| ReadError::Unreadable { file: file.to_owned(), source })?;
            parquet::read(file, bytes::Bytes::from(bytes), &source.limits, into, progress)
        }
    }
}

/// Reading can fail in the device or in the packing; from above both look alike.
fn blame(error: ReadError, compression: Compression, device_failed: bool) -> ReadError {
    match error {
        ReadError::Unreadable { file, source } if compression != Compression::None && !device_failed => {
            ReadError::Corrupt { file, packing: compression.name(), source }
        }
        error => error,
    }
}
