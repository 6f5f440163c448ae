//! Algorithms for sequences: an ordered list of events a person.
//!
//! [`cbmsa`] and [`cbmsa_baseline`] share one engine. It puts people together, two clusters at a time, and keeps
//! for each cluster the one sequence that all its members publish, the *representative*. The two differ only in
//! how they match the events of two representatives.
//!
//! [`fcla`] groups people by the same distances, and keeps promises against those who know a few values only.
//! [`halt`] keeps the same promises by one decision for the whole data set.

mod active;
mod agglomeration;
mod alignment;
pub mod cbmsa;
pub mod cbmsa_baseline;
mod cluster;
mod costs;
mod error;
pub mod fcla;
pub mod halt;
mod limits;
mod matching;
mod nearest;
mod neighbours;
mod params;
mod pool;
mod publish;
mod remainder;
mod signature;
mod start;
mod terms;
#[cfg(test)]
mod tests;

pub use error::SequencesError;
pub use params::Remainder;

use serde::Serialize;
use shoal_core::{Progress, Sequences, SequencesPromise, SequencesRecoding};

/// An algorithm with its checked parameters, ready to run on sequences.
pub trait SequencesAlgorithm: Sync {
    /// The name in a policy.
    fn name(&self) -> &'static str;

    /// Decides what every event is published as, so that the promise is kept.
    fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<SequenceResult, SequencesError>;
}

/// What an algorithm decided, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceResult {
    /// What every event is published as.
    pub recoding: SequencesRecoding,
    /// What the search did.
    pub work: Work,
}

/// What an algorithm did: the search for near clusters (`cbmsa`, `fcla`), and that for what somebody may know (`fcla`,
/// `halt`). Counted the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Work {
    /// Pairs of sequences that were aligned, those included that were given up half-way.
    pub alignments_computed: u64,
    /// Pairs that were found too far apart, or not allowed together, without an alignment.
    pub alignments_skipped: u64,
    /// Things that somebody may know about a person and that broke the promise.
    pub invalid_found: u64,
    /// Those of them that are gone.
    pub invalid_removed: u64,
    /// Items that clusters publish as `*` to be rid of them.
    pub items_suppressed: u64,
    /// Clusters in which all members were first made alike.
    pub clusters_identical: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Work) {
        self.alignments_computed += more.alignments_computed;
        self.alignments_skipped += more.alignments_skipped;
        self.invalid_found += more.invalid_found;
        self.invalid_removed += more.invalid_removed;
        self.items_suppressed += more.items_suppressed;
        self.clusters_identical += more.clusters_identical;
    }
}

impl Work {
    /// A search among some clusters, of which a few were aligned.
    fn count(&mut self, candidates: usize, aligned: u64) {
        self.alignments_computed += aligned;
        self.alignments_skipped += candidates as u64 - aligned;
    }
}
