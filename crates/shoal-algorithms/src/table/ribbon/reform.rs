//! Gives up dear classes and finds better places for their records, with the help of records that other classes
//! can spare.
//!
//! A class larger than k lends what is beyond k to a new class for no more than what those records pay there. So a
//! few stranded records become a class with borrowed ones, where alone they would have to join something dear.

use super::class::{Class, Member, cheapest, pooled};
use super::piece::Piece;
use super::space::WHOLE;

/// How many seeds without success end the attempt.
const FAILURES: usize = 3;

/// How often a new class that is large enough grows further.
const STEPS: u32 = 4;

/// Records that may become part of a new class.
#[derive(Clone, Copy)]
struct Candidate {
    member: Member,
    /// The class that lends them; none for those whose class was given up.
    lender: Option<usize>,
    /// What each of them pays where it is, or would have to pay elsewhere.
    price: u32,
}

impl Piece<'_> {
    /// One attempt; kept if better. Returns what it gained.
    pub(super) fn reform(&mut self) -> i64 {
        let n = self.classes.len();
        if n < 3 {
            return 0;
        }
        let first = self.dear();
        let more = self.dice.below(3);
        let given_up = self.nearest(first, more.min(n - 2));
        if given_up.iter().all(|&c| self.classes[c].cost == 0) {
            return 0;
        }
        let mut journal = Journal { known: n, before: Vec::new() };
        let mut homeless = Vec::new();
        for class in given_up {
            journal.remember(&self.classes, class);
            homeless.append(&mut self.classes[class].members);
            self.classes[class].refresh(self.space);
        }
        let mut homeless = self.priced(pooled(homeless));
        self.found(&mut homeless, &mut journal);
        let housed = self.house(&homeless, &mut journal);
        self.settle_account(journal, housed)
    }

    /// What each would have to pay in a class that there is.
    fn priced(&self, homeless: Vec<Member>) -> Vec<Candidate> {
        let price = |member: Member| {
            let added = cheapest(self.space, &self.classes, member, |_| true).map_or(u64::MAX, |best| best.0);
            let price = (added / u64::from(member.count)).min(u64::from(WHOLE)) as u32;
            Candidate { member, lender: None, price }
        };
        homeless.into_iter().map(price).collect()
    }

    /// Founds new classes around homeless records while that gains something.
    fn found(&mut self, homeless: &mut Vec<Candidate>, journal: &mut Journal) {
        let mut failures = 0;
        while failures < FAILURES && !homeless.is_empty() {
            let dearest = (0..homeless.len()).max_by_key(|&at| homeless[at].price).unwrap_or(0);
            let seed = if self.dice.below(2) == 0 { dearest } else { self.dice.below(homeless.len()) };
            let founders = self.founders(homeless, seed);
            if founders.is_empty() {
                failures += 1;
                continue;
            }
            let mut touched: Vec<usize> = Vec::new();
            for founder in &founders {
                let Member { point, count } = founder.member;
                match founder.lender {
                    Some(class) => {
                        journal.remember(&self.classes, class);
                        self.classes[class].take(point, count);
                        touched.push(class);
                    }
                    None => homeless
                        .iter_mut()
                        .filter(|h| h.member.point == point)
                        .for_each(|h| h.member.count -= count),
                }
            }
            touched.sort_unstable();
            touched.dedup();
            touched.iter().for_each(|&class| self.classes[class].refresh(self.space));
            homeless.retain(|h| h.member.count > 0);
            let members = pooled(founders.iter().map(|f| f.member).collect());
            self.classes.push(Class::of(self.space, members));
        }
    }

    /// The new class around a seed that gains most, if any gains: it grows by the nearest candidate, step by step.
    fn founders(&mut self, homeless: &[Candidate], seed: usize) -> Vec<Candidate> {
        let (space, k) = (self.space, self.law.k());
        let Candidate { member, price, .. } = homeless[seed];
        let from = space.point(member.point);
        let mut candidates = homeless.to_vec();
        for (lender, class) in self.classes.iter().enumerate().filter(|(_, class)| class.size > k) {
            for &member in &class.members {
                if space.union_cost(from, space.point(member.point)) < price {
                    candidates.push(Candidate { member, lender: Some(lender), price: class.cost });
                }
            }
        }
        let mut cover = from.to_vec();
        let companion = candidates[self.dice.below(candidates.len())].member.point;
        if self.dice.below(2) == 0 && space.union_cost(from, space.point(companion)) < price {
            space.join(&mut cover, space.point(companion));
        }
        let mut best: (i64, Vec<Candidate>) = (0, Vec::new());
        let mut enough = 0;
        loop {
            let cost = space.cost(&cover);
            if cost >= price || enough > STEPS {
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
            let (gain, founders) = self.choose(inside, cost);
            if gain > best.0 {
                best = (gain, founders);
            }
            let Some((_, point)) = nearest else { return best.1 };
            space.join(&mut cover, space.point(point));
        }
    }

    /// Of the candidates inside a cover, those that gain by paying `cost`, and as many others as k takes.
    fn choose(&self, mut inside: Vec<Candidate>, cost: u32) -> (i64, Vec<Candidate>) {
        let k = self.law.k();
        inside.sort_unstable_by_key(|c| (std::cmp::Reverse(c.price), c.lender, c.member.point));
        let mut chosen: Vec<Candidate> = Vec::new();
        let (mut size, mut gain) = (0, 0);
        let mut lent: (Option<usize>, u32) = (None, 0);
        for candidate in inside {
            let each = i64::from(candidate.price) - i64::from(cost);
            let mut count = candidate.member.count;
            if each <= 0 {
                count = count.min(k.saturating_sub(size));
            }
            if let Some(lender) = candidate.lender {
                if lent.0 != candidate.lender {
                    lent = (candidate.lender, self.classes[lender].size - k);
                }
                count = count.min(lent.1);
                lent.1 -= count;
            }
            if count > 0 {
                size += count;
                gain += i64::from(count) * each;
                chosen.push(Candidate { member: Member { count, ..candidate.member }, ..candidate });
            }
        }
        if size >= k { (gain, chosen) } else { (0, Vec::new()) }
    }

    /// Finds a class for each that is still homeless; says whether there was one.
    fn house(&mut self, homeless: &[Candidate], journal: &mut Journal) -> bool {
        for Candidate { member, .. } in homeless {
            let Some((_, class)) = cheapest(self.space, &self.classes, *member, |_| true) else {
                return false;
            };
            journal.remember(&self.classes, class);
            self.classes[class].add(self.space, member.point, member.count);
        }
        true
    }

    /// Keeps what was done if it gained and every class holds; else undoes it.
    fn settle_account(&mut self, journal: Journal, housed: bool) -> i64 {
        let changed: Vec<usize> =
            journal.before.iter().map(|b| b.0).chain(journal.known..self.classes.len()).collect();
        let before: u64 = journal.before.iter().map(|(_, class)| class.loss()).sum();
        let after: u64 = changed.iter().map(|&class| self.classes[class].loss()).sum();
        let gain = before as i64 - after as i64;
        if housed && self.accepts(gain) && changed.iter().all(|&class| self.empty_or_holds(class)) {
            self.classes.retain(|class| class.size > 0);
            return gain;
        }
        self.classes.truncate(journal.known);
        for (at, class) in journal.before {
            self.classes[at] = class;
        }
        0
    }

    fn empty_or_holds(&self, class: usize) -> bool {
        let members = &self.classes[class].members;
        members.is_empty() || self.law.holds(members)
    }
}

/// Classes as they were.
struct Journal {
    /// How many there were.
    known: usize,
    before: Vec<(usize, Class)>,
}

impl Journal {
    fn remember(&mut self, classes: &[Class], at: usize) {
        if at < self.known && !self.before.iter().any(|(known, _)| *known == at) {
            self.before.push((at, classes[at].clone()));
        }
    }
}
