//! The matching without dynamic programming: chance decides which events are suppressed.

use shoal_core::mix;

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
        let mut state = first(first(first(self.seed) ^ u64::from(older)) ^ u64::from(younger));
        // Selection sampling: each set of events is equally likely.
        let survivors = (0..longer).filter(move |at| {
            state = state.wrapping_add(GOLDEN);
            let drawn = first(state) % ((longer - at) as u64) < to_suppress as u64;
            to_suppress -= usize::from(drawn);
            !drawn
        });
        survivors.enumerate().map(move |(short, long)| {
            if left >= right { (long as u32, short as u32) } else { (short as u32, long as u32) }
        })
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The first number of SplitMix64 from a seed.
fn first(seed: u64) -> u64 {
    mix(seed.wrapping_add(GOLDEN))
}
