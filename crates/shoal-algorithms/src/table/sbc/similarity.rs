//! How alike values are: by how often they are observed where the seed's value is.

use std::cmp::Reverse;

/// The order of similarity to the value `own`: for each value its index, 0 for `own` itself. Values whose
/// share is closer to that of `own` come first, then the more frequent, then the order of labels.
///
/// Shares have one denominator, so their differences compare as the counts do.
pub(super) struct SimilarityOrder {
    observed: Vec<u32>,
    index_of: Vec<u32>,
}

impl SimilarityOrder {
    pub(super) fn new(values: usize) -> Self {
        SimilarityOrder { observed: Vec::with_capacity(values), index_of: vec![0; values] }
    }

    /// The index of each value in the order, given how often each of them is observed.
    pub(super) fn indexes(&mut self, counts: &[u32], own: u32) -> &[u32] {
        let of_own = counts[own as usize];
        let apart = |value: u32| counts[value as usize].abs_diff(of_own);
        self.observed.clear();
        let others = (0..counts.len() as u32).filter(|&value| value != own);
        self.observed.extend(others.filter(|&value| counts[value as usize] > 0));
        self.observed.sort_unstable_by_key(|&v| (apart(v), Reverse(counts[v as usize]), v));

        // Values that are not observed are all alike. They stand together where the order wants a count
        // of 0, which saves sorting them: in a large domain they are nearly all.
        let (before, after) = self.observed.split_at(self.observed.partition_point(|&v| apart(v) <= of_own));
        self.index_of[own as usize] = 0;
        let mut next = 1;
        let mut place = |value: u32| {
            self.index_of[value as usize] = next;
            next += 1;
        };
        before.iter().for_each(|&v| place(v));
        let unobserved = (0..counts.len() as u32).filter(|&v| v != own && counts[v as usize] == 0);
        unobserved.for_each(&mut place);
        after.iter().for_each(|&v| place(v));
        &self.index_of
    }
}
