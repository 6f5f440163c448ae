//! The adversary of published sequences.
//!
//! Where everything may be known ((k,c)-privacy), the adversary knows all quasi-identifiers of somebody's events in their order and looks
//! for the published people whose events each cover another one of these, in order: events may have been left out.
//!
//! Where up to L values may be known ((k,β)^L and (k,C)^L), the adversary knows some values of some events in their order, exactly or by a
//! node above them, and looks for everybody who *fits*: who has, in order, distinct events whose cells lie at, below or above what
//! is known. All sets of exact values of everybody are tried where they are not too many; otherwise, and for coarser values, they
//! are drawn.

mod forms;
mod known;
mod partial;
mod releases;
mod whole;

use shoal_core::{Progress, RawTable, Sequences, SequencesPromise};

use self::forms::Forms;
pub use self::releases::{EarlierSequences, Together, attack_sequences_together};
use crate::attack::Attacks;

/// What is attacked.
#[derive(Clone, Copy, Debug)]
pub struct SequencesTarget<'a> {
    /// The original, with the policy's hierarchies.
    pub original: &'a Sequences,
    /// For each person of the original their first row in the source, counted from 0.
    pub source_rows: &'a [u32],
    /// The published file, a row an event.
    pub published: &'a RawTable,
    /// The column of pseudonyms in it.
    pub id: &'a str,
    /// What is promised.
    pub promise: &'a SequencesPromise,
    /// What known values are drawn from, where they are drawn.
    pub seed: u64,
}

/// Plays the adversary.
pub fn attack_sequences(target: &SequencesTarget<'_>, progress: &dyn Progress) -> Attacks {
    progress.stage("attacking", 0);
    let forms = Forms::read(target);
    let mut found = Attacks::default();
    if forms.unreadable > 0 {
        found.notes.push(format!(
            "{} published texts say nothing in terms of the original, and fit nobody",
            forms.unreadable
        ));
    }
    let fewer = target.original.persons().saturating_sub(forms.people as usize);
    if fewer > 0 {
        found.notes.push(format!("{fewer} of {} people are not in the file", target.original.persons()));
    }
    match target.promise.length {
        None => whole::attack(target, &forms, progress, &mut found),
        Some(length) => partial::attack(target, &forms, length, progress, &mut found),
    }
    found.not_tried.push(
        "numbers of events and the time between them, except where they are quasi-identifiers; an adversary who knows how the \
         algorithm decides"
            .to_owned(),
    );
    found
}
