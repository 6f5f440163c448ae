//! The supports of many itemsets, boiled down to what a promise needs.

use super::{TransactionsView, TransactionsViolation};
use crate::origin::number;
use crate::promise::{ROWS_NAMED, SHOWN};
use crate::{Figure, Outcome, Violations};

/// The smallest support seen and the sets that stay below k. Tallies of disjoint lots of sets may be merged
/// in any order with the same result.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    k: u32,
    smallest: Option<u32>,
    broken: usize,
    /// Support and texts, ascending, the first [`SHOWN`] of all that are broken.
    worst: Vec<(u32, Vec<u32>)>,
}

impl Tally {
    pub(super) fn new(k: u32) -> Tally {
        Tally { k, smallest: None, broken: 0, worst: Vec::new() }
    }

    /// Takes note of a set (ascending) and its support. A set is given once.
    pub(super) fn add(&mut self, set: &[u32], support: u32) {
        self.smallest = Some(self.smallest.map_or(support, |smallest| smallest.min(support)));
        if support < self.k {
            self.broken += 1;
            let is_before = |(other, texts): &(u32, Vec<u32>)| (*other, &texts[..]) < (support, set);
            let at = self.worst.partition_point(is_before);
            if at < SHOWN {
                self.worst.truncate(SHOWN - 1);
                self.worst.insert(at, (support, set.to_vec()));
            }
        }
    }

    pub(super) fn merge(mut self, other: Tally) -> Tally {
        self.smallest = match (self.smallest, other.smallest) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.broken += other.broken;
        self.worst.extend(other.worst);
        self.worst.sort_unstable();
        self.worst.truncate(SHOWN);
        self
    }

    /// Whether no set stays below k.
    pub(super) fn holds(&self) -> bool {
        self.broken == 0
    }

    /// The finding, with the worst sets named.
    pub(super) fn outcome(self, view: &TransactionsView<'_>) -> Outcome<TransactionsViolation> {
        let holds = self.holds();
        let text = |&text: &u32| view.published().items().get(text).to_owned();
        let name = |(support, set): (u32, Vec<u32>)| TransactionsViolation {
            items: set.iter().map(text).collect(),
            support,
            people: view.persons().is_some(),
            rows: view.rows_holding(&set).take(ROWS_NAMED).map(|row| number(row as usize)).collect(),
        };
        Outcome {
            found: self.smallest.map_or(Figure::Nothing, |support| Figure::Count(support.into())),
            holds,
            violations: Violations {
                total: self.broken,
                worst: self.worst.into_iter().map(name).collect(),
                all: Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_broken_is_counted_and_the_worst_are_kept() {
        let mut tally = Tally::new(30);
        (0..20).rev().for_each(|support| tally.add(&[support], support));
        assert_eq!((tally.broken, tally.smallest), (20, Some(0)));
        let expected: Vec<(u32, Vec<u32>)> = (0..SHOWN as u32).map(|n| (n, vec![n])).collect();
        assert_eq!(tally.worst, expected);
        assert_eq!(tally.clone().merge(tally).worst.len(), SHOWN);
    }
}
