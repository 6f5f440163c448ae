//! A key in a file, and the note in that file of what the key is used for.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use shoal_pipeline::files::{KeyFile, KeyFileError};

use crate::{StreamError, StreamKey};

/// A key and where it is kept.
pub(crate) struct StoredKey {
    pub(crate) key: StreamKey,
    /// Whether it was made just now.
    pub(crate) made: bool,
    /// The file; none where the key is forgotten at the end.
    path: Option<PathBuf>,
}

impl StoredKey {
    /// A fresh key that is forgotten at the end.
    pub(crate) fn forgotten() -> Result<StoredKey, StreamError> {
        Ok(StoredKey { key: StreamKey::draw()?, made: true, path: None })
    }

    /// Reads a key file, or makes one that nobody else may read. The first line is the key in hex; the second, once it
    /// was used, names the design that it was used for.
    pub(crate) fn read_or_make(path: &Path) -> Result<StoredKey, StreamError> {
        let fail = |error| StreamError::File { what: "key", path: path.to_owned(), error };
        let found = KeyFile::read(path).map_err(|error| match error {
            KeyFileError::Read(error) => fail(error),
            KeyFileError::OpenToOthers { mode } => StreamError::KeyOpen { path: path.to_owned(), mode },
            KeyFileError::NotAKey => StreamError::NoKey { path: path.to_owned() },
            KeyFileError::Weak => StreamError::WeakKey { path: path.to_owned() },
        })?;
        let (key, made) = match found {
            Some(file) => {
                let used_for = file.notes.first().and_then(|note| note.strip_prefix("design "));
                let key = match used_for {
                    Some(used_for) => StreamKey::used(file.key, used_for.trim()),
                    None => StreamKey::unused(file.key),
                };
                (key?, false)
            }
            None => {
                let key = StreamKey::draw()?;
                KeyFile::create(path, key.bytes()).map_err(fail)?;
                (key, true)
            }
        };
        Ok(StoredKey { key, made, path: Some(path.to_owned()) })
    }

    /// Binds the key to what it is used for, on its first use: sets that are drawn from two designs under one key can be
    /// intersected. Whoever made a key by hand finds a second line in its file afterwards. A file that cannot be written
    /// is remembered in the state folder.
    pub(crate) fn bind(&self, design: &str, folder: Option<&Path>) -> Result<(), StreamError> {
        let Some(path) = &self.path else { return Ok(()) };
        let name = self.key.name_of("design", design);
        let beside = folder.map(|folder| folder.join("key-design"));
        let noted = beside.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let used_for =
            self.key.used_for().map(str::to_owned).or_else(|| noted.map(|text| text.trim().to_owned()));
        match used_for {
            // Keys of earlier versions were named without the key itself.
            Some(used_for) if used_for == name || used_for == shoal_io::sha256_hex(design.as_bytes()) => {
                Ok(())
            }
            Some(_) => Err(StreamError::OtherDesign { path: path.clone() }),
            None => note_design(path, &name, beside.as_deref()),
        }
    }
}

fn note_design(path: &Path, name: &str, beside: Option<&Path>) -> Result<(), StreamError> {
    let append = || {
        let text = fs::read_to_string(path)?;
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let mut file = OpenOptions::new().append(true).open(path)?;
        file.write_all(format!("{end}design {name}\n").as_bytes())?;
        file.sync_all()
    };
    match (append(), beside) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(beside)) => {
            let mut options = OpenOptions::new();
            let written = options
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(beside)
                .and_then(|mut file| file.write_all(name.as_bytes()).and_then(|()| file.sync_all()));
            let (what, path) = ("note of what the key is for", beside.to_owned());
            written.map_err(|error| StreamError::File { what, path, error })
        }
        (Err(error), None) => Err(StreamError::KeyUnbound { path: path.to_owned(), error }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const GOOD: &str = "8f1c2d3e4a5b69780716a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1ff";

    fn read_or_make(path: &Path) -> Result<StoredKey, StreamError> {
        StoredKey::read_or_make(path)
    }

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_key_is_made_once_and_belongs_to_its_design() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let made = read_or_make(&path).unwrap();
        assert!(made.made);
        made.bind("abc", None).unwrap();
        let again = read_or_make(&path).unwrap();
        assert!(!again.made && again.key.bytes() == made.key.bytes());
        again.bind("abc", None).unwrap();
        assert!(matches!(again.bind("abd", None), Err(StreamError::OtherDesign { .. })));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_somebody_made_is_bound_by_its_first_use() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for text in [GOOD.to_owned(), format!("{GOOD}\n"), format!("  {GOOD}\r\n")] {
            write(&path, &text, 0o600);
            read_or_make(&path).unwrap().bind("abc", None).unwrap();
            read_or_make(&path).unwrap().bind("abc", None).unwrap();
            let other = read_or_make(&path).unwrap().bind("abd", None);
            assert!(matches!(other, Err(StreamError::OtherDesign { .. })), "{text:?}");
        }
        // As earlier versions wrote it.
        write(&path, &format!("{GOOD}\ndesign {}\n", shoal_io::sha256_hex(b"abc")), 0o600);
        read_or_make(&path).unwrap().bind("abc", None).unwrap();
        assert!(read_or_make(&path).unwrap().bind("abd", None).is_err());
    }

    #[test]
    fn what_is_noted_in_the_folder_counts_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write(&path, GOOD, 0o600);
        let key = read_or_make(&path).unwrap();
        fs::write(folder.path().join("key-design"), key.key.name_of("design", "abc")).unwrap();
        key.bind("abc", Some(folder.path())).unwrap();
        assert!(matches!(key.bind("abd", Some(folder.path())), Err(StreamError::OtherDesign { .. })));
    }

    /// What a key file must be is tested where it is read, in `shoal-pipeline`; here, that each refusal has its error.
    #[test]
    fn a_file_that_is_refused_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write(&path, "00", 0o600);
        assert!(matches!(read_or_make(&path), Err(StreamError::NoKey { .. })));
        write(&path, &"00".repeat(32), 0o600);
        assert!(matches!(read_or_make(&path), Err(StreamError::WeakKey { .. })));
        write(&path, GOOD, 0o640);
        let error = read_or_make(&path).err().unwrap();
        assert!(matches!(error, StreamError::KeyOpen { mode: 0o640, .. }));
        assert!(error.hint().unwrap().contains("chmod 600"), "{error}");
    }
}
