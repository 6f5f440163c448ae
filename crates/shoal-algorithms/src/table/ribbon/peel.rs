//! Peeling: with one level for each column, records that look alike are a crowd; the cheapest crowd of all is taken out, then the next.
//!
//! Looking for the crowds of a combination of levels takes a pass over all records that are left, and there are thousands of combinations. So
//! they wait in a queue by what their cheapest crowd could lose at least. The first one is looked at: its crowds that lose no more than the next
//! combination promises, or a little more, are taken out, and it goes back with what its next crowd loses. A crowd that is too small stays too small, since
//! records only leave: a combination without crowds is never looked at again, and many can be tested for that in parallel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::class::{Class, Member, cheapest};
use super::class_rule::{ClassRule, Known};
use super::ladder::Combination;
use super::looks::Looks;
use super::space::{Space, WHOLE};
use super::split::split;
use super::tuning::Tuning;
use crate::table::conditions::Trimming;
use crate::table::points::Points;

/// What peeling needs to know.
pub(super) struct Peeler<'a> {
    pub(super) space: &'a Space,
    pub(super) rule: &'a ClassRule<'a>,
    pub(super) points: &'a Points,
    pub(super) looks: &'a Looks<'a>,
    /// Whether parts of crowds may be taken out, and how many records need not be in any.
    pub(super) parts: Option<Parts<'a>>,
}

/// Classes, how many records each combination has taken out, and those that are in no class.
pub(super) struct Peeled {
    pub(super) classes: Vec<Class>,
    pub(super) taken: Vec<u64>,
    pub(super) out: Vec<Member>,
}

impl Peeler<'_> {
    /// Peels some points, which must hold together, and splits the classes that it finds where they can be split.
    pub(super) fn peel(&self, points: &[u32], combinations: &[&Combination]) -> Peeled {
        let all = points.iter().map(|&point| Member { point, count: self.space.weight(point) }).collect();
        let mut rest = Rest::of(all, self);
        let mut classes = Vec::new();
        let mut taken = vec![0; combinations.len()];
        let total: f64 = combinations.last().map_or(1.0, |all| all.least.max(f64::MIN_POSITIVE));
        // Under conditions a small cheap crowd that holds takes away the values that larger ones need: 42.7 % instead of 41.8 % were lost on Adult under β = 2,
        // and 40.5 % instead of 38.7 % under t = 0.2. There all crowds of a combination leave at once, the combination that is cheapest on average first.
        let cheapest_crowds = self.rule.only_size();
        let bound = |at: usize| match cheapest_crowds {
            true => (combinations[at].least / total * f64::from(WHOLE)) as u32,
            false => 0,
        };
        // What the cheapest crowd loses at least, and which combination. The first one of those that promise the same is the cheaper one on
        // average.
        let crowdless = self.crowdless_levels(&rest.members, combinations);
        let may =
            |at: &usize| !crowdless.iter().any(|&(column, level)| combinations[*at].levels[column] == level);
        let mut queue: BinaryHeap<Reverse<(u32, usize)>> =
            (0..combinations.len()).filter(may).map(|at| Reverse((bound(at), at))).collect();
        let mut is_tested = vec![false; combinations.len()];
        while let Some(Reverse((cost, at))) = queue.pop() {
            if rest.members.is_empty() {
                break;
            }
            if !is_tested[at] {
                // Most combinations have no crowd. The next ones are tested together with this one, since that can be done in parallel.
                let mut batch = vec![(cost, at)];
                while batch.len() < Tuning::COMBINATIONS_IN_PARALLEL
                    && let Some(&Reverse((cost, at))) = queue.peek()
                    && !is_tested[at]
                {
                    batch.push((cost, at));
                    queue.pop();
                }
                let worth: Vec<bool> = batch
                    .par_iter()
                    .map_init(Vec::new, |slots, &(_, at)| {
                        self.crowded(&rest.members, &combinations[at].levels, slots).is_some()
                    })
                    .collect();
                for ((cost, at), _) in batch.into_iter().zip(worth).filter(|(_, worth)| *worth) {
                    is_tested[at] = true;
                    queue.push(Reverse((cost, at)));
                }
                continue;
            }
            let next = queue.peek().map_or(u32::MAX, |Reverse((cost, _))| *cost);
            let most = match cheapest_crowds {
                true => next.max(cost).saturating_add(next.max(cost) / Tuning::PEEL_SLACK_DIVISOR),
                false => u32::MAX,
            };
            let (gone, left) = self.take(&mut rest, &combinations[at].levels, most, &mut classes);
            taken[at] += gone;
            queue.extend(left.map(|cost| Reverse((cost, at))));
        }
        let mut out = rest.members;
        if self.parts.as_ref().is_none_or(|parts| parts.most_out_in_all == 0) {
            place_rest(self.space, self.rule, &mut classes, std::mem::take(&mut out));
        }
        let mut parts = Vec::with_capacity(classes.len());
        classes.into_iter().for_each(|class| split(self.space, self.rule, class, &mut parts));
        Peeled { classes: parts, taken, out }
    }

    /// The levels of single columns on which no k records look alike, whatever they have in the others: no combination with one of them has a crowd. In a
    /// table whose values hardly repeat that is nearly all of them.
    fn crowdless_levels(&self, rest: &[Member], combinations: &[&Combination]) -> Vec<(usize, u8)> {
        let Some(nothing) = combinations.last() else { return Vec::new() };
        let levels = nothing.levels.iter().enumerate();
        let single: Vec<(usize, u8)> =
            levels.flat_map(|(column, &top)| (0..top).map(move |level| (column, level))).collect();
        let has_none = |slots: &mut Vec<u32>, &(column, level): &(usize, u8)| {
            let mut levels = nothing.levels.clone();
            levels[column] = level;
            self.crowded(rest, &levels, slots).is_none().then_some((column, level))
        };
        single.par_iter().map_init(Vec::new, has_none).flatten().collect()
    }

    /// Counts the records that look alike, by a hash. If any count reaches k, returns the shift from a hash to its slot.
    fn crowded(&self, rest: &[Member], levels: &[u8], slots: &mut Vec<u32>) -> Option<u32> {
        self.rule.check_cancelled();
        let k = self.rule.k();
        let bits = (rest.len() * Tuning::SLOTS_PER_POINT).next_power_of_two().trailing_zeros();
        let shift = 64 - bits;
        slots.clear();
        slots.resize(1 << bits, 0);
        let mut most = 0;
        let view = self.looks.on(levels);
        for m in rest {
            let slot = &mut slots[(view.hash(m.point) >> shift) as usize];
            *slot += m.count;
            most = most.max(*slot);
        }
        (most >= k).then_some(shift)
    }

    /// Takes out the crowds that lose no more than `most`. Returns how many records they have, and what the cheapest crowd loses that stays.
    fn take(
        &self,
        rest: &mut Rest,
        levels: &[u8],
        most: u32,
        classes: &mut Vec<Class>,
    ) -> (u64, Option<u32>) {
        let mut slots = Vec::new();
        let Some(shift) = self.crowded(&rest.members, levels, &mut slots) else { return (0, None) };
        let full = |hash: u64| slots[(hash >> shift) as usize] >= self.rule.k();
        let view = self.looks.on(levels);
        let hashes = rest.members.iter().map(|&m| (view.hash(m.point), m));
        let mut candidates: Vec<(u64, Member)> = hashes.filter(|(hash, _)| full(*hash)).collect();
        // A full slot may hold several crowds; sorted by the whole hash they are told apart.
        candidates.sort_unstable_by_key(|(hash, m)| (*hash, m.point));
        let mut gone: Vec<Member> = Vec::new();
        let mut left: Option<u32> = None;
        for crowd in candidates.chunk_by(|a, b| a.0 == b.0) {
            let members: Vec<Member> = crowd.iter().map(|&(_, m)| m).collect();
            let members = match &self.parts {
                Some(parts) => parts.largest(self.points, members),
                None => members,
            };
            if members.is_empty() || self.parts.is_none() && !self.rule.holds(&members) {
                continue;
            }
            let class = Class::of(self.space, members);
            if class.cost > most {
                left = Some(left.map_or(class.cost, |least| least.min(class.cost)));
                continue;
            }
            if !self.parts.as_ref().is_none_or(|parts| parts.can_spare(self.points, rest, &class)) {
                continue;
            }
            gone.extend(&class.members);
            classes.push(class);
        }
        gone.sort_unstable_by_key(|m| m.point);
        rest.members.retain_mut(|m| {
            if let Ok(at) = gone.binary_search_by_key(&m.point, |gone| gone.point) {
                m.count -= gone[at].count;
            }
            m.count > 0
        });
        (gone.iter().map(|m| u64::from(m.count)).sum(), left)
    }
}

/// The records that have no class yet.
struct Rest {
    members: Vec<Member>,
    /// By sensitive value, where crowds are trimmed.
    counts: Vec<u32>,
}

impl Rest {
    fn of(members: Vec<Member>, peeler: &Peeler<'_>) -> Rest {
        let counts =
            peeler.parts.as_ref().map_or_else(Vec::new, |parts| parts.counts(peeler.points, &members));
        Rest { members, counts }
    }
}

/// Where classes are compared with everybody: crowds leave without those whose values are too frequent in them.
pub(super) struct Parts<'a> {
    pub(super) trimming: &'a Trimming<'a>,
    /// How many records with each value may end in no class.
    pub(super) most_out: &'a [u32],
    /// How many records may, whatever their values.
    pub(super) most_out_in_all: u32,
}

impl Parts<'_> {
    /// How many records have each value.
    pub(super) fn counts(&self, points: &Points, members: &[Member]) -> Vec<u32> {
        let mut counts = self.trimming.nobody();
        members.iter().for_each(|m| counts[self.value(points, m.point)] += m.count);
        counts
    }

    fn value(&self, points: &Points, point: u32) -> usize {
        self.trimming.value(points.rows(point as usize)[0])
    }

    /// The largest part of a crowd that may be a class; nobody where there is none.
    fn largest(&self, points: &Points, mut crowd: Vec<Member>) -> Vec<Member> {
        let counts = self.counts(points, &crowd);
        let mut open = counts.clone();
        self.trimming.trim(&mut open);
        if open != counts {
            crowd.retain_mut(|m| {
                let open = &mut open[self.value(points, m.point)];
                m.count = m.count.min(*open);
                *open -= m.count;
                m.count > 0
            });
        }
        crowd
    }

    /// Takes a class from the rest if the others can still be a class but for those who may be in none.
    fn can_spare(&self, points: &Points, rest: &mut Rest, class: &Class) -> bool {
        let of_class = self.counts(points, &class.members);
        let without: Vec<u32> = rest.counts.iter().zip(&of_class).map(|(all, class)| all - class).collect();
        let mut part = without.clone();
        // Where everybody must be in a class, it is enough to ask, which is faster than to find the part that holds.
        let none_out = self.most_out_in_all == 0;
        if !none_out {
            self.trimming.trim(&mut part);
        } else if !self.trimming.holds(&part) {
            return false;
        }
        let out = || without.iter().zip(&part).map(|(all, part)| all - part);
        let can = out().zip(self.most_out).all(|(out, most)| out <= *most)
            && out().sum::<u32>() <= self.most_out_in_all;
        if can {
            rest.counts = without;
        }
        can
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
    let known = Known::nothing_of(classes.len());
    for m in rest {
        rule.check_cancelled();
        let takes = |c: usize| rule.takes(&classes[c], m.point, m.count, &mut known[c].borrow_mut());
        match cheapest(space, classes, m, takes) {
            Some((_, class)) => {
                classes[class].add(space, m.point, m.count);
                known[class].take();
            }
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
