//! May these be a class?

use shoal_core::Progress;

use super::class::{Class, Member};
use crate::table::conditions::{Conditions, Tally};
use crate::table::points::Points;

/// What every class must satisfy, asked of the members of a class. Everything that makes classes has it, so it also knows
/// whether somebody still wants them.
pub(super) struct Law<'a> {
    rule: Rule<'a>,
    progress: &'a dyn Progress,
}

enum Rule<'a> {
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
    pub(super) fn of(
        conditions: &'a Conditions<'a>,
        points: &'a Points,
        progress: &'a dyn Progress,
    ) -> Law<'a> {
        let rule = match conditions.only_size() {
            true => Rule::Size(conditions.k() as u32),
            false => Rule::Full { conditions, points },
        };
        Law { rule, progress }
    }

    /// A law of sizes, and one that asks the conditions even if they say no more.
    #[cfg(test)]
    pub(super) fn both(k: u32, conditions: &'a Conditions<'a>, points: &'a Points) -> [Law<'a>; 2] {
        let rules = [Rule::Size(k), Rule::Full { conditions, points }];
        rules.map(|rule| Law { rule, progress: &shoal_core::Silent })
    }

    /// Asked in long loops: leaves the work where it was cancelled.
    pub(super) fn check_wanted(&self) {
        self.progress.check();
    }

    /// The least size of any class.
    pub(super) fn k(&self) -> u32 {
        match &self.rule {
            Rule::Size(k) => *k,
            Rule::Full { conditions, .. } => conditions.k() as u32,
        }
    }

    /// Whether nothing counts but k.
    pub(super) fn only_size(&self) -> bool {
        matches!(self.rule, Rule::Size(_))
    }

    /// Whether two classes that hold always do so together.
    pub(super) fn unions_hold(&self) -> bool {
        match &self.rule {
            Rule::Size(_) => true,
            Rule::Full { conditions, .. } => conditions.unions_hold(),
        }
    }

    /// Whether these may be a class.
    pub(super) fn holds(&self, members: &[Member]) -> bool {
        match &self.rule {
            Rule::Size(k) => members.iter().map(|m| u64::from(m.count)).sum::<u64>() >= u64::from(*k),
            Rule::Full { conditions, .. } => conditions.hold(&self.tally(members)),
        }
    }

    /// How many records of one member the class can do without: all of them, some, or none.
    pub(super) fn spare(&self, class: &Class, at: usize) -> u32 {
        let Member { point, count } = class.members[at];
        match &self.rule {
            Rule::Size(k) => count.min(class.size.saturating_sub(*k)),
            Rule::Full { conditions, points } => {
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
        match &self.rule {
            Rule::Size(_) => true,
            Rule::Full { conditions, points } => {
                let mut tally = self.tally(&class.members);
                conditions.add(&mut tally, points.rows(point as usize)[0], count);
                conditions.hold(&tally)
            }
        }
    }

    fn tally(&self, members: &[Member]) -> Tally {
        match &self.rule {
            Rule::Size(_) => unreachable!("sizes need no tally"),
            Rule::Full { conditions, points } => {
                let mut tally = conditions.tally();
                for m in members {
                    conditions.add(&mut tally, points.rows(m.point as usize)[0], m.count);
                }
                tally
            }
        }
    }
}
