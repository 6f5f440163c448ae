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
use crate::stored::{StoredBytes, open_file};

/// A source, read to its end.
#[derive(Clone, Debug)]
pub struct ReadTable {
    /// The columns that were wanted.
    pub table: RawTable,
    /// The names of all columns of the source.
    pub header: Vec<String>,
    /// The SHA-256 of the stored bytes in lower-case hex, as `sha256sum` prints it; of several files that
    /// of their bytes one after the other.
    pub sha256: String,
    /// How many bytes were stored.
    pub bytes: u64,
}

/// Reads all records of a source. Columns that `keep` does not want are neither stored nor looked at,
/// beyond the check that they are UTF-8. A source with a header and no records is a table of no rows.
///
/// Progress counts stored bytes.
pub fn read_table(
    source: &Source,
    keep: &dyn Fn(&str) -> bool,
    progress: &dyn Progress,
) -> Result<ReadTable, ReadError> {
    let files = source.files()?;
    progress.stage("reading", stored_size(&files));
    let mut digest = Digest::default();
    let mut collector = Collector::new(keep, u64::MAX);
    let mut bytes = 0;
    for file in &files {
        let mut stored = StoredBytes::open(file, Some(&mut digest), progress)?;
        read_records(source, file, &mut stored, &mut collector)?;
        bytes += stored.drain().map_err(|error| ReadError::opening(file, error))?;
    }
    let (table, header) = collector.finish();
    Ok(ReadTable { table, header, sha256: digest.hex(), bytes })
}

/// The names of a source's columns. Reads no more than the beginning of its first file. (Of standard input
/// this beginning is then gone.)
pub fn read_header(source: &Source) -> Result<Vec<String>, ReadError> {
    Ok(beginning(source, 0)?.1)
}

/// The first records of a source with all columns, and no more of its files than needed.
pub fn sample(source: &Source, rows: usize) -> Result<RawTable, ReadError> {
    Ok(beginning(source, rows as u64)?.0)
}

/// The separator of a location's first file, for those who do not know it yet; see
/// [`separator_of`](crate::separator_of). Parquet has none.
pub fn sniff_separator(location: &str) -> Result<Option<u8>, ReadError> {
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
    let head = head.map_err(|error| blame(error, format.compression, stored.failed()))?;
    Ok(csv::separator_of(&head))
}

fn stored_size(files: &[String]) -> u64 {
    files
        .iter()
        .filter(|file| *file != STDIN)
        .filter_map(|file| fs::metadata(file).ok())
        .map(|m| m.len())
        .sum()
}

fn beginning(source: &Source, rows: u64) -> Result<(RawTable, Vec<String>), ReadError> {
    let mut collector = Collector::new(&|_| true, rows);
    for file in &source.files()? {
        if source.format_of(file) == (Format { layout: Layout::Parquet, compression: Compression::None }) {
            parquet::read(file, open_file(file)?, &mut collector)?;
        } else {
            let mut stored = StoredBytes::open(file, None, &Silent)?;
            read_records(source, file, &mut stored, &mut collector)?;
        }
        if collector.is_full() {
            break;
        }
    }
    Ok(collector.finish())
}

fn read_records(
    source: &Source,
    file: &str,
    stored: &mut StoredBytes<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), ReadError> {
    let outcome = read_unpacked(source, file, stored, collector);
    outcome.map_err(|error| blame(error, source.format_of(file).compression, stored.failed()))
}

fn read_unpacked(
    source: &Source,
    file: &str,
    stored: &mut StoredBytes<'_>,
    collector: &mut Collector<'_>,
) -> Result<(), ReadError> {
    let Format { layout, compression } = source.format_of(file);
    let unreadable = |source| ReadError::Unreadable { file: file.to_owned(), source };
    let mut input = unpack(compression, stored).map_err(unreadable)?;
    match layout {
        Layout::Csv => csv::read(file, input, &source.csv, collector),
        Layout::Parquet => {
            // Parquet is read from its end. Taken into memory, what is hashed is what is read.
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(unreadable)?;
            parquet::read(file, bytes::Bytes::from(bytes), collector)
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
