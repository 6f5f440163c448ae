//! From counts to a cut.

use std::cmp::Reverse;

use super::Feature;
use crate::sequences::costs::Costs;

/// Of some units how many have each feature, and what all of them are charged for it. Counts of several parts add up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    by_place: Vec<Count>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    having: u64,
    charge: u64,
}

impl Counts {
    /// Counts the features of some sequences.
    pub(super) fn of<'a>(sequences: impl Iterator<Item = &'a [u32]>, costs: &Costs) -> Counts {
        let nodes = costs.nodes();
        let mut by_place = vec![Count::default(); Feature::places(nodes)];
        // The last sequence that was counted for a feature: several events below a node are one.
        let mut seen_by = vec![usize::MAX; by_place.len()];
        for (number, events) in sequences.enumerate() {
            Feature::visit(events, costs, |feature, charge| {
                let place = feature.place(nodes);
                by_place[place].charge += charge;
                by_place[place].having += u64::from(seen_by[place] != number);
                seen_by[place] = number;
            });
        }
        Counts { by_place }
    }

    /// The counts of two parts.
    pub(super) fn add(mut self, other: Counts) -> Counts {
        if self.by_place.is_empty() {
            return other;
        }
        for (one, more) in self.by_place.iter_mut().zip(other.by_place) {
            one.having += more.having;
            one.charge += more.charge;
        }
        self
    }

    /// The features that cut this number of units with how many have each, the best first: what those who have it would be charged in all by those who
    /// lack it. A side with less than a sixteenth is no cut; of equally good ones the first counts.
    pub(super) fn best(&self, units: usize, costs: &Costs) -> Vec<(Feature, u64)> {
        let (nodes, units) = (costs.nodes(), units as u64);
        let least = units.div_ceil(SMALLEST_SIDE);
        let cuts = |count: &Count| count.having >= least && units - count.having >= least && count.charge > 0;
        let mut best: Vec<(Reverse<u128>, Feature, u64)> = self
            .by_place
            .iter()
            .enumerate()
            .filter(|(_, count)| cuts(count))
            .map(|(place, count)| {
                let worth = u128::from(count.charge) * u128::from(units - count.having);
                (Reverse(worth), Feature::at(place, nodes), count.having)
            })
            .collect();
        best.sort_unstable();
        best.into_iter().map(|(_, feature, having)| (feature, having)).collect()
    }
}

/// The smallest side of a cut, as a part of all: bounds how deep cuts can go.
const SMALLEST_SIDE: u64 = 16;
