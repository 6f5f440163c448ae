//! What stays with the publisher: `audit.json`, which nobody but its owner can read.
//!
//! It holds what `verify`, `measure`, a later release of the same people and an audit need: the policy with its seed, the
//! recoding, exact figures, and what the algorithm did. It names the input by a *keyed* hash, so that the same input can be
//! recognized by whoever has this file, and a hash that is copied elsewhere reveals nothing: a plain hash of a
//! small table can be found by trying tables.

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use shoal_algorithms::{Counts, Search};
use shoal_core::Policy;

use crate::{PipelineError, Report};

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
    /// The seed of all randomness.
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
    /// The secret key from which a transparent algorithm drew, where none was given in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_key: Option<String>,
    /// How the data were recoded.
    pub recoding: &'a RecodingFile,
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
    /// Where it was read from.
    #[serde(skip)]
    pub place: PathBuf,
    /// Hash of its text.
    #[serde(skip)]
    text_hash: String,
    input_hash: String,
    /// How the data were recoded, and who is in which class.
    pub recoding: RecodingFile,
}

impl Audit {
    /// Reads the text of an `audit.json`; `path` is where it lies, or what errors call it.
    pub fn parse(path: &Path, text: &str) -> Result<Audit, PipelineError> {
        let broken = |problem: String| PipelineError::Audit { path: path.to_owned(), problem };
        let mut audit: Audit = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        audit.place = path.to_owned();
        audit.text_hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        if audit.version != VERSION {
            let problem =
                format!("its version is {}, and this program reads version {VERSION}", audit.version);
            return Err(broken(problem));
        }
        Key::from_hex(&audit.key).ok_or_else(|| broken("its key is not 64 hex digits".to_owned()))?;
        Ok(audit)
    }

    /// Whether it is about a source of this SHA-256.
    pub(crate) fn is_of_input(&self, sha256: &str) -> bool {
        self.key().is_some_and(|key| key.hash(INPUT, sha256.as_bytes()) == self.input_hash)
    }

    /// Whether both are of one release, or of copies of it. Not by the published bytes: two releases of different people may have the same ones, and a copy
    /// in another format has others.
    pub(crate) fn is_same_release(&self, other: &Audit) -> bool {
        self.key == other.key
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
            &self.recoding,
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
        Key::from_hex(&self.key)
    }
}

/// What a hash is of, so that equal bytes of two kinds have two hashes.
pub(crate) const INPUT: &str = "input";
/// What somebody is known by.
pub(crate) const PERSON: &str = "person";
/// A release, by what its `audit.json` says of people.
const RELEASE: &str = "release";
/// The text of an `audit.json`.
const AUDIT: &str = "audit";
/// A policy.
pub(crate) const POLICY: &str = "policy";

/// A key that was drawn for one release.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// A fresh one.
    pub(crate) fn random() -> Result<Key, PipelineError> {
        let mut key = [0; 32];
        let failed = |error: getrandom::Error| PipelineError::NoRandomness { why: error.to_string() };
        getrandom::fill(&mut key).map_err(failed)?;
        Ok(Key(key))
    }

    pub(crate) fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn from_hex(hex: &str) -> Option<Key> {
        let digit = |at: usize| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok();
        let bytes: Vec<u8> = (0..32).map(digit).collect::<Option<_>>()?;
        (hex.len() == 64).then_some(())?;
        Some(Key(bytes.try_into().ok()?))
    }

    /// The keyed hash of some bytes of a kind, in hex.
    pub(crate) fn hash(&self, kind: &str, bytes: &[u8]) -> String {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        // Kinds hold no zero byte, so that kind and bytes cannot run into each other.
        hasher.update(kind.as_bytes()).update(&[0]).update(bytes);
        hasher.finalize().to_hex().to_string()
    }
}

/// How the data were recoded.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", untagged)]
pub enum RecodingFile {
    /// A table: the classes of the published file.
    #[serde(rename_all = "kebab-case")]
    Table {
        /// The quasi-identifiers, in the order of the cells below.
        quasi_identifiers: Vec<String>,
        /// The columns by which people are recognized in later releases.
        known_by: Vec<String>,
        /// Each class: what it publishes, and who is in it.
        classes: Vec<ClassFile>,
    },
    /// Transactions: the published items.
    #[serde(rename_all = "kebab-case")]
    Transactions {
        /// Each published item and how many transactions hold it.
        items: Vec<ItemFile>,
        /// Items of the original that were suppressed.
        #[serde(default)]
        suppressed: Vec<String>,
        /// The columns by which people are recognized in later releases; none where the data have no such column.
        #[serde(default)]
        known_by: Vec<String>,
        /// Keyed hashes of the people, a hash for each published transaction in the order of the file; among transactions with the same items
        /// ascending.
        #[serde(default)]
        people: Vec<String>,
    },
    /// Sequences: the classes of the published file.
    #[serde(rename_all = "kebab-case")]
    Sequences {
        /// The quasi-identifiers, in the order of the cells below.
        quasi_identifiers: Vec<String>,
        /// Each class: the events that its members publish, and how many members it has.
        classes: Vec<SequenceFile>,
        /// The column by which people are recognized in later releases.
        #[serde(default)]
        known_by: Vec<String>,
        /// Who was put together: keyed hashes of the people of each cluster, ascending.
        #[serde(default)]
        clusters: Vec<Vec<String>>,
    },
}

/// One class of the published file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClassFile {
    /// The published cells.
    pub cells: Vec<String>,
    /// How many rows publish them.
    pub size: u32,
    /// By sensitive column, how often each value occurs in these rows.
    pub values: IndexMap<String, IndexMap<String, u32>>,
    /// Keyed hashes of the people that they are about, a hash per row, ascending.
    pub people: Vec<String>,
}

/// People who publish the same sequence.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceFile {
    /// The published cells of each event.
    pub events: Vec<Vec<String>>,
    /// How many people publish them.
    pub size: u32,
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

    #[test]
    fn a_key_survives_its_hex_and_nothing_else_is_one() {
        let key = Key([0xa5; 32]);
        assert_eq!(Key::from_hex(&key.hex()).unwrap().0, key.0);
        for wrong in ["", "a5", &"a5".repeat(33), &"g5".repeat(32), &"é".repeat(32)] {
            assert!(Key::from_hex(wrong).is_none(), "{wrong}");
        }
    }

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
            "recoding": {
                "quasi-identifiers": ["age"], "known-by": ["id"],
                "classes": [{ "cells": ["[20, 30]"], "size": 2, "values": { "illness": { "flu": 1, "cold": 1 } }, "people": ["0f", "f0"] }]
            }
        }"#;
        let audit = Audit::parse(Path::new("audit.json"), &text.replace("KEY", &"a5".repeat(32))).unwrap();
        let named = "6d9a9076698b6372c205b4effc72fa63c31bde1f6cdfc5333e193b4749ddf282";
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
