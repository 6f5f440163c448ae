//! Makes a few neighbouring classes better.

use super::class::{Class, Member, cheapest, loss, pooled};
use super::dice::Dice;
use super::exact;
use super::law::Law;
use super::merge::merge;
use super::order::any_ribbon;
use super::space::Space;
use super::split::split;

/// Pools with more members than this are not merged pair by pair.
const MERGED: usize = 64;

/// Pools whose ribbon takes more steps than this are not cut that way.
const CUT_STEPS: u64 = 200_000;

/// Pools of so few records are parted as well as can be.
const EXACT: u32 = 8;

/// So many swaps are tried with each attempt.
const SWAPS: usize = 40;

/// So many attempts for each class are many.
const WARM: usize = 6;

/// Classes that are near to each other.
pub(super) struct Piece<'a> {
    pub(super) space: &'a Space,
    pub(super) law: &'a Law<'a>,
    pub(super) classes: Vec<Class>,
    pub(super) dice: Dice,
    /// What a change may cost; nothing in the end.
    pub(super) patience: u64,
    pub(super) scratch: Vec<u64>,
}

/// What each way to improve has gained, in whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gains {
    pub(super) moved: i64,
    pub(super) swapped: i64,
    pub(super) recreated: i64,
    pub(super) reformed: i64,
}

impl Piece<'_> {
    /// Improves the classes by moves, and then by so many attempts to make some of them anew. Where there are many
    /// attempts, the first ones may cost a little, so that better classes can be found behind worse ones; if there
    /// were none, all is as before.
    pub(super) fn improve(&mut self, attempts: usize) -> Gains {
        let moved = self.relocate();
        let start = self.classes.clone();
        let warm = if attempts >= WARM * start.len() { attempts * 3 / 4 } else { 0 };
        let dear = start.iter().filter(|class| class.cost > 0).count().max(1) as u64;
        let most = loss(&start) / dear / 2;
        let mut gains = Gains::default();
        for attempt in 0..attempts {
            self.law.check_wanted();
            self.patience = most * warm.saturating_sub(attempt) as u64 / warm.max(1) as u64;
            match attempt % 2 {
                0 => gains.recreated += self.recreate(),
                _ => gains.reformed += self.reform(),
            }
            for _ in 0..SWAPS {
                gains.swapped += self.swap();
            }
        }
        gains.moved += self.relocate();
        if loss(&self.classes) > loss(&start) {
            self.classes = start;
            gains = Gains::default();
        }
        Gains { moved: gains.moved + moved, ..gains }
    }

    /// Records that their class can do without move to where all together lose less.
    pub(super) fn relocate(&mut self) -> i64 {
        let (space, law) = (self.space, self.law);
        let mut scratch = Vec::new();
        let mut gained = 0;
        for a in 0..self.classes.len() {
            let mut at = 0;
            while at < self.classes[a].members.len() {
                law.check_wanted();
                let class = &self.classes[a];
                let Member { point, count: all } = class.members[at];
                let spare = if class.cost == 0 { 0 } else { law.spare(class, at) };
                let saved = if spare == 0 { 0 } else { class.saved(space, at, spare, &mut scratch) };
                let m = Member { point, count: spare };
                let may = |b: usize| b != a && law.takes(&self.classes[b], point, spare);
                let best = if saved == 0 { None } else { self.cheaper(m, saved, may) };
                let Some((added, b)) = best else {
                    at += 1;
                    continue;
                };
                gained += (saved - added) as i64;
                self.classes[b].add(space, point, spare);
                self.classes[a].take(point, spare);
                self.classes[a].refresh(space);
                at += usize::from(spare < all);
            }
        }
        gained
    }

    /// The class that loses least by taking these in, if it is less than `saved`.
    fn cheaper(&self, m: Member, saved: u64, may: impl Fn(usize) -> bool) -> Option<(u64, usize)> {
        let at = self.space.point(m.point);
        let mut best = None;
        let mut least = saved;
        for (i, class) in self.classes.iter().enumerate() {
            let added = class.added(self.space, at, m.count);
            if added < least && may(i) {
                (least, best) = (added, Some((added, i)));
            }
        }
        best
    }

    /// Pools a class and its nearest, and parts them anew; kept if better. Returns what it gained.
    fn recreate(&mut self) -> i64 {
        let n = self.classes.len();
        if n == 0 {
            return 0;
        }
        let first = self.dear();
        let more = if n == 1 { 0 } else { 1 + self.dice.below(4.min(n - 1)) };
        let chosen = self.nearest(first, more);
        let before: u64 = chosen.iter().map(|&c| self.classes[c].loss()).sum();
        if before == 0 {
            return 0;
        }
        let pool = pooled(chosen.iter().flat_map(|&c| self.classes[c].members.iter().copied()).collect());
        let Some(made) = self.part(pool) else { return 0 };
        let mut made =
            Piece { classes: made, dice: Dice::new(0, 0), patience: 0, scratch: Vec::new(), ..*self };
        made.relocate();
        // A pool of classes that hold need not hold itself where people are counted.
        if !self.law.unions_hold() && !made.classes.iter().all(|class| self.law.holds(&class.members)) {
            return 0;
        }
        let after = loss(&made.classes);
        let gain = before as i64 - after as i64;
        if !self.accepts(gain) {
            return 0;
        }
        for &c in chosen.iter().rev() {
            self.classes.swap_remove(c);
        }
        self.classes.append(&mut made.classes);
        gain
    }

    /// Whether a change is kept: always if it gains, sometimes if it costs little.
    pub(super) fn accepts(&mut self, gain: i64) -> bool {
        gain > 0 || gain < 0 && -gain < self.dice.below(self.patience as usize + 1) as i64
    }

    /// The dearer of two random classes. There must be one.
    pub(super) fn dear(&mut self) -> usize {
        let (x, y) = (self.dice.below(self.classes.len()), self.dice.below(self.classes.len()));
        if self.classes[x].cost >= self.classes[y].cost { x } else { y }
    }

    /// A class and those that lose least in one with it, ascending.
    pub(super) fn nearest(&self, first: usize, more: usize) -> Vec<usize> {
        let cover = &self.classes[first].cover;
        let others = (0..self.classes.len()).filter(|&other| other != first);
        let mut near: Vec<(u32, usize)> =
            others.map(|other| (self.space.union_cost(cover, &self.classes[other].cover), other)).collect();
        if more < near.len() && more > 0 {
            near.select_nth_unstable(more - 1);
        }
        let mut chosen: Vec<usize> = near.iter().take(more).map(|n| n.1).chain([first]).collect();
        chosen.sort_unstable();
        chosen
    }

    /// Parts a pool that holds: very few records as well as can be, more of them in one of three ways.
    fn part(&mut self, pool: Vec<Member>) -> Option<Vec<Class>> {
        let records: u32 = pool.iter().map(|m| m.count).sum();
        if records <= EXACT {
            return exact::best(self.space, self.law, &pool);
        }
        let steps = u64::from(records) * 2 * u64::from(self.law.k()) * self.space.heaviness();
        match self.dice.below(4) {
            0 if pool.len() <= MERGED => Some(merge(self.space, self.law, &pool)),
            1 if self.law.only_size() && steps <= CUT_STEPS => {
                Some(any_ribbon(self.space, self.law.k(), &pool, &mut self.dice))
            }
            2 => self.around_seeds(pool),
            _ => {
                let mut made = Vec::new();
                split(self.space, self.law, Class::of(self.space, pool), &mut made);
                Some(made)
            }
        }
    }

    /// Grows classes around random records, each until it holds; what is left joins where it costs least.
    fn around_seeds(&mut self, mut pool: Vec<Member>) -> Option<Vec<Class>> {
        let (space, law) = (self.space, self.law);
        let mut made: Vec<Class> = Vec::new();
        while !pool.is_empty() && law.holds(&pool) {
            let seed = self.dice.below(pool.len());
            let start = Member { count: pool[seed].count.min(law.k()), ..pool[seed] };
            let mut class = Class::of(space, vec![start]);
            shrink(&mut pool, seed, start.count);
            while !law.holds(&class.members) {
                let near = |at: &usize| (space.union_cost(&class.cover, space.point(pool[*at].point)), *at);
                let at = (0..pool.len()).min_by_key(near)?;
                let wanted = if law.only_size() { law.k() - class.size } else { 1 };
                let count = pool[at].count.min(wanted);
                class.add(space, pool[at].point, count);
                shrink(&mut pool, at, count);
            }
            made.push(class);
        }
        for m in pool {
            let (_, class) = cheapest(space, &made, m, |class| law.takes(&made[class], m.point, m.count))?;
            made[class].add(space, m.point, m.count);
        }
        Some(made)
    }
}

/// Takes records of one member out of a pool.
fn shrink(pool: &mut Vec<Member>, at: usize, count: u32) {
    pool[at].count -= count;
    if pool[at].count == 0 {
        pool.swap_remove(at);
    }
}
