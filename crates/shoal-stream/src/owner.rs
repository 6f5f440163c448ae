//! Whose a state folder is: bound on first use to the stream's policy, its key and its sink.
//!
//! A prior that was learned for one stream, a key or a journal must not be taken up by another because both policies name
//! the same folder. What is kept is a keyed name, which says nothing to whoever finds the folder without its key.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::{StreamError, StreamKey};

/// The name of the file in the state folder.
const FILE: &str = "belongs-to";

/// What a folder is bound to.
pub(crate) struct Owner<'o> {
    /// What of the policy must not change.
    pub(crate) policy: &'o str,
    /// The address of the sink, for a stream whose further lines make sense behind the earlier ones only.
    pub(crate) sink: Option<&'o str>,
}

/// Refuses to make a new key where the folder was used with one that is gone.
pub(crate) fn check_key(folder: &Path, key: &Path) -> Result<(), StreamError> {
    let used = folder.join(FILE);
    if used.exists() && !key.exists() {
        return Err(StreamError::KeyLost { folder: folder.to_owned(), key: key.to_owned() });
    }
    Ok(())
}

/// Whether a folder is bound to a stream.
#[cfg(feature = "kafka")]
pub(crate) fn is_claimed(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// Refuses a folder that is bound to another stream. One that is bound to none is not bound by this: a policy that cannot
/// start must not keep the next one out.
pub(crate) fn check(folder: &Path, key: &StreamKey, owner: &Owner<'_>) -> Result<(), StreamError> {
    if folder.join(FILE).exists() { claim(folder, key, owner) } else { Ok(()) }
}

/// Binds a folder to a stream, or refuses it where it is bound to another one.
pub(crate) fn claim(folder: &Path, key: &StreamKey, owner: &Owner<'_>) -> Result<(), StreamError> {
    let path = folder.join(FILE);
    let policy = key.name_of("policy", owner.policy);
    let sink = owner.sink.map_or_else(|| "any".to_owned(), |sink| key.name_of("sink", sink));
    let fail = |error| StreamError::File { what: "file of the state", path: path.clone(), error };
    match fs::read_to_string(&path) {
        Ok(text) => {
            let mut words = text.split_whitespace();
            if words.next() != Some(&policy) {
                return Err(StreamError::OtherStream { path });
            }
            if words.next() != Some(&sink) {
                return Err(StreamError::OtherSink { folder: folder.to_owned() });
            }
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            write(&path, &format!("{policy}\n{sink}\n")).map_err(fail)
        }
        Err(error) => Err(fail(error)),
    }
}

fn write(path: &PathBuf, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_key::StoredKey;

    #[test]
    fn a_folder_is_of_one_policy_one_key_and_one_sink() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, other) = (StreamKey::draw().unwrap(), StreamKey::draw().unwrap());
        let owner = |policy, sink| Owner { policy, sink };
        claim(folder.path(), &ours, &owner("p", Some("nats://a/B"))).unwrap();
        claim(folder.path(), &ours, &owner("p", Some("nats://a/B"))).unwrap();
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        assert!(!text.contains("nats"), "{text}");
        let refused = claim(folder.path(), &ours, &owner("q", Some("nats://a/B")));
        assert!(matches!(refused, Err(StreamError::OtherStream { .. })));
        let refused = claim(folder.path(), &other, &owner("p", Some("nats://a/B")));
        assert!(matches!(refused, Err(StreamError::OtherStream { .. })));
        let refused = claim(folder.path(), &ours, &owner("p", Some("nats://a/C")));
        assert!(matches!(refused, Err(StreamError::OtherSink { .. })));
    }

    #[test]
    fn a_new_key_is_not_made_for_a_folder_whose_key_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        check_key(folder.path(), &path).unwrap();
        let made = StoredKey::read_or_make(&path).unwrap().key;
        claim(folder.path(), &made, &Owner { policy: "p", sink: None }).unwrap();
        check_key(folder.path(), &path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(check_key(folder.path(), &path), Err(StreamError::KeyLost { .. })));
    }
}
