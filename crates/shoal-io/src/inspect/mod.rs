//! Bytes of a published file that are not its data.
//!
//! A verifier reads records. But a file can carry more: a name in a gzip header, a comment beside the pages of a
//! Parquet file, an entry of a dictionary that no record uses, a quote that only one record has. Nothing of that is
//! in any class, so no promise covers it. [`inspect`] accounts for the bytes of a container and names those that
//! cannot be judged; one file here per container. What it does not look for are bits hidden in bytes that do carry
//! data: the choices of a packer, the order of rows, numbers longer than they need to be.

mod gzip;
mod lines;
mod parquet;
mod text;
mod zstd;

use std::fs::File;
use std::io::{self, BufReader, Read};

use serde::Serialize;
use shoal_core::Progress;

use crate::basket::BasketOptions;
use crate::compress::unpack;
use crate::error::ReadError;
use crate::format::{Compression, Layout};
use crate::postgres::is_postgres;
use crate::source::{STDIN, Source};
use crate::stored::open_file;

pub(crate) use self::parquet::{CREATED_BY, check_sizes as check_parquet_sizes};

/// Bytes that no verifier of records can judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The file.
    pub file: String,
    /// Which part of the file it is in.
    pub place: String,
    /// How many bytes come before it: of the file, or of the text inside a packing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// How many bytes it has; 0 where that is not known.
    pub bytes: u64,
    /// What it is. Never what it says: that may be just what must not be repeated.
    pub what: String,
}

/// What the text of a file that is no Parquet holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Records of separated fields.
    Records,
    /// Transactions, a line each.
    Baskets(BasketOptions),
}

/// Names the bytes of a source that are not its records. The source must be one that can be read: what is damaged
/// is an error.
pub fn inspect(
    source: &Source,
    content: Content,
    progress: &dyn Progress,
) -> Result<Vec<Finding>, ReadError> {
    let mut all = Vec::new();
    if is_postgres(&source.location) {
        // A query gives records and nothing else.
        return Ok(all);
    }
    for file in source.files()? {
        let mut found = Findings { file: file.clone(), list: Vec::new(), more: 0 };
        if file == STDIN {
            // It was read for its records, and can be read but once.
            found.add("standard input", None, 0, "nothing but its records was looked at".to_owned());
        } else {
            inspect_file(source, &file, content, &mut found, progress)?;
        }
        all.extend(found.finish());
    }
    Ok(all)
}

fn inspect_file(
    source: &Source,
    file: &str,
    content: Content,
    found: &mut Findings,
    progress: &dyn Progress,
) -> Result<(), ReadError> {
    let format = source.format_of(file);
    let open = || open_file(file).map(|input| BufReader::with_capacity(1 << 18, Asking { input, progress }));
    let failed = |error: io::Error| match format.compression {
        Compression::None => ReadError::Unreadable { file: file.to_owned(), source: error },
        packing => ReadError::Corrupt { file: file.to_owned(), packing: packing.name(), source: error },
    };
    match format.compression {
        Compression::None => {}
        Compression::Gzip => gzip::inspect(open()?, found).map_err(failed)?,
        Compression::Zstd => zstd::inspect(open()?, found).map_err(failed)?,
    }
    let mut inner = unpack(format.compression, open()?).map_err(failed)?;
    match (format.layout, content) {
        (Layout::Parquet, _) => {
            let mut bytes = Vec::new();
            inner.read_to_end(&mut bytes).map_err(failed)?;
            let length = bytes.len() as u64;
            // The records were read; that the rest cannot be taken apart is a finding like any other.
            if let Err(why) = parquet::inspect(&bytes::Bytes::from(bytes), found, progress) {
                found.add("the whole file", Some(0), length, format!("it was not taken apart: {why}"));
            }
            Ok(())
        }
        (Layout::Json | Layout::Arrow | Layout::Excel | Layout::Sqlite, _) => {
            found.add("the whole file", Some(0), 0, "files of this format are not taken apart".to_owned());
            Ok(())
        }
        (Layout::Csv, Content::Records) => text::inspect(inner, source.csv.separator, found).map_err(failed),
        (Layout::Csv, Content::Baskets(options)) => {
            lines::inspect(inner, options, source.limits.line, found).map_err(failed)
        }
    }
}

/// A file that asks for every part of it whether it is still wanted.
struct Asking<'a> {
    input: File,
    progress: &'a dyn Progress,
}

impl Read for Asking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.progress.check();
        self.input.read(buffer)
    }
}

/// More than anybody reads.
const MOST: usize = 200;

/// What was found in one file.
struct Findings {
    file: String,
    list: Vec<Finding>,
    more: u64,
}

impl Findings {
    fn add(&mut self, place: impl Into<String>, offset: Option<u64>, bytes: u64, what: String) {
        if self.list.len() < MOST {
            self.list.push(Finding { file: self.file.clone(), place: place.into(), offset, bytes, what });
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        if self.more > 0 {
            let what = format!("{} more findings of these kinds", self.more);
            let (file, place) = (self.file, "the whole file".to_owned());
            self.list.push(Finding { file, place, offset: None, bytes: 0, what });
        }
        self.list
    }

    /// A byte order mark.
    fn add_bom(&mut self) {
        let what = "a byte order mark, which some readers take for a part of the first value".to_owned();
        self.add("start of the text", Some(0), 3, what);
    }

    /// Line ends of several kinds.
    fn add_line_ends(&mut self, ends: &LineEnds) {
        let kinds: Vec<String> = [("\\n", ends.lf), ("\\r\\n", ends.crlf), ("\\r", ends.cr)]
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| format!("{count} with {name}"))
            .collect();
        if kinds.len() > 1 {
            let rarest = [ends.lf, ends.crlf, ends.cr].into_iter().filter(|count| *count > 0).min();
            let what =
                format!("lines end in different ways ({}), which marks some of them", kinds.join(", "));
            self.add("line ends", None, rarest.unwrap_or_default(), what);
        }
    }
}

/// How often lines end in each way.
#[derive(Default)]
struct LineEnds {
    lf: u64,
    crlf: u64,
    cr: u64,
}

#[cfg(test)]
mod tests;
