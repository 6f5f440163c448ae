//! Releases of the same people, compared with each other.
//!
//! Two releases that keep a promise each may break it together: whoever has both and knows where somebody is in
//! each may intersect what is possible. So `audit.json` remembers, by keyed hashes, who is in which class, and what a class
//! publishes. A new release is looked at together with all earlier ones that are given:
//!
//! - **The crowd**: everybody who is in all releases that a person is in, and whose quasi-identifiers fit the person's class in
//!   each of them. At least k.
//! - **The candidates for a sensitive value**: what is in the person's class in every release, as often as in the one where it
//!   occurs least often. As mixed as l-diversity asks. Somebody whose own value is not among them has another value
//!   than before, and the comparison leads nowhere.
//!
//! Every promise counts that was made to a person, the earlier ones too. Those who cannot be distinguished (equal quasi-identifiers
//! where there is no name, several records of one person) are looked at together: all their classes are possible.

mod candidates;
mod identity;
mod membership;
mod reuse;
mod verdict;

use std::collections::HashMap;

use shoal_core::policy::Shape;
use shoal_core::{Policy, PublishedValue, RawTable, Table};
use shoal_measure::leaks::look;

use crate::audit::{ClassFile, Key, PERSON};
use crate::leaks::earlier_release;
use crate::request::EarlierReleases;
use crate::{Audit, Leak, PipelineError, Request};

use candidates::{Candidates, Seen};
pub(crate) use identity::Identity;
pub(crate) use membership::membership;
pub(crate) use reuse::Kept;
pub use verdict::{ColumnTogether, Together};

/// A release that is about to be published.
pub(crate) struct Current<'a> {
    pub request: &'a Request,
    /// The original as it was read.
    pub raw: &'a RawTable,
    /// The original in codes.
    pub original: &'a Table,
    /// For each published row its original.
    pub origin: &'a [u32],
    /// For each published row its class.
    pub class_of: &'a [u32],
    /// What each class publishes.
    pub classes: &'a [ClassFile],
}

impl EarlierReleases {
    /// What they mean for a new release of a table, whose bytes have this SHA-256. An error where a promise breaks.
    pub(crate) fn leaks(&self, current: &Current<'_>, sha256: &str) -> Result<Vec<Leak>, PipelineError> {
        let mut leaks = Vec::new();
        if !self.previous.is_empty() {
            leaks.extend(compare_with(current, &self.previous)?);
        }
        // The same bytes again are the same release, and one that was given has been looked at.
        let is_news = |audit: &&Audit| {
            let given = self.previous.iter().any(|previous| previous.output_sha256 == audit.output_sha256);
            audit.output_sha256 != sha256 && !given
        };
        if let Some(audit) = self.replaced.as_ref().filter(is_news)
            && let Some(people) = in_common(current, audit).filter(|&people| people > 0)
        {
            leaks.push(earlier_release(Shape::Table).counted(people));
        }
        Ok(leaks)
    }
}

/// Looks at a new release together with earlier ones. Where a promise breaks, the release is refused; otherwise what was
/// found is reported.
fn compare_with(current: &Current<'_>, previous: &[Audit]) -> Result<Vec<Leak>, PipelineError> {
    let people = Identity::of(current.request, current.raw);
    let mut seen = vec![Seen::now(current, &people)];
    for audit in previous {
        seen.push(Seen::earlier(current, &people, audit)?);
    }
    let found = Candidates::new(current, &people, &seen).judge(previous);
    match found.breaks() {
        true => Err(PipelineError::Releases { found: Box::new(found), releases: previous.len() }),
        false => Ok(found.leak(previous.len()).into_iter().collect()),
    }
}

/// How many people of the new release an earlier one knows, too; `None` where that cannot be known.
fn in_common(current: &Current<'_>, audit: &Audit) -> Option<usize> {
    let people = Identity::of(current.request, current.raw);
    let seen = Seen::earlier(current, &people, audit).ok()?;
    Some(seen.classes_of.iter().filter(|classes| !classes.is_empty()).count())
}

/// What a class of a release says, in terms of the new original.
pub(super) struct Class {
    /// The cells by quasi-identifier of the new original; none where they cannot be read in its terms.
    cells: Option<Vec<PublishedValue>>,
    /// By sensitive column, how often each value occurs in it.
    values: HashMap<String, HashMap<String, u32>>,
}

impl Class {
    fn of(file: &ClassFile, quasi: &[String], original: &Table) -> Class {
        let columns = original.quasi_identifiers();
        let cell = |column: &&shoal_core::Column| {
            let at = quasi.iter().position(|name| *name == column.name)?;
            PublishedValue::parse(file.cells.get(at)?, &column.domain, column.hierarchy.as_ref()).ok()
        };
        // Other columns than now: what the class covers is not known, only who is in it.
        let same = columns.len() == quasi.len();
        let cells = same.then(|| columns.iter().map(cell).collect::<Option<Vec<_>>>()).flatten();
        // Values that look alike count as one, as they do where diversity is verified.
        let fold = |values: &indexmap::IndexMap<String, u32>| {
            let mut folded: HashMap<String, u32> = HashMap::new();
            values.iter().for_each(|(text, count)| *folded.entry(look(text)).or_default() += count);
            folded
        };
        Class {
            cells,
            values: file.values.iter().map(|(column, values)| (column.clone(), fold(values))).collect(),
        }
    }

    /// Whether a record of the new original may be in the class, by its quasi-identifiers.
    fn covers(&self, original: &Table, row: usize) -> bool {
        let Some(cells) = &self.cells else { return false };
        original
            .quasi_identifiers()
            .iter()
            .zip(cells)
            .all(|(column, cell)| cell.covers(column.codes[row], &column.domain, column.hierarchy.as_ref()))
    }
}

/// The keyed hash of somebody's identity, as an audit remembers it.
pub(crate) fn person_hash(key: &Key, identity: &str) -> String {
    key.hash(PERSON, identity.as_bytes())[..32].to_owned()
}

fn incomparable(audit: &Audit, problem: impl Into<String>) -> PipelineError {
    PipelineError::Incomparable { output: audit.output.clone(), problem: problem.into() }
}

fn unknown_people(audit: &Audit, known_by: &[String]) -> PipelineError {
    let columns = known_by.join(", ");
    incomparable(audit, format!("it knows people by {columns}, which the new source does not have"))
}

/// People who are known by numbers are recognized by how these are written, and columns that are published as two are read in
/// another notation than others: then two releases could hold the same people and nobody would notice.
fn check_notation(request: &Request, audit: &Audit, known_by: &[String]) -> Result<(), PipelineError> {
    let is_split = |policy: &Policy, column: &str| policy.range_columns().any(|(name, _)| name == column);
    let differs = |column: &&String| is_split(request.policy(), column) != is_split(&audit.policy, column);
    match known_by.iter().find(differs) {
        Some(column) => Err(incomparable(
            audit,
            format!(
                "it knows people by `{column}`, and one of the two has  ranges = \"columns\"  for it, the other has not"
            ),
        )),
        None => Ok(()),
    }
}
