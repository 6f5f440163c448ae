//! The largest part of some records that may be a class, where frequent values are what is in the way.

use super::measure::{Measure, Values};
use super::tally::Present;
use super::{Conditions, Sensitive};

/// The most values of a column whose crowds are trimmed: every crowd that is looked at has a count for each value. By hand.
const MOST_VALUES: usize = 256;

/// Shares of records that differ by less may be equal: far more than sums of a few hundred shares are rounded by, and far less than a record of
/// any class.
const DOUBT: f64 = 1e-9;

/// Finds the part of a crowd that may be a class, by how many records have each value of the one column about which
/// something is promised.
pub(crate) struct Trimming<'a> {
    k: u32,
    column: &'a Sensitive<'a>,
}

impl Conditions<'_> {
    /// Where classes are compared with everybody in one column, of which every record has a value, and records are people. Other conditions hold of nearly every crowd,
    /// and of most only because of all of its records, so that nothing is gained by a part.
    pub(crate) fn trimming(&self) -> Option<Trimming<'_>> {
        let [column] = &self.columns[..] else { return None };
        let compares = column.measures.iter().all(Measure::compares);
        let few = column.column.domain.len() <= MOST_VALUES;
        if !compares || !few || column.valued.is_some() || self.personal.is_some() || self.people.is_some() {
            return None;
        }
        Some(Trimming { k: self.k as u32, column })
    }

    /// Whether all that is promised beside k is how frequent each value may be (β-likeness). What a class may have of a value then only
    /// depends on how frequent that value is among everybody, and not on the others.
    pub(crate) fn only_bounds_shares(&self) -> bool {
        self.columns.iter().all(|column| column.measures.iter().all(Measure::bounds_shares))
    }
}

impl Trimming<'_> {
    /// A count of 0 for each value.
    pub(crate) fn nobody(&self) -> Vec<u32> {
        vec![0; self.column.shares.len()]
    }

    /// The value of a record.
    pub(crate) fn value(&self, row: u32) -> usize {
        self.column.column.codes[row as usize] as usize
    }

    /// Lowers the counts of records with each value until they may be a class; all to 0 where none is left.
    pub(crate) fn trim(&self, counts: &mut [u32]) {
        if !self.may_reach_k(counts) {
            counts.fill(0);
            return;
        }
        loop {
            let size: u32 = counts.iter().sum();
            if size < self.k {
                counts.fill(0);
                return;
            }
            // No class is larger than what the bounds of a larger one leave of each value.
            let mut left = 0;
            for (value, count) in counts.iter_mut().enumerate() {
                let most = self.column.measures.iter().map(|measure| measure.most_of(*count, value, size));
                *count = most.fold(*count, u32::min);
                left += *count;
            }
            if left < size {
                continue;
            }
            let lowering = self.lowering(counts, size);
            // Asked in whole numbers, which takes longer, only where there is a doubt.
            if lowering.excess <= DOUBT * f64::from(size) && self.holds(counts) {
                return;
            }
            let count = &mut counts[lowering.value];
            *count -= lowering.step.min(*count);
        }
    }

    /// Whether a part of the records may be as many as k. Of n records that hold, each value has no more than its bound for n; what these
    /// bounds and the counts admit, less what n records need, is concave in n and 0 for nobody. So if it is too little for k, it is for more.
    fn may_reach_k(&self, counts: &[u32]) -> bool {
        let k = f64::from(self.k);
        self.column.measures.iter().all(|measure| {
            let admits = |value: usize| measure.share_admitted(value, self.column.shares[value]);
            let needed = measure.share_needed();
            let admitted = counts.iter().enumerate().map(|(value, &c)| f64::from(c).min(admits(value) * k));
            admitted.sum::<f64>() >= (needed - DOUBT) * k
        })
    }

    /// Whether records with these values may be a class, or are nobody.
    pub(crate) fn holds(&self, counts: &[u32]) -> bool {
        let size: u32 = counts.iter().sum();
        let values = Values { members: u64::from(size), several: false, present: Present::of(counts) };
        size == 0 || size >= self.k && self.column.measures.iter().all(|measure| measure.lack(&values) == 0.0)
    }

    /// The value that is most above its share, and how many of its records to take away: until another one is.
    fn lowering(&self, counts: &[u32], size: u32) -> Lowering {
        let over = |value: usize, count: u32| f64::from(count) - self.column.shares[value] * f64::from(size);
        let (mut first, mut most, mut second, mut sum) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0);
        for (value, &count) in counts.iter().enumerate() {
            let over = over(value, count);
            sum += over.max(0.0);
            if over > most {
                (first, second, most) = (value, most, over);
            } else {
                second = second.max(over);
            }
        }
        // A record less lowers what is too much by less than one record. So these must go in any case.
        let distances = self.column.measures.iter().filter_map(Measure::distance);
        let excess = distances.map(|t| sum - t * f64::from(size)).fold(0.0, f64::max);
        let step = excess.max(1.0).min(most - second).max(1.0) as u32;
        Lowering { value: first, step, excess }
    }
}

/// What brings some records nearer to being a class.
struct Lowering {
    value: usize,
    /// How many records with the value go.
    step: u32,
    /// How many records too many have values that are more frequent than among everybody, as far as a distance bounds that.
    excess: f64,
}
