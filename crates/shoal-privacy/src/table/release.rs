use shoal_core::{RawTable, Role, Table};

use super::model::verify_all;
use super::{Classes, Model, View, conservation};
use crate::{Refusal, Unverifiable, VerifiedRelease};

/// What is said about a file that shall be released; every word of it is checked.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    /// The SHA-256 of the file's bytes, in lower-case hex.
    pub sha256: String,
    /// The file, read back from these bytes.
    pub published: &'a RawTable,
    /// The input, with the hierarchies of the policy and no others.
    pub original: &'a Table,
    /// For every published record the input record that it comes from, both counted from 0.
    pub origin: &'a [u32],
    /// How many input records are not in the file.
    pub left_out: usize,
}

/// A table that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedTable {
    release: VerifiedRelease,
    classes: Classes,
    starred: usize,
}

/// Checks that a file keeps every promise and is true of its input.
pub fn verify_release(claim: Claim<'_>, models: &[Box<dyn Model>]) -> Result<VerifiedTable, Refusal> {
    let Claim { sha256, published, original, origin, left_out } = claim;
    check_original(original)?;
    let quasi: Vec<&str> = original.of_role(Role::QuasiIdentifier).map(|c| c.name.as_str()).collect();
    let view = View::new(published, &quasi)?;
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::Broken { broken });
    }
    conservation::check(original, published, origin, left_out)?;
    let release = VerifiedRelease::seal(sha256, promises, original.rows, published.rows);
    let starred = view.starred();
    Ok(VerifiedTable { release, classes: view.into_classes(), starred })
}

/// A table that is not rectangular cannot be compared with anything.
pub(crate) fn check_original(original: &Table) -> Result<(), Unverifiable> {
    let rows = original.rows;
    match original.columns.iter().find(|column| column.codes.len() != rows) {
        None => Ok(()),
        Some(column) => {
            Err(Unverifiable::Ragged { column: column.name.clone(), cells: column.codes.len(), rows })
        }
    }
}

impl VerifiedTable {
    /// The ticket for publishing.
    pub fn release(&self) -> &VerifiedRelease {
        &self.release
    }

    /// The ticket alone.
    pub fn into_release(self) -> VerifiedRelease {
        self.release
    }

    /// The equivalence classes of the published file.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Records of the file that say nothing: `*` in every quasi-identifier.
    pub fn rows_starred(&self) -> usize {
        self.starred
    }
}
