//! Fixes the sets that break the promise, round after round.
//!
//! The papers' loops look at every constraint once. That is not enough: a set of items that no transaction
//! holds is fine, until a merge somewhere else makes it occur once. So when all sets of a round are fixed the
//! promise is looked at anew, until nothing breaks it. Every step leaves one cluster fewer, so this ends.
//! What PCTA and UPCTA have merged for NCP is then taken apart again as far as the promise allows.

use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding};

use super::clusters::Clusters;
use super::gains::Gains;
use super::leaving::leave;
use super::objective::{Cost, Objective};
use super::pairs::Pairs;
use super::partners::Partners;
use super::violations::Violations;
use super::{TransactionsError, UtilityConstraints};

/// What an algorithm does to transactions.
pub(super) struct Task<'a> {
    pub(super) objective: Objective,
    /// One for each item; all are 1 where nothing is given.
    pub(super) weights: Option<&'a [f64]>,
    pub(super) utility: &'a UtilityConstraints,
    /// How many items may be suppressed.
    pub(super) allowed: usize,
    pub(super) candidates: MergeCandidates,
    /// Whether items leave their clusters again at the end, where the promise holds without them there.
    pub(super) leaving: bool,
}

/// What came out, and what it loses.
pub(super) struct Merged {
    pub(super) recoding: TransactionsRecoding,
    /// The sum of occurrences × size over the clusters of more than one item: what [`Objective::Ncp`] adds up.
    pub(super) loss: f64,
    /// What it would be if all items were one cluster.
    pub(super) largest_loss: f64,
}

/// Which clusters of a set are merged with others to fix it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeCandidates {
    /// The one whose best merge costs least: for each person gained with [`Objective::Ncp`], at all with
    /// [`Objective::Ul`].
    AnyOfSet,
    /// The one that the fewest people have in a transaction.
    LeastSupported,
}

impl Task<'_> {
    /// Merges and suppresses items until the promise is kept.
    pub(super) fn run(
        &self,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<Merged, TransactionsError> {
        // Nothing that is decided depends on the order of transactions, and people are counted in this one.
        let data = &*data.by_person();
        let items = data.items().len();
        same_count("weights", self.weights.map_or(items, <[f64]>::len), items)?;
        same_count("utility constraints", self.utility.items(), items)?;
        let mut violations = Violations::new(data, promise)?;

        let clusters = Clusters::of_single_items(data, self.weights);
        // Added up before anything is merged: the sum of weighted occurrences is rounded in the order of the
        // clusters, and two constructions on the same data have to be shares of the same number.
        let occurrences: f64 = clusters.iter().map(|(_, cluster)| cluster.occurrences).sum();
        // A lower bound of what any cluster weighs, with which the search for partners stops early.
        let lightest = self.weights.map_or(1.0, |weights| weights.iter().copied().fold(1.0, f64::min));
        let partners = Partners::new(&clusters, self.utility, self.objective, lightest);
        let gains = Gains::new(self.utility);
        progress.stage("merging items", items as u64);
        let pairs = if violations.ask_for_pairs() { Pairs::new(&clusters) } else { None };
        let image = Vec::new();
        let mut state =
            MergeState { task: self, k: promise.k(), clusters, partners, gains, pairs, image, progress };
        loop {
            let queue = violations.find(&state.clusters, state.pairs.as_ref(), progress);
            if queue.is_empty() {
                break;
            }
            queue.iter().try_for_each(|set| state.fix(set))?;
        }
        let MergeState { mut clusters, pairs, .. } = state;
        if self.leaving {
            leave(&mut clusters, pairs, data, promise, self.weights, progress);
        }
        let shared = clusters.iter().filter(|(_, cluster)| cluster.size() > 1);
        let loss = shared.map(|(_, cluster)| cluster.occurrences * f64::from(cluster.size())).sum();
        Ok(Merged { recoding: clusters.recoding(), loss, largest_loss: occurrences * items as f64 })
    }
}

fn same_count(what: &'static str, given: usize, items: usize) -> Result<(), TransactionsError> {
    if given == items { Ok(()) } else { Err(TransactionsError::WrongItemCount { what, given, items }) }
}

/// Clusters as they are now, with what is needed to choose the next merge.
struct MergeState<'a> {
    task: &'a Task<'a>,
    k: usize,
    clusters: Clusters<'a>,
    partners: Partners<'a>,
    gains: Gains<'a>,
    /// Where it pays to know them and they fit into memory.
    pairs: Option<Pairs>,
    /// What the set that is fixed at the moment is published as.
    image: Vec<u32>,
    progress: &'a dyn Progress,
}

impl MergeState<'_> {
    /// Merges clusters until enough people have a transaction with the set, and suppresses where no merge is left.
    fn fix(&mut self, set: &[u32]) -> Result<(), TransactionsError> {
        loop {
            self.progress.check();
            self.clusters.image_into(set, &mut self.image);
            let support = self.support();
            // Merges for earlier sets may have fixed this one as well. A set that nobody holds breaks nothing.
            if support == 0 || support >= self.k {
                return Ok(());
            }
            let image = self.image.clone();
            let least = image.iter().copied().min_by_key(|&id| self.clusters.get(id).people());
            // The rarest cluster is what is suppressed where no merge is left, and all that COAT looks at.
            let merge = match (self.task.candidates, self.task.objective) {
                (MergeCandidates::LeastSupported, _) => self.cheapest_merge(least.as_slice()),
                (MergeCandidates::AnyOfSet, Objective::Ncp) if image.len() > 1 => {
                    // Where no merge gains anything the cheapest is made, after which another may.
                    let missing = (self.k - support) as u32;
                    let gaining = match (&self.pairs, &image[..]) {
                        (Some(pairs), &[a, b]) => {
                            self.gains.best_of_pair(&self.clusters, pairs, [a, b], missing)
                        }
                        _ => self.gains.best(&self.clusters, &image, missing),
                    };
                    gaining.or_else(|| self.cheapest_merge(&image))
                }
                (MergeCandidates::AnyOfSet, _) => self.cheapest_merge(&image),
            };
            match (merge, least) {
                (Some((a, b)), _) => self.merge(a, b),
                (None, Some(least)) => self.suppress(&image, least)?,
                (None, None) => return Ok(()),
            }
        }
    }

    /// How many people have a transaction with the whole image, at most k.
    fn support(&self) -> usize {
        match (&self.pairs, &self.image[..]) {
            (Some(pairs), &[a, b]) => (pairs.together(a, b) as usize).min(self.k),
            _ => self.clusters.support(&self.image, self.k),
        }
    }

    /// The merge of least cost with one of these clusters; that of the first one where costs are equal.
    fn cheapest_merge(&mut self, ids: &[u32]) -> Option<(u32, u32)> {
        let mut best: Option<(Cost, u32, u32)> = None;
        for &id in ids {
            if let Some((cost, other)) = self.partners.best(&self.clusters, id)
                && best.is_none_or(|(least, ..)| cost < least)
            {
                best = Some((cost, id, other));
            }
        }
        best.map(|(_, id, other)| (id, other))
    }

    fn merge(&mut self, a: u32, b: u32) {
        self.partners.remove(&self.clusters, a);
        self.partners.remove(&self.clusters, b);
        if let Some(pairs) = &mut self.pairs {
            pairs.merge(&self.clusters, a, b);
        }
        let merged = self.clusters.merge(a, b);
        self.partners.add(&self.clusters, merged);
        self.progress.advance(1);
    }

    fn suppress(&mut self, image: &[u32], id: u32) -> Result<(), TransactionsError> {
        let items = &self.clusters.get(id).items;
        let suppressed = self.clusters.suppressed() + items.len();
        if suppressed > self.task.allowed {
            let mut constraint: Vec<u32> =
                image.iter().flat_map(|&id| self.clusters.get(id).items.iter().copied()).collect();
            constraint.sort_unstable();
            return Err(TransactionsError::Infeasible {
                constraint,
                items: items.clone(),
                suppressed,
                allowed: self.task.allowed,
                utility: self.task.utility.group_of(id) + 1,
            });
        }
        self.partners.remove(&self.clusters, id);
        if let Some(pairs) = &mut self.pairs {
            pairs.suppress(id);
        }
        self.clusters.suppress(id);
        self.progress.advance(1);
        Ok(())
    }
}
