//! What a cut would part, seen from a few.
//!
//! Counts say how far apart the sides of a cut are on the whole. What a cut costs is another question: how much farther people have to go for
//! their crowd when those on the other side are gone. So a few of a block look for the nearest among some more of them; a feature costs
//! what they lose more when only those of them count who are on their own side.

use rayon::prelude::*;

use super::{Feature, Units};
use crate::sequences::costs::Costs;

/// How many look around. This number and the next two bound the time of a sample; the losses in docs/performance.md are with them, and
/// others were not tried.
const SEEKERS: usize = 256;

/// Among how many they look. The nearest of these are farther away than those of a whole block, but in the same directions.
const AMONG: usize = 2048;

/// How many of the nearest they remember; a cut in the middle should leave those on the own side that are needed.
const NEAREST: usize = 48;

/// Some units and the nearest of others.
pub(super) struct Sample {
    seekers: Vec<Seeker>,
    /// How many near ones each needs.
    needed: usize,
}

struct Seeker {
    unit: u32,
    /// The nearest others and how much is lost with each of them, ascending.
    near: Vec<(i64, u32)>,
}

impl Sample {
    /// Looks around in a block whose units need so many near ones each.
    pub(super) fn new(block: &[u32], needed: usize, units: &impl Units, costs: &Costs) -> Sample {
        let among = drawn(block, units);
        let look = |(heights, line): &mut (Vec<u32>, Vec<i64>), &unit: &u32| {
            let own = Compared::new(units.events(unit), costs, heights);
            let mut near: Vec<(i64, u32)> = Vec::with_capacity(NEAREST + 1);
            for &other in among.iter().filter(|&&other| other != unit) {
                // Of equally near ones those count that were drawn first: their numbers must not decide.
                let farthest = near.get(NEAREST - 1).map_or(i64::MAX, |&(loss, _)| loss);
                let Some(loss) = own.distance(units.events(other), farthest, line) else { continue };
                near.insert(near.partition_point(|&(known, _)| known <= loss), (loss, other));
                near.truncate(NEAREST);
            }
            Seeker { unit, near }
        };
        let seekers = among[..among.len().min(SEEKERS)].par_iter().map_init(Default::default, look);
        Sample { seekers: seekers.collect(), needed }
    }

    /// What all who looked around lose more in sum when they are parted at a feature.
    pub(super) fn added_loss(&self, feature: Feature, units: &impl Units, costs: &Costs) -> u64 {
        let has = |unit: u32| feature.is_in(units.events(unit), costs);
        let added = |Seeker { unit, near }: &Seeker| {
            let side = has(*unit);
            // Whoever is not among those remembered is at least as far away as the last of them.
            let farthest = near.last().map_or(0, |&(loss, _)| loss);
            let same = near.iter().filter(|&&(_, other)| has(other) == side).map(|&(loss, _)| loss);
            let after = same.chain(std::iter::repeat(farthest)).take(self.needed.min(near.len()));
            let before = near.iter().take(self.needed).map(|&(loss, _)| loss);
            (after.sum::<i64>() - before.sum::<i64>()) as u64
        };
        self.seekers.iter().map(added).sum()
    }
}

/// Some of a block, chosen by hashes of their values: that is blind to the order of people, and as good as drawn at random.
fn drawn(block: &[u32], units: &impl Units) -> Vec<u32> {
    let hash = |unit: u32| {
        let mix = |hash: u64, &value: &u32| {
            (hash ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        };
        units.events(unit).iter().fold(1, mix).wrapping_mul(0xff51_afd7_ed55_8ccd)
    };
    let mut drawn: Vec<(u64, u32)> = block.iter().map(|&unit| (hash(unit), unit)).collect();
    let order = |&(hash, unit): &(u64, u32)| (hash, units.events(unit), unit);
    if drawn.len() > AMONG {
        drawn.select_nth_unstable_by(AMONG, |one, other| order(one).cmp(&order(other)));
        drawn.truncate(AMONG);
    }
    drawn.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
    drawn.into_iter().map(|(_, unit)| unit).collect()
}

/// Somebody who is compared with many others, one person with one. The alignment is that of `alignment.rs` for clusters, but units have
/// none: they may be people, or crowds of whom only the representative counts here.
pub(super) struct Compared<'a> {
    own: &'a [u32],
    costs: &'a Costs,
    /// For each event and each node the height of what covers both.
    heights: &'a [u32],
}

impl<'a> Compared<'a> {
    pub(super) fn new(own: &'a [u32], costs: &'a Costs, heights: &'a mut Vec<u32>) -> Compared<'a> {
        let (quasi, nodes) = (costs.quasi(), costs.nodes());
        heights.resize(own.len() / quasi * nodes, 0);
        let rows = heights.chunks_exact_mut(nodes);
        own.chunks_exact(quasi).zip(rows).for_each(|(event, row)| costs.fill_heights(event, row));
        Compared { own, costs, heights }
    }

    /// What both lose when they are published as one, in the way that loses least; nothing where that is not below the limit.
    pub(super) fn distance(&self, other: &[u32], limit: i64, line: &mut Vec<i64>) -> Option<i64> {
        let Compared { own, costs, heights } = *self;
        let quasi = costs.quasi();
        let height = |event: &[u32]| i64::from(costs.event_height(event));
        let suppressed = i64::from(costs.suppressed());
        line.clear();
        line.push(0);
        for event in other.chunks_exact(quasi) {
            line.push(line[line.len() - 1] + suppressed - height(event));
        }
        for (event, row) in own.chunks_exact(quasi).zip(heights.chunks_exact(costs.nodes())) {
            let before = height(event);
            let gap = suppressed - before;
            let mut diagonal = line[0];
            let mut left = diagonal + gap;
            let mut least = left;
            line[0] = left;
            for (event, cell) in other.chunks_exact(quasi).zip(&mut line[1..]) {
                let together: u32 = event.iter().map(|&code| row[code as usize]).sum();
                let other_before = height(event);
                let matched = diagonal + 2 * i64::from(together) - before - other_before;
                diagonal = *cell;
                left = matched.min(diagonal + gap).min(left + suppressed - other_before);
                least = least.min(left);
                *cell = left;
            }
            // Every way through the table crosses this row.
            if least >= limit {
                return None;
            }
        }
        line.last().copied().filter(|&loss| loss < limit)
    }
}
