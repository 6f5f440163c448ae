//! Gives up costly classes and finds better places for their records, with the help of records that other classes
//! can spare.
//!
//! A class larger than k can give records away until k are left. So a few records that are far from any class become
//! a class together with such ones, where alone they would have to join a class and make it costly.

use super::class::{Class, Member, cheapest, pooled};
use super::piece::Piece;
use super::space::WHOLE;
use super::tuning::Tuning;

/// Records that may become part of a new class.
#[derive(Clone, Copy)]
struct Candidate {
    member: Member,
    /// The class that they would leave; none for those whose class was given up.
    from_class: Option<usize>,
    /// What each of them costs where it is, or would cost in the best class that there is.
    cost: u32,
}

impl Piece<'_> {
    /// One attempt; kept if better. Returns what it gained.
    pub(super) fn reform(&mut self) -> i64 {
        let n = self.classes.len();
        if n < 3 {
            return 0;
        }
        let first = self.pick_costly();
        let more = self.rng.below(Tuning::REFORM_NEIGHBOURS);
        let given_up = self.nearest(first, more.min(n - 2));
        if given_up.iter().all(|&c| self.classes[c].cost == 0) {
            return 0;
        }
        let mut undo = UndoLog { known: n, before: Vec::new() };
        let mut unassigned = Vec::new();
        for class in given_up {
            undo.save(&self.classes, class);
            unassigned.append(&mut self.classes[class].members);
            self.classes[class].refresh(self.space);
        }
        let mut unassigned = self.with_costs(pooled(unassigned));
        self.form_classes(&mut unassigned, &mut undo);
        let all_assigned = self.assign_rest(&unassigned, &mut undo);
        self.keep_or_undo(undo, all_assigned)
    }

    /// What each would cost in the best class that there is.
    fn with_costs(&self, unassigned: Vec<Member>) -> Vec<Candidate> {
        let candidate = |member: Member| {
            let added = cheapest(self.space, &self.classes, member, |_| true).map_or(u64::MAX, |best| best.0);
            // Joining makes the others costlier too, so this may be more than any cover costs; it is capped there.
            let cost = (added / u64::from(member.count)).min(u64::from(WHOLE)) as u32;
            Candidate { member, from_class: None, cost }
        };
        unassigned.into_iter().map(candidate).collect()
    }

    /// Forms new classes around unassigned records while that gains something.
    fn form_classes(&mut self, unassigned: &mut Vec<Candidate>, undo: &mut UndoLog) {
        let mut failures = 0;
        while failures < Tuning::REFORM_FAILURES && !unassigned.is_empty() {
            // Half of the time at random: the costliest alone would fail again and again in the same way.
            let costliest = (0..unassigned.len()).max_by_key(|&at| unassigned[at].cost).unwrap_or(0);
            let seed = if self.rng.below(2) == 0 { costliest } else { self.rng.below(unassigned.len()) };
            let chosen = self.best_class_around(unassigned, seed);
            if chosen.is_empty() {
                failures += 1;
                continue;
            }
            let mut touched: Vec<usize> = Vec::new();
            for candidate in &chosen {
                let Member { point, count } = candidate.member;
                match candidate.from_class {
                    Some(class) => {
                        undo.save(&self.classes, class);
                        self.classes[class].take(point, count);
                        touched.push(class);
                    }
                    None => unassigned
                        .iter_mut()
                        .filter(|other| other.member.point == point)
                        .for_each(|other| other.member.count -= count),
                }
            }
            touched.sort_unstable();
            touched.dedup();
            touched.iter().for_each(|&class| self.classes[class].refresh(self.space));
            unassigned.retain(|candidate| candidate.member.count > 0);
            let members = pooled(chosen.iter().map(|candidate| candidate.member).collect());
            self.classes.push(Class::of(self.space, members));
        }
    }

    /// The members of the new class around a seed that gains most, if any gains: its cover grows by the nearest
    /// candidate, step by step.
    fn best_class_around(&mut self, unassigned: &[Candidate], seed: usize) -> Vec<Candidate> {
        let (space, k) = (self.space, self.rule.k());
        let Candidate { member, cost: most, .. } = unassigned[seed];
        let from = space.point(member.point);
        let mut candidates = unassigned.to_vec();
        for (at, class) in self.classes.iter().enumerate().filter(|(_, class)| class.size > k) {
            for &member in &class.members {
                // Whoever makes the class as costly as the seed is elsewhere cannot help it.
                if space.union_cost(from, space.point(member.point)) < most {
                    candidates.push(Candidate { member, from_class: Some(at), cost: class.cost });
                }
            }
        }
        let mut cover = from.to_vec();
        // A start in a random direction, half of the time, so that the nearest candidate does not always decide.
        let companion = candidates[self.rng.below(candidates.len())].member.point;
        if self.rng.below(2) == 0 && space.union_cost(from, space.point(companion)) < most {
            space.join(&mut cover, space.point(companion));
        }
        let mut best: (i64, Vec<Candidate>) = (0, Vec::new());
        let mut enough = 0;
        loop {
            let cost = space.cost(&cover);
            if cost >= most || enough > Tuning::REFORM_GROWTH_STEPS {
                return best.1;
            }
            let mut inside = Vec::new();
            let mut nearest: Option<(u32, u32)> = None;
            for candidate in &candidates {
                let point = candidate.member.point;
                let with = space.union_cost(&cover, space.point(point));
                if with == cost {
                    inside.push(*candidate);
                } else if nearest.is_none_or(|(least, _)| with < least) {
                    nearest = Some((with, point));
                }
            }
            enough += u32::from(inside.iter().map(|c| c.member.count).sum::<u32>() >= k);
            let (gain, chosen) = self.choose(inside, cost);
            if gain > best.0 {
                best = (gain, chosen);
            }
            let Some((_, point)) = nearest else { return best.1 };
            space.join(&mut cover, space.point(point));
        }
    }

    /// Of the candidates inside a cover, those that gain where a record costs `cost`, and as many others as k requires.
    fn choose(&self, mut inside: Vec<Candidate>, cost: u32) -> (i64, Vec<Candidate>) {
        let k = self.rule.k();
        inside.sort_unstable_by_key(|c| (std::cmp::Reverse(c.cost), c.from_class, c.member.point));
        let mut chosen: Vec<Candidate> = Vec::new();
        let (mut size, mut gain) = (0, 0);
        // The class that is left at present, and how many records it can still spare. All of its candidates have its
        // cost, so that the order puts them next to each other.
        let mut spare: (Option<usize>, u32) = (None, 0);
        for candidate in inside {
            let each = i64::from(candidate.cost) - i64::from(cost);
            let mut count = candidate.member.count;
            if each <= 0 {
                count = count.min(k.saturating_sub(size));
            }
            if let Some(class) = candidate.from_class {
                if spare.0 != candidate.from_class {
                    spare = (candidate.from_class, self.classes[class].size - k);
                }
                count = count.min(spare.1);
                spare.1 -= count;
            }
            if count > 0 {
                size += count;
                gain += i64::from(count) * each;
                chosen.push(Candidate { member: Member { count, ..candidate.member }, ..candidate });
            }
        }
        if size >= k { (gain, chosen) } else { (0, Vec::new()) }
    }

    /// Finds a class for each that is still unassigned; returns whether there was one for all.
    fn assign_rest(&mut self, unassigned: &[Candidate], undo: &mut UndoLog) -> bool {
        for Candidate { member, .. } in unassigned {
            let Some((_, class)) = cheapest(self.space, &self.classes, *member, |_| true) else {
                return false;
            };
            undo.save(&self.classes, class);
            self.classes[class].add(self.space, member.point, member.count);
        }
        true
    }

    /// Keeps what was done if it gained and every class holds; else undoes it.
    fn keep_or_undo(&mut self, undo: UndoLog, all_assigned: bool) -> i64 {
        let changed: Vec<usize> =
            undo.before.iter().map(|b| b.0).chain(undo.known..self.classes.len()).collect();
        let before: u64 = undo.before.iter().map(|(_, class)| class.loss()).sum();
        let after: u64 = changed.iter().map(|&class| self.classes[class].loss()).sum();
        let gain = before as i64 - after as i64;
        // The conditions last: they take longest.
        if all_assigned && self.accepts(gain) && changed.iter().all(|&class| self.empty_or_holds(class)) {
            self.classes.retain(|class| class.size > 0);
            return gain;
        }
        self.classes.truncate(undo.known);
        for (at, class) in undo.before {
            self.classes[at] = class;
        }
        0
    }

    fn empty_or_holds(&self, class: usize) -> bool {
        let members = &self.classes[class].members;
        members.is_empty() || self.rule.holds(members)
    }
}

/// The classes as they were before an attempt.
struct UndoLog {
    /// How many there were; later ones are new.
    known: usize,
    /// Those that were changed, with their index.
    before: Vec<(usize, Class)>,
}

impl UndoLog {
    fn save(&mut self, classes: &[Class], at: usize) {
        if at < self.known && !self.before.iter().any(|(known, _)| *known == at) {
            self.before.push((at, classes[at].clone()));
        }
    }
}
