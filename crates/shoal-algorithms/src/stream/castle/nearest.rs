//! Our rules for a tuple whose time has come.

use super::crowd::{Gathering, gather};
use super::split::split;
use super::{Castle, CastleRelease};

/// How much worse than a new crowd a class that is out already may be. A new crowd takes k − 1 tuples along that could
/// still wait for closer ones; joining a class takes none. On Adult 1.5 to 2 lose much the same; 1 loses a fifth
/// more for δ = 100.
const PATIENCE: f64 = 1.6;

impl Castle {
    /// The tuple leaves with its nearest unless a class that covers it is nearly as good. It is suppressed only where
    /// there is neither.
    pub(super) fn expire_with_the_nearest(&mut self, slot: u32, out: &mut Vec<CastleRelease>) {
        let class = self.reusable.cheapest(&self.space, self.window.cells(slot));
        let limit = class.map_or(f64::INFINITY, |(_, loss)| loss / PATIENCE);
        let pool: Vec<u32> = self.window.waiting().collect();
        let how = Gathering { needs: self.needs(), growing: true, limit };
        match (gather(slot, &pool, how, &self.space, &self.window), class) {
            (Some(mut crowd), _) => {
                self.take_stranded(&mut crowd, &pool);
                self.publish(&crowd, out);
            }
            (None, Some((class, _))) => self.join_class(slot, class, out),
            (None, None) => self.suppress(slot, out),
        }
    }

    /// The end, where all that wait are a crowd: they are one cluster that is split.
    pub(super) fn publish_waiting(&mut self, out: &mut Vec<CastleRelease>) {
        let waiting: Vec<u32> = self.window.waiting().collect();
        let needs = self.needs();
        let parts = split(waiting, needs, true, &mut self.draws, &self.space, &self.window);
        self.figures.split += u64::from(parts.len() > 1);
        parts.iter().for_each(|part| self.publish(part, out));
    }

    /// Adds to a crowd those who would be alone without it: too few stay and too few can come before their own time is
    /// up, and no class covers them.
    fn take_stranded(&mut self, crowd: &mut Vec<u32>, pool: &[u32]) {
        let mut rest: Vec<u32> = pool.iter().copied().filter(|slot| !crowd.contains(slot)).collect();
        let many = self.params.0.k.max(self.params.0.l) as u64;
        // Whose time is up by the clock cannot count on tuples that are still to come: there may be none. Then it is not
        // enough that many stay; they must be a crowd.
        let paused = crowd.first().is_some_and(|seed| self.is_overdue(*seed));
        let enough = if paused {
            self.needs().met_by(rest.iter().copied(), &self.window)
        } else {
            rest.len() as u64 >= many
        };
        if enough {
            return;
        }
        let Some(mut region) = self.around(crowd) else { return };
        let now = self.last.unwrap_or_default();
        // Whom the crowd's class covers could join it later, if classes were joined later.
        let joins_later = self.params.0.max_reusable > 0;
        let before = crowd.len();
        let mut at = 0;
        while at < rest.len() {
            let slot = rest[at];
            let cells = self.window.cells(slot);
            let due = self.window.tuple(slot).position.saturating_add(self.params.0.delta);
            let alone = due.saturating_sub(now).saturating_add((rest.len() - at) as u64) < many;
            if (paused || alone)
                && !(joins_later && self.space.covers(region.view(), cells))
                && self.reusable.covering(&self.space, cells).next().is_none()
            {
                self.space.include(&mut region, cells);
                crowd.push(slot);
                rest.remove(at);
            } else {
                at += 1;
            }
        }
        self.figures.merged += u64::from(crowd.len() > before);
    }
}
