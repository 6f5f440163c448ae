use shoal_core::{RawTable, Role, Table};

use crate::model::verify_all;
use crate::{
    BrokenPromise, Classes, ConservationError, Model, PromiseResult, Unverifiable, View, conservation,
};

/// Proof that the bytes with this digest keep their promise. Only [`verify_release`] can make one, and
/// nothing is published without one.
///
/// ```compile_fail
/// let forged = shoal_privacy::VerifiedRelease {
///     sha256: String::new(),
///     promises: Vec::new(),
///     classes: shoal_privacy::Classes::default(),
///     rows_in: 0,
///     starred: 0,
/// };
/// ```
#[derive(Debug)]
pub struct VerifiedRelease {
    sha256: String,
    promises: Vec<PromiseResult>,
    classes: Classes,
    rows_in: usize,
    starred: usize,
}

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

/// Why a file is not released.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The promise cannot even be checked.
    #[error(transparent)]
    Unverifiable(#[from] Unverifiable),
    /// A promise is not kept.
    #[error("{}", broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Broken {
        /// The promises that are not kept, at least one.
        broken: Vec<BrokenPromise>,
    },
    /// The file is not true of its input.
    #[error(transparent)]
    Conservation(#[from] ConservationError),
}

impl Refusal {
    /// What to do.
    pub fn hint(&self) -> &'static str {
        match self {
            Refusal::Unverifiable(error) => error.hint(),
            Refusal::Conservation(error) => error.hint(),
            Refusal::Broken { broken } if broken.iter().any(names_stars) => {
                "records of nothing but `*` are too few to hide among each other; leave them out with \
                 `output.suppressed = \"drop\"`"
            }
            Refusal::Broken { .. } => {
                "nothing was released; please report this as a defect, with the policy and the seed"
            }
        }
    }
}

fn names_stars(broken: &BrokenPromise) -> bool {
    let says_nothing = |v: &crate::Violation| !v.cells.is_empty() && v.cells.iter().all(|c| c.text == "*");
    broken.violations.worst.iter().any(says_nothing)
}

/// Checks that a file keeps every promise and is true of its input.
pub fn verify_release(claim: Claim<'_>, models: &[Box<dyn Model>]) -> Result<VerifiedRelease, Refusal> {
    let Claim { sha256, published, original, origin, left_out } = claim;
    check_original(original)?;
    let quasi: Vec<&str> = original.of_role(Role::QuasiIdentifier).map(|c| c.name.as_str()).collect();
    let view = View::new(published, &quasi)?;
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::Broken { broken });
    }
    conservation::check(original, published, origin, left_out)?;
    let starred = view.starred();
    Ok(VerifiedRelease { sha256, promises, classes: view.into_classes(), rows_in: original.rows, starred })
}

fn check_original(original: &Table) -> Result<(), Unverifiable> {
    let rows = original.rows;
    match original.columns.iter().find(|column| column.codes.len() != rows) {
        None => Ok(()),
        Some(column) => {
            Err(Unverifiable::Ragged { column: column.name.clone(), cells: column.codes.len(), rows })
        }
    }
}

impl VerifiedRelease {
    /// The SHA-256 of the verified bytes, in lower-case hex.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Every promise with what was found; all of them hold.
    pub fn promises(&self) -> &[PromiseResult] {
        &self.promises
    }

    /// The equivalence classes of the published file.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// Records of the input.
    pub fn rows_in(&self) -> usize {
        self.rows_in
    }

    /// Records of the file.
    pub fn rows_published(&self) -> usize {
        self.classes.class_of.len()
    }

    /// Records of the input that are not in the file.
    pub fn rows_left_out(&self) -> usize {
        self.rows_in - self.rows_published()
    }

    /// Records of the file that say nothing: `*` in every quasi-identifier.
    pub fn rows_starred(&self) -> usize {
        self.starred
    }

    /// Whether nothing is published, so that every promise is kept by silence. Reports say so.
    pub fn is_vacuous(&self) -> bool {
        self.classes.is_empty()
    }
}
