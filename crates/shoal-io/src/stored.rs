use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use shoal_core::Progress;

use crate::digest::Digest;
use crate::error::ReadError;
use crate::source::STDIN;

/// Reads a file's bytes as they are stored; hashes, counts and reports them on the way.
pub(crate) struct StoredBytes<'a> {
    input: File,
    /// Whether the bytes may be a long time in coming.
    waits: bool,
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
        let input = if file == STDIN { stdin() } else { open_file(file) }?;
        let waits = file == STDIN;
        Ok(StoredBytes { input, waits, digest, progress, bytes: 0, failed: false })
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

    /// Waits until there are bytes, or nobody wants them any more. A read that waits could not be cancelled: it may go on
    /// after a signal as if there had been none, and the signal may come to another thread.
    fn wait(&self) {
        let between_questions = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        loop {
            self.progress.check();
            let mut ready = [PollFd::new(&self.input, PollFlags::IN)];
            match poll(&mut ready, Some(&between_questions)) {
                Ok(0) | Err(Errno::INTR) => {}
                // What is wrong with the input is for the read to say.
                Ok(_) | Err(_) => return,
            }
        }
    }
}

impl Read for StoredBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.waits {
            self.wait();
        }
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

/// Standard input, without the buffer that the standard library puts in front of it: bytes in there would be ready, and
/// nothing would say so.
fn stdin() -> Result<File, ReadError> {
    let own = io::stdin().as_fd().try_clone_to_owned();
    own.map(File::from).map_err(|source| ReadError::opening(STDIN, source))
}

/// Opens a file; the error knows its name.
pub(crate) fn open_file(file: &str) -> Result<File, ReadError> {
    File::open(file).map_err(|source| ReadError::opening(file, source))
}
