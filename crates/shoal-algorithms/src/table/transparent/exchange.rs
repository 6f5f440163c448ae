//! Two classes exchange one record each, both of the same column, so that each keeps as many of every column as it had.

use shoal_core::Progress;

use super::class::{Class, Member};
use crate::table::ribbon::space::Space;

/// Classes, each with what it would cost without any one of its members.
pub(super) struct Exchange<'a> {
    space: &'a Space,
    classes: Vec<Without>,
}

/// A class and what covers all of its members but one.
struct Without {
    class: Class,
    /// For each member the cover of all others.
    covers: Vec<u64>,
    /// For each member how much less each record would lose if it were not there.
    saved: Vec<u32>,
}

impl<'a> Exchange<'a> {
    pub(super) fn new(space: &'a Space, classes: Vec<Class>) -> Exchange<'a> {
        let classes = classes.into_iter().map(|class| Without::of(space, class)).collect();
        Exchange { space, classes }
    }

    /// Tries every pair of classes once; returns whether something was gained.
    pub(super) fn sweep(&mut self, progress: &dyn Progress) -> bool {
        let mut gained = false;
        for a in 0..self.classes.len() {
            for b in a + 1..self.classes.len() {
                progress.check();
                while let Some((at_a, at_b)) = self.best(a, b) {
                    self.swap(a, at_a, b, at_b);
                    gained = true;
                }
            }
        }
        gained
    }

    pub(super) fn into_classes(self) -> Vec<Class> {
        self.classes.into_iter().map(|without| without.class).collect()
    }

    /// The exchange between two classes that gains most, if one gains anything.
    fn best(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let (a, b) = (&self.classes[a], &self.classes[b]);
        if a.class.cost == 0 && b.class.cost == 0 {
            return None;
        }
        let (size_a, size_b) = (a.class.size() as u64, b.class.size() as u64);
        let before = a.class.loss() + b.class.loss();
        let mut best: Option<(u64, usize, usize)> = None;
        let mut start = 0;
        for (at_a, &Member { slot, point }) in a.class.members.iter().enumerate() {
            // Both are sorted by column.
            while b.class.members.get(start).is_some_and(|other| other.slot < slot) {
                start += 1;
            }
            let same = b.class.members[start..].iter().take_while(|other| other.slot == slot);
            for (at_b, other) in (start..).zip(same) {
                // A bound without a look at covers: at best both lose only what the others lose without the member.
                let most = size_a * u64::from(a.saved[at_a]) + size_b * u64::from(b.saved[at_b]);
                let needed = before - best.map_or(before, |(after, ..)| after);
                if most <= needed || point == other.point {
                    continue;
                }
                let cost_a = self.space.union_cost(a.cover(at_a), self.space.point(other.point));
                let cost_b = self.space.union_cost(b.cover(at_b), self.space.point(point));
                let after = size_a * u64::from(cost_a) + size_b * u64::from(cost_b);
                if after < best.map_or(before, |(after, ..)| after) {
                    best = Some((after, at_a, at_b));
                }
            }
        }
        best.map(|(_, at_a, at_b)| (at_a, at_b))
    }

    fn swap(&mut self, a: usize, at_a: usize, b: usize, at_b: usize) {
        let (mine, yours) = (self.classes[a].class.members[at_a], self.classes[b].class.members[at_b]);
        for (class, at, comes) in [(a, at_a, yours), (b, at_b, mine)] {
            let mut members = std::mem::take(&mut self.classes[class].class.members);
            members[at] = comes;
            self.classes[class] = Without::of(self.space, Class::of(self.space, members));
        }
    }
}

impl Without {
    fn of(space: &Space, class: Class) -> Without {
        let (size, width) = (class.size(), space.width());
        let point = |at: usize| space.point(class.members[at].point);
        // From behind what covers all later members, then from the front what covers all earlier ones.
        let mut covers = vec![0_u64; size * width];
        let mut later: Vec<u64> = Vec::new();
        for at in (0..size).rev() {
            match later.is_empty() {
                true => later.extend_from_slice(point(at)),
                false => {
                    covers[at * width..(at + 1) * width].copy_from_slice(&later);
                    space.join(&mut later, point(at));
                }
            }
        }
        let mut earlier: Vec<u64> = Vec::new();
        let mut saved = vec![0; size];
        for at in 0..size {
            let cover = &mut covers[at * width..(at + 1) * width];
            if at + 1 == size {
                // Nothing comes later; a class of one has no others at all, and exchanges nothing.
                cover.copy_from_slice(if earlier.is_empty() { point(at) } else { &earlier });
            } else if !earlier.is_empty() {
                space.join(cover, &earlier);
            }
            saved[at] = class.cost - space.cost(cover);
            match earlier.is_empty() {
                true => earlier.extend_from_slice(point(at)),
                false => space.join(&mut earlier, point(at)),
            }
        }
        Without { class, covers, saved }
    }

    fn cover(&self, member: usize) -> &[u64] {
        let width = self.class.cover.len();
        &self.covers[member * width..(member + 1) * width]
    }
}
