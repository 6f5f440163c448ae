//! A folder that one process at a time may use, or the processes of one group together.
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

/// The name of the file that is locked while a key is looked for and made.
#[cfg(feature = "kafka")]
const KEY_FILE: &str = "key-lock";

/// A folder that is this process's, or this process's as well, until this is dropped.
pub(crate) struct FolderLock {
    /// Closing it frees the folder.
    _file: File,
}

impl FolderLock {
    /// Takes a folder; says who has it where somebody has.
    pub(crate) fn try_take(folder: &Path) -> Result<Result<FolderLock, String>, StreamError> {
        Self::lock(&folder.join(FILE), File::try_lock, &this_process())
    }

    /// Takes a folder together with the other processes of a group; says who has it where somebody has it alone.
    #[cfg(feature = "kafka")]
    pub(crate) fn try_share(folder: &Path) -> Result<Result<FolderLock, String>, StreamError> {
        // All of them write the same, whoever comes last.
        Self::lock(&folder.join(FILE), File::try_lock_shared, "processes of a group")
    }

    /// Takes what keeps processes that share a folder from making two keys; says who has it where somebody has.
    #[cfg(feature = "kafka")]
    pub(crate) fn try_take_key(folder: &Path) -> Result<Result<FolderLock, String>, StreamError> {
        Self::lock(&folder.join(KEY_FILE), File::try_lock, &this_process())
    }

    fn lock(
        path: &Path,
        lock: fn(&File) -> Result<(), TryLockError>,
        us: &str,
    ) -> Result<Result<FolderLock, String>, StreamError> {
        let mut file = open(path)?;
        match lock(&file) {
            Ok(()) => {
                // For people who wonder who has it. Nothing depends on it, so nothing is lost where it cannot be written.
                let _ = file.set_len(0).and_then(|()| file.write_all(us.as_bytes()));
                Ok(Ok(FolderLock { _file: file }))
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
                Ok(Err(if holder.is_empty() { "another process".to_owned() } else { holder }))
            }
            Err(TryLockError::Error(error)) => Err(failed(path, error)),
        }
    }
}

fn open(path: &Path) -> Result<File, StreamError> {
    let mut options = OpenOptions::new();
    // Not truncated: what is there names who has it.
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(|error| failed(path, error))
}

fn this_process() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { String::new() } else { format!(" on {}", host.trim()) };
    format!("process {}{host}", std::process::id())
}

fn failed(path: &Path, error: std::io::Error) -> StreamError {
    StreamError::File { what: "lock of the state", path: path.to_owned(), error }
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
        assert!(FolderLock::try_take(folder.path()).unwrap().is_ok());
    }

    #[cfg(feature = "kafka")]
    #[test]
    fn a_folder_is_shared_by_a_group_or_has_one_owner() {
        let folder = tempfile::tempdir().unwrap();
        let (take, share) = (FolderLock::try_take, FolderLock::try_share);
        let single = take(folder.path()).unwrap().ok().unwrap();
        assert!(share(folder.path()).unwrap().is_err());
        drop(single);
        let (first, second) = (share(folder.path()).unwrap().ok(), share(folder.path()).unwrap().ok());
        drop(first.unwrap());
        assert_eq!(take(folder.path()).unwrap().err().unwrap(), "processes of a group");
        // Whoever makes the key is not kept out by those who have one.
        let key = FolderLock::try_take_key(folder.path()).unwrap().ok().unwrap();
        assert!(FolderLock::try_take_key(folder.path()).unwrap().is_err());
        drop((second.unwrap(), key));
        assert!(take(folder.path()).unwrap().is_ok());
    }
}
