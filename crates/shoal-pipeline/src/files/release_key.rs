//! The key file of a policy.

use std::path::{Path, PathBuf};

use super::Job;
use super::key_file::{KeyFile, KeyFileError};
use crate::{PipelineError, ReleaseKey};

/// The key in the file that the policy names, which is made where it does not exist; none where the policy names none. Beside it the path of
/// a file that was made.
pub(crate) fn read_or_make(job: &Job) -> Result<(Option<ReleaseKey>, Option<PathBuf>), PipelineError> {
    let Some(file) = &job.policy().algorithm.key_file else { return Ok((None, None)) };
    let path = job.resolve(file);
    if let Some(key) = read(&path)? {
        return Ok((Some(key), None));
    }
    let key = ReleaseKey::draw()?;
    match KeyFile::create(&path, key.bytes()) {
        Ok(()) => Ok((Some(key), Some(path))),
        Err(error) => Err(PipelineError::Key { path, why: format!("it cannot be written: {error}") }),
    }
}

/// Refuses a key file that cannot be used. What a run will do with it, where the policy names one.
pub(crate) fn check(job: &Job) -> Result<Option<String>, PipelineError> {
    let Some(file) = &job.policy().algorithm.key_file else { return Ok(None) };
    let how = match read(&job.resolve(file))? {
        Some(_) => "the same records give the same bytes",
        None => "it does not exist yet, and a run makes it",
    };
    Ok(Some(format!("the key of the release is in `{file}`: {how}; keep it secret")))
}

/// The key in a file; none where there is no file.
fn read(path: &Path) -> Result<Option<ReleaseKey>, PipelineError> {
    let refuse =
        |error: KeyFileError| PipelineError::Key { path: PathBuf::from(path), why: error.to_string() };
    match KeyFile::read(path).map_err(refuse)? {
        // Only the keys of streams have a second line. A release and a stream must not be dealt by one key.
        Some(file) if !file.notes.is_empty() => {
            Err(PipelineError::Key { path: PathBuf::from(path), why: "it is the key of a stream".to_owned() })
        }
        file => Ok(file.map(|file| ReleaseKey::from_bytes(file.key))),
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
        let key = ReleaseKey::draw().unwrap();
        KeyFile::create(&path, key.bytes()).unwrap();
        assert_eq!(read(&path).unwrap(), Some(key));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}design abc\n")).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("it is the key of a stream"));
    }
}
