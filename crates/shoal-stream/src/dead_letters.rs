//! Lines that were not understood: kept, so that nothing is lost, and out of the way, so that the stream goes on.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::engine::Unreleasable;
use crate::journal::keep_secret;
use crate::{Record, StreamError};

/// The file of the dead letters, made when the first one comes. As secret as the data.
pub(crate) struct DeadLetters {
    path: PathBuf,
    file: Option<File>,
    /// Whether something may not be on the disk yet.
    loose: bool,
    /// How many there were for each reason, and where the first of them stood.
    reasons: BTreeMap<&'static str, Reason>,
}

/// How many lines were lost for one reason. It holds places and no values: those are in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reason {
    /// How many.
    pub count: u64,
    /// The partition of the first; 0 where there are none.
    pub first_partition: u32,
    /// The offset of the first there; on standard input the number of lines before it.
    pub first_offset: u64,
}

#[derive(Serialize)]
struct Letter<'a> {
    partition: u32,
    offset: u64,
    why: String,
    line: std::borrow::Cow<'a, str>,
}

impl DeadLetters {
    pub(crate) fn new(path: PathBuf) -> DeadLetters {
        DeadLetters { path, file: None, loose: false, reasons: BTreeMap::new() }
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, record: &Record, why: &Unreleasable) -> Result<(), StreamError> {
        if self.file.is_none() {
            let open = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path);
            self.file = Some(open.map_err(|error| self.failed(error))?);
            // It may have been there before, and was not always made by us. A device is not ours to close.
            if self.path.is_file() {
                keep_secret(&self.path)?;
            }
        }
        let first = Reason { count: 0, first_partition: record.partition, first_offset: record.offset };
        self.reasons.entry(why.reason()).or_insert(first).count += 1;
        let letter = Letter {
            partition: record.partition,
            offset: record.offset,
            why: why.to_string(),
            line: String::from_utf8_lossy(&record.bytes),
        };
        let mut text = serde_json::to_vec(&letter).expect("a letter holds nothing that JSON cannot");
        text.push(b'\n');
        self.loose = true;
        let written = self.file.as_mut().map_or(Ok(()), |file| file.write_all(&text));
        written.map_err(|error| self.failed(error))
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.reasons.values().map(|reason| reason.count).sum()
    }

    /// How many there were for each reason.
    pub(crate) fn reasons(&self) -> &BTreeMap<&'static str, Reason> {
        &self.reasons
    }

    /// Is back when all lines are on the disk: before the source is told that they were taken.
    pub(crate) fn settle(&mut self) -> Result<(), StreamError> {
        match self.file.as_ref().filter(|_| std::mem::take(&mut self.loose)) {
            Some(file) => file.sync_data().map_err(|error| self.failed(error)),
            None => Ok(()),
        }
    }

    fn failed(&self, error: std::io::Error) -> StreamError {
        StreamError::File { what: "file of dead letters", path: self.path.clone(), error }
    }
}
