//! Whether an item can leave its cluster where the promise is about single items and pairs: k^2.
//!
//! What is said of any other set in [`recheck`](super::recheck) takes a pass over the transactions of the cluster that
//! the item leaves. With the counts of pairs the transactions of the item alone tell what changes.

use super::clusters::{Cluster, Clusters};
use super::pairs::Pairs;

/// Lets items leave under k^2, and keeps the counts of pairs up to date.
pub(super) struct PairLeaving<'a> {
    pairs: Pairs,
    k: u32,
    linkable: Option<&'a [bool]>,
    /// For each cluster the transactions of the item that hold it, and those of them that hold nothing of the rest.
    /// All 0 between two calls.
    with: Vec<u32>,
    lost: Vec<u32>,
}

impl<'a> PairLeaving<'a> {
    pub(super) fn new(pairs: Pairs, k: usize, linkable: Option<&'a [bool]>, items: usize) -> PairLeaving<'a> {
        // No count of transactions reaches beyond what fits into 32 bits, so nor does a k that can be met.
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        PairLeaving { pairs, k, linkable, with: vec![0; items], lost: vec![0; items] }
    }

    /// Publishes the item alone, as `alone`, if the promise, which is kept, is kept then.
    pub(super) fn try_leave(&mut self, clusters: &mut Clusters<'_>, alone: &Cluster) -> bool {
        let item = alone.items[0];
        let whole = clusters.cluster_of(item);
        let item_known = self.linkable.is_none_or(|linkable| linkable[item as usize]);
        if item_known && self.is_infrequent(alone.support()) {
            return false;
        }
        let found = self.count(clusters, alone, whole);
        let holds = self.holds(clusters, item, whole, item_known, &found);
        if holds {
            let with = found.touched.iter().map(|&id| (id, self.with[id as usize]));
            let lost = found.touched.iter().map(|&id| (id, self.lost[id as usize]));
            let lost: Vec<(u32, u32)> = lost.filter(|&(_, count)| count > 0).collect();
            let mut with: Vec<(u32, u32)> = with.collect();
            let (rest, _) = clusters.split_losing(alone.clone(), &found.lost_transactions);
            with.iter_mut().filter(|(id, _)| *id == whole).for_each(|(id, _)| *id = rest);
            self.pairs.split(item, [whole, rest], &with, &lost);
        }
        for id in found.touched {
            self.with[id as usize] = 0;
            self.lost[id as usize] = 0;
        }
        holds
    }

    /// Fills the counters from the item's transactions. The rest still has the number of the whole.
    fn count(&mut self, clusters: &Clusters<'_>, alone: &Cluster, whole: u32) -> Found {
        let item = alone.items[0];
        let mut found = Found { touched: Vec::new(), lost_transactions: Vec::new() };
        let mut image = Vec::new();
        let mut others = Vec::new();
        clusters.each_transaction_of(alone, |number, items| {
            others.clear();
            others.extend(items.iter().copied().filter(|&other| other != item));
            clusters.image_into(&others, &mut image);
            let is_lost = image.binary_search(&whole).is_err();
            for &id in &image {
                if self.with[id as usize] == 0 {
                    found.touched.push(id);
                }
                self.with[id as usize] += 1;
                self.lost[id as usize] += u32::from(is_lost);
            }
            if is_lost {
                found.lost_transactions.push(number);
            }
        });
        found
    }

    /// Whether the promise would be kept: only sets that hold the item or the rest change.
    fn holds(&self, clusters: &Clusters<'_>, item: u32, whole: u32, item_known: bool, found: &Found) -> bool {
        let is_known = |id: u32| {
            let of_rest = clusters.get(id).items.iter().filter(|&&other| id != whole || other != item);
            self.linkable.is_none_or(|linkable| of_rest.copied().any(|other| linkable[other as usize]))
        };
        if item_known
            && found.touched.iter().any(|&id| self.is_infrequent(self.with[id as usize]) && is_known(id))
        {
            return false;
        }
        // The rest occurs as often as the whole did, except in the transactions that held nothing of it but the item.
        if found.lost_transactions.is_empty() || !is_known(whole) {
            return true;
        }
        let left = clusters.figures(whole).support - found.lost_transactions.len() as u32;
        let is_broken = |id: u32| {
            let lost = self.lost[id as usize];
            lost > 0 && self.is_infrequent(self.pairs.together(whole, id) - lost) && is_known(id)
        };
        !self.is_infrequent(left) && !found.touched.iter().any(|&id| is_broken(id))
    }

    fn is_infrequent(&self, support: u32) -> bool {
        // What nobody holds gives nobody away.
        support > 0 && support < self.k
    }
}

/// What the transactions of an item hold beside it.
struct Found {
    /// The clusters whose counters are not 0.
    touched: Vec<u32>,
    /// The transactions that hold nothing of the rest, ascending.
    lost_transactions: Vec<u32>,
}
