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
mod blocks;
mod borders;
pub mod cbmsa;
pub mod cbmsa_baseline;
mod cluster;
mod costs;
mod error;
pub mod fcla;
pub mod halt;
mod limited;
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

pub use blocks::BlockSizes;
pub use error::SequencesError;
pub use params::Remainder;

use shoal_core::{Progress, Sequences, SequencesPromise, SequencesRecoding};

use crate::{Anonymized, Counts, Trace};

/// An algorithm with its checked parameters, ready to run on sequences.
pub trait SequencesAlgorithm: Sync {
    /// The name in a policy.
    fn name(&self) -> &'static str;

    /// Decides what every event is published as, so that the promise is kept. The trace counts alignments and what was
    /// found and hidden.
    fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<SequencesRecoding>, SequencesError>;
}

/// What an algorithm did: the search for near clusters (`cbmsa`, `fcla`), and that for what somebody may know (`fcla`,
/// `halt`). Counted the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Work {
    /// Pairs of sequences that were aligned, those included that were given up half-way.
    alignments_computed: u64,
    /// Pairs that were found too far apart, or not allowed together, without an alignment.
    alignments_skipped: u64,
    /// Things that somebody may know about a person and that broke the promise.
    invalid_found: u64,
    /// Those of them that are gone.
    invalid_removed: u64,
    /// Items that clusters publish as `*` to be rid of them.
    items_suppressed: u64,
    /// Clusters in which all members were first made alike.
    clusters_identical: u64,
    /// Into how many blocks people were cut before they were grouped; 0 where they were not.
    blocks: u64,
    /// Whether one cluster of everybody was given up, since it would have taken too long to know whether it loses less.
    whole_given_up: bool,
}

impl From<Work> for Trace {
    /// The names are those of `work` in `audit.json`, in its order; an algorithm that does not count something has 0.
    /// Blocks are there only where there was more than one.
    fn from(work: Work) -> Trace {
        let mut counts = vec![
            ("alignments-computed", work.alignments_computed),
            ("alignments-skipped", work.alignments_skipped),
            ("invalid-found", work.invalid_found),
            ("invalid-removed", work.invalid_removed),
            ("items-suppressed", work.items_suppressed),
            ("clusters-identical", work.clusters_identical),
        ];
        counts.extend((work.blocks > 1).then_some(("blocks", work.blocks)));
        counts.extend(work.whole_given_up.then_some(("one-cluster-given-up", 1)));
        Trace { counts: Counts(counts), ..Trace::default() }
    }
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, more: Work) {
        self.alignments_computed += more.alignments_computed;
        self.alignments_skipped += more.alignments_skipped;
        self.invalid_found += more.invalid_found;
        self.invalid_removed += more.invalid_removed;
        self.items_suppressed += more.items_suppressed;
        self.clusters_identical += more.clusters_identical;
        self.blocks += more.blocks;
        self.whole_given_up |= more.whole_given_up;
    }
}

impl Work {
    /// A search among some clusters, of which a few were aligned.
    fn count(&mut self, candidates: usize, aligned: u64) {
        self.alignments_computed += aligned;
        self.alignments_skipped += candidates as u64 - aligned;
    }
}
