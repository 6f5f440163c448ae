//! Files with a secret key: one reader and one writer for tables and streams.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use thiserror::Error;

use crate::release_key::{from_hex, to_hex};

/// A key file is a few short lines; whatever is longer is something else.
const LONGEST: u64 = 4096;
/// Random keys have about 30 different bytes among their 32. Fewer than this do not happen by chance: the probability is
/// below 10⁻¹⁵.
const FEWEST_BYTES: usize = 16;

/// What a key file holds.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyFile {
    /// The key: 64 hexadecimal digits on the first line.
    pub key: [u8; 32],
    /// The lines below it that are not empty.
    pub notes: Vec<String>,
}

/// Why a file is not a key file, or must not be used as one.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(io::Error),
    /// Others than its owner may read or write it.
    #[error("others may read it (mode {mode:03o})")]
    OpenToOthers {
        /// Its permissions.
        mode: u32,
    },
    /// Its first line is something else.
    #[error("it does not hold 64 hexadecimal digits")]
    NotAKey,
    /// Somebody could guess the key.
    #[error("its bytes repeat too much to be random")]
    Weak,
}

impl KeyFile {
    /// Reads a key file; none where there is no file.
    pub fn read(path: &Path) -> Result<Option<KeyFile>, KeyFileError> {
        let file = match File::open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(KeyFileError::Read)?,
        };
        // Asked of the open file, not of its path: in between, somebody could put another one there.
        let mode = file.metadata().map_err(KeyFileError::Read)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError::OpenToOthers { mode });
        }
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => KeyFileError::NotAKey,
            _ => KeyFileError::Read(error),
        })?;
        let mut lines = text.lines();
        let key = from_hex(lines.next().unwrap_or_default().trim()).ok_or(KeyFileError::NotAKey)?;
        if KeyFile::is_guessable(&key) {
            return Err(KeyFileError::Weak);
        }
        let notes = lines.map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Ok(Some(KeyFile { key, notes }))
    }

    /// Whether somebody could guess a key: one byte again and again, a pattern, a count, a word in a few letters.
    pub fn is_guessable(key: &[u8; 32]) -> bool {
        let mut bytes = key.to_vec();
        bytes.sort_unstable();
        bytes.dedup();
        let repeats =
            (1..=16).any(|period| key.iter().skip(period).zip(key).all(|(later, earlier)| later == earlier));
        let step = key[1].wrapping_sub(key[0]);
        let counts = key.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
        bytes.len() < FEWEST_BYTES || repeats || counts
    }

    /// Writes a new key file that nobody else may read. One that exists is not replaced.
    pub fn create(path: &Path, key: &[u8; 32]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(format!("{}\n", to_hex(key)).as_bytes())?;
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    const GOOD: &str = "8f1c2d3e4a5b69780716a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1ff";

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_key_is_read_as_it_was_written_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert!(KeyFile::read(&path).unwrap().is_none());
        let key = from_hex(GOOD).unwrap();
        KeyFile::create(&path, &key).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(KeyFile::read(&path).unwrap() == Some(KeyFile { key, notes: Vec::new() }));
        assert_eq!(KeyFile::create(&path, &key).unwrap_err().kind(), ErrorKind::AlreadyExists);
        write(&path, &format!("  {GOOD}\r\n\n design abc \n"), 0o600);
        assert!(KeyFile::read(&path).unwrap() == Some(KeyFile { key, notes: vec!["design abc".to_owned()] }));
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let signed = "+f".repeat(32);
        for bad in ["", "00", &"0g".repeat(32), &signed, &GOOD[..63], &format!("{GOOD}0"), "\u{e9}\u{e9}"] {
            write(&path, bad, 0o600);
            assert!(matches!(KeyFile::read(&path), Err(KeyFileError::NotAKey)), "{bad}");
        }
        fs::write(&path, [0xff; 64]).unwrap();
        assert!(matches!(KeyFile::read(&path), Err(KeyFileError::NotAKey)));
    }

    #[test]
    fn a_key_that_can_be_guessed_or_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let count: String = (0..32).map(|byte| format!("{byte:02x}")).collect();
        let evens: String = (0..32).map(|byte| format!("{:02x}", byte * 2 + 17)).collect();
        let few: String = (0..32).map(|at| format!("{:02x}", at * at % 13)).collect();
        for weak in ["00".repeat(32), "0123456789abcdef".repeat(4), GOOD[..32].repeat(2), count, evens, few] {
            write(&path, &weak, 0o600);
            assert!(matches!(KeyFile::read(&path), Err(KeyFileError::Weak)), "{weak}");
        }
        for mode in [0o644, 0o640, 0o604, 0o666, 0o601] {
            write(&path, GOOD, mode);
            let refused = KeyFile::read(&path);
            assert!(matches!(refused, Err(KeyFileError::OpenToOthers { mode: found }) if found == mode));
        }
        for mode in [0o600, 0o400] {
            write(&path, GOOD, mode);
            assert!(KeyFile::read(&path).is_ok());
        }
    }
}
