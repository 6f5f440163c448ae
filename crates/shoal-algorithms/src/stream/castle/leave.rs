//! The ways out: a new class, a class that is out already, or nothing but a place.

use super::crowd::Needs;
use super::region::Region;
use super::{Castle, CastleRelease, CastleRules};

impl Castle {
    /// Lets a tuple out whose time has come, alone or in a crowd.
    pub(super) fn expire(&mut self, slot: u32, out: &mut Vec<CastleRelease>) {
        self.reusable.prepare(&self.space);
        match self.params.0.rules {
            CastleRules::Paper => self.expire_by_the_paper(slot, out),
            CastleRules::Nearest => self.expire_with_the_nearest(slot, out),
        }
    }

    /// Lets all out. Where all together are not a crowd, each joins a class that covers it or is suppressed.
    pub(super) fn release_all(&mut self, out: &mut Vec<CastleRelease>) {
        self.reusable.prepare(&self.space);
        if self.needs().met_by(self.window.waiting(), &self.window) {
            return match self.params.0.rules {
                CastleRules::Paper => self.publish_clusters(out),
                CastleRules::Nearest => self.publish_waiting(out),
            };
        }
        while let Some(slot) = self.window.oldest() {
            match self.reusable.cheapest(&self.space, self.window.cells(slot)) {
                Some((class, _)) => self.join_class(slot, class, out),
                None => self.suppress(slot, out),
            }
        }
    }

    /// A new class. The paper remembers it only if it is better than usual.
    pub(super) fn publish(&mut self, crowd: &[u32], out: &mut Vec<CastleRelease>) {
        let Some(region) = self.around(crowd) else { return };
        let loss = self.space.loss(region.view());
        self.usual.add(loss);
        if self.params.0.rules == CastleRules::Nearest || loss < self.usual.mean() {
            self.reusable.remember(&region, &self.space);
        }
        let cells = self.space.publish(region.view());
        out.extend(crowd.iter().map(|slot| CastleRelease {
            position: self.window.tuple(*slot).position,
            cells: cells.clone(),
            suppressed: false,
        }));
        self.figures.classes += 1;
        self.leave(crowd);
    }

    pub(super) fn join_class(&mut self, slot: u32, class: usize, out: &mut Vec<CastleRelease>) {
        let cells = self.space.publish(self.reusable.reuse(class));
        out.push(CastleRelease { position: self.window.tuple(slot).position, cells, suppressed: false });
        self.figures.reused += 1;
        self.leave(&[slot]);
    }

    pub(super) fn suppress(&mut self, slot: u32, out: &mut Vec<CastleRelease>) {
        let position = self.window.tuple(slot).position;
        out.push(CastleRelease { position, cells: Vec::new(), suppressed: true });
        self.figures.suppressed += 1;
        self.leave(&[slot]);
    }

    /// The least box around tuples.
    pub(super) fn around(&self, slots: &[u32]) -> Option<Region> {
        self.space.around(slots.iter().map(|slot| self.window.cells(*slot)))
    }

    pub(super) fn needs(&self) -> Needs {
        Needs { k: self.params.0.k, l: self.params.0.l }
    }

    fn leave(&mut self, slots: &[u32]) {
        self.figures.released += slots.len() as u64;
        slots.iter().for_each(|slot| self.window.remove(*slot));
        if self.params.0.rules == CastleRules::Paper {
            self.clusters.forget(slots, &self.space, &mut self.window);
        }
    }
}
