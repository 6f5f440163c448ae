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
//! - With `Ncp` the same data are also merged as [`coat`](super::coat) does, at the same time, items leave those clusters
//!   as well, and what loses less is taken; PCTA's own where both lose the same. With tens of thousands of rare
//!   items neither is always ahead: a rule that fixes one set after the other cannot see which merges the later
//!   ones will need. So the loss is never above COAT's. The trace says what each lost and which was taken.
//! - It breaks ties at will. Here: the smaller set, then the one with the smaller items; the cluster with the
//!   smaller item; of its partners the smaller, then the less supported, then the one with the smaller item.
//!
//! Cost: finding the sets of m items takes Σ C(|T|, m) steps over the transactions T, a few rounds of it.
//! Merges are at most as many as items. Where people have one transaction each and there are not too many pairs, it is
//! counted once how often any two clusters occur together, and a merge for a pair costs a pass over what occurs
//! with either cluster, at most as many as there are clusters. Otherwise it costs a pass over the transactions of the
//! set's clusters (with `Ncp` of its two rarest) and one over the candidates. That an item may leave takes
//! a pass over its own transactions at m = 2 and over those of its cluster otherwise, since only the sets that
//! hold it or what it left can break.
//!
//! Of the two objectives each loses less than [`coat`](super::coat) in its own measure: on BMS-WebView-1
//! (m = 2) an NCP of 0.22, 0.39, 0.60, 0.85 and 1.30 % at k = 2, 5, 10, 25 and 50, where COAT's is 0.26, 0.43,
//! 0.66, 0.99 and 1.43 %. [`upcta`](super::upcta) is the choice where some items must stay apart.

mod params;

pub use params::{PctaParams, ValidPctaParams};

use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding, Unseen};

use super::rounds::{MergeCandidates, Merged, Task};
use super::{Objective, TransactionsAlgorithm, TransactionsError, UtilityConstraints};
use crate::{Anonymized, Construction, Search, Trace};

/// PCTA's own merges and COAT's are made at the same time where transactions hold at most this many sets of m items. Each
/// keeps counts of its own, which at this size take up to half a gigabyte, and a million baskets hold four times as many
/// pairs.
const MAX_SETS_TWICE: f64 = 1e7;

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
        let task = |candidates: MergeCandidates, leaving: bool| Task {
            objective: self.0.objective,
            weights: self.0.weights.as_deref(),
            utility: &utility,
            // Never needed: all items as one are in every transaction that holds any, and those are k.
            allowed: 0,
            candidates,
            leaving,
        };
        if self.0.objective == Objective::Ul {
            let merged = task(MergeCandidates::AnyOfSet, false).run(data, promise, progress)?;
            return Ok(Anonymized::from(merged.recoding));
        }
        let own = || task(MergeCandidates::AnyOfSet, true).run(data, promise, progress);
        // A progress that is shown counts the merges of one of them.
        let coat = || task(MergeCandidates::LeastSupported, true).run(data, promise, &Unseen(progress));
        // One after the other where memory is short; the results are the same.
        let largest = match promise {
            TransactionsPromise::Itemsets { m, .. } => *m,
            TransactionsPromise::Complete { .. } | TransactionsPromise::Constraints { .. } => 2,
        };
        let (own, coat) =
            if sets_in(data, largest) > MAX_SETS_TWICE { (own(), coat()) } else { rayon::join(own, coat) };
        Ok(better(own?, coat?))
    }
}

/// How many sets of this size there are, equal ones in several transactions counted apart.
fn sets_in(data: &Transactions, size: usize) -> f64 {
    let choices =
        |items: usize| (0..size.min(items)).map(|at| (items - at) as f64 / (at + 1) as f64).product::<f64>();
    data.iter().map(|items| choices(items.len())).sum()
}

/// What loses less, PCTA's own where both lose the same, and a trace of both.
fn better(own: Merged, coat: Merged) -> Anonymized<TransactionsRecoding> {
    let coat_wins = coat.loss < own.loss;
    // Without any occurrence nothing is lost; with weights, one cluster of all may round to a little above all.
    let share = |merged: &Merged| {
        if merged.loss > 0.0 { (merged.loss / merged.largest_loss).min(1.0) } else { 0.0 }
    };
    let construction = |name, merged: &Merged, won: bool| Construction {
        name,
        loss: share(merged),
        won: won.into(),
        tried: 1,
    };
    let constructions = vec![construction("pcta", &own, !coat_wins), construction("coat", &coat, coat_wins)];
    let best = if coat_wins { coat } else { own };
    let search = Search { constructions, loss: share(&best), ..Search::default() };
    Anonymized { recoding: best.recoding, trace: Trace { search: Some(search), ..Trace::default() } }
}
