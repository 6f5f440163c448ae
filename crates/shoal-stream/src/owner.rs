//! Whose a state folder is: bound on first use to the stream's policy, its key, its sink and its source.
//!
//! A prior that was learned for one stream, a key or a journal must not be taken up by another because both policies name
//! the same folder; and positions in one source must not be taken for positions in another, whose records would be passed over.
//! What is kept are keyed names, which say nothing to whoever finds the folder without its key.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::{StreamError, StreamKey};

/// The name of the file in the state folder.
const FILE: &str = "belongs-to";

/// What a folder is bound to.
pub(crate) struct Owner<'o> {
    /// What of the policy must not change.
    pub(crate) policy: &'o str,
    /// The address of the sink, for a stream whose further lines make sense behind the earlier ones only.
    pub(crate) sink: Option<&'o str>,
    /// What the positions in the folder and in the sink are places in. Where that is not known, nothing is bound and nothing refused for it.
    pub(crate) source: Option<&'o str>,
}

/// What the file has where no sink is named.
const ANY: &str = "any";

impl Owner<'_> {
    /// The lines of the file; two of them where the source is not known.
    fn names(&self, key: &StreamKey) -> Vec<String> {
        let sink = self.sink.map_or_else(|| ANY.to_owned(), |sink| key.name_of("sink", sink));
        let mut names = vec![key.name_of("policy", self.policy), sink];
        names.extend(self.source.map(|source| key.name_of("source", source)));
        names
    }
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
    bound_lines(folder, &owner.names(key)).map(drop)
}

/// Binds a folder to a stream, or refuses it where it is bound to another one.
pub(crate) fn claim(folder: &Path, key: &StreamKey, owner: &Owner<'_>) -> Result<(), StreamError> {
    let names = owner.names(key);
    // Fewer than there are now: an earlier version did not name the source, or it was not known. More: it is not known now.
    if bound_lines(folder, &names)? >= names.len() {
        return Ok(());
    }
    let path = folder.join(FILE);
    write(&path, &names).map_err(|error| StreamError::File { what: "file of the state", path, error })
}

/// How many lines the file has, all of which are this stream's; none where there is no file.
fn bound_lines(folder: &Path, names: &[String]) -> Result<usize, StreamError> {
    let path = folder.join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(StreamError::File { what: "file of the state", path, error }),
    };
    let found: Vec<&str> = text.split_whitespace().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if found.first() != names.first() {
        return Err(StreamError::OtherStream { path });
    }
    if found.get(1) != names.get(1) {
        return Err(StreamError::OtherSink { folder: folder.to_owned() });
    }
    match (found.get(2), names.get(2)) {
        (Some(bound), Some(source)) if bound != source => {
            Err(StreamError::OtherSource { folder: folder.to_owned() })
        }
        _ => Ok(found.len()),
    }
}

/// Under its name only once it is whole.
fn write(path: &Path, names: &[String]) -> std::io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    file.write_all(format!("{}\n", names.join("\n")).as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_key::StoredKey;

    #[test]
    fn a_folder_is_of_one_policy_one_key_one_sink_and_one_source() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, other) = (StreamKey::draw().unwrap(), StreamKey::draw().unwrap());
        let owner = |policy, sink| Owner { policy, sink, source: Some("kafka c visits") };
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
        let other = Owner { source: Some("kafka c wards"), ..owner("p", Some("nats://a/B")) };
        assert!(matches!(check(folder.path(), &ours, &other), Err(StreamError::OtherSource { .. })));
    }

    /// A broker that does not say which cluster it is at one start and says it at another.
    #[test]
    fn a_source_that_is_not_known_binds_nothing_and_is_not_refused() {
        let folder = tempfile::tempdir().unwrap();
        let key = StreamKey::draw().unwrap();
        let owner = |source| Owner { policy: "p", sink: None, source };
        claim(folder.path(), &key, &owner(None)).unwrap();
        claim(folder.path(), &key, &owner(Some("kafka c visits"))).unwrap();
        claim(folder.path(), &key, &owner(None)).unwrap();
        // It is bound still.
        let refused = check(folder.path(), &key, &owner(Some("kafka c wards")));
        assert!(matches!(refused, Err(StreamError::OtherSource { .. })));
        check(folder.path(), &key, &owner(Some("kafka c visits"))).unwrap();
    }

    #[test]
    fn a_folder_of_an_older_version_is_bound_to_the_source_of_its_next_run() {
        let folder = tempfile::tempdir().unwrap();
        let key = StreamKey::draw().unwrap();
        let owner = |source| Owner { policy: "p", sink: None, source };
        claim(folder.path(), &key, &owner(Some("kafka c visits"))).unwrap();
        let file = folder.path().join(FILE);
        let text = fs::read_to_string(&file).unwrap();
        let old: Vec<&str> = text.lines().take(2).collect();
        fs::write(&file, old.join("\n")).unwrap();
        // To look does not bind.
        check(folder.path(), &key, &owner(Some("kafka c wards"))).unwrap();
        claim(folder.path(), &key, &owner(Some("kafka c visits"))).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert!(check(folder.path(), &key, &owner(Some("kafka c wards"))).is_err());
    }

    #[test]
    fn a_new_key_is_not_made_for_a_folder_whose_key_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        check_key(folder.path(), &path).unwrap();
        let made = StoredKey::read_or_make(&path).unwrap().key;
        claim(folder.path(), &made, &Owner { policy: "p", sink: None, source: None }).unwrap();
        check_key(folder.path(), &path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(matches!(check_key(folder.path(), &path), Err(StreamError::KeyLost { .. })));
    }
}
