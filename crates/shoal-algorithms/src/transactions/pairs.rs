//! How often any two clusters occur together, kept up to date while clusters change.
//!
//! Sets of two are most of what k^m asks about, and a set of a rare and a frequent item is fixed by looking at all that
//! occurs with the frequent one. Its transactions are many more than the clusters that there are, and those are
//! what is looked at here.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;

use super::clusters::Clusters;
use super::queue::Queue;

/// Pairs are not counted where there would be more entries than this, two for each pair. An entry takes
/// about 14 bytes (8, one of the table's, and room to grow), so that all take less than a gigabyte.
const MAX_ENTRIES: usize = 60_000_000;

/// For each cluster the others that occur with it, and in how many transactions. The hasher has no random state, so
/// that even ties between costs that are not whole numbers fall alike in every run.
type Row = HashMap<u32, u32, FixedState>;

/// In how many transactions any two clusters occur together.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// At each cluster's number. Pairs that do not occur have no entry.
    rows: Vec<Row>,
}

impl Pairs {
    /// Counts all pairs of clusters. None where transactions are not what is counted, since somebody has two, and
    /// where the counts would take too much memory.
    pub(super) fn new(clusters: &Clusters<'_>) -> Option<Pairs> {
        if clusters.persons().is_some() {
            return None;
        }
        let entries = AtomicUsize::new(0);
        let is_too_many = || entries.load(Ordering::Relaxed) > MAX_ENTRIES;
        let mut exists = vec![false; clusters.items()];
        clusters.iter().for_each(|(id, _)| exists[id as usize] = true);
        let buffers = || (vec![0_u32; clusters.items()], Vec::new(), Vec::new());
        let row = |(counts, image, touched): &mut (Vec<u32>, Vec<u32>, Vec<u32>), id: usize| {
            if !exists[id] || is_too_many() {
                return Row::default();
            }
            clusters.each_transaction(id as u32, |_, items| {
                clusters.image_into(items, image);
                for &other in image.iter().filter(|&&other| other as usize != id) {
                    if counts[other as usize] == 0 {
                        touched.push(other);
                    }
                    counts[other as usize] += 1;
                }
            });
            entries.fetch_add(touched.len(), Ordering::Relaxed);
            // Sorted, so that the order in a row does not come from that of the transactions.
            touched.sort_unstable();
            touched.drain(..).map(|other| (other, std::mem::take(&mut counts[other as usize]))).collect()
        };
        let rows = (0..clusters.items()).into_par_iter().map_init(buffers, |buffers, id| row(buffers, id));
        let rows = rows.collect();
        // The sum does not depend on which rows were counted first, so neither does this answer.
        (!is_too_many()).then_some(Pairs { rows })
    }

    /// In how many transactions both clusters are.
    pub(super) fn together(&self, a: u32, b: u32) -> u32 {
        self.rows[a as usize].get(&b).copied().unwrap_or(0)
    }

    /// The clusters that occur together with this one, in any order, and in how many transactions.
    pub(super) fn of(&self, id: u32) -> impl Iterator<Item = (u32, u32)> {
        self.rows[id as usize].iter().map(|(&other, &count)| (other, count))
    }

    /// How many pairs there are, equal ones in several transactions counted apart, of clusters that are `known`.
    pub(super) fn occurrences(&self, known: &[bool]) -> f64 {
        let of_row = |(row, _): (&Row, &bool)| {
            row.iter()
                .filter(|(other, _)| known[**other as usize])
                .map(|(_, &count)| u64::from(count))
                .sum::<u64>()
        };
        let twice: u64 = self.rows.iter().zip(known).filter(|&(_, &known)| known).map(of_row).sum();
        twice as f64 / 2.0
    }

    /// All pairs of `known` clusters that occur, but in fewer than `k` transactions; those of equal support in
    /// lexicographic order.
    pub(super) fn infrequent(&self, k: usize, known: &[bool]) -> Queue {
        let of_first = |(first, row): (usize, &Row)| {
            let mut found: Vec<(u32, u32)> = Vec::new();
            if known[first] {
                let too_few = |&(other, count): &(u32, u32)| {
                    other as usize > first && (count as usize) < k && known[other as usize]
                };
                found.extend(row.iter().map(|(&other, &count)| (other, count)).filter(too_few));
                found.sort_unstable();
            }
            found
        };
        let found: Vec<Vec<(u32, u32)>> = self.rows.par_iter().enumerate().map(of_first).collect();
        let mut queue = Queue::default();
        for (first, pairs) in found.into_iter().enumerate() {
            pairs.iter().for_each(|&(other, count)| queue.push(count as usize, [first as u32, other]));
        }
        queue
    }

    /// To be called before two clusters are merged.
    pub(super) fn merge(&mut self, clusters: &Clusters<'_>, a: u32, b: u32) {
        // As in `Clusters`, the merged cluster has the smaller number.
        let (id, gone) = (a.min(b), a.max(b));
        let mut row = std::mem::take(&mut self.rows[id as usize]);
        let mut other_row = std::mem::take(&mut self.rows[gone as usize]);
        row.remove(&gone);
        other_row.remove(&id);
        for (&other, &count) in &other_row {
            let of_other = &mut self.rows[other as usize];
            of_other.remove(&gone);
            *of_other.entry(id).or_insert(0) += count;
            shrink(of_other);
        }
        if other_row.len() > row.len() {
            std::mem::swap(&mut row, &mut other_row);
        }
        for (other, count) in other_row {
            *row.entry(other).or_insert(0) += count;
        }
        // What occurs in a transaction with both was counted with each of them.
        let mut image = Vec::new();
        clusters.each_common(a, b, |items| {
            clusters.image_into(items, &mut image);
            for &other in image.iter().filter(|&&other| other != a && other != b) {
                decrease(&mut row, other, 1);
                decrease(&mut self.rows[other as usize], id, 1);
            }
        });
        self.rows[id as usize] = row;
    }

    /// To be called when a cluster is suppressed.
    pub(super) fn suppress(&mut self, id: u32) {
        for (other, _) in std::mem::take(&mut self.rows[id as usize]) {
            self.rows[other as usize].remove(&id);
        }
    }

    /// To be called when an item leaves the cluster `whole`, the rest of which has the number `rest` from then on.
    /// `with` says what the item occurs with and how often, the rest among it, and `lost` what occurs with the item in
    /// transactions that hold nothing of the rest.
    pub(super) fn split(
        &mut self,
        item: u32,
        [whole, rest]: [u32; 2],
        with: &[(u32, u32)],
        lost: &[(u32, u32)],
    ) {
        let mut row = std::mem::take(&mut self.rows[whole as usize]);
        for &(other, count) in lost {
            decrease(&mut row, other, count);
            decrease(&mut self.rows[other as usize], whole, count);
        }
        if rest != whole {
            for &other in row.keys() {
                let of_other = &mut self.rows[other as usize];
                let count =
                    of_other.remove(&whole).expect("whatever has an entry of the cluster is in its row");
                of_other.insert(rest, count);
            }
        }
        self.rows[rest as usize] = row;
        for &(other, count) in with {
            self.rows[other as usize].insert(item, count);
        }
        self.rows[item as usize] = with.iter().copied().collect();
    }
}

/// Takes from a count that is at least as large. What does not occur has no entry.
fn decrease(row: &mut Row, other: u32, by: u32) {
    let count = row.get_mut(&other).expect("a pair that occurs is counted");
    *count -= by;
    if *count == 0 {
        row.remove(&other);
    }
}

/// A row is gone through for every set that its cluster is in, which takes as long as the row has room. The rows of
/// frequent items begin with every item that there is and end with a few hundred clusters.
fn shrink(row: &mut Row) {
    if row.capacity() > 8 * (row.len() + 8) {
        row.shrink_to(2 * row.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;
    use shoal_core::Transactions;

    use super::*;

    proptest! {
        #[test]
        fn counts_follow_the_clusters(
            baskets in vec(btree_set(0_u32..12, 0..8), 1..40),
            merges in vec((0_u32..12, 0_u32..12), 0..9),
            suppressed in proptest::option::of(0_u32..12),
        ) {
            let baskets: Vec<Vec<String>> =
                baskets.iter().map(|b| b.iter().map(u32::to_string).collect()).collect();
            let data = Transactions::from_texts(&baskets);
            let items = data.items().len() as u32;
            let mut clusters = Clusters::of_single_items(&data, None);
            let mut pairs = Pairs::new(&clusters).unwrap();
            for (a, b) in merges.into_iter().filter(|&(a, b)| a.max(b) < items) {
                if let [a, b] = clusters.image(&[a, b])[..] {
                    pairs.merge(&clusters, a, b);
                    clusters.merge(a, b);
                }
            }
            if let Some(item) = suppressed.filter(|&item| item < items) {
                let id = clusters.cluster_of(item);
                pairs.suppress(id);
                clusters.suppress(id);
            }
            let mut pairs_found = 0;
            for (a, _) in clusters.iter() {
                for (b, _) in clusters.iter().filter(|&(b, _)| b != a) {
                    let together = clusters.support(&[a, b], usize::MAX) as u32;
                    prop_assert_eq!(pairs.together(a, b), together);
                    pairs_found += usize::from(together > 0);
                }
            }
            // Nothing is left of clusters that are gone, and pairs that do not occur have no entry.
            prop_assert_eq!(pairs.rows.iter().map(Row::len).sum::<usize>(), pairs_found);
        }
    }
}
