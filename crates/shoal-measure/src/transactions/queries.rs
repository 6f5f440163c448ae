use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use shoal_core::Transactions;

use super::{TransactionsMeasureError, itemsets};

/// COUNT queries for [`are`](super::are).
///
/// A workload depends on the original and a seed alone, so that all algorithms of one comparison are asked
/// the same. (The paper draws items from the generalized ones, which every algorithm has its own of.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    queries: Vec<Query>,
}

/// How many transactions hold all of these items?
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Query {
    items: Vec<u32>,
    count: u32,
}

impl Query {
    /// The items asked for, ascending, at least one.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// The true answer, at least 1.
    pub fn count(&self) -> u32 {
        self.count
    }
}

impl Workload {
    /// `count` pairs, each from one random transaction that has two items or more: what people ask about is
    /// drawn more often the more frequent it is. For pairs that are all alike, rare or frequent, see
    /// [`frequent`](Workload::frequent) with a support of 1.
    pub fn pairs(original: &Transactions, count: usize, seed: u64) -> Workload {
        let holding: Vec<&[u32]> = original.iter().filter(|items| items.len() >= 2).collect();
        drawn_from(original, &holding, 2, count, seed)
    }

    /// `count` sets of `size` items, each from one random transaction; of a shorter one, all items. Frequent
    /// sets are drawn more often. No set where there is no item.
    pub fn itemsets(original: &Transactions, size: usize, count: usize, seed: u64) -> Workload {
        let holding: Vec<&[u32]> = original.iter().filter(|items| !items.is_empty()).collect();
        drawn_from(original, &holding, size, count, seed)
    }

    /// Up to `count` different sets of `size` items, drawn at random from all that at least `min_support`
    /// transactions hold. It goes through all of these once: with low supports and large sizes there are
    /// many.
    pub fn frequent(
        original: &Transactions,
        size: usize,
        min_support: usize,
        count: usize,
        seed: u64,
    ) -> Workload {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut queries: Vec<Query> = Vec::new();
        let mut seen = 0_u64;
        // Reservoir sampling: each set found stays with the same probability.
        itemsets::each(original, size, min_support, &mut |items, support| {
            seen += 1;
            let query = || Query { items: items.to_vec(), count: support };
            if queries.len() < count {
                queries.push(query());
            } else if count > 0 {
                let at = random.random_range(0..seen);
                if at < count as u64 {
                    queries[at as usize] = query();
                }
            }
        });
        queries.sort_unstable();
        Workload { queries }
    }

    /// These sets of items; empty ones and those that never occur are left out, since no error is relative to
    /// a count of 0.
    pub fn of(
        original: &Transactions,
        itemsets: Vec<Vec<u32>>,
    ) -> Result<Workload, TransactionsMeasureError> {
        let items = original.items().len();
        match itemsets.iter().flatten().find(|&&item| item as usize >= items) {
            Some(&item) => Err(TransactionsMeasureError::NoSuchItem { item, items }),
            None => Ok(counted(original, itemsets)),
        }
    }

    /// The queries.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }
}

fn drawn_from(original: &Transactions, holding: &[&[u32]], size: usize, count: usize, seed: u64) -> Workload {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let draws = if holding.is_empty() || size == 0 { 0 } else { count };
    let drawn = (0..draws).map(|_| {
        let mut items = holding[random.random_range(0..holding.len())].to_vec();
        // The first steps of a Fisher-Yates shuffle.
        for at in 0..size.min(items.len()) {
            let other = random.random_range(at..items.len());
            items.swap(at, other);
        }
        items.truncate(size);
        items
    });
    counted(original, drawn.collect())
}

fn counted(original: &Transactions, itemsets: Vec<Vec<u32>>) -> Workload {
    let postings = original.postings();
    let query = |mut items: Vec<u32>| {
        items.sort_unstable();
        items.dedup();
        let rarest = items.iter().min_by_key(|&&item| postings[item as usize].len())?;
        let holds_all = |number: &&u32| {
            let transaction = original.transaction(**number as usize);
            items.iter().all(|item| transaction.binary_search(item).is_ok())
        };
        let count = postings[*rarest as usize].iter().filter(holds_all).count() as u32;
        (count > 0).then_some(Query { items, count })
    };
    Workload { queries: itemsets.into_iter().filter_map(query).collect() }
}
