//! Microaggregation: people with similar sequences stand together, at least k of them, and no sensitive value is too
//! frequent among them.
//!
//! This is MDAV (maximum distance to average vector). From afar comes a person r, the farthest from a centre, who
//! takes the k − 1 nearest along; then the farthest from r does the same; and so on until fewer than 2k are left.
//! Distances are the losses of publishing two sequences as one. They are computed a row at a time, when one
//! is needed, and only to those who have no cluster yet.

use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{Progress, Unseen};

use crate::sequences::Work;
use crate::sequences::cluster::Cluster;
use crate::sequences::costs::Costs;
use crate::sequences::limits::Limits;
use crate::sequences::matching::{Matching, Numbered, Query};

use super::Distance;
use super::growth::{Group, grow};
use crate::sequences::terms::Terms;

/// All people, each as a cluster alone.
#[derive(Debug)]
pub(super) struct People<'a> {
    pub(super) costs: &'a Costs,
    pub(super) events_of: Vec<Range<usize>>,
    /// What clusters need to know about shares: nothing, the terms know it.
    pub(super) limits: Limits,
    alone: Vec<Cluster>,
    progress: Unseen<'a>,
}

/// Somebody and how far they are.
pub(super) type Far = (i64, u32);

impl<'a> People<'a> {
    /// Puts everybody alone.
    pub(super) fn new(
        events_of: Vec<Range<usize>>,
        costs: &'a Costs,
        limits: Limits,
        progress: &'a dyn Progress,
    ) -> People<'a> {
        let people = 0..events_of.len() as u32;
        let alone = people.map(|person| Cluster::alike(vec![person], &events_of, costs, &limits)).collect();
        People { costs, events_of, limits, alone, progress: Unseen(progress) }
    }

    /// One person as a cluster.
    pub(super) fn alone(&self, person: u32) -> &Cluster {
        &self.alone[person as usize]
    }

    /// Asked in long loops: leaves the work where it was cancelled.
    pub(super) fn check_wanted(&self) {
        self.progress.check();
    }

    /// How far some others are from a person.
    fn row(&self, from: u32, others: &[u32], distance: Distance, work: &mut Work) -> Vec<Far> {
        self.check_wanted();
        work.alignments_computed += others.len() as u64;
        let mut heights = Vec::new();
        let query = Query::new(Numbered { id: from, cluster: self.alone(from) }, self.costs, &mut heights);
        let far = |line: &mut Vec<i64>, &person: &u32| {
            let other = Numbered { id: person, cluster: self.alone(person) };
            let loss = distance.distance(&query, other, self.costs, i64::MAX, line);
            (loss.unwrap_or(i64::MAX), person)
        };
        others.par_iter().with_min_len(256).map_init(Vec::new, far).collect()
    }
}

/// Everybody in groups that keep the terms.
pub(super) fn group(
    people: &People<'_>,
    terms: &Terms,
    distance: Distance,
    progress: &dyn Progress,
    work: &mut Work,
) -> Vec<Group> {
    let everybody: Vec<u32> = (0..people.events_of.len() as u32).collect();
    progress.stage("grouping", everybody.len() as u64);
    let mut outermost = people.row(centre(people, &everybody, distance, work), &everybody, distance, work);
    outermost.sort_unstable_by_key(|&(far, person)| (std::cmp::Reverse(far), person));
    let mut outermost = outermost.into_iter().map(|(_, person)| person);

    let mut free = Free { is_free: vec![true; everybody.len()], people: everybody };
    let mut groups = Vec::new();
    let mut seed = None;
    // With fewer than 2k left, a group of k would leave too few for another one.
    while free.people.len() >= 2 * terms.k {
        // Groups alternate, as in MDAV: one around the outermost person, one around whoever is farthest from that person.
        let first = seed.is_none();
        let Some(from) = seed.take().or_else(|| outermost.find(|&person| free.is_free[person as usize]))
        else {
            break;
        };
        let mut row = people.row(from, &free.people, distance, work);
        let Some(group) = grow(from, &mut row, terms) else { break };
        free.take(&group);
        progress.advance(group.everybody().count() as u64);
        if first {
            // The farthest from r, of those as far the first.
            let left = row.iter().filter(|&&(_, person)| free.is_free[person as usize]);
            seed = left
                .max_by_key(|&&(far, person)| (far, std::cmp::Reverse(person)))
                .map(|&(_, person)| person);
        }
        groups.push(group);
    }
    place(free.people, &mut groups, people, terms, distance, work);
    groups
}

/// Those who have no group yet, ascending.
#[derive(Debug)]
struct Free {
    people: Vec<u32>,
    is_free: Vec<bool>,
}

impl Free {
    fn take(&mut self, group: &Group) {
        group.everybody().for_each(|person| self.is_free[person as usize] = false);
        self.people.retain(|&person| self.is_free[person as usize]);
    }
}

/// From how many people the centre is chosen. It only has to be somewhere in the middle, and all pairs of everybody would
/// take longer than all that follows.
const SAMPLE: usize = 64;

/// Of some people, evenly taken, the one who is nearest to the others.
fn centre(people: &People<'_>, everybody: &[u32], distance: Distance, work: &mut Work) -> u32 {
    let sample: Vec<u32> =
        everybody.iter().step_by(everybody.len().div_ceil(SAMPLE).max(1)).copied().collect();
    let far = |&person: &u32| {
        let row = people.row(person, &sample, distance, work);
        (row.iter().map(|&(far, _)| far).sum::<i64>(), person)
    };
    sample.iter().map(far).min().map_or(0, |(_, person)| person)
}

/// Those who are left: a group of their own where that keeps the terms, otherwise each joins the group whose first
/// member is nearest, of those that still keep the terms. Who fits nowhere publishes nothing.
fn place(
    left: Vec<u32>,
    groups: &mut Vec<Group>,
    people: &People<'_>,
    terms: &Terms,
    distance: Distance,
    work: &mut Work,
) {
    if left.len() >= terms.k && terms.kept(&terms.tally(&left)) {
        groups.push(Group { people: left, hidden: Vec::new() });
        return;
    }
    let seeds: Vec<u32> = groups.iter().map(|group| group.people[0]).collect();
    let mut tallies: Vec<_> = groups.iter().map(|group| terms.tally(&group.people)).collect();
    for person in left {
        let mut near: Vec<(i64, usize)> =
            people.row(person, &seeds, distance, work).into_iter().map(|(far, _)| far).zip(0..).collect();
        near.sort_unstable();
        if let Some(&(_, at)) = near.iter().find(|&&(_, at)| terms.keeps_with(&tallies[at], person)) {
            terms.add(person, &mut tallies[at]);
            groups[at].people.push(person);
        } else if let Some(&(_, at)) = near.first() {
            groups[at].hidden.push(person);
        }
    }
}
