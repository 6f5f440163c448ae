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
            Distance::EventPairs => {
                Some(younger.event_by_event(older.cluster, costs)).filter(|&loss| loss <= limit)
            }
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
