//! What a search has found: the smallest crowd, the worst shares, and what breaks the promise.

use std::cmp::Ordering;

use super::Published;
use super::groups::Step;
use super::values::{Values, share};
use crate::promise::SHOWN;

/// The finding of a search. Findings of parts may be merged in any order with the same result.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The least number of people that were found by something that is known.
    pub(super) smallest: u32,
    /// The greatest share of each sensitive value.
    pub(super) shares: Vec<f64>,
    /// The length of the sequences that break the promise.
    pub(super) length: Option<usize>,
    /// How many of this length break it.
    pub(super) total: u64,
    /// The worst of them, the worst first.
    pub(super) worst: Vec<Break>,
}

/// A known sequence that breaks the promise.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Break {
    pub(super) known: Vec<Step>,
    pub(super) people: u32,
    /// The sensitive value whose share is the worst, where one is above its bound, and how many have it.
    pub(super) value: Option<(u32, u32)>,
    /// Whether there are fewer people than k.
    pub(super) is_small: bool,
    /// How many times its bound the share is.
    ratio: f64,
}

impl Break {
    /// How a crowd breaks the promise, if it does.
    pub(super) fn of(
        values: &Values,
        k: u32,
        people: u32,
        counts: &[u32],
        known: impl FnOnce() -> Vec<Step>,
    ) -> Option<Break> {
        let above = (0_u32..).zip(counts).filter(|&(value, &count)| !values.allows(value, count, people));
        let ratio = |value: u32, count: u32| share(count, people) / values.named[value as usize].allowed;
        let above = above.map(|(value, &count)| (ratio(value, count), value, count));
        let worst = above.max_by(|one, two| one.0.total_cmp(&two.0).then(two.1.cmp(&one.1)));
        let is_small = people < k;
        (is_small || worst.is_some()).then(|| Break {
            known: known(),
            people,
            value: worst.map(|(_, value, count)| (value, count)),
            is_small,
            ratio: worst.map_or(0.0, |(ratio, ..)| ratio),
        })
    }

    /// Small crowds first, the smallest of them before all others; then by share.
    fn cmp(&self, other: &Break) -> Ordering {
        let size = |one: &Break| if one.is_small { one.people } else { u32::MAX };
        let by_share = || other.ratio.total_cmp(&self.ratio).then(self.people.cmp(&other.people));
        size(self).cmp(&size(other)).then_with(by_share).then_with(|| self.known.cmp(&other.known))
    }
}

impl Found {
    /// Nothing yet.
    pub(super) fn new(file: &Published) -> Found {
        Found {
            smallest: u32::MAX,
            shares: vec![0.0; file.values.named.len()],
            length: None,
            total: 0,
            worst: Vec::new(),
        }
    }

    /// Takes note of a crowd.
    pub(super) fn see(&mut self, people: u32, counts: &[u32]) {
        self.smallest = self.smallest.min(people);
        for (worst, &count) in self.shares.iter_mut().zip(counts) {
            if count > 0 {
                *worst = worst.max(share(count, people));
            }
        }
    }

    /// Takes note of what is true of all crowds of some kind: their least number of people, and their greatest shares.
    pub(super) fn bound(&mut self, people: u32, shares: &[f64]) {
        self.smallest = self.smallest.min(people);
        self.shares.iter_mut().zip(shares).for_each(|(worst, share)| *worst = worst.max(*share));
    }

    /// Takes note of a break that `ways` sequences of this length share. Only the least length counts.
    pub(super) fn add(&mut self, length: usize, ways: u64, how: Break) {
        if self.is_due(length) {
            self.total = self.total.saturating_add(ways);
            self.insert(how);
        }
    }

    pub(super) fn merge(mut self, other: Found) -> Found {
        self.smallest = self.smallest.min(other.smallest);
        self.shares.iter_mut().zip(&other.shares).for_each(|(one, two)| *one = one.max(*two));
        if other.length.is_some_and(|length| self.is_due(length)) {
            self.total = self.total.saturating_add(other.total);
            other.worst.into_iter().for_each(|how| self.insert(how));
        }
        self
    }

    /// Whether breaks of this length count; forgets longer ones.
    fn is_due(&mut self, length: usize) -> bool {
        if self.length.is_none_or(|own| length < own) {
            self.length = Some(length);
            self.total = 0;
            self.worst.clear();
        }
        self.length == Some(length)
    }

    fn insert(&mut self, how: Break) {
        let at = self.worst.partition_point(|other| other.cmp(&how).is_le());
        if at < SHOWN {
            self.worst.truncate(SHOWN - 1);
            self.worst.insert(at, how);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::Value;
    use super::*;

    fn values(allowed: &[f64]) -> Values {
        let value = |&allowed: &f64| Value { column: "x".into(), text: "y".into(), allowed };
        let mut values = Values::default();
        values.named = allowed.iter().map(value).collect();
        values
    }

    fn nothing() -> Found {
        Found { smallest: u32::MAX, shares: vec![0.0; 2], length: None, total: 0, worst: Vec::new() }
    }

    /// A crowd of this size, which is too small.
    fn small(people: u32) -> Break {
        Break::of(&values(&[]), 100, people, &[], || vec![people]).unwrap()
    }

    #[test]
    fn the_worst_value_is_the_one_farthest_above_its_own_bound() {
        // 60 % where 35 % are allowed, and 30 % where 10 % are.
        let how = Break::of(&values(&[0.35, 0.1]), 2, 10, &[6, 3], Vec::new).unwrap();
        assert_eq!((how.value, how.is_small), (Some((1, 3)), false));
        assert!(Break::of(&values(&[0.6, 0.3]), 2, 10, &[6, 3], Vec::new).is_none());
    }

    #[test]
    fn the_greatest_shares_and_the_smallest_crowd_are_kept() {
        let mut found = nothing();
        found.see(4, &[1, 0]);
        found.see(10, &[1, 0]);
        assert_eq!((found.smallest, &found.shares[..]), (4, &[0.25, 0.0][..]));
    }

    #[test]
    fn only_breaks_of_the_least_length_count() {
        let mut found = nothing();
        found.add(2, 5, small(7));
        found.add(1, 3, small(8));
        found.add(2, 5, small(6));
        assert_eq!((found.length, found.total), (Some(1), 3));
        assert_eq!(found.worst, [small(8)]);
    }

    #[test]
    fn the_worst_are_shown_and_all_are_counted() {
        let mut found = nothing();
        (0..20).rev().for_each(|people| found.add(1, 1, small(people)));
        let worst: Vec<u32> = found.worst.iter().map(|how| how.people).collect();
        assert_eq!((found.total, worst), (20, (0..SHOWN as u32).collect()));
    }
}
