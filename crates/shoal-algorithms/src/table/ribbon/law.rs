//! May these be a class?

use super::class::{Class, Member};
use crate::table::conditions::{Conditions, Tally};
use crate::table::points::Points;

/// What every class must satisfy, asked of the members of a class.
pub(super) enum Law<'a> {
    /// So many records, nothing else.
    Size(u32),
    /// More than that.
    Full {
        /// The conditions.
        conditions: &'a Conditions<'a>,
        /// The points; all records of one are alike to the conditions.
        points: &'a Points,
    },
}

impl<'a> Law<'a> {
    /// The law of a promise.
    pub(super) fn of(conditions: &'a Conditions<'a>, points: &'a Points) -> Law<'a> {
        match conditions.only_size() {
            true => Law::Size(conditions.k() as u32),
            false => Law::Full { conditions, points },
        }
    }

    /// The least size of any class.
    pub(super) fn k(&self) -> u32 {
        match self {
            Law::Size(k) => *k,
            Law::Full { conditions, .. } => conditions.k() as u32,
        }
    }

    /// Whether nothing counts but k.
    pub(super) fn only_size(&self) -> bool {
        matches!(self, Law::Size(_))
    }

    /// Whether two classes that hold always do so together.
    pub(super) fn unions_hold(&self) -> bool {
        match self {
            Law::Size(_) => true,
            Law::Full { conditions, .. } => conditions.unions_hold(),
        }
    }

    /// Whether these may be a class.
    pub(super) fn holds(&self, members: &[Member]) -> bool {
        match self {
            Law::Size(k) => members.iter().map(|m| u64::from(m.count)).sum::<u64>() >= u64::from(*k),
            Law::Full { conditions, .. } => conditions.hold(&self.tally(members)),
        }
    }

    /// How many records of one member the class can do without: all of them, some, or none.
    pub(super) fn spare(&self, class: &Class, at: usize) -> u32 {
        let Member { point, count } = class.members[at];
        match self {
            Law::Size(k) => count.min(class.size.saturating_sub(*k)),
            Law::Full { conditions, points } => {
                let mut tally = self.tally(&class.members);
                let row = points.rows(point as usize)[0];
                conditions.remove(&mut tally, row, count);
                if conditions.hold(&tally) {
                    return count;
                }
                conditions.add(&mut tally, row, count - 1);
                u32::from(count > 1 && conditions.hold(&tally))
            }
        }
    }

    /// Whether the class may take in so many records of a point.
    pub(super) fn takes(&self, class: &Class, point: u32, count: u32) -> bool {
        match self {
            Law::Size(_) => true,
            Law::Full { conditions, points } => {
                let mut tally = self.tally(&class.members);
                conditions.add(&mut tally, points.rows(point as usize)[0], count);
                conditions.hold(&tally)
            }
        }
    }

    fn tally(&self, members: &[Member]) -> Tally {
        match self {
            Law::Size(_) => unreachable!("sizes need no tally"),
            Law::Full { conditions, points } => {
                let mut tally = conditions.tally();
                for m in members {
                    conditions.add(&mut tally, points.rows(m.point as usize)[0], m.count);
                }
                tally
            }
        }
    }
}
