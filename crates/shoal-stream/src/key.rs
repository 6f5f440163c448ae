//! The key from which a stream's random choices come.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::StreamError;

/// 256 bits. Whoever has them can tell the true value of every tuple of a hardened stream.
pub(crate) type Key = [u8; 32];

/// A fresh key.
pub(crate) fn random() -> Result<Key, StreamError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| StreamError::NoRandomness { why: error.to_string() })?;
    Ok(key)
}

/// Reads a key file, or makes one that nobody else may read. The first line is the key in hex; the second, where there is
/// one, names the design that it was made for: sets drawn from two designs under one key can be intersected. Where
/// nothing is drawn from a design, none is named. Says whether the key was made.
pub(crate) fn read_or_make(path: &Path, design: Option<&str>) -> Result<(Key, bool), StreamError> {
    let fail = |error| StreamError::File { what: "key", path: path.to_owned(), error };
    match fs::read_to_string(path) {
        Ok(text) => Ok((parse(&text, path, design)?, false)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = random()?;
            let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(path).map_err(fail)?;
            let design = design.map_or_else(String::new, |design| format!("design {design}\n"));
            let text = format!("{hex}\n{design}");
            file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(fail)?;
            Ok((key, true))
        }
        Err(error) => Err(fail(error)),
    }
}

fn parse(text: &str, path: &Path, design: Option<&str>) -> Result<Key, StreamError> {
    let mut lines = text.lines();
    let hex = lines.next().unwrap_or_default().trim();
    let byte = |at: usize| hex.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let key = bytes.filter(|_| hex.len() == 64).and_then(|bytes| Key::try_from(bytes).ok());
    let Some(key) = key else { return Err(StreamError::NoKey { path: path.to_owned() }) };
    let made_for = lines.next().and_then(|line| line.strip_prefix("design ")).map(str::trim);
    match (made_for, design) {
        (Some(made_for), Some(design)) if made_for != design => {
            Err(StreamError::OtherDesign { path: path.to_owned() })
        }
        _ => Ok(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_belongs_to_its_design() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let (key, made) = read_or_make(&path, Some("abc")).unwrap();
        assert!(made && key != [0; 32]);
        assert_eq!(read_or_make(&path, Some("abc")).unwrap(), (key, false));
        assert!(matches!(read_or_make(&path, Some("abd")), Err(StreamError::OtherDesign { .. })));
        assert_eq!(read_or_make(&path, None).unwrap(), (key, false));
        fs::write(&path, "00".repeat(32)).unwrap();
        assert_eq!(read_or_make(&path, Some("any")).unwrap(), ([0; 32], false));
        for bad in ["", "00", &"0g".repeat(32), &"00".repeat(33)] {
            fs::write(&path, bad).unwrap();
            assert!(matches!(read_or_make(&path, Some("any")), Err(StreamError::NoKey { .. })), "{bad}");
        }
    }
}
