//! Cuts many people into blocks of near ones, each of which is then grouped by itself.
//!
//! Grouping people looks for near ones among all others, which takes about the square of their number. The promises of
//! sequences are such that what disjoint parts of the people keep, all keep together (the disjoint-union rule), so a large
//! data set is cut first, into blocks of bounded size. Whatever speaks about everybody (the costs of values, how frequent a
//! sensitive value is and may be) is taken from the whole.
//!
//! A block is cut in two by a [`Feature`]: the sequence has at least so many events, it has a value below a node of the
//! hierarchies anywhere, in its first or in its last event. Who has it goes to one side, who lacks it to the other. Each feature has a
//! charge, what the ones pay at least, or about, when they are published together with the others; the feature whose cut
//! separates most pairs at the highest charge is taken (`cut.rs`), since those pairs would hardly have found each
//! other. Where the units ask for it ([`Units::needed`]), a sample then says which of the best features adds least to what people lose who look for
//! their nearest on their own side only (`sample.rs`). Counts per feature add up and the sample is drawn by hashes of values, so parts of
//! the data on several machines can be counted and drawn apart and cut as one.
//!
//! Nothing depends on the order of the people but the numbers of units in a block, which are ascending, and how people are dealt out whose
//! sequences are equal.
//!
//! Cost: O(n · events · levels of the hierarchies) for each level of cuts, of which there are about log₂(n / size), and a sample of bounded
//! size for each cut; a cut leaves no side with less than a sixteenth of the people.

mod cut;
mod feature;
mod sample;
mod sizes;
#[cfg(test)]
mod tests;

pub(super) use feature::Feature;
pub use sizes::BlockSizes;

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rayon::prelude::*;

use super::costs::Costs;
use cut::Counts;
use sample::Sample;

/// How much one thread does at least inside a block before others help, where that would be `alone` if there were no blocks. Nobody
/// helps where there are enough blocks for all threads: one that waits for helpers would begin another block meanwhile, another in that,
/// and so on.
pub(super) fn grain(blocks: usize, alone: usize) -> usize {
    if blocks <= FEW { alone } else { usize::MAX }
}

/// Up to how many blocks threads help each other inside.
const FEW: usize = 8;

/// Does something with every block, on all cores; results are in the order of the blocks. The largest come first, so that at the end no thread
/// is left with a large one while the others have nothing to do.
pub(super) fn each<B: Send, R: Send>(
    blocks: Vec<B>,
    size: impl Fn(&B) -> usize,
    work: impl Fn(B) -> R + Sync,
) -> Vec<R> {
    let mut largest_first: Vec<(usize, B)> = blocks.into_iter().enumerate().collect();
    largest_first.sort_by_key(|(at, block)| (Reverse(size(block)), *at));
    // A bridge hands out one block at a time, in order; a slice would give each thread a half of them at once.
    let done = largest_first.into_iter().par_bridge().map(|(at, block)| (at, work(block)));
    let mut done: Vec<(usize, R)> = done.collect();
    done.sort_unstable_by_key(|&(at, _)| at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What is put into blocks: people, or clusters of them. They are numbered from 0.
pub(super) trait Units: Sync {
    /// How many units there are.
    fn count(&self) -> usize;

    /// The codes of a unit's values, event by event.
    fn events(&self, unit: u32) -> &[u32];

    /// How many near ones each unit needs, where cuts are to leave these together as far as a sample can tell; by default cuts
    /// are chosen by the counts alone.
    fn needed(&self) -> Option<usize> {
        None
    }

    /// Whether some units, of a whole that is cut, can be a block of their own.
    fn fit(&self, units: &[u32], room: Room) -> bool;
}

/// How much is asked of a block before it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Its people can be grouped freely: sensitive values are not much more frequent among them than among everybody.
    Ample,
    /// Its people keep the terms as one group.
    Enough,
}

impl Room {
    /// How many people there must be where crowds have k.
    pub(super) fn least_people(self, k: usize) -> usize {
        match self {
            Room::Ample => k * CROWDS,
            Room::Enough => k,
        }
    }

    /// How frequent a sensitive value may be that is so frequent among everybody, and may be so frequent in a crowd.
    pub(super) fn most(self, usual: f64, allowed: f64) -> f64 {
        match self {
            Room::Ample => usual + (allowed - usual).max(0.0) / 2.0,
            Room::Enough => allowed,
        }
    }
}

/// How many crowds a block should have room for at least: with fewer, who is left after the last one is a large share.
const CROWDS: usize = 8;

/// The blocks, and where they were cut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The units of each block, ascending.
    pub(super) blocks: Vec<Vec<u32>>,
    /// The features at which blocks were cut.
    pub(super) cuts: BTreeSet<Feature>,
}

/// Cuts all units into blocks, where features or the order of values can tell them apart and both sides of each cut fit. No
/// block is cut at a feature that is to be avoided.
pub(super) fn plan(units: &impl Units, costs: &Costs, sizes: BlockSizes, avoid: &BTreeSet<Feature>) -> Plan {
    let all: Vec<u32> = (0..units.count() as u32).collect();
    let planner = Planner { units, costs, sizes, avoid };
    if planner.size(&all) <= sizes.uncut {
        return Plan { blocks: vec![all], cuts: BTreeSet::new() };
    }
    planner.divide(all)
}

struct Planner<'a, U> {
    units: &'a U,
    costs: &'a Costs,
    sizes: BlockSizes,
    avoid: &'a BTreeSet<Feature>,
}

impl<U: Units> Planner<'_, U> {
    fn divide(&self, block: Vec<u32>) -> Plan {
        if self.size(&block) <= self.sizes.most || block.len() < 2 {
            return Plan { blocks: vec![block], cuts: BTreeSet::new() };
        }
        let Some((cut, [without, with])) = self.cut(&block) else {
            // Too large, but nothing less would keep the terms.
            return Plan { blocks: vec![block], cuts: BTreeSet::new() };
        };
        drop(block);
        let (mut plan, other) = rayon::join(|| self.divide(without), || self.divide(with));
        plan.blocks.extend(other.blocks);
        plan.cuts.extend(other.cuts);
        plan.cuts.extend(cut);
        plan
    }

    /// To compare two sequences takes the product of their lengths, and to compare all of a block the square of the sum.
    fn size(&self, block: &[u32]) -> usize {
        let events = |&unit: &u32| self.units.events(unit).len() / self.costs.quasi();
        block.iter().map(|unit| self.sizes.of_person(events(unit))).sum()
    }

    /// The two sides of the best cut that both sides allow, and its feature, if it has one.
    fn cut(&self, block: &[u32]) -> Option<(Option<Feature>, [Vec<u32>; 2])> {
        let mut best = self.count(block).best(block.len(), self.costs);
        best.retain(|(feature, _)| !self.avoid.contains(feature));
        if let Some(needed) = self.units.needed() {
            best.truncate(RANKED);
            let sample = Sample::new(block, needed, self.units, self.costs);
            best.sort_by_cached_key(|&(feature, having)| {
                let (having, all) = (u128::from(having), block.len() as u128);
                let added = u128::from(sample.added_loss(feature, self.units, self.costs));
                // For each pair that it parts: a cut that takes few people away costs little, but more cuts must follow.
                added * all * all / (having * (all - having))
            });
        }
        best.truncate(TRIED);
        for room in [Room::Ample, Room::Enough] {
            let fit = |side: &Vec<u32>| !side.is_empty() && self.units.fit(side, room);
            let by_feature = best.iter().map(|&(feature, _)| (Some(feature), self.part(block, feature)));
            // Lazily: sorting a block is worth it only where no feature cuts it.
            let by_order = std::iter::once_with(|| (None, by_order(block, self.units)));
            let by_turns = std::iter::once_with(|| (None, by_turns(block, self.units)));
            let mut cuts = by_feature.chain(by_order).chain(by_turns);
            if let Some(found) = cuts.find(|(_, sides)| sides.iter().all(fit)) {
                return Some(found);
            }
        }
        None
    }

    fn count(&self, block: &[u32]) -> Counts {
        // Sums of whole numbers, so they are the same however the units are spread over threads.
        block
            .par_chunks(COUNTED_TOGETHER)
            .map(|units| Counts::of(units.iter().map(|&unit| self.units.events(unit)), self.costs))
            .reduce(Counts::default, Counts::add)
    }

    /// Those without the feature, and those who have it.
    fn part(&self, block: &[u32], feature: Feature) -> [Vec<u32>; 2] {
        let has = |&unit: &u32| feature.is_in(self.units.events(unit), self.costs);
        let (with, without) = block.iter().copied().partition(has);
        [without, with]
    }
}

/// How many features a sample is asked about, the best by their charges. Those behind them part few pairs, or pairs that
/// are not far apart. Other numbers were not tried.
const RANKED: usize = 64;

/// How many features are tried before those whose charges say less. More than a few fail only where the sensitive values
/// leave hardly any room, and each try counts all people of the block.
const TRIED: usize = 16;

/// How many units a thread counts at a time: enough to be worth the table of counts that it fills.
const COUNTED_TOGETHER: usize = 1 << 13;

/// Cuts in the order of all values, at the place next to the middle where they differ.
fn by_order(block: &[u32], units: &impl Units) -> [Vec<u32>; 2] {
    let mut order = block.to_vec();
    order.sort_by_key(|&unit| (units.events(unit), unit));
    let differ = |&at: &usize| units.events(order[at - 1]) != units.events(order[at]);
    let middle = order.len() / 2;
    let Some(at) = (1..order.len()).filter(differ).min_by_key(|at| at.abs_diff(middle)) else {
        return [order, Vec::new()];
    };
    let mut second = order.split_off(at);
    order.sort_unstable();
    second.sort_unstable();
    [order, second]
}

/// Every second one, in the order of all values: the last resort, which tears equal people apart and so spreads the
/// sensitive values of each kind evenly.
fn by_turns(block: &[u32], units: &impl Units) -> [Vec<u32>; 2] {
    let mut order = block.to_vec();
    order.sort_by_key(|&unit| (units.events(unit), unit));
    let mut sides = [Vec::new(), Vec::new()];
    order.into_iter().enumerate().for_each(|(at, unit)| sides[at % 2].push(unit));
    sides.iter_mut().for_each(|side| side.sort_unstable());
    sides
}
