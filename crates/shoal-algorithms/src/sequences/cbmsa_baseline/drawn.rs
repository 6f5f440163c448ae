//! The matching without dynamic programming: chance decides which events are suppressed.

use shoal_core::SplitMix64;

use crate::sequences::costs::Costs;
use crate::sequences::matching::{Matching, Numbered, Pair, Query};

/// Of the longer sequence as many events are suppressed as it has more, drawn at random; what is left is matched
/// one by one. The draw depends on nothing but the seed and the numbers of the two clusters, so it is the same whenever it is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn {
    pub(super) seed: u64,
}

impl Matching for Drawn {
    fn distance(
        &self,
        younger: &Query<'_>,
        older: Numbered<'_>,
        costs: &Costs,
        limit: i64,
        _line: &mut Vec<i64>,
    ) -> Option<i64> {
        let (left, right) = (older.cluster, younger.cluster);
        let (left_size, right_size) = (left.size() as i64, right.size() as i64);
        let lost = |size: i64, heights: &[u32]| size * heights.iter().map(|&h| i64::from(h)).sum::<i64>();
        let gone = |size: i64, len: usize| size * i64::from(costs.suppressed()) * len as i64;
        let shared = left.len().min(right.len());
        let mut loss = gone(left_size, left.len() - shared) + gone(right_size, right.len() - shared)
            - lost(left_size, &left.heights)
            - lost(right_size, &right.heights);
        for (at_left, at_right) in self.draw(left.len(), right.len(), older.id, younger.id) {
            let heights = younger.heights(at_right as usize);
            let event = left.event(at_left as usize, costs.quasi());
            let together: u32 = event.iter().map(|&code| heights[code as usize]).sum();
            loss += (left_size + right_size) * i64::from(together);
        }
        (loss <= limit).then_some(loss)
    }

    fn pairs(&self, older: Numbered<'_>, younger: Numbered<'_>, _costs: &Costs) -> Vec<Pair> {
        self.draw(older.cluster.len(), younger.cluster.len(), older.id, younger.id).collect()
    }
}

impl Drawn {
    /// The pairs of two sequences of these lengths.
    fn draw(&self, left: usize, right: usize, older: u32, younger: u32) -> impl Iterator<Item = Pair> {
        let longer = left.max(right);
        let mut to_suppress = longer - left.min(right);
        let first = |seed: u64| SplitMix64(seed).next();
        let mut draws = SplitMix64(first(first(first(self.seed) ^ u64::from(older)) ^ u64::from(younger)));
        // The first number has never been used; using it now would change what a seed publishes.
        draws.next();
        // Selection sampling: each set of events is equally likely.
        let survivors = (0..longer).filter(move |at| {
            let drawn = draws.below((longer - at) as u64) < to_suppress as u64;
            to_suppress -= usize::from(drawn);
            !drawn
        });
        survivors.enumerate().map(move |(short, long)| {
            if left >= right { (long as u32, short as u32) } else { (short as u32, long as u32) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a seed publishes must not change from one version to the next.
    #[test]
    fn a_seed_draws_the_same_events_for_good() {
        let survivors = |seed, left, right, older, younger| {
            let drawn = Drawn { seed };
            let pairs = drawn.draw(left, right, older, younger);
            pairs.map(|(a, b)| if left >= right { a } else { b }).collect::<Vec<u32>>()
        };
        assert_eq!(survivors(7, 10, 4, 3, 5), [4, 5, 6, 8]);
        assert_eq!(survivors(7, 4, 10, 3, 5), [4, 5, 6, 8]);
        assert_eq!(survivors(0, 12, 6, 0, 1), [1, 2, 3, 5, 8, 9]);
    }
}
