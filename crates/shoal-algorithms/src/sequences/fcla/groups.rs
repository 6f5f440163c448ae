//! Microaggregation: people with similar sequences stand together, at least k of them, and no sensitive value is too
//! frequent among them.
//!
//! This is MDAV (maximum distance to average vector). From afar comes a person r, the farthest from a centre, who
//! takes the k − 1 nearest along; then the farthest from r does the same; and so on until fewer than 2k are left.
//! Distances are the losses of publishing two sequences as one. They are computed a row at a time, when one
//! is needed, and only to those who have no cluster yet (see `free.rs`). Many people are cut into blocks first.

use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{Progress, Unseen};

use crate::sequences::Work;
use crate::sequences::blocks::{self, BlockSizes, Plan, Room, Units};
use crate::sequences::cluster::Cluster;
use crate::sequences::costs::Costs;
use crate::sequences::limits::Limits;
use crate::sequences::matching::{Matching, Numbered, Query};

use super::Distance;
use super::free::{Free, Reach};
use super::growth::{Group, MOST_CROWDS};
use crate::sequences::terms::{Tally, Terms};

/// All people, each as a cluster alone.
#[derive(Debug)]
pub(super) struct People<'a> {
    pub(super) costs: &'a Costs,
    pub(super) events_of: Vec<Range<usize>>,
    /// What clusters need to know about shares: nothing, the terms know it.
    pub(super) limits: Limits,
    alone: Vec<Cluster>,
    progress: Unseen<'a>,
    /// How many distances a thread computes at least before another one helps.
    pub(super) grain: usize,
}

/// Fewer distances are computed before another thread has begun.
pub(super) const GRAIN: usize = 256;

/// People as they are put into blocks.
struct Persons<'a> {
    people: &'a People<'a>,
    terms: &'a Terms,
    everybody: Tally,
}

impl Units for Persons<'_> {
    fn count(&self) -> usize {
        self.people.events_of.len()
    }

    fn events(&self, unit: u32) -> &[u32] {
        &self.people.alone(unit).events
    }

    fn fit(&self, units: &[u32], room: Room) -> bool {
        let (some, _) = without_hopeless(units, self.terms);
        self.terms.leave_room(&self.terms.tally(&some), &self.everybody, room)
    }
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
        People { costs, events_of, limits, alone, progress: Unseen(progress), grain: GRAIN }
    }

    /// One person as a cluster.
    pub(super) fn alone(&self, person: u32) -> &Cluster {
        &self.alone[person as usize]
    }

    /// What searches report to.
    pub(super) fn progress(&self) -> Unseen<'a> {
        self.progress
    }

    /// Asked in long loops: leaves the work where it was cancelled.
    pub(super) fn check_wanted(&self) {
        self.progress.check();
    }

    /// Blocks of near people.
    pub(super) fn blocks(&self, terms: &Terms, sizes: BlockSizes) -> Plan {
        let everybody: Vec<u32> = (0..self.events_of.len() as u32).collect();
        let everybody = terms.tally(&everybody);
        blocks::plan(&Persons { people: self, terms, everybody }, self.costs, sizes, &BTreeSet::new())
    }

    /// How far some others are from a person.
    pub(super) fn row(&self, from: u32, others: &[u32], distance: Distance, work: &mut Work) -> Vec<Far> {
        self.check_wanted();
        work.alignments_computed += others.len() as u64;
        let mut heights = Vec::new();
        let query = Query::new(Numbered { id: from, cluster: self.alone(from) }, self.costs, &mut heights);
        let far = |line: &mut Vec<i64>, &person: &u32| {
            let other = Numbered { id: person, cluster: self.alone(person) };
            let loss = distance.distance(&query, other, self.costs, i64::MAX, line);
            (loss.unwrap_or(i64::MAX), person)
        };
        others.par_iter().with_min_len(self.grain).map_init(Vec::new, far).collect()
    }
}

/// Everybody in groups that keep the terms, block by block. Each block is all that its people know of others.
pub(super) fn group_blocks(
    blocks: &[Vec<u32>],
    people: &People<'_>,
    terms: &Terms,
    distance: Distance,
    progress: &dyn Progress,
    work: &mut Work,
) -> Vec<Group> {
    progress.stage("grouping", people.events_of.len() as u64);
    let grouped = blocks::each(
        blocks.iter().collect(),
        |block: &&Vec<u32>| block.len(),
        |block| {
            let mut work = Work::default();
            let reach = if blocks.len() > 1 { Reach::Index } else { Reach::Everybody };
            let mut groups = group(block, reach, people, terms, distance, progress, &mut work);
            if groups.is_empty() && blocks.len() > 1 {
                // It would not be a block if these did not keep the terms as one group.
                let (people, hidden) = without_hopeless(block, terms);
                groups.extend(terms.kept(&terms.tally(&people)).then_some(Group { people, hidden }));
            }
            (groups, work)
        },
    );
    let mut groups = Vec::new();
    for (more, spent) in grouped {
        groups.extend(more);
        *work += spent;
    }
    groups
}

/// Those who can be published in a group of any size that there is, and those who cannot: they have a value that is too rare.
fn without_hopeless(people: &[u32], terms: &Terms) -> (Vec<u32>, Vec<u32>) {
    let largest = MOST_CROWDS * terms.k as f64;
    people.iter().partition(|&&person| !terms.is_hopeless(person, largest))
}

/// One block, or everybody where there is only one.
fn group(
    everybody: &[u32],
    reach: Reach,
    people: &People<'_>,
    terms: &Terms,
    distance: Distance,
    progress: &dyn Progress,
    work: &mut Work,
) -> Vec<Group> {
    let mut outermost = people.row(centre(people, everybody, distance, work), everybody, distance, work);
    outermost.sort_unstable_by_key(|&(far, person)| (std::cmp::Reverse(far), person));
    let mut outermost = outermost.into_iter().map(|(_, person)| person);

    let mut free = Free::new(everybody, reach, people, distance);
    let mut groups = Vec::new();
    let mut seed = None;
    // With fewer than 2k left, a group of k would leave too few for another one.
    while free.people.len() >= 2 * terms.k {
        // Groups alternate, as in MDAV: one around the outermost person, one around whoever is farthest from that person.
        let first = seed.is_none();
        let Some(from) = seed.take().or_else(|| outermost.find(|&person| free.has(person))) else {
            break;
        };
        let Some((group, row)) = free.around(from, terms, work) else { break };
        free.take(&group);
        progress.advance(group.everybody().count() as u64);
        if first {
            seed = free.farthest(from, row, work);
        }
        groups.push(group);
    }
    place(free.people, &mut groups, people, terms, distance, work);
    groups
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
