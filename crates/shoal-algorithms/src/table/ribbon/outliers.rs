//! Leaves out the records that cost most, so that the published ones lose less on average.
//!
//! A few records far from all others cost their whole class its detail. One of them may leave a class that can spare
//! it; a class may be given up, those of its records that cost no more elsewhere going there and the others out; or a
//! whole class leaves. What saves most for each record that is left out comes first, as long as that is more than
//! the published ones lose on average, and no more leave than may.
//!
//! Whether that is worth it is not for an algorithm to say: a record that is left out is lost in every cell, so that all
//! together seldom lose less. The [`OutlierCost`] has both figures.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::class::{Class, Member, cheapest, loss};
use super::class_rule::{ClassRule, Known};
use super::neighbours::Neighbours;
use super::space::{Space, WHOLE};
use super::split::split;
use super::tuning::Tuning;
use crate::OutlierCost;
use crate::table::conditions::Conditions;
use crate::table::points::Points;

/// The gain for each record that is left out, and of which class. The greatest gain is first, then the first class.
type Offer = (u64, Reverse<usize>);

/// What is to be done with a class.
#[derive(Default)]
struct Plan {
    /// How much less the published records lose in all.
    saved: u64,
    out: Vec<Member>,
    /// Who goes where, if the class is given up.
    moves: Vec<(Member, usize)>,
}

impl Plan {
    fn records(&self) -> u64 {
        self.out.iter().map(|m| u64::from(m.count)).sum()
    }

    /// What is saved for each record that is left out; nothing where none is.
    fn each(&self) -> u64 {
        self.saved.checked_div(self.records()).unwrap_or(0)
    }
}

/// What the search for outliers needs to know.
pub(super) struct OutlierSearch<'a> {
    pub(super) space: &'a Space,
    pub(super) rule: &'a ClassRule<'a>,
    pub(super) conditions: &'a Conditions<'a>,
    pub(super) points: &'a Points,
}

impl OutlierSearch<'_> {
    /// Takes up to `most` records out of the classes, the greatest saving for each first, and returns what that gained.
    pub(super) fn leave_out(&self, classes: &mut Vec<Class>, most: u64) -> OutlierCost {
        let everybody: u64 = classes.iter().map(|c| u64::from(c.size)).sum();
        let keeping = loss(classes);
        let groups = self.groups(classes);
        let offer = |classes: &[Class], class: usize| -> Option<Offer> {
            let each = self.plan(classes, class, &groups[class]).each();
            (each > 0).then_some((each, Reverse(class)))
        };
        let mut offers: BinaryHeap<Offer> =
            costliest(classes, most).into_iter().filter_map(|c| offer(classes, c)).collect();
        let mut out: Vec<(usize, Member)> = Vec::new();
        let (mut lost, mut left) = (keeping, most);
        while let Some((each, Reverse(class))) = offers.pop() {
            // Compared with the mean loss of those who are still in: leaving out whoever costs less would raise it.
            if each <= lost / (everybody - (most - left)).max(1) {
                break;
            }
            // Other plans may have changed the neighbours since the offer was made. An offer that got worse goes back
            // into the queue with its new gain; one that got better is as good as first anyway.
            let plan = self.plan(classes, class, &groups[class]);
            if plan.each() < each {
                offers.extend((plan.each() > 0).then(|| (plan.each(), Reverse(class))));
            } else if plan.records() <= left {
                left -= plan.records();
                lost -= plan.saved;
                self.apply(classes, class, &plan);
                out.extend(plan.out.iter().map(|&m| (class, m)));
                offers.extend(offer(classes, class));
            }
        }
        self.put_back(classes, &mut out);
        classes.retain(|class| class.size > 0);
        // Without its outliers a class may well fall into two. What is compared with everybody stays as it was checked.
        if !out.is_empty() && !self.conditions.compare_with_all() {
            let whole = std::mem::take(classes);
            whole.into_iter().for_each(|class| split(self.space, self.rule, class, classes));
        }

        let suppressed: u64 = out.iter().map(|(_, m)| u64::from(m.count)).sum();
        let share = |lost: u64, of: u64| lost as f64 / (f64::from(WHOLE) * of.max(1) as f64);
        let published = loss(classes);
        OutlierCost {
            done: true,
            keeping: Some(share(keeping, everybody)),
            suppressed: suppressed as usize,
            suppressing: share(published + suppressed * u64::from(WHOLE), everybody),
            published: share(published, everybody - suppressed),
        }
    }

    /// The neighbours of each class.
    fn groups(&self, classes: &[Class]) -> Vec<std::rc::Rc<[u32]>> {
        let cover = |class: u32| &classes[class as usize].cover[..];
        let may = |_: &[u32]| {
            self.rule.check_cancelled();
            true
        };
        let near = Neighbours { space: self.space, cover, may, most: Tuning::OUTLIER_NEIGHBOURS };
        let mut order: Vec<u32> = (0..classes.len() as u32).collect();
        let sizes = near.group(&mut order, 0);
        let mut groups: Vec<std::rc::Rc<[u32]>> = vec![std::rc::Rc::from([]); classes.len()];
        let mut start = 0;
        for size in sizes {
            let group = std::rc::Rc::from(&order[start..start + size]);
            order[start..start + size].iter().for_each(|&c| groups[c as usize] = std::rc::Rc::clone(&group));
            start += size;
        }
        groups
    }

    /// The best of three ways. Where classes are compared with everybody, records come back if too many left, and a class
    /// that was given up could not take them in: then only what can be spared leaves.
    fn plan(&self, classes: &[Class], at: usize, neighbours: &[u32]) -> Plan {
        self.rule.check_cancelled();
        let class = &classes[at];
        if class.cost == 0 {
            return Plan::default();
        }
        let mut best = self.without_one(class);
        if !self.conditions.compare_with_all() {
            let whole = Plan { saved: class.loss(), out: class.members.clone(), moves: Vec::new() };
            for other in [self.given_up(classes, at, neighbours), whole] {
                if other.each() > best.each() {
                    best = other;
                }
            }
        }
        best
    }

    /// The member that the class saves most without.
    fn without_one(&self, class: &Class) -> Plan {
        let mut scratch = Vec::new();
        let mut best = Plan::default();
        let mut known = Known::default();
        for (at, &m) in class.members.iter().enumerate() {
            if m.count < class.size && self.rule.spare(class, at, &mut known) == m.count {
                let saved = class.saved(self.space, at, m.count, &mut scratch);
                let plan = Plan { saved, out: vec![m], moves: Vec::new() };
                if plan.each() > best.each() {
                    best = plan;
                }
            }
        }
        best
    }

    /// Every member goes to the cheapest neighbour that takes it, or out where that costs more than it does now.
    fn given_up(&self, classes: &[Class], at: usize, neighbours: &[u32]) -> Plan {
        let others: Vec<usize> =
            neighbours.iter().map(|&c| c as usize).filter(|&c| c != at && classes[c].size > 0).collect();
        let mut grown: Vec<Class> = others.iter().map(|&c| classes[c].clone()).collect();
        let known = Known::nothing_of(grown.len());
        let mut plan = Plan::default();
        let mut paid = 0;
        for &m in &classes[at].members {
            let now = u64::from(m.count) * u64::from(classes[at].cost);
            let takes = |c: usize| self.rule.takes(&grown[c], m.point, m.count, &mut known[c].borrow_mut());
            let target = cheapest(self.space, &grown, m, takes);
            match target.filter(|(added, _)| *added <= now) {
                Some((added, target)) => {
                    grown[target].add(self.space, m.point, m.count);
                    known[target].take();
                    plan.moves.push((m, others[target]));
                    paid += added;
                }
                None => plan.out.push(m),
            }
        }
        plan.saved = classes[at].loss() - paid;
        plan
    }

    fn apply(&self, classes: &mut [Class], class: usize, plan: &Plan) {
        plan.out.iter().for_each(|m| classes[class].take(m.point, m.count));
        for &(m, target) in &plan.moves {
            classes[class].take(m.point, m.count);
            classes[target].add(self.space, m.point, m.count);
        }
        classes[class].refresh(self.space);
    }

    /// Conditions that compare with everybody compare with what is published, which has changed. While some class does not
    /// hold, the later half of those who were left out come back; with all of them back, everything holds as before.
    fn put_back(&self, classes: &mut [Class], out: &mut Vec<(usize, Member)>) {
        while self.conditions.compare_with_all() && !out.is_empty() && !self.all_hold(classes) {
            for (class, m) in out.split_off(out.len() / 2) {
                classes[class].add(self.space, m.point, m.count);
            }
        }
    }

    fn all_hold(&self, classes: &[Class]) -> bool {
        let tally = |class: &Class| {
            self.rule.check_cancelled();
            let mut tally = self.conditions.tally();
            for m in &class.members {
                self.conditions.add(&mut tally, self.points.rows(m.point as usize)[0], m.count);
            }
            tally
        };
        let mut published = self.conditions.tally();
        classes.iter().for_each(|class| published.merge(&tally(class)));
        let now = self.conditions.against(&published);
        classes.iter().all(|class| now.hold(&tally(class)))
    }
}

/// The classes whose records cost most, with some times more records than may be left out.
fn costliest(classes: &[Class], most: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..classes.len()).filter(|&c| classes[c].cost > 0).collect();
    order.sort_by_key(|&c| (Reverse(classes[c].cost), c));
    let mut records = 0;
    order.retain(|&c| {
        let enough = records > Tuning::OUTLIER_CANDIDATES * most;
        records += u64::from(classes[c].size);
        !enough
    });
    order
}
