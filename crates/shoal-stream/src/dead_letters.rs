//! Lines that were not understood: kept, so that nothing is lost, and out of the way, so that the stream goes on.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use serde::Serialize;

use crate::engine::Unreleasable;
use crate::{Record, StreamError};

/// The file of the dead letters, made when the first one comes. As secret as the data.
pub(crate) struct DeadLetters {
    path: PathBuf,
    file: Option<File>,
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
        DeadLetters { path, file: None }
    }

    /// Adds a line, and is back when it is on the disk.
    pub(crate) fn add(&mut self, record: &Record, why: &Unreleasable) -> Result<(), StreamError> {
        let fail = |error| StreamError::File { what: "file of dead letters", path: self.path.clone(), error };
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let open = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.path);
                none.insert(open.map_err(fail)?)
            }
        };
        let letter = Letter {
            partition: record.partition,
            offset: record.offset,
            why: why.to_string(),
            line: String::from_utf8_lossy(&record.bytes),
        };
        let mut text = serde_json::to_vec(&letter).expect("a letter holds nothing that JSON cannot");
        text.push(b'\n');
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(fail)
    }
}
