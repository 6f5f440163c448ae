use std::fs::File;
use std::io::{self, Read};

use shoal_core::Progress;

use crate::digest::Digest;
use crate::error::ReadError;
use crate::source::STDIN;

/// Reads a file's bytes as they are stored and, in passing, hashes, counts and reports them.
pub(crate) struct StoredBytes<'a> {
    input: Box<dyn Read>,
    digest: Option<&'a mut Digest>,
    progress: &'a dyn Progress,
    bytes: u64,
    failed: bool,
}

impl<'a> StoredBytes<'a> {
    pub(crate) fn open(
        file: &str,
        digest: Option<&'a mut Digest>,
        progress: &'a dyn Progress,
    ) -> Result<Self, ReadError> {
        let input: Box<dyn Read> =
            if file == STDIN { Box::new(io::stdin().lock()) } else { Box::new(open_file(file)?) };
        Ok(StoredBytes { input, digest, progress, bytes: 0, failed: false })
    }

    /// Whether the device itself failed, as opposed to a packing that makes no sense.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Reads what nobody asked for, so that the digest is that of the whole file. Returns the file's size.
    pub(crate) fn drain(mut self) -> io::Result<u64> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(self.bytes)
    }
}

impl Read for StoredBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.input.read(buffer) {
            Ok(count) => count,
            Err(error) => {
                self.failed |= error.kind() != io::ErrorKind::Interrupted;
                return Err(error);
            }
        };
        if let Some(digest) = &mut self.digest {
            digest.update(&buffer[..count]);
        }
        self.bytes += count as u64;
        self.progress.advance(count as u64);
        Ok(count)
    }
}

/// Opens a file; the error knows its name.
pub(crate) fn open_file(file: &str) -> Result<File, ReadError> {
    File::open(file).map_err(|source| ReadError::opening(file, source))
}
