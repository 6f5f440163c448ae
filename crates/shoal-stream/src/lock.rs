//! A folder that one process at a time may use.
//!
//! The lock is the operating system's: whatever ends a process, `kill -9` too, frees it, and nothing has to be cleaned up.
//! A process that is stopped and not dead keeps it, and that is right, because it would write where it left off once it
//! goes on.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::StreamError;

/// The name of the file in the folder.
const FILE: &str = "lock";

/// A folder that is this process's until this is dropped.
pub(crate) struct FolderLock {
    /// Closing it frees the folder.
    _file: File,
}

impl FolderLock {
    /// Takes a folder; says who has it where somebody has.
    pub(crate) fn try_take(folder: &Path) -> Result<Result<FolderLock, String>, StreamError> {
        let mut file = open(folder)?;
        match file.try_lock() {
            Ok(()) => {
                // For people who wonder who has it. Nothing depends on it, so nothing is lost where it cannot be written.
                let _ = file.set_len(0).and_then(|()| file.write_all(this_process().as_bytes()));
                Ok(Ok(FolderLock { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
                Ok(Err(if holder.is_empty() { "another process".to_owned() } else { holder }))
            }
            Err(TryLockError::Error(error)) => Err(failed(folder, error)),
        }
    }

    /// Takes a folder, and waits for it. For what takes moments.
    #[cfg(feature = "kafka")]
    pub(crate) fn take(folder: &Path) -> Result<FolderLock, StreamError> {
        let file = open(folder)?;
        file.lock().map_err(|error| failed(folder, error))?;
        Ok(FolderLock { _file: file })
    }
}

fn open(folder: &Path) -> Result<File, StreamError> {
    let mut options = OpenOptions::new();
    // Not truncated: what is there names who has it.
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(folder.join(FILE)).map_err(|error| failed(folder, error))
}

fn this_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    format!("process {}{host}", std::process::id())
}

fn failed(folder: &Path, error: std::io::Error) -> StreamError {
    StreamError::File { what: "lock of the state", path: folder.join(FILE), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_one_owners_until_it_is_dropped_and_says_whose() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::try_take(folder.path()).unwrap().ok().unwrap();
        let holder = FolderLock::try_take(folder.path()).unwrap().err().unwrap();
        assert!(holder.starts_with(&format!("process {}", std::process::id())), "{holder}");
        drop(first);
        #[cfg(feature = "kafka")]
        drop(FolderLock::take(folder.path()).unwrap());
        assert!(FolderLock::try_take(folder.path()).unwrap().is_ok());
    }
}
