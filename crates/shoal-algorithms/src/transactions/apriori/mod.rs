//! Apriori anonymization: k^m along a hierarchy of items.
//!
//! Items are published as nodes of a hierarchy, and where one item is raised to a node, all items below that
//! node are, in all transactions (full-subtree, global recoding). For each set of up to m published items that occurs
//! in fewer than k transactions, the rarest first, the cheapest way to raise its nodes is taken that gives it k: of one
//! node or of several, by one step or more, until they meet in one. Then all sets are counted again.
//!
//! **Paper**: M. Terrovitis, N. Mamoulis, P. Kalnis, *Privacy-preserving anonymization of set-valued data*,
//! VLDB 2008; here as the comparator of Gkoulalas-Divanis and Loukides, §5.
//!
//! **Departures**:
//! - No count-tree with the generalizations of every transaction. Sets are counted on the published
//!   transactions, and every node of the hierarchy keeps the set of transactions that hold any of its items,
//!   which answers for the support of any generalization.
//! - The paper goes by size (single items, then pairs, up to m), and through its tree. Here sets of all sizes wait in
//!   one queue, the rarest first, with ties against the order of sizes and items; only a size with more than 10^8 sets
//!   waits until all smaller ones are fixed. The loss depends on the order (on BMS-WebView-1 at k = 5, m = 2 from 2.6 %
//!   to 3.5 % in five orders), and need not grow with k.
//! - The cost is NCP with sizes counted in items of the data: leaves that never occur weigh nothing. A node
//!   above a single item of the data is that item, and is published as it.
//! - All sizes are counted anew until none is broken, so that the promise does not rest on an argument, and
//!   holds also where only some items are linkable and a raise makes others so.
//!
//! **Cost**: counting sets of m published items takes Σ C(|T|, m) steps over the transactions T, a few rounds of
//! it; a broken set costs an intersection for each of the cheaper ways, at most heights^m.
//!
//! **When another is better**: for loss, as a rule: [`pcta`](super::pcta) may join any items and not only
//! neighbours in a tree. Apriori is for readers who need the nodes of a
//! known taxonomy (ICD chapters, product groups) and nothing else.

mod cut;
mod params;
mod tree;

pub use params::{AprioriParams, ValidAprioriParams};

use shoal_core::{ItemCluster, Progress, Transactions, TransactionsPromise, TransactionsRecoding};

use self::cut::Cut;
use self::tree::ItemTree;
use super::clusters::Clusters;
use super::violations::Violations;
use super::{TransactionsAlgorithm, TransactionsError};
use crate::Anonymized;

const NAME: &str = "apriori";

impl TransactionsAlgorithm for ValidAprioriParams {
    fn name(&self) -> &'static str {
        NAME
    }

    fn anonymize(
        &self,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TransactionsRecoding>, TransactionsError> {
        let TransactionsPromise::Itemsets { k, .. } = *promise else {
            return Err(TransactionsError::UnsupportedPromise { algorithm: NAME });
        };
        let (items, weights) = (data.items().len(), self.0.weights.as_deref());
        if let Some(given) = weights.map(<[f64]>::len).filter(|&given| given != items) {
            return Err(TransactionsError::WrongItemCount { what: "weights", given, items });
        }
        // Nothing that is decided depends on the order of transactions, and people are counted in this one.
        let data = &*data.by_person();
        let mut violations = Violations::new(data, promise)?;
        let tree = ItemTree::new(&self.0.hierarchy, data, weights)?;
        let mut state = RaiseState {
            k,
            tree: &tree,
            cut: Cut::of_items(&tree, items),
            clusters: Clusters::of_single_items(data, weights),
            progress,
        };

        progress.stage("raising items", (tree.len() - items) as u64);
        loop {
            let queue = violations.find(&state.clusters, None, progress);
            if queue.is_empty() {
                return Ok(self.recoding(&state.cut, &tree, items).into());
            }
            // The queue gives the most frequent first, as PCTA wants them.
            let rarest_last: Vec<&[u32]> = queue.iter().collect();
            rarest_last.iter().rev().for_each(|set| progress.advance(state.fix(set)));
        }
    }
}

impl ValidAprioriParams {
    fn recoding(&self, cut: &Cut<'_>, tree: &ItemTree, items: usize) -> TransactionsRecoding {
        let cluster = |node: u32| ItemCluster {
            items: tree.items(node).to_vec(),
            name: (tree.items(node).len() > 1).then(|| self.0.hierarchy.label(tree.source(node)).to_owned()),
        };
        TransactionsRecoding::from_clusters(items, cut.nodes().into_iter().map(cluster).collect())
    }
}

/// Which nodes are published at the moment.
struct RaiseState<'a> {
    k: usize,
    tree: &'a ItemTree,
    cut: Cut<'a>,
    /// The cut as the search for broken sets knows it.
    clusters: Clusters<'a>,
    progress: &'a dyn Progress,
}

impl RaiseState<'_> {
    /// Raises nodes until enough people have a transaction with the set. Returns how many nodes were raised to.
    fn fix(&mut self, set: &[u32]) -> u64 {
        let image = self.cut.image(set);
        let raised = self.cut.cheapest_raise(image, self.k, self.progress);
        let raised = raised.expect("the top stands for all items, and k people have an item");
        raised.into_iter().filter(|&node| self.raise(node)).count() as u64
    }

    fn raise(&mut self, node: u32) -> bool {
        let raised = self.cut.raise(node);
        if raised {
            // The same step for the clusters, by which sets are counted.
            for pair in self.tree.items(node).windows(2) {
                let (a, b) = (self.clusters.cluster_of(pair[0]), self.clusters.cluster_of(pair[1]));
                if a != b {
                    self.clusters.merge(a, b);
                }
            }
        }
        raised
    }
}
