//! Improves a few neighbouring classes.

use super::class::{Class, Member, cheapest, loss, pooled};
use super::class_rule::{ClassRule, Known};
use super::exact;
use super::merge::merge;
use super::order::any_ribbon;
use super::rng::Rng;
use super::space::Space;
use super::split::split;
use super::tuning::Tuning;

/// Classes that are near to each other.
pub(super) struct Piece<'a> {
    pub(super) space: &'a Space,
    pub(super) rule: &'a ClassRule<'a>,
    pub(super) classes: Vec<Class>,
    pub(super) rng: Rng,
    /// The most that a change may cost; 0 in the end.
    pub(super) tolerance: u64,
    /// Whether there are few attempts for each class, so that only what gains most per second is tried. With many, what gains rarely finds
    /// what the others cannot: without merges and cuts the Census table of 1,080 records lost 1.8 % more at k = 10.
    pub(super) quick: bool,
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

/// How a pool of several classes is split again.
enum Method {
    Cut,
    Merge,
    Seeds,
    Split,
}

impl Piece<'_> {
    /// Improves the classes by moves, and then by this many attempts to replace some of them. Where there are many
    /// attempts, the first ones may cost a little, which leads out of local minima; if that found nothing better, the
    /// classes are as before.
    pub(super) fn improve(&mut self, attempts: usize) -> Gains {
        let moved = self.relocate();
        let start = self.classes.clone();
        let (part, of) = Tuning::ANNEALING_SHARE;
        let is_long = attempts >= Tuning::ANNEALING_ATTEMPTS_PER_CLASS * start.len();
        let annealed = if is_long { attempts * part / of } else { 0 };
        let costly = start.iter().filter(|class| class.cost > 0).count().max(1) as u64;
        let most = loss(&start) / costly / Tuning::ANNEALING_LOSS_DIVISOR;
        self.quick = self.rule.only_size() && !is_long;
        // In large classes a swap changes next to nothing.
        let swaps = match self.quick {
            true => (Tuning::SWAPS_PER_ATTEMPT * 2 / self.rule.k() as usize).max(1),
            false => Tuning::SWAPS_PER_ATTEMPT,
        };
        let mut gains = Gains::default();
        for attempt in 0..attempts {
            self.rule.check_cancelled();
            // Falls to 0 in equal steps, and stays there for the rest of the attempts.
            self.tolerance = most * annealed.saturating_sub(attempt) as u64 / annealed.max(1) as u64;
            if self.quick {
                (0..Tuning::RECREATIONS_PER_ATTEMPT).for_each(|_| gains.recreated += self.recreate());
                gains.reformed += self.reform();
            } else if attempt % 2 == 0 {
                // Under conditions classes have to be asked about while they grow, which takes as long as a reform; and where there
                // are many attempts, both find enough.
                gains.recreated += self.recreate();
            } else {
                gains.reformed += self.reform();
            }
            (0..swaps).for_each(|_| gains.swapped += self.swap());
        }
        gains.moved += self.relocate();
        if loss(&self.classes) > loss(&start) {
            self.classes = start;
            gains = Gains::default();
        }
        Gains { moved: gains.moved + moved, ..gains }
    }

    /// Records that their class can do without move to where the total loss is smaller. Returns what it gained.
    pub(super) fn relocate(&mut self) -> i64 {
        let (space, rule) = (self.space, self.rule);
        let mut scratch = Vec::new();
        let known = Known::nothing_of(self.classes.len());
        let mut gained = 0;
        for a in 0..self.classes.len() {
            let mut at = 0;
            while at < self.classes[a].members.len() {
                rule.check_cancelled();
                let class = &self.classes[a];
                let Member { point, count: all } = class.members[at];
                let spare =
                    if class.cost == 0 { 0 } else { rule.spare(class, at, &mut known[a].borrow_mut()) };
                let saved = if spare == 0 { 0 } else { class.saved(space, at, spare, &mut scratch) };
                let m = Member { point, count: spare };
                let takes = |b: usize| rule.takes(&self.classes[b], point, spare, &mut known[b].borrow_mut());
                let may = |b: usize| b != a && takes(b);
                let best = if saved == 0 { None } else { self.cheaper(m, saved, may) };
                let Some((added, b)) = best else {
                    at += 1;
                    continue;
                };
                gained += (saved - added) as i64;
                self.classes[b].add(space, point, spare);
                self.classes[a].take(point, spare);
                self.classes[a].refresh(space);
                known[a].take();
                known[b].take();
                // A member that has gone makes room for another one at its place.
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
            if let Some(added) = class.added_below(self.space, at, m.count, least)
                && may(i)
            {
                (least, best) = (added, Some((added, i)));
            }
        }
        best
    }

    /// Pools a class and its nearest, and splits them again; kept if better. Returns what it gained.
    fn recreate(&mut self) -> i64 {
        let n = self.classes.len();
        if n == 0 {
            return 0;
        }
        let first = self.pick_costly();
        let more = if n == 1 { 0 } else { 1 + self.rng.below(Tuning::POOL_NEIGHBOURS.min(n - 1)) };
        let chosen = self.nearest(first, more);
        let before: u64 = chosen.iter().map(|&c| self.classes[c].loss()).sum();
        if before == 0 {
            return 0;
        }
        let pool = pooled(chosen.iter().flat_map(|&c| self.classes[c].members.iter().copied()).collect());
        let Some(made) = self.split_pool(pool) else { return 0 };
        // Moves draw nothing at random, so that any sequence will do.
        let mut made =
            Piece { classes: made, rng: Rng::new(0, 0), tolerance: 0, scratch: Vec::new(), ..*self };
        made.relocate();
        // A pool of classes that hold need not hold itself where people are counted.
        if !self.rule.unions_hold() && !made.classes.iter().all(|class| self.rule.holds(&class.members)) {
            return 0;
        }
        let after = loss(&made.classes);
        let gain = before as i64 - after as i64;
        if !self.accepts(gain) {
            return 0;
        }
        // From the back: `swap_remove` then moves no class that is still to go.
        for &c in chosen.iter().rev() {
            self.classes.swap_remove(c);
        }
        self.classes.append(&mut made.classes);
        gain
    }

    /// Whether a change is kept: always if it gains, sometimes if it costs less than is tolerated, the less the likelier.
    pub(super) fn accepts(&mut self, gain: i64) -> bool {
        gain > 0 || gain < 0 && -gain < self.rng.below(self.tolerance as usize + 1) as i64
    }

    /// The costlier of two random classes. There must be at least one class.
    pub(super) fn pick_costly(&mut self) -> usize {
        let (x, y) = (self.rng.below(self.classes.len()), self.rng.below(self.classes.len()));
        if self.classes[x].cost >= self.classes[y].cost { x } else { y }
    }

    /// A class and the `more` that lose least together with it, ascending by their index.
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

    /// Splits a pool that holds: the best partition of very few records, one of several methods at random for more.
    fn split_pool(&mut self, pool: Vec<Member>) -> Option<Vec<Class>> {
        let records: u32 = pool.iter().map(|m| m.count).sum();
        if records <= Tuning::POOL_EXACT_RECORDS {
            return exact::best(self.space, self.rule, &pool);
        }
        let steps = u64::from(records) * 2 * u64::from(self.rule.k()) * self.space.time_factor();
        let can_be_cut = self.rule.only_size() && steps <= Tuning::POOL_CUT_STEPS;
        let method = match self.quick {
            true if can_be_cut && self.rng.below(Tuning::POOL_CUT_EVERY) == 0 => Method::Cut,
            // A split looks at all columns for each of them, so that it is the rarer the more there are.
            true => match self.rng.below(self.space.dims().max(2 * Tuning::POOL_SPLIT_COLUMNS)) {
                0..Tuning::POOL_SPLIT_COLUMNS => Method::Split,
                _ => Method::Seeds,
            },
            // A method that does not suit the pool leaves it to the last one.
            false => match self.rng.below(4) {
                0 if pool.len() <= Tuning::POOL_MERGE_MEMBERS => Method::Merge,
                1 if can_be_cut => Method::Cut,
                2 => Method::Seeds,
                _ => Method::Split,
            },
        };
        match method {
            Method::Cut => Some(any_ribbon(self.space, self.rule.k(), &pool, &mut self.rng)),
            Method::Merge => Some(merge(self.space, self.rule, &pool)),
            Method::Seeds => self.grow_around_seeds(pool),
            Method::Split => {
                let mut made = Vec::new();
                split(self.space, self.rule, Class::of(self.space, pool), &mut made);
                Some(made)
            }
        }
    }

    /// Grows classes around random records, each until it holds; what is left joins where it costs least.
    fn grow_around_seeds(&mut self, mut pool: Vec<Member>) -> Option<Vec<Class>> {
        let (space, rule) = (self.space, self.rule);
        let mut made: Vec<Class> = Vec::new();
        while !pool.is_empty() && rule.holds(&pool) {
            let seed = self.rng.below(pool.len());
            let start = Member { count: pool[seed].count.min(rule.k()), ..pool[seed] };
            let mut class = Class::of(space, vec![start]);
            take_out(&mut pool, seed, start.count);
            while !rule.holds(&class.members) {
                let near = |at: &usize| (space.union_cost(&class.cover, space.point(pool[*at].point)), *at);
                let at = (0..pool.len()).min_by_key(near)?;
                // Other conditions may hold after any record, so records join one by one then.
                let wanted = if rule.only_size() { rule.k() - class.size } else { 1 };
                let count = pool[at].count.min(wanted);
                class.add(space, pool[at].point, count);
                take_out(&mut pool, at, count);
            }
            made.push(class);
        }
        let known = Known::nothing_of(made.len());
        for m in pool {
            let takes = |c: usize| rule.takes(&made[c], m.point, m.count, &mut known[c].borrow_mut());
            let (_, class) = cheapest(space, &made, m, takes)?;
            made[class].add(space, m.point, m.count);
            known[class].take();
        }
        Some(made)
    }
}

/// Takes records of one member out of a pool.
fn take_out(pool: &mut Vec<Member>, at: usize, count: u32) {
    pool[at].count -= count;
    if pool[at].count == 0 {
        pool.swap_remove(at);
    }
}
