//! What becomes of the records that are left, where more is promised than k.

use rayon::prelude::*;
use shoal_core::Progress;

use super::cluster::{Clusters, Record, UNPLACED};
use super::gather::Gathered;
use super::params::Remainder;
use super::remainder::in_steps;
use crate::table::conditions::{Conditions, Tally};
use crate::table::points::Points;
use crate::table::recode::{Cover, Recoder};

/// Finds a class for each record that is left, or leaves it out. All classes hold in the end.
pub(super) fn settle(
    gathered: Gathered,
    points: &Points,
    recoder: &Recoder<'_>,
    remainder: Remainder,
    conditions: &Conditions<'_>,
    progress: &dyn Progress,
) -> Clusters {
    let Gathered { classes, left } = gathered;
    let rows = left.len() + classes.iter().map(Vec::len).sum::<usize>();
    let crowd = |members: &Vec<Record>| Crowd::of(members, points, recoder, conditions);
    let list = classes.par_iter().inspect(|_| progress.check()).map(crowd).collect();
    let mut crowds = Crowds { points, recoder, conditions, progress, list };
    match remainder {
        // All together hold.
        _ if classes.is_empty() => crowds.list.push(crowd(&left)),
        Remainder::Suppress => return without(crowds, rows),
        Remainder::Last => {
            let last = classes.len() - 1;
            left.iter().for_each(|&record| crowds.join(record, last));
            crowds.repair(last);
        }
        Remainder::Nearest => {
            for record in left {
                let nearest = crowds.nearest_to_record(record);
                crowds.join(record, nearest);
                crowds.repair(nearest);
            }
        }
    }
    crowds.publish(rows)
}

/// The rest is left out, and the classes must hold against themselves alone. They are merged until they do;
/// that changes nothing about the distribution that they are compared with.
fn without(crowds: Crowds<'_>, rows: usize) -> Clusters {
    let mut published = crowds.conditions.tally();
    crowds.list.iter().for_each(|crowd| published.merge(&crowd.tally));
    let conditions = crowds.conditions.against(&published);
    let mut crowds = Crowds { conditions: &conditions, ..crowds };
    while let Some(at) = crowds.list.iter().position(|crowd| !conditions.hold(&crowd.tally)) {
        if crowds.list.len() == 1 {
            // Only where people are counted: what holds in parts need not do so together. Then nobody is published.
            crowds.list.clear();
            break;
        }
        crowds.repair(at);
    }
    crowds.publish(rows)
}

struct Crowds<'a> {
    points: &'a Points,
    recoder: &'a Recoder<'a>,
    conditions: &'a Conditions<'a>,
    progress: &'a dyn Progress,
    list: Vec<Crowd>,
}

/// A class with what it covers.
struct Crowd {
    members: Vec<Record>,
    tally: Tally,
    covers: Vec<Cover>,
    cost: f64,
}

impl Crowds<'_> {
    /// The class that loses least by one more member, among those that hold with it if there are any.
    fn nearest_to_record(&self, record: Record) -> usize {
        let point = self.points.point(record.point as usize);
        self.least(|_, crowd| {
            let mut tally = crowd.tally.clone();
            self.conditions.add(&mut tally, record.row, 1);
            let after = (crowd.members.len() + 1) as f64 * self.recoder.cost_with(&crowd.covers, point);
            Some((!self.conditions.hold(&tally), in_steps(after - crowd.loss())))
        })
    }

    fn join(&mut self, record: Record, class: usize) {
        let crowd = &mut self.list[class];
        self.conditions.add(&mut crowd.tally, record.row, 1);
        crowd.cover(record, self.points, self.recoder);
        crowd.cost = self.recoder.cost(&crowd.covers);
        crowd.members.push(record);
    }

    /// Merges a class with others until it holds: each time the one that loses least, among those with which
    /// it holds if there are any.
    fn repair(&mut self, class: usize) {
        let mut class = class;
        while self.list.len() > 1 && !self.conditions.hold(&self.list[class].tally) {
            let other = self.nearest_to_class(class);
            let taken = self.list.remove(class.max(other));
            class = class.min(other);
            self.list[class] = self.union(&self.list[class], &taken);
        }
    }

    fn nearest_to_class(&self, class: usize) -> usize {
        let own = &self.list[class];
        self.least(|at, crowd| {
            (at != class).then(|| {
                let union = self.union(own, crowd);
                let added = union.loss() - own.loss() - crowd.loss();
                (!self.conditions.hold(&union.tally), in_steps(added))
            })
        })
    }

    fn union(&self, a: &Crowd, b: &Crowd) -> Crowd {
        let mut union =
            Crowd { members: a.members.clone(), tally: a.tally.clone(), covers: a.covers.clone(), cost: 0.0 };
        union.members.extend(&b.members);
        union.tally.merge(&b.tally);
        b.members.iter().for_each(|&record| union.cover(record, self.points, self.recoder));
        union.cost = self.recoder.cost(&union.covers);
        union
    }

    /// The first of those with the least rank.
    fn least(&self, rank: impl Fn(usize, &Crowd) -> Option<(bool, i64)> + Sync) -> usize {
        let ranked = self.list.par_iter().enumerate().with_min_len(64).inspect(|_| self.progress.check());
        let ranks = ranked.filter_map(|(at, crowd)| rank(at, crowd).map(|rank| (rank, at)));
        ranks.min().map_or(0, |(_, at)| at)
    }

    fn publish(self, rows: usize) -> Clusters {
        let mut class_of = vec![UNPLACED; rows];
        for (class, crowd) in self.list.iter().enumerate() {
            crowd.members.iter().for_each(|record| class_of[record.row as usize] = class as u32);
        }
        let points = |crowd: Crowd| crowd.members.iter().map(|record| record.point).collect();
        Clusters { class_of, members: self.list.into_iter().map(points).collect(), left: Vec::new() }
    }
}

impl Crowd {
    fn of(members: &[Record], points: &Points, recoder: &Recoder<'_>, conditions: &Conditions<'_>) -> Crowd {
        let tally = conditions.tally_of(members.iter().map(|record| &record.row));
        let mut crowd = Crowd { members: members.to_vec(), tally, covers: recoder.nothing(), cost: 0.0 };
        members.iter().for_each(|&record| crowd.cover(record, points, recoder));
        crowd.cost = recoder.cost(&crowd.covers);
        crowd
    }

    fn cover(&mut self, record: Record, points: &Points, recoder: &Recoder<'_>) {
        recoder.add(&mut self.covers, points.point(record.point as usize));
    }

    /// What all members lose together.
    fn loss(&self) -> f64 {
        self.members.len() as f64 * self.cost
    }
}
