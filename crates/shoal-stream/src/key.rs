//! The key from which a stream's random choices come.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::StreamError;

/// 256 bits. Whoever has them can tell the true value of every tuple of a hardened stream.
pub(crate) type Key = [u8; 32];

/// A key file is two short lines; whatever is longer is something else.
const LONGEST: u64 = 4096;
/// Random keys have about 30 different bytes among their 32. Fewer than that do not happen by chance: the probability is
/// below 10⁻¹⁵.
const FEWEST_BYTES: usize = 16;

/// A key, and what it was used for.
pub(crate) struct StreamKey {
    pub(crate) key: Key,
    /// Whether it was made just now.
    pub(crate) made: bool,
    /// The file; none where the key is forgotten at the end.
    path: Option<PathBuf>,
    /// What the file says that the key was used for.
    design: Option<String>,
}

/// A fresh key that is forgotten at the end.
pub(crate) fn random() -> Result<StreamKey, StreamError> {
    Ok(StreamKey { key: draw()?, made: true, path: None, design: None })
}

/// Reads a key file, or makes one that nobody else may read. The first line is the key in hex; the second, once it was
/// used, names the design that it was used for.
pub(crate) fn read_or_make(path: &Path) -> Result<StreamKey, StreamError> {
    let fail = |error| StreamError::File { what: "key", path: path.to_owned(), error };
    match File::open(path) {
        Ok(file) => read(file, path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let key = draw()?;
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(path).map_err(fail)?;
            file.write_all(format!("{}\n", hex(&key)).as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(fail)?;
            Ok(StreamKey { key, made: true, path: Some(path.to_owned()), design: None })
        }
        Err(error) => Err(fail(error)),
    }
}

impl StreamKey {
    /// Binds the key to what it is used for, on its first use: sets that are drawn from two designs under one key can be
    /// intersected. Whoever made a key by hand finds a second line in its file afterwards. A file that cannot be written
    /// is remembered in the state folder.
    pub(crate) fn bind(&self, design: &str, folder: Option<&Path>) -> Result<(), StreamError> {
        let Some(path) = &self.path else { return Ok(()) };
        let name = self.name_of("design", design);
        let beside = folder.map(|folder| folder.join("key-design"));
        let noted = beside.as_ref().and_then(|file| fs::read_to_string(file).ok());
        let used_for = self.design.clone().or_else(|| noted.map(|text| text.trim().to_owned()));
        match used_for {
            // Keys of earlier versions were named without the key itself.
            Some(used_for) if used_for == name || used_for == shoal_io::sha256_hex(design.as_bytes()) => {
                Ok(())
            }
            Some(_) => Err(StreamError::OtherDesign { path: path.clone() }),
            None => self.note_design(path, &name, beside.as_deref()),
        }
    }

    /// A name for something, which says nothing to whoever lacks the key.
    pub(crate) fn name_of(&self, what: &str, text: &str) -> String {
        let key = blake3::derive_key("shoal stream 2026 names of what must not change", &self.key);
        let mut hasher = blake3::Hasher::new_keyed(&key);
        hasher.update(&(what.len() as u64).to_le_bytes()).update(what.as_bytes()).update(text.as_bytes());
        hasher.finalize().to_hex().to_string()
    }

    /// A key for another use, which says nothing about this one.
    pub(crate) fn part(&self, what: &str) -> Key {
        blake3::derive_key(&format!("shoal stream 2026 {what}"), &self.key)
    }

    fn note_design(&self, path: &Path, name: &str, beside: Option<&Path>) -> Result<(), StreamError> {
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
}

fn draw() -> Result<Key, StreamError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|error| StreamError::NoRandomness { why: error.to_string() })?;
    Ok(key)
}

fn hex(key: &Key) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(file: File, path: &Path) -> Result<StreamKey, StreamError> {
    let fail = |error| StreamError::File { what: "key", path: path.to_owned(), error };
    let mode = file.metadata().map_err(fail)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(StreamError::KeyOpen { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    let none = || StreamError::NoKey { path: path.to_owned() };
    file.take(LONGEST).read_to_string(&mut text).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => none(),
        _ => fail(error),
    })?;
    let mut lines = text.lines();
    let hex = lines.next().unwrap_or_default().trim();
    let byte = |at: usize| hex.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let key =
        bytes.filter(|_| hex.len() == 64).and_then(|bytes| Key::try_from(bytes).ok()).ok_or_else(none)?;
    if is_weak(&key) {
        return Err(StreamError::WeakKey { path: path.to_owned() });
    }
    let design =
        lines.next().and_then(|line| line.strip_prefix("design ")).map(|name| name.trim().to_owned());
    Ok(StreamKey { key, made: false, path: Some(path.to_owned()), design })
}

/// Whether somebody could guess it: one byte again and again, a pattern, a count, a word in a few letters.
fn is_weak(key: &Key) -> bool {
    let mut bytes = key.to_vec();
    bytes.sort_unstable();
    bytes.dedup();
    let repeats =
        (1..=16).any(|period| key.iter().skip(period).zip(key).all(|(later, earlier)| later == earlier));
    let step = key[1].wrapping_sub(key[0]);
    let counts = key.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
    bytes.len() < FEWEST_BYTES || repeats || counts
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "8f1c2d3e4a5b69780716a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1ff";

    fn write(path: &Path, text: &str, mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_key_is_made_once_and_belongs_to_its_design() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        let made = read_or_make(&path).unwrap();
        assert!(made.made && !is_weak(&made.key));
        made.bind("abc", None).unwrap();
        let again = read_or_make(&path).unwrap();
        assert!(!again.made && again.key == made.key);
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
        fs::write(folder.path().join("key-design"), key.name_of("design", "abc")).unwrap();
        key.bind("abc", Some(folder.path())).unwrap();
        assert!(matches!(key.bind("abd", Some(folder.path())), Err(StreamError::OtherDesign { .. })));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        for bad in ["", "00", &"0g".repeat(32), &GOOD[..63], &format!("{GOOD}0"), "\u{e9}\u{e9}"] {
            write(&path, bad, 0o600);
            assert!(matches!(read_or_make(&path), Err(StreamError::NoKey { .. })), "{bad}");
        }
        fs::write(&path, [0xff; 64]).unwrap();
        assert!(matches!(read_or_make(&path), Err(StreamError::NoKey { .. })));
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
            assert!(matches!(read_or_make(&path), Err(StreamError::WeakKey { .. })), "{weak}");
        }
        for mode in [0o644, 0o640, 0o604, 0o666, 0o601] {
            write(&path, GOOD, mode);
            let error = read_or_make(&path).err().unwrap();
            assert!(matches!(error, StreamError::KeyOpen { .. }), "{mode:o}");
            assert!(error.hint().unwrap().contains("chmod 600"), "{error}");
        }
        for mode in [0o600, 0o400] {
            write(&path, GOOD, mode);
            assert!(read_or_make(&path).is_ok());
        }
    }
}
