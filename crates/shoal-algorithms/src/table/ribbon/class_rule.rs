//! Whether some records may be a class.

use std::cell::RefCell;

use shoal_core::Progress;

use super::class::{Class, Member};
use crate::table::conditions::{Conditions, Tally, Trimming};
use crate::table::points::Points;

/// What every class must satisfy, asked of the members of a class. Everything that makes classes has it, so it also
/// carries the progress by which the work is cancelled.
pub(super) struct ClassRule<'a> {
    kind: Kind<'a>,
    progress: &'a dyn Progress,
}

enum Kind<'a> {
    /// This many records, nothing else.
    Size(u32),
    /// More than that.
    Full {
        /// The conditions.
        conditions: &'a Conditions<'a>,
        /// The points; all records of one are alike to the conditions.
        points: &'a Points,
    },
}

impl<'a> ClassRule<'a> {
    /// The rule that a promise sets.
    pub(super) fn of(
        conditions: &'a Conditions<'a>,
        points: &'a Points,
        progress: &'a dyn Progress,
    ) -> ClassRule<'a> {
        let kind = match conditions.only_size() {
            true => Kind::Size(conditions.k() as u32),
            false => Kind::Full { conditions, points },
        };
        ClassRule { kind, progress }
    }

    /// A rule about sizes, and one that asks the conditions although they ask for nothing else.
    #[cfg(test)]
    pub(super) fn both(k: u32, conditions: &'a Conditions<'a>, points: &'a Points) -> [ClassRule<'a>; 2] {
        let kinds = [Kind::Size(k), Kind::Full { conditions, points }];
        kinds.map(|kind| ClassRule { kind, progress: &shoal_core::Silent })
    }

    /// Asked in long loops: unwinds where the work was cancelled.
    pub(super) fn check_cancelled(&self) {
        self.progress.check();
    }

    /// The least size of any class.
    pub(super) fn k(&self) -> u32 {
        match &self.kind {
            Kind::Size(k) => *k,
            Kind::Full { conditions, .. } => conditions.k() as u32,
        }
    }

    /// Whether k is all that is asked for.
    pub(super) fn only_size(&self) -> bool {
        matches!(self.kind, Kind::Size(_))
    }

    /// Whether two classes that hold always do so together.
    pub(super) fn unions_hold(&self) -> bool {
        match &self.kind {
            Kind::Size(_) => true,
            Kind::Full { conditions, .. } => conditions.unions_hold(),
        }
    }

    /// How crowds become classes without some of their records, where that can be.
    pub(super) fn trimming(&self) -> Option<Trimming<'_>> {
        match &self.kind {
            Kind::Size(_) => None,
            Kind::Full { conditions, .. } => conditions.trimming(),
        }
    }

    /// Whether these may be a class.
    pub(super) fn holds(&self, members: &[Member]) -> bool {
        match &self.kind {
            Kind::Size(k) => members.iter().map(|m| u64::from(m.count)).sum::<u64>() >= u64::from(*k),
            Kind::Full { conditions, .. } => conditions.hold(&self.tally(members)),
        }
    }

    /// How many records of one member the class can do without: all of them, some, or none.
    pub(super) fn spare(&self, class: &Class, at: usize, known: &mut Known) -> u32 {
        let Member { point, count } = class.members[at];
        match &self.kind {
            Kind::Size(k) => count.min(class.size.saturating_sub(*k)),
            Kind::Full { conditions, points } => {
                let tally = known.tally.get_or_insert_with(|| self.tally(&class.members));
                let row = points.rows(point as usize)[0];
                conditions.remove(tally, row, count);
                let all = conditions.hold(tally);
                // If not all can go, perhaps one can. Numbers between are not tried: each takes a test of its own, and
                // conditions are not monotone in them.
                conditions.add(tally, row, count - 1);
                let one = !all && count > 1 && conditions.hold(tally);
                // The class is as it was.
                conditions.add(tally, row, 1);
                if all { count } else { u32::from(one) }
            }
        }
    }

    /// Whether the class may take in `count` records of a point.
    pub(super) fn takes(&self, class: &Class, point: u32, count: u32, known: &mut Known) -> bool {
        match &self.kind {
            Kind::Size(_) => true,
            Kind::Full { conditions, points } => {
                let tally = known.tally.get_or_insert_with(|| self.tally(&class.members));
                let row = points.rows(point as usize)[0];
                conditions.add(tally, row, count);
                let takes = conditions.hold(tally);
                conditions.remove(tally, row, count);
                takes
            }
        }
    }

    fn tally(&self, members: &[Member]) -> Tally {
        match &self.kind {
            Kind::Size(_) => unreachable!("sizes need no tally"),
            Kind::Full { conditions, points } => {
                let mut tally = conditions.tally();
                for m in members {
                    conditions.add(&mut tally, points.rows(m.point as usize)[0], m.count);
                }
                tally
            }
        }
    }
}

/// What is known of a class, so that it is not counted again for every question about it. To be forgotten when the class changes.
#[derive(Default)]
pub(super) struct Known {
    tally: Option<Tally>,
}

impl Known {
    /// Nothing yet, of so many classes. In cells, since the questions are asked while classes are compared.
    pub(super) fn nothing_of(classes: usize) -> Vec<RefCell<Known>> {
        (0..classes).map(|_| RefCell::default()).collect()
    }
}
