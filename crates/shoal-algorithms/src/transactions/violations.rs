//! Where the promise is broken.

use std::cell::OnceCell;

use rayon::prelude::*;
use shoal_core::{Progress, Transactions, TransactionsPromise};

use super::TransactionsError;
use super::clusters::Clusters;
use super::itemsets::Images;
use super::pairs::Pairs;
use super::queue::Queue;

/// Sets of a size are not searched for while smaller sets are still to be fixed and there may be more of them than
/// this: the queue would take gigabytes (4 bytes an item and set), and every merge makes transactions shorter, which
/// leaves fewer sets to search.
const MAX_SETS_AT_ONCE: f64 = 1e8;

/// What is promised, less what is known to be kept for good.
pub(super) struct Violations<'a> {
    k: usize,
    asked: Asked<'a>,
}

enum Asked<'a> {
    Itemsets { m: usize, linkable: Option<&'a [bool]> },
    Sets { pending: Vec<Vec<u32>> },
}

impl<'a> Violations<'a> {
    /// Checks that the promise speaks of the items of the data, and that there can be a crowd.
    pub(super) fn new(
        data: &Transactions,
        promise: &'a TransactionsPromise,
    ) -> Result<Self, TransactionsError> {
        let k = promise.k();
        let people = data.people_with_items();
        if k > people {
            return Err(match data.persons() {
                None => TransactionsError::TooFewTransactions { k, transactions: people },
                Some(_) => TransactionsError::TooFewPeople { k, people },
            });
        }
        let items = data.items().len();
        let asked = match promise {
            TransactionsPromise::Itemsets { m, linkable, .. } => {
                let linkable = linkable.as_deref();
                if let Some(given) = linkable.map(<[bool]>::len).filter(|&given| given != items) {
                    return Err(TransactionsError::WrongItemCount { what: "linkable items", given, items });
                }
                let longest = data.iter().map(<[u32]>::len).max().unwrap_or(0);
                Asked::Itemsets { m: longest.min(*m), linkable }
            }
            TransactionsPromise::Complete { .. } => {
                Asked::Sets { pending: sorted(data.iter().map(<[u32]>::to_vec).collect()) }
            }
            TransactionsPromise::Constraints { sets, .. } => {
                if let Some(&item) = sets.iter().flatten().find(|&&item| item as usize >= items) {
                    return Err(TransactionsError::UnknownItem { item, items });
                }
                Asked::Sets { pending: sorted(sets.clone()) }
            }
        };
        Ok(Violations { k, asked })
    }

    /// Whether many sets of two are to be looked at.
    pub(super) fn ask_for_pairs(&self) -> bool {
        matches!(self.asked, Asked::Itemsets { m: 2.., .. })
    }

    /// Sets that break the promise; none where it is kept. Itemsets of all sizes come together, since the order
    /// by support matters for what is lost, but sizes with too many sets wait until all smaller ones are fine.
    /// Pairs that are counted already are not counted again.
    pub(super) fn find(
        &mut self,
        clusters: &Clusters<'_>,
        pairs: Option<&Pairs>,
        progress: &dyn Progress,
    ) -> Queue {
        let k = self.k;
        match &mut self.asked {
            Asked::Itemsets { m, linkable } => {
                progress.check();
                let known = known(clusters, *linkable);
                let mut queue = Queue::default();
                // Not made where pairs are all that is asked for.
                let images = OnceCell::new();
                let images = || images.get_or_init(|| Images::new(clusters, &known));
                for size in 1..=*m {
                    let pairs = pairs.filter(|_| size == 2);
                    let at_most =
                        || pairs.map_or_else(|| images().sets_at_most(size), |p| p.occurrences(&known));
                    if !queue.is_empty() && size > 1 && at_most() > MAX_SETS_AT_ONCE {
                        break;
                    }
                    queue.append(match (size, pairs) {
                        (1, _) => infrequent_clusters(clusters, &known, k),
                        (_, Some(pairs)) => pairs.infrequent(k, &known),
                        (_, None) => images().infrequent(size, k, progress),
                    });
                }
                queue
            }
            Asked::Sets { pending } => {
                let support = |set: &Vec<u32>| {
                    progress.check();
                    clusters.support(&clusters.image(set), k)
                };
                let supports: Vec<usize> = pending.par_iter().map(support).collect();
                let mut queue = Queue::default();
                for (set, &support) in pending.iter().zip(&supports).filter(|&(_, &s)| s > 0 && s < k) {
                    queue.push(support, set.iter().copied());
                }
                // Supports only grow, so k is enough for good. What no transaction holds is fine only for now.
                let mut supports = supports.iter();
                pending.retain(|_| supports.next().is_some_and(|&support| support < k));
                queue
            }
        }
    }
}

/// Whether each cluster holds an item that may be known of somebody.
pub(super) fn known(clusters: &Clusters<'_>, linkable: Option<&[bool]>) -> Vec<bool> {
    let holds_linkable =
        |items: &[u32]| linkable.is_none_or(|linkable| items.iter().any(|&item| linkable[item as usize]));
    let mut known = vec![false; clusters.items()];
    clusters.iter().for_each(|(id, cluster)| known[id as usize] = holds_linkable(&cluster.items));
    known
}

/// Single clusters that somebody has, but fewer than `k` people.
pub(super) fn infrequent_clusters(clusters: &Clusters<'_>, known: &[bool], k: usize) -> Queue {
    let mut queue = Queue::default();
    for (id, cluster) in clusters.iter().filter(|&(id, _)| known[id as usize]) {
        let people = cluster.people() as usize;
        if people > 0 && people < k {
            queue.push(people, [id]);
        }
    }
    queue
}

/// Small sets first, equally large ones by their items: the order in which sets of equal support are fixed.
pub(super) fn sorted(mut sets: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    for set in &mut sets {
        set.sort_unstable();
        set.dedup();
    }
    sets.sort_unstable_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets.dedup();
    sets
}
