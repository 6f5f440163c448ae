//! The key file of transparent l-diversity.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use shoal_algorithms::table::transparent::Secret;

use super::Job;
use crate::{PipelineError, TableKey};

/// A key file is one short line; whatever is longer is something else.
const LONGEST: u64 = 4096;

/// Random keys have about 30 different bytes among their 32. Fewer than this do not happen by chance: the probability is
/// below 10⁻¹⁵.
const FEWEST_BYTES: usize = 16;

/// The key in the file that the policy names. A key file that does not exist is made, for nobody else to read.
pub(crate) fn read_or_make(job: &Job) -> Result<Option<TableKey>, PipelineError> {
    if !job.policy().privacy.transparent {
        return Ok(None);
    }
    let Some(file) = &job.policy().algorithm.key_file else { return Ok(None) };
    let path = job.resolve(file);
    match read(&path)? {
        Some(secret) => {
            Ok(Some(TableKey { secret, note: "the secret key comes from the policy's key-file" }))
        }
        None => {
            let note =
                "a new secret key was written to the policy's key-file: whoever has it can undo the release";
            let key = TableKey::draw(note)?;
            make(&path, &key).map_err(|error| PipelineError::Key {
                path,
                why: format!("it cannot be written: {error}"),
            })?;
            Ok(Some(key))
        }
    }
}

/// Refuses a key file that cannot be used; one that does not exist can.
pub(crate) fn check(job: &Job) -> Result<(), PipelineError> {
    match &job.policy().algorithm.key_file {
        Some(file) if job.policy().privacy.transparent => read(&job.resolve(file)).map(drop),
        _ => Ok(()),
    }
}

/// The key in a file; none where there is no file.
fn read(path: &Path) -> Result<Option<Secret>, PipelineError> {
    let refuse = |why: String| PipelineError::Key { path: PathBuf::from(path), why };
    let fail = |error: io::Error| refuse(format!("it cannot be read: {error}"));
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(fail)?,
    };
    let mode = file.metadata().map_err(fail)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(refuse(format!("others may read it (mode {:03o})", mode & 0o777)));
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(fail)?;
    let digits = text.trim();
    let byte = |at: usize| digits.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let key = bytes.filter(|_| digits.len() == 64).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let key = key.ok_or_else(|| refuse("it does not hold 64 hexadecimal digits".to_owned()))?;
    let mut different = key.to_vec();
    different.sort_unstable();
    different.dedup();
    if different.len() < FEWEST_BYTES {
        return Err(refuse("its bytes repeat too much to be random".to_owned()));
    }
    Ok(Some(Secret(key)))
}

fn make(path: &Path, key: &TableKey) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(format!("{}\n", key.hex()).as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_made_and_weak_or_open_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert_eq!(read(&path).unwrap(), None);
        let key = TableKey::draw("").unwrap();
        make(&path, &key).unwrap();
        assert_eq!(read(&path).unwrap(), Some(key.secret));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("others may read it"));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        for (text, why) in [("00".repeat(32), "random"), ("ab12".to_owned(), "64"), ("zz".repeat(32), "64")] {
            fs::write(&path, text).unwrap();
            assert!(read(&path).unwrap_err().to_string().contains(why), "{why}");
        }
    }
}
