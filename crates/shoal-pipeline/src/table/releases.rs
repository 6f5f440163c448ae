//! Releases of the same people, and all rows of a person: one rule covers both.
//!
//! Each person has one record in the finest release of all, the list of the classes that they are in. It is made of the published
//! files and of the hashes of people beside their audits (`linked`), and judged by the verifier (`together`,
//! [`shoal_privacy::refinement`]). How a release is made that keeps it: `atoms`.

mod atoms;
mod earlier_values;
mod identity;
mod linked;
mod membership;
mod regions;
mod together;
mod wide;

use std::collections::HashSet;

use shoal_core::policy::Shape;
use shoal_core::{Policy, RawTable};

use crate::audit::person_hash;
use crate::earlier::EarlierReleases;
use crate::leaks::LeakKind;
use crate::{Audit, Leak, PipelineError, Request};

pub(crate) use atoms::{Constructed, Data, construct, has_atoms};
pub(crate) use identity::{Identity, people};
pub(crate) use linked::Linked;
pub(crate) use membership::membership;
pub use together::Together;
pub(crate) use together::{NewRelease, check};

impl EarlierReleases {
    /// What the release whose reports a new one replaces means for it; the new one's bytes have this SHA-256.
    pub(crate) fn replaced_leak(
        &self,
        request: &Request,
        raw: &RawTable,
        origin: &[u32],
        sha256: &str,
    ) -> Option<Leak> {
        // The same bytes again are the same release, and one that was given has been looked at.
        let is_news = |audit: &&Audit| {
            let given = self.previous.iter().any(|previous| previous.is_same_release(audit));
            audit.output_sha256 != sha256 && !given
        };
        let audit = self.replaced.as_ref().filter(is_news)?;
        let people = in_common(request, raw, origin, audit).filter(|&people| people > 0)?;
        let (count, shape) = (Some(people), Shape::Table);
        Some(LeakKind::EarlierRelease { count, same_source: true, shape }.into())
    }
}

/// What it means that people are gone who are fewer than k in their class or cluster, where that is allowed.
pub(crate) fn absent(people: usize) -> Option<Leak> {
    (people > 0).then(|| LeakKind::AbsentPeople { count: people }.into())
}

/// How many people of the new release an earlier one knows, too; `None` where that cannot be known.
fn in_common(request: &Request, raw: &RawTable, origin: &[u32], audit: &Audit) -> Option<usize> {
    let was_in = was_in(raw, audit).ok()?;
    let people = Identity::of(request, raw);
    let published = origin.iter().filter(|&&row| was_in[row as usize]);
    Some(published.map(|&row| people.person_of[row as usize]).collect::<HashSet<u32>>().len())
}

/// Of each record whether its person is in one of the earlier releases, and in the new one as far as `now` knows.
pub(crate) fn returning(
    request: &Request,
    raw: &RawTable,
    previous: &[&Audit],
    now: Option<&Audit>,
) -> Result<Vec<bool>, PipelineError> {
    let mut returning = vec![false; raw.rows];
    for audit in previous {
        check_notation(request, audit, &audit.recoding.known_by)?;
        returning.iter_mut().zip(was_in(raw, audit)?).for_each(|(returning, was)| *returning |= was);
    }
    if let Some(audit) = now {
        returning.iter_mut().zip(was_in(raw, audit)?).for_each(|(returning, is)| *returning &= is);
    }
    Ok(returning)
}

/// Of each record whether its person is in a release.
fn was_in(raw: &RawTable, audit: &Audit) -> Result<Vec<bool>, PipelineError> {
    let known_by = &audit.recoding.known_by;
    let (texts, person_of) = people(raw, known_by).ok_or_else(|| unknown_people(audit, known_by))?;
    let (remembered, key) = audit.people()?;
    let remembered: HashSet<[u8; 16]> = remembered.persons.iter().copied().collect();
    let was: Vec<bool> = texts.iter().map(|text| remembered.contains(&person_hash(&key, text))).collect();
    Ok(person_of.iter().map(|&person| was[person as usize]).collect())
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
