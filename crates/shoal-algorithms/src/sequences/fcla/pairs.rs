//! How the events of two sequences find each other.

use crate::sequences::alignment::Aligned;
use crate::sequences::costs::Costs;
use crate::sequences::matching::{Matching, Numbered, Pair, Query};

use super::Distance;

impl Matching for Distance {
    fn distance(
        &self,
        younger: &Query<'_>,
        older: Numbered<'_>,
        costs: &Costs,
        limit: i64,
        line: &mut Vec<i64>,
    ) -> Option<i64> {
        match self {
            Distance::Aligned => Aligned.distance(younger, older, costs, limit, line),
            Distance::EventPairs => Some(by_position(younger, older, costs)).filter(|&loss| loss <= limit),
        }
    }

    fn pairs(&self, older: Numbered<'_>, younger: Numbered<'_>, costs: &Costs) -> Vec<Pair> {
        match self {
            Distance::Aligned => Aligned.pairs(older, younger, costs),
            Distance::EventPairs => {
                let both = older.cluster.len().min(younger.cluster.len()) as u32;
                (0..both).map(|at| (at, at)).collect()
            }
        }
    }
}

/// The loss when the first event goes with the first, the second with the second, and those that one of the two
/// has more are suppressed.
fn by_position(younger: &Query<'_>, older: Numbered<'_>, costs: &Costs) -> i64 {
    let (own, other) = (younger.cluster, older.cluster);
    let (own_size, other_size) = (own.size() as i64, other.size() as i64);
    let pairs =
        other.events.chunks_exact(costs.quasi()).zip(own.heights.iter().zip(&other.heights)).enumerate();
    let paired: i64 = pairs
        .map(|(at, (event, (&own_height, &other_height)))| {
            let heights = younger.heights(at);
            let together: u32 = event.iter().map(|&code| heights[code as usize]).sum();
            own_size * i64::from(together - own_height) + other_size * i64::from(together - other_height)
        })
        .sum();
    let gap = |height: &u32| i64::from(costs.suppressed() - height);
    let both = own.len().min(other.len());
    let own_gaps: i64 = own.heights[both..].iter().map(gap).sum();
    let other_gaps: i64 = other.heights[both..].iter().map(gap).sum();
    paired + own_size * own_gaps + other_size * other_gaps
}
