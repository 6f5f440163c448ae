//! Leaves out records where classes are compared with everybody: those that would make classes large.
//!
//! A class in which a rare value may have a share of one in a thousand has a thousand records, however few have the value. So crowds are
//! peeled without the records that are too many in them ([`Parts`]), these wait for larger crowds, and whoever is left in the end is left out, as many as
//! may be and no more.
//!
//! Classes are compared with what is published, which is known only afterwards, and every record that is left out makes its value rarer. Hence two
//! passes. The first one compares with everybody and shows how many of each value want to be left out. That, and a little more, is what the second one may
//! leave out; it compares with the shares that are left if all of them are. A value of which the first pass leaves out much is left out as a whole, if that is
//! not too many: the few that are left would be in classes as large as before. Nobody's share can then be lower in the published file, and
//! what a class may have of a value only falls with its share, so that every class holds.

use shoal_core::Progress;

use super::class::{Class, Member, cheapest, pooled};
use super::class_rule::{ClassRule, Known};
use super::construct::thin_out;
use super::ladder::{Combination, Ladder, combinations};
use super::looks::Looks;
use super::peel::{Parts, Peeled, Peeler};
use super::space::{Space, WHOLE};
use super::tuning::Tuning;
use crate::table::conditions::{Conditions, Tally};
use crate::table::points::Points;

/// What peeling starts from.
pub(super) struct LeftOut<'a> {
    pub(super) space: &'a Space,
    pub(super) points: &'a Points,
    pub(super) ladders: &'a [Ladder],
    pub(super) progress: &'a dyn Progress,
}

/// Classes of most records, the others, and the conditions among those that have a class.
pub(super) struct Started<'a> {
    pub(super) classes: Vec<Class>,
    pub(super) out: Vec<Member>,
    pub(super) conditions: Conditions<'a>,
}

impl LeftOut<'_> {
    /// Classes, and up to `most` records in none. Nothing where crowds cannot be trimmed under these conditions, where more would be left out, or where some class would
    /// not hold among those that are published.
    pub(super) fn construct<'a>(&self, conditions: &Conditions<'a>, most: u32) -> Option<Started<'a>> {
        if !conditions.only_bounds_shares() {
            return None;
        }
        let combinations = combinations(self.ladders);
        let levels = thin_out(&combinations, self.space.len());
        let any = vec![most; conditions.trimming()?.nobody().len()];
        let (_, wanted) = self.peel(conditions, &levels, &any, most)?;
        let everybody: Vec<Member> = (0..self.space.len() as u32)
            .map(|point| Member { point, count: self.space.weight(point) })
            .collect();
        let having = self.by_value(conditions, &everybody)?;
        let with_margin = |count: u32| count + count / Tuning::LEFT_OUT_MARGIN_DIVISOR;
        let may_be_all =
            |(&wanted, &having): (&u32, &u32)| match wanted > having / Tuning::LEFT_OUT_WHOLE_DIVISOR {
                true => having,
                false => with_margin(wanted),
            };
        let whole_values = wanted.iter().zip(&having).map(may_be_all).collect::<Vec<u32>>();
        let parts_only = wanted.iter().map(|&count| with_margin(count)).collect::<Vec<u32>>();
        // Whole values may be more than may be left out.
        let plans = [whole_values, parts_only];
        plans.iter().find_map(|may| self.second_pass(conditions, &levels, may, most))
    }

    /// Classes in which each value is as rare as if as many as `may` be were left out.
    fn second_pass<'a>(
        &self,
        conditions: &Conditions<'a>,
        levels: &[&Combination],
        may: &[u32],
        most: u32,
    ) -> Option<Started<'a>> {
        let rarer = conditions.against(&self.without(conditions, may)?);
        let (peeled, _) = self.peel(&rarer, levels, may, most)?;
        let Peeled { mut classes, out, .. } = peeled;
        let out = self.put_back(&rarer, &mut classes, &out);
        // That the rest could have been a class does not mean that it has become one.
        if out.iter().map(|m| u64::from(m.count)).sum::<u64>() > u64::from(most) {
            return None;
        }
        let mut published = conditions.tally();
        classes.iter().for_each(|class| published.merge(&self.tally(conditions, &class.members)));
        let conditions = conditions.against(&published);
        let hold = |class: &Class| conditions.hold(&self.tally(&conditions, &class.members));
        classes.iter().all(hold).then_some(Started { classes, out, conditions })
    }

    /// Peels everybody, and counts those in no class by their value.
    fn peel(
        &self,
        conditions: &Conditions<'_>,
        levels: &[&Combination],
        may: &[u32],
        most: u32,
    ) -> Option<(Peeled, Vec<u32>)> {
        let &LeftOut { space, points, ladders, progress } = self;
        let trimming = conditions.trimming()?;
        let rule = ClassRule::of(conditions, points, progress);
        let parts = Some(Parts { trimming: &trimming, most_out: may, most_out_in_all: most });
        let looks = Looks::of(ladders, points);
        let peeler = Peeler { space, rule: &rule, points, looks: &looks, parts };
        let everybody: Vec<u32> = (0..space.len() as u32).collect();
        let peeled = peeler.peel(&everybody, levels);
        let out = self.by_value(conditions, &peeled.out)?;
        Some((peeled, out))
    }

    /// How many records have each value.
    fn by_value(&self, conditions: &Conditions<'_>, members: &[Member]) -> Option<Vec<u32>> {
        let trimming = conditions.trimming()?;
        let mut counts = trimming.nobody();
        for m in members {
            counts[trimming.value(self.points.rows(m.point as usize)[0])] += m.count;
        }
        Some(counts)
    }

    /// Everybody, with some records of each value that have another one. Their number stays: the fewer are left out in the end, the
    /// more there are to share the values among.
    fn without(&self, conditions: &Conditions<'_>, may: &[u32]) -> Option<Tally> {
        let trimming = conditions.trimming()?;
        let mut may = may.to_vec();
        let mut tally = conditions.tally();
        for point in 0..self.space.len() as u32 {
            let row = self.points.rows(point as usize)[0];
            let may = &mut may[trimming.value(row)];
            let gone = self.space.weight(point).min(*may);
            *may -= gone;
            tally.grow(gone);
            conditions.add(&mut tally, row, self.space.weight(point) - gone);
        }
        Some(tally)
    }

    /// Puts records back into classes that can take them, where that costs less than leaving them out.
    fn put_back(&self, conditions: &Conditions<'_>, classes: &mut [Class], out: &[Member]) -> Vec<Member> {
        let rule = ClassRule::of(conditions, self.points, self.progress);
        let mut left = Vec::new();
        // One by one: a class that cannot take all records of a point may take some.
        let records =
            out.iter().flat_map(|m| std::iter::repeat_n(Member { count: 1, ..*m }, m.count as usize));
        let known = Known::nothing_of(classes.len());
        for m in records {
            rule.check_cancelled();
            let takes = |c: usize| rule.takes(&classes[c], m.point, m.count, &mut known[c].borrow_mut());
            match cheapest(self.space, classes, m, takes) {
                Some((added, class)) if added < u64::from(WHOLE) => {
                    classes[class].add(self.space, m.point, m.count);
                    known[class].take();
                }
                _ => left.push(m),
            }
        }
        pooled(left)
    }

    fn tally(&self, conditions: &Conditions<'_>, members: &[Member]) -> Tally {
        let mut tally = conditions.tally();
        members
            .iter()
            .for_each(|m| conditions.add(&mut tally, self.points.rows(m.point as usize)[0], m.count));
        tally
    }
}
