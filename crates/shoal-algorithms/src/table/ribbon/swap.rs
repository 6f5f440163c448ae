//! Two classes exchange a member each: the smallest change, and the fastest to try.

use super::class::{Class, Member};
use super::piece::Piece;
use super::tuning::Tuning;

impl Piece<'_> {
    /// One random swap between a costly class and one near it; kept if better. Returns what it gained.
    pub(super) fn swap(&mut self) -> i64 {
        if self.classes.len() < 2 {
            return 0;
        }
        let a = self.pick_costly();
        let b = self.pick_near(a);
        if a == b || self.classes[a].cost == 0 {
            return 0;
        }
        let at = [a, b].map(|class| self.rng.below(self.classes[class].members.len()));
        let [mine, yours] = [self.classes[a].members[at[0]], self.classes[b].members[at[1]]];
        if mine.point == yours.point {
            return 0;
        }
        // Equally many go each way, so that sizes stay and k need not be asked again.
        let count = mine.count.min(yours.count);
        let before = (self.classes[a].loss() + self.classes[b].loss()) as i64;
        let costs =
            [self.cost_after(a, at[0], count, yours.point), self.cost_after(b, at[1], count, mine.point)];
        let after: u64 = [a, b]
            .iter()
            .zip(costs)
            .map(|(&c, cost)| u64::from(self.classes[c].size) * u64::from(cost))
            .sum();
        let gain = before - after as i64;
        if !self.accepts(if gain < 0 { gain.saturating_mul(Tuning::SWAP_COST_FACTOR) } else { gain }) {
            return 0;
        }
        let changed =
            [(a, mine.point, yours.point), (b, yours.point, mine.point)].map(|(class, gives, takes)| {
                let mut class: Class = self.classes[class].clone();
                class.take(gives, count);
                match class.members.iter_mut().find(|m| m.point == takes) {
                    Some(known) => known.count += count,
                    None => class.members.push(Member { point: takes, count }),
                }
                class.refresh(self.space);
                class
            });
        if !self.rule.only_size() && !changed.iter().all(|class| self.rule.holds(&class.members)) {
            return 0;
        }
        let [one, other] = changed;
        self.classes[a] = one;
        self.classes[b] = other;
        gain
    }

    /// The nearer of two random classes.
    fn pick_near(&mut self, a: usize) -> usize {
        let (x, y) = (self.rng.below(self.classes.len()), self.rng.below(self.classes.len()));
        // The class itself is farther than any other.
        let far = |b: usize| (b == a, self.space.union_cost(&self.classes[a].cover, &self.classes[b].cover));
        if far(x) <= far(y) { x } else { y }
    }

    /// What a record of the class would lose when some records of one member leave and those of another point join.
    fn cost_after(&mut self, class: usize, at: usize, count: u32, comes: u32) -> u32 {
        let (space, class) = (self.space, &self.classes[class]);
        if count < class.members[at].count || class.is_same_without(space, at) {
            return space.union_cost(&class.cover, space.point(comes));
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(space.point(comes));
        for (i, m) in class.members.iter().enumerate() {
            if i != at {
                space.join(&mut self.scratch, space.point(m.point));
            }
        }
        space.cost(&self.scratch)
    }
}
