//! What stays with the publisher: `audit.json` and `audit.people.parquet`, which nobody but their owner can read.
//!
//! They hold what `verify`, `measure`, a later release of the same people and an audit need: the policy with its seed,
//! exact figures, what the algorithm did, and for each published record a keyed hash of its person. Who has both files
//! knows whose record is whose. It names the input by a *keyed* hash, so that the same input can be
//! recognized by whoever has this file, and a hash that is copied elsewhere reveals nothing: a plain hash of a
//! small table can be found by trying tables.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shoal_algorithms::{Counts, Search};
use shoal_core::Policy;
use shoal_io::PeopleOfRecords;
use shoal_privacy::{PeopleKey, PersonHash, Remembered, Remembers};

use crate::release_key::{from_hex, to_hex};
use crate::{PipelineError, ReleaseKey, Report};

/// The layout that this version writes and reads.
pub(crate) const VERSION: u32 = 1;

/// `audit.json`, as it is written.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct AuditFile<'a> {
    /// The key of all hashes in this file, in hex.
    pub key: String,
    /// The policy with all overrides.
    pub policy: &'a Policy,
    /// The folder that the policy's paths are relative to.
    pub policy_folder: PathBuf,
    /// Keyed hash of the policy in canonical JSON.
    pub policy_hash: String,
    /// Keyed hash of the SHA-256 of the source's bytes.
    pub input_hash: String,
    /// Where the release was written to.
    pub output: PathBuf,
    /// transactions: where the dictionary of its groups was written to, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<PathBuf>,
    /// The seed of all randomness that is not secret.
    pub seed: u64,
    /// tables: whether people who were in an earlier release kept their classes; whoever is left of a class that has become
    /// too small is left out then, whatever the policy says.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reused_classes: bool,
    /// Keyed hash of the release whose recoding was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_from: Option<String>,
    /// The earlier releases that this one was compared with, in the order in which they were given; a release that applies
    /// this one's recoding is compared with them, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PreviousFile>,
    /// The report, with exact figures.
    #[serde(flatten)]
    pub report: &'a Report,
    /// What the search did, where an algorithm counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<&'a Counts>,
    /// Which construction `ribbon` started from and what each step gained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ribbon: Option<&'a Search>,
    /// What each of several results lost, where another algorithm than `ribbon` takes the best of them, and which it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<&'a Search>,
    /// The secret key of the release, in hex: with it, the policy and the records, the same bytes are made again.
    pub release_key: String,
    /// The file with whose each published record is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleName>,
    /// How the data were recoded.
    pub recoding: &'a RecodingFile,
}

/// The file beside `audit.json` with a keyed hash of each published record's person: the only part that grows with people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PeopleName {
    /// Its name, in the folder of `audit.json`.
    pub file: String,
    /// How many records it has.
    pub records: usize,
    /// The key of the hashes in it, in hex. A release has that of the earlier one that it was compared with, so that people are
    /// recognized who are in several earlier releases and not in a new one.
    pub key: String,
    /// Keyed hash of what it says, with the key of `audit.json`.
    pub hash: String,
}

/// Where the audit of an earlier release lay, and how it is recognized if it has moved.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PreviousFile {
    /// The `audit.json`.
    pub audit: PathBuf,
    /// Keyed hash of what it says of people.
    pub audit_hash: String,
}

/// What only a front that has files knows of a release.
#[derive(Clone, Debug, Default)]
pub struct AuditPlaces {
    /// The folder that the policy's paths are relative to.
    pub policy_folder: PathBuf,
    /// Where the release was written to.
    pub output: PathBuf,
    /// Where the dictionary of its groups was written to, if it has one.
    pub groups: Option<PathBuf>,
}

/// What is read of an `audit.json`; the rest of it is for people.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Audit {
    /// The version of its layout.
    pub version: u32,
    /// The key of its hashes.
    key: String,
    /// The policy of the release.
    pub policy: Policy,
    /// The folder that the policy's paths are relative to.
    pub policy_folder: PathBuf,
    /// Where the release was written to.
    pub output: PathBuf,
    /// SHA-256 of the published bytes.
    pub output_sha256: String,
    /// Where the dictionary of its groups was written to, if it has one.
    #[serde(default)]
    pub groups: Option<PathBuf>,
    /// SHA-256 of that dictionary.
    #[serde(default)]
    pub groups_sha256: Option<String>,
    /// tables: whether people who were in an earlier release kept their classes.
    #[serde(default)]
    pub reused_classes: bool,
    /// The earlier releases that it was compared with.
    #[serde(default)]
    pub previous: Vec<PreviousFile>,
    /// The secret key of the release; audits of earlier versions have none.
    #[serde(default)]
    release_key: Option<String>,
    /// Where it was read from.
    #[serde(skip)]
    pub place: PathBuf,
    /// Hash of its text.
    #[serde(skip)]
    text_hash: String,
    input_hash: String,
    /// The file with whose each published record is; none where no column tells people apart, and in audits of earlier versions.
    #[serde(rename = "people", default)]
    people_name: Option<PeopleName>,
    /// What that file says, where it was read.
    #[serde(skip)]
    people: Option<Arc<PeopleOfRecords>>,
    /// How the data were recoded.
    pub recoding: RecodingFile,
}

impl Audit {
    /// Reads the text of an `audit.json`; `path` is where it lies, or what errors call it.
    pub fn parse(path: &Path, text: &str) -> Result<Audit, PipelineError> {
        let broken = |problem: String| PipelineError::Audit { path: path.to_owned(), problem };
        let mut audit: Audit = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        audit.policy.without_written_defaults();
        audit.place = path.to_owned();
        audit.text_hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        if audit.version != VERSION {
            let problem =
                format!("its version is {}, and this program reads version {VERSION}", audit.version);
            return Err(broken(problem));
        }
        let people = audit.people_name.as_ref().map(|people| &people.key);
        for key in [Some(&audit.key), audit.release_key.as_ref(), people].into_iter().flatten() {
            from_hex(key).ok_or_else(|| broken("its key is not 64 hex digits".to_owned()))?;
        }
        Ok(audit)
    }

    /// The same with the people of its records. An error where they are not those that it names.
    pub fn with_people(mut self, people: Arc<PeopleOfRecords>) -> Result<Audit, PipelineError> {
        let is_named = |named: &PeopleName, key: &Key| {
            named.records == people.persons.len() && named.hash == hash_of_people(key, &people)
        };
        match self.people_name.as_ref().zip(self.key()) {
            Some((named, key)) if is_named(named, &key) => {
                self.people = Some(people);
                Ok(self)
            }
            _ => {
                let problem = "the file of its people is not the one that it names".to_owned();
                Err(PipelineError::Audit { path: self.place, problem })
            }
        }
    }

    /// The name of the file with its people.
    pub(crate) fn people_file(&self) -> Option<&str> {
        self.people_name.as_ref().map(|people| people.file.as_str())
    }

    /// Whose each published record is, and the key of these hashes. An error where that was not read.
    pub(crate) fn people(&self) -> Result<(&PeopleOfRecords, Key), PipelineError> {
        let incomparable =
            |problem: String| PipelineError::Incomparable { output: self.output.clone(), problem };
        let Some(named) = &self.people_name else {
            let problem = "its audit does not name the file with its people, as those of earlier versions; make that release again";
            return Err(incomparable(problem.to_owned()));
        };
        let lost = || incomparable(format!("`{}` is not beside its audit.json", named.file));
        let people = self.people.as_deref().ok_or_else(lost)?;
        Ok((people, Key::from_hex(&named.key).ok_or_else(lost)?))
    }

    /// Whether it is about a source of this SHA-256.
    pub(crate) fn is_of_input(&self, sha256: &str) -> bool {
        self.key().is_some_and(|key| key.hash(INPUT, sha256.as_bytes()) == self.input_hash)
    }

    /// Whether both are of one release, or of copies of it. Not by the published bytes: two releases of different people may have the same ones, and a copy
    /// in another format has others.
    pub(crate) fn is_same_release(&self, other: &Audit) -> bool {
        self.key == other.key && self.people_hash() == other.people_hash()
    }

    fn people_hash(&self) -> Option<&str> {
        self.people_name.as_ref().map(|people| people.hash.as_str())
    }

    /// Whether it is the audit of the release with this key.
    pub(crate) fn is_of_release(&self, key: &Key) -> bool {
        self.key == key.hex()
    }

    /// How the audit of a release with this key names it: by what a later release relies on, which is who is in it, what is published of them and what was promised to them. Where it was
    /// written to is no part of it, so that a release of memory is the same one when it is saved, and one that has moved may say so.
    ///
    /// The hash is of JSON as this program writes it now: a key that is added to these parts must be left out of the JSON where it is not used, or releases that were named before
    /// are not recognized any more (a test has the hash of a fixed audit).
    pub(crate) fn hash_by(&self, key: &Key) -> String {
        let relied_on = (
            (&self.key, &self.input_hash, self.reused_classes),
            (&self.policy.privacy, &self.policy.data.person),
            (&self.recoding, self.people_hash()),
        );
        let json = serde_json::to_vec(&relied_on).expect("an audit holds nothing that JSON cannot");
        key.hash(RELEASE, &json)
    }

    /// Whether it is the one that another audit names as earlier. Audits of earlier versions name the whole text.
    pub(crate) fn is_named(&self, by: &Audit, named: &PreviousFile) -> bool {
        let text_hash = |key: &Key| key.hash(AUDIT, self.text_hash.as_bytes());
        by.key()
            .is_some_and(|key| self.hash_by(&key) == named.audit_hash || text_hash(&key) == named.audit_hash)
    }

    /// The key of its hashes; `parse` has checked that there is one.
    pub(crate) fn key(&self) -> Option<Key> {
        from_hex(&self.key).map(Key)
    }

    /// The key that its release was dealt by.
    pub fn release_key(&self) -> Result<ReleaseKey, PipelineError> {
        let key = self.release_key.as_deref().and_then(ReleaseKey::from_hex);
        key.ok_or_else(|| PipelineError::NoReleaseKey { path: self.place.clone() })
    }
}

/// What a hash is of, so that equal bytes of two kinds have two hashes.
pub(crate) const INPUT: &str = "input";
/// The people of the records.
const PEOPLE: &str = "people";
/// A release, by what its `audit.json` says of people.
const RELEASE: &str = "release";
/// The text of an `audit.json`.
const AUDIT: &str = "audit";
/// A policy.
pub(crate) const POLICY: &str = "policy";

/// The key of the hashes of one release. It is drawn for it also where the key of the release comes from a file, since it
/// tells releases apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// A fresh one.
    pub(crate) fn random() -> Result<Key, PipelineError> {
        ReleaseKey::draw().map(|key| Key(*key.bytes()))
    }

    pub(crate) fn hex(&self) -> String {
        to_hex(&self.0)
    }

    pub(crate) fn from_hex(hex: &str) -> Option<Key> {
        from_hex(hex).map(Key)
    }

    /// The key by which a release remembers its people.
    pub(crate) fn of_people(&self) -> PeopleKey {
        PeopleKey(self.0)
    }

    /// The keyed hash of some bytes of a kind, in hex.
    pub(crate) fn hash(&self, kind: &str, bytes: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        // Kinds hold no zero byte, so that kind and bytes cannot run into each other; `person` is the kind of a `PeopleKey`.
        hasher.update(kind.as_bytes()).update(&[0]).update(bytes);
        to_hex(hasher.finalize().as_bytes())
    }
}

/// How the data were recoded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecodingFile {
    /// The columns by which people are recognized in later releases; none where the data have no such column.
    #[serde(default)]
    pub known_by: Vec<String>,
    /// transactions: each published item and how many transactions hold it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<ItemFile>,
    /// transactions: items of the original that were suppressed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressed: Vec<String>,
}

/// The hash by which an audit names the people of its records.
pub(crate) fn hash_of_people(key: &Key, people: &PeopleOfRecords) -> String {
    let clusters = people.clusters.iter().flat_map(|cluster| cluster.to_le_bytes());
    let bytes: Vec<u8> = people.persons.iter().flatten().copied().chain(clusters).collect();
    key.hash(PEOPLE, &bytes)
}

/// The keyed hash of what somebody is known by.
pub(crate) fn person_hash(key: &Key, identity: &str) -> PersonHash {
    key.of_people().hash(identity)
}

impl Remembers for Audit {
    type Error = PipelineError;

    fn remembered(&self) -> Result<Remembered<'_>, PipelineError> {
        let (people, key) = self.people()?;
        Ok(Remembered { key: key.of_people(), persons: &people.persons })
    }
}

/// One published item.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ItemFile {
    /// The published text.
    pub item: String,
    /// The items of the original that it stands for.
    #[serde(default)]
    pub members: Vec<String>,
    /// How many transactions hold it.
    pub support: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Releases name earlier ones by this hash, for years: a new version must find the same.
    #[test]
    fn a_release_is_named_as_ever() {
        let text = r#"{
            "version": 1, "key": "KEY", "policy-folder": ".", "output": "out.csv", "output-sha256": "", "input-hash": "ab",
            "policy": {
                "version": 1, "data": { "shape": "table", "source": "-", "person": "id" },
                "columns": { "id": { "role": "identifier" }, "age": { "role": "quasi-identifier", "kind": "integer" }, "illness": { "role": "sensitive" } },
                "privacy": { "k": 2, "l-diversity": { "kind": "distinct", "l": 2 } }
            },
            "people": { "file": "audit.people.parquet", "records": 2, "key": "KEY", "hash": "0ff0" },
            "recoding": { "known-by": ["id"] }
        }"#;
        let audit = Audit::parse(Path::new("audit.json"), &text.replace("KEY", &"a5".repeat(32))).unwrap();
        let named = "deeb730b2855f0d0acf9ad488beb2dded1b963e28ccd3255c21c843706aab71c";
        assert_eq!(audit.hash_by(&Key([7; 32])), named);
    }

    #[test]
    fn hashes_differ_by_key_kind_and_bytes() {
        let (key, other) = (Key([1; 32]), Key([2; 32]));
        let hashes =
            [key.hash(INPUT, b"a"), other.hash(INPUT, b"a"), key.hash(POLICY, b"a"), key.hash(INPUT, b"b")];
        for (at, hash) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(hash));
        }
        assert_eq!(key.hash(INPUT, b"a"), hashes[0]);
    }
}
