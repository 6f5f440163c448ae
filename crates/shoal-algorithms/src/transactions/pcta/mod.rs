//! PCTA, privacy-constrained clustering of items.
//!
//! Every item begins as a cluster of its own. Of the sets of items that break the promise the one with the
//! largest support is taken; of all merges of one of its clusters with any other cluster the best is made,
//! until the set's support reaches k; then comes the next set. A cluster is published as one generalized item,
//! `(a,b)`, in every transaction that held any of its items. Nothing is suppressed.
//!
//! It follows A. Gkoulalas-Divanis and G. Loukides, *Utility-guided Clustering-based Transaction Data
//! Anonymization*, §4.1, Algorithm 1. Where it departs:
//! - The paper looks at each constraint once. A constraint that no transaction holds counts as satisfied and is
//!   dropped, yet a later merge can make it occur fewer than k times. Here the promise is looked at anew when
//!   the queue is empty, until nothing breaks it.
//! - For k^m the paper takes the sets of exactly m items. Here all sets of up to m items count, and those of
//!   published items that occur only after a merge.
//! - Its objective, [`Ul`](Objective::Ul), doubles with every item of a cluster. So it makes many middling
//!   clusters and draws frequent items into them. [`Ncp`](Objective::Ncp), the default, adds up what readers
//!   feel, occurrences × size: an NCP of 0.39 against 0.87 % on BMS-WebView-1 at k = 5, m = 2.
//! - The best merge is the cheapest in the paper, and here with `Ul`. With `Ncp` it is the one that costs least
//!   for each transaction that the set gains, as far as k asks for them: a merge that does not lift the set's
//!   support is wasted on it, however cheap. By cost alone it lost more than [`coat`](super::coat) on
//!   BMS-WebView-1 at k = 2, 10, 25 and 50. The cheapest is still taken where no merge gains anything, and for a
//!   single cluster, where cost per gain was better at some k and worse at others.
//! - With `Ncp` items leave their clusters again at the end, the one that saves most first, wherever the promise
//!   holds with the item published alone and its cluster without it. A merge serves the set of the moment, and
//!   later merges often serve it too; the paper never takes one back. The NCP falls with every item that leaves:
//!   from 0.41 to 0.39 % on BMS-WebView-1 at k = 5, m = 2, and from 1.02 to 0.95 % at m = 3. With `Ul`, the
//!   paper's own objective, nothing is taken back.
//! - It breaks ties at will. Here: the smaller set, then the one with the smaller items; the cluster with the
//!   smaller item; of its partners the smaller, then the less supported, then the one with the smaller item.
//!
//! Cost: finding the sets of m items takes Σ C(|T|, m) steps over the transactions T, a few rounds of it.
//! Merges are at most as many as items; each costs a pass over the transactions of the set's clusters (with
//! `Ncp` of its two rarest) and one over the candidates. That an item may leave takes a pass over the
//! transactions of its cluster, since only the sets that hold it or what it left can break.
//!
//! Of the two objectives each loses less than [`coat`](super::coat) in its own measure: on BMS-WebView-1
//! (m = 2) an NCP of 0.22, 0.39, 0.60, 0.85 and 1.30 % at k = 2, 5, 10, 25 and 50, where COAT's is 0.26, 0.43,
//! 0.66, 0.99 and 1.43 %. [`upcta`](super::upcta) is the choice where some items must stay apart.

mod params;

pub use params::{PctaParams, ValidPctaParams};

use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding};

#[cfg(doc)]
use super::Objective;
use super::rounds::{MergeCandidates, Task};
use super::{TransactionsAlgorithm, TransactionsError, UtilityConstraints};
use crate::Anonymized;

impl TransactionsAlgorithm for ValidPctaParams {
    fn name(&self) -> &'static str {
        "pcta"
    }

    fn anonymize(
        &self,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TransactionsRecoding>, TransactionsError> {
        let utility = UtilityConstraints::one_group(data.items().len());
        let task = Task {
            objective: self.0.objective,
            weights: self.0.weights.as_deref(),
            utility: &utility,
            // Never needed: all items as one are in every transaction that holds any, and those are k.
            allowed: 0,
            candidates: MergeCandidates::AnyOfSet,
        };
        task.run(data, promise, progress).map(Anonymized::from)
    }
}
