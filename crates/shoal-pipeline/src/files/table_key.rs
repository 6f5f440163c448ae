//! The key file of transparent l-diversity.

use std::path::{Path, PathBuf};

use shoal_algorithms::table::transparent::Secret;

use super::Job;
use super::key_file::{KeyFile, KeyFileError};
use crate::{PipelineError, TableKey};

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
            KeyFile::create(&path, &key.secret.0).map_err(|error| PipelineError::Key {
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
    let refuse =
        |error: KeyFileError| PipelineError::Key { path: PathBuf::from(path), why: error.to_string() };
    match KeyFile::read(path).map_err(refuse)? {
        // Only the keys of streams have a second line. Choices of a table and of a stream must not come from one key.
        Some(file) if !file.notes.is_empty() => Err(refuse(KeyFileError::NotAKey)),
        file => Ok(file.map(|file| Secret(file.key))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_made_and_that_of_a_stream_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert_eq!(read(&path).unwrap(), None);
        let key = TableKey::draw("").unwrap();
        KeyFile::create(&path, &key.secret.0).unwrap();
        assert_eq!(read(&path).unwrap(), Some(key.secret.clone()));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}design abc\n")).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("64 hexadecimal digits"));
    }
}
