//! Peeling: with one level for each column, every crowd of records that look alike is taken out; then with the next
//! levels.
//!
//! All combinations of levels are tried, the cheapest first, so that a record leaves with the cheapest crowd that is
//! still there for it. A crowd that is too small stays too small, since records only leave: hence no combination is
//! needed twice, and those of one batch can be looked at in parallel before the first of them takes anything.

use rayon::prelude::*;

use super::class::{Class, Member, cheapest};
use super::class_rule::ClassRule;
use super::ladder::Ladder;
use super::space::Space;
use super::split::split;
use super::tuning::Tuning;
use crate::table::points::Points;

/// What peeling needs to know.
pub(super) struct Peeler<'a> {
    pub(super) space: &'a Space,
    pub(super) rule: &'a ClassRule<'a>,
    pub(super) points: &'a Points,
    pub(super) ladders: &'a [Ladder],
}

/// Classes, and how many records each combination has taken out.
pub(super) struct Peeled {
    pub(super) classes: Vec<Class>,
    pub(super) taken: Vec<u64>,
}

impl Peeler<'_> {
    /// Peels some points, which must hold together, and splits the classes that it finds where they can be split.
    pub(super) fn peel(&self, points: &[u32], combinations: &[Vec<u8>]) -> Peeled {
        let mut rest = points.to_vec();
        let mut classes = Vec::new();
        let at_once = Tuning::COMBINATIONS_IN_PARALLEL;
        let mut taken = vec![0; combinations.len()];
        for (batch, taken) in combinations.chunks(at_once).zip(taken.chunks_mut(at_once)) {
            if rest.is_empty() {
                break;
            }
            // Most combinations find no crowd. That is tested in parallel; taking out changes what is left for the next
            // one, so it is done in order.
            let worth: Vec<bool> = batch
                .par_iter()
                .map_init(Vec::new, |slots, levels| self.crowded(&rest, levels, slots).is_some())
                .collect();
            for ((levels, taken), _) in batch.iter().zip(taken).zip(&worth).filter(|(_, worth)| **worth) {
                *taken = self.take(&mut rest, levels, &mut classes);
            }
        }
        let rest = rest.iter().map(|&point| Member { point, count: self.space.weight(point) }).collect();
        place_rest(self.space, self.rule, &mut classes, rest);
        let mut parts = Vec::with_capacity(classes.len());
        classes.into_iter().for_each(|class| split(self.space, self.rule, class, &mut parts));
        Peeled { classes: parts, taken }
    }

    /// Counts the records that look alike, by a hash. If any count reaches k, returns the shift from a hash to its slot.
    fn crowded(&self, rest: &[u32], levels: &[u8], slots: &mut Vec<u32>) -> Option<u32> {
        self.rule.check_cancelled();
        let k = self.rule.k();
        let bits = (rest.len() * Tuning::SLOTS_PER_POINT).next_power_of_two().trailing_zeros();
        let shift = 64 - bits;
        slots.clear();
        slots.resize(1 << bits, 0);
        let mut most = 0;
        let images = self.images(levels);
        for &point in rest {
            let slot = &mut slots[(self.image_hash(point, &images) >> shift) as usize];
            *slot += self.space.weight(point);
            most = most.max(*slot);
        }
        (most >= k).then_some(shift)
    }

    /// Takes out the crowds; returns how many records they have.
    fn take(&self, rest: &mut Vec<u32>, levels: &[u8], classes: &mut Vec<Class>) -> u64 {
        let mut slots = Vec::new();
        let Some(shift) = self.crowded(rest, levels, &mut slots) else { return 0 };
        let full = |hash: u64| slots[(hash >> shift) as usize] >= self.rule.k();
        let images = self.images(levels);
        let hashes = rest.iter().map(|&point| (self.image_hash(point, &images), point));
        let mut candidates: Vec<(u64, u32)> = hashes.filter(|(hash, _)| full(*hash)).collect();
        // A full slot may hold several crowds; sorted by the whole hash they are told apart.
        candidates.sort_unstable();
        let mut gone = Vec::new();
        for crowd in candidates.chunk_by(|a, b| a.0 == b.0) {
            let members: Vec<Member> =
                crowd.iter().map(|&(_, point)| Member { point, count: self.space.weight(point) }).collect();
            if self.rule.holds(&members) {
                gone.extend(crowd.iter().map(|c| c.1));
                classes.push(Class::of(self.space, members));
            }
        }
        gone.sort_unstable();
        rest.retain(|point| gone.binary_search(point).is_err());
        gone.iter().map(|&point| u64::from(self.space.weight(point))).sum()
    }

    fn images(&self, levels: &[u8]) -> Vec<&[u64]> {
        self.ladders.iter().zip(levels).map(|(ladder, &level)| ladder.images(level)).collect()
    }

    /// A hash that is equal for points that look alike. A collision costs some loss and breaks no promise: a class covers
    /// whatever is in it.
    #[inline]
    fn image_hash(&self, point: u32, images: &[&[u64]]) -> u64 {
        let codes = self.points.point(point as usize);
        images.iter().zip(codes).fold(0, |hash, (images, &code)| hash ^ images[code as usize])
    }
}

/// Finds a class for records that have none: one of their own, else the cheapest. All together must hold.
fn place_rest(space: &Space, rule: &ClassRule<'_>, classes: &mut Vec<Class>, rest: Vec<Member>) {
    if rest.is_empty() {
        return;
    }
    if classes.is_empty() || rule.holds(&rest) {
        classes.push(Class::of(space, rest));
        return;
    }
    let mut unplaced: Vec<Member> = Vec::new();
    for m in rest {
        rule.check_cancelled();
        match cheapest(space, classes, m, |class| rule.takes(&classes[class], m.point, m.count)) {
            Some((_, class)) => classes[class].add(space, m.point, m.count),
            None => unplaced.push(m),
        }
    }
    if unplaced.is_empty() {
        return;
    }
    let mut left = Class::of(space, unplaced);
    // They swallow one class after the other, at worst all: everybody together holds.
    while !classes.is_empty() && !rule.holds(&left.members) {
        rule.check_cancelled();
        let near = |class: &Class| space.union_cost(&class.cover, &left.cover);
        let nearest = (0..classes.len()).min_by_key(|&c| near(&classes[c])).unwrap_or(0);
        let other = classes.swap_remove(nearest);
        other.members.iter().for_each(|m| left.add(space, m.point, m.count));
    }
    classes.push(left);
}
