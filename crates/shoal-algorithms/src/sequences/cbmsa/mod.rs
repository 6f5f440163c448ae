//! CBMSA, clustering-based multidimensional sequence anonymization.
//!
//! Every person begins as a cluster. The two closest clusters become one, again and again; a cluster that has k
//! people, of whom no more than the share c shows a highly sensitive value, is finished and left alone. All members of
//! a cluster publish its representative: the events of two representatives are aligned so that least is
//! lost (see `alignment.rs`), aligned events are generalized to the lowest common nodes, the others are suppressed with all that
//! belongs to them. The distance of two clusters is what their members lose when they become one. Pairs that
//! keep every limit come first; only where there is none is the closest of all pairs taken.
//!
//! It follows M. Sehatkar and S. Matwin, *Clustering-based Multidimensional Sequence Data Anonymization*, §3. Where it
//! departs:
//! - Equation 7 prints the loss that a merge adds, equation 6 asks for a difference of total losses. The loss
//!   telescopes, so both are the same; here everything is an added loss, in whole numbers (see `costs.rs`), so that ties
//!   are ties and bounds are exact.
//! - People with equal sequences begin as one cluster, as far as every limit allows it. The paper would merge them
//!   first anyway, at distance 0, but would stop at k of them, and each group of leftovers would have to look for
//!   strangers. Here all stay together, which costs nothing, and there is less to search.
//! - The paper removes those who are left at the end. Here each joins the crowd that loses least by it and still keeps every
//!   limit, with the events that they began with ([`Remainder::Nearest`]). To let them join together, as the cluster
//!   that they are, lost the same or a little more (up to 0.5 %) wherever both were tried.
//! - The paper leaves a finished crowd alone. Here, when all are finished, crowds exchange people as long as less is
//!   lost by it and both keep the promise (see `improve.rs`; [`CbmsaParams::improve`] turns it off). The
//!   agglomeration freezes the closest people first and those who come last pay for it: of the paper's ten patients, 3 and 4 are
//!   taken, and 8 and 9, who both have HIV, are left to each other. Cut anew, they lose no more than the paper's
//!   table 2 in each of six readings of its hierarchies. The mean IL over generated sets falls by 3 to 8 %:
//!
//!   | people | k | c | without | with | baseline |
//!   |-------:|---:|----:|--------:|------:|------:|
//!   |  1,000 |  5 | 0.7 |    5.68 |  5.39 |  6.07 |
//!   |  1,000 |  5 | 0.5 |    5.96 |  5.69 |  6.41 |
//!   |  1,000 | 50 | 0.7 |   10.74 | 10.35 | 11.09 |
//!   | 10,000 |  5 | 0.7 |    3.71 |  3.52 |  3.94 |
//!   | 10,000 | 10 | 0.7 |    4.83 |  4.48 |  5.12 |
//!   | 10,000 | 50 | 0.7 |    7.18 |  6.65 |  7.60 |
//!
//! - There may be limits for several sensitive columns, and a pair is allowed when it keeps all of them.
//! - The paper breaks ties at will. Clusters are numbered as they are formed; of equally close pairs the one with the older
//!   younger partner is taken, then the one with the older partner. Of equally good moves of an alignment, from
//!   the end, generalizing comes first, then suppressing in the older cluster.
//!
//! - Many people are cut into blocks of near ones first (`blocks`), and what the borders part is repaired afterwards
//!   (`borders.rs`). The paper's algorithm takes the square of the number of people; the result is not the same, and
//!   docs/performance.md says what that costs. Data sets below [`BlockSizes::CBMSA`](super::BlockSizes::CBMSA) are not cut.
//!
//! Cost: in a block of n clusters, O(n²) pairs are asked about, but most are dismissed by exact bounds, whole branches of clusters at a
//! time. Of 10,000 generated patients (k = 10, c = 0.7) one pair in sixty is aligned, of SynPUF's one in a
//! thousand. Each cluster remembers its nearest older one and searches again only when that one is gone and its
//! old distance comes first. The result is that of the plain algorithm, as a twin in the tests shows. Limits that
//! hardly any pair keeps (c = 0.1) cost ten times as much, since a pair must be aligned to know whether it is allowed.
//! The exchange afterwards takes a few passes over all people; it adds about half to the time at k = 10. Blocks have a bounded
//! size, so what they take together grows with their number.
//!
//! [`cbmsa_baseline`](super::cbmsa_baseline) is there for comparison only.

mod exchange;
mod improve;
mod params;
mod people;
mod recut;

pub use crate::sequences::Remainder;
pub use params::{CbmsaParams, ValidCbmsaParams};

use shoal_core::{Progress, Sequences, SequencesPromise, SequencesRecoding};

use crate::Anonymized;
use crate::sequences::agglomeration::Engine;
use crate::sequences::alignment::Aligned;
use crate::sequences::{SequencesAlgorithm, SequencesError};

impl SequencesAlgorithm for ValidCbmsaParams {
    fn name(&self) -> &'static str {
        "cbmsa"
    }

    fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
        let engine = Engine {
            algorithm: self.name(),
            matching: &Aligned,
            remainder: self.0.remainder,
            blocks: self.0.blocks,
            improve: if self.0.improve { Some(&improve::improve) } else { None },
        };
        engine.anonymize(data, promise, progress)
    }
}
