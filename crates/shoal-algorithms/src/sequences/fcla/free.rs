//! Those who have no group yet, and who of them is near or far.
//!
//! Where everybody is one block, a row of distances to all of them says both, and the farthest is the farthest. Among the people of one
//! block of many, the nearest are found in an index with exact bounds, so that most of the others are never aligned, and
//! the farthest is that of an even sample: it only has to begin a group on the other side.

use crate::sequences::Work;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::Numbered;
use crate::sequences::nearest::{Search, Space};
use crate::sequences::pool::Pool;
use crate::sequences::signature::Signatures;
use crate::sequences::terms::Terms;

use super::Distance;
use super::groups::{Far, People};
use super::growth::{Group, Grown, grow};

/// How the nearest and the farthest are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// By the distances to everybody.
    Everybody,
    /// By an index and a sample.
    Index,
}

/// Those of some people who have no group yet.
pub(super) struct Free<'a> {
    /// Ascending.
    pub(super) people: Vec<u32>,
    /// All of them, ascending, and whether they are free.
    everybody: &'a [u32],
    is_free: Vec<bool>,
    known: &'a People<'a>,
    distance: Distance,
    index: Option<Index>,
}

/// Those who are free, by what they have.
struct Index {
    signatures: Signatures,
    pool: Pool,
    /// By place among everybody, which is the number in the pool.
    alone: Vec<Option<Cluster>>,
    space: Space,
}

impl<'a> Free<'a> {
    /// Everybody is free.
    pub(super) fn new(
        everybody: &'a [u32],
        reach: Reach,
        known: &'a People<'a>,
        distance: Distance,
    ) -> Free<'a> {
        let index = (reach == Reach::Index).then(|| Index::new(everybody, known));
        let is_free = vec![true; everybody.len()];
        Free { people: everybody.to_vec(), everybody, is_free, known, distance, index }
    }

    /// Whether somebody is free.
    pub(super) fn has(&self, person: u32) -> bool {
        self.place(person).is_some_and(|at| self.is_free[at])
    }

    /// The group that grows around somebody, and the row of distances to everybody, as far as it was computed.
    pub(super) fn around(&mut self, from: u32, terms: &Terms, work: &mut Work) -> Option<(Group, Vec<Far>)> {
        if self.index.is_some() {
            // The k nearest are enough for most groups; where a sensitive value must be diluted, some more are.
            for most in [terms.k, NEAR_CROWDS * terms.k] {
                let mut row = self.nearest(from, most, work);
                match grow(from, &mut row, false, terms) {
                    Grown::Group(group) => return Some((group, row)),
                    Grown::TooFew | Grown::NeedsMore => {}
                }
            }
        }
        let mut row = self.known.row(from, &self.people, self.distance, work);
        match grow(from, &mut row, true, terms) {
            Grown::Group(group) => Some((group, row)),
            Grown::TooFew | Grown::NeedsMore => None,
        }
    }

    /// Somebody and the nearest who are free, the nearest first.
    fn nearest(&mut self, from: u32, most: usize, work: &mut Work) -> Vec<Far> {
        let candidates = self.people.len() - 1;
        let Some(index) = &mut self.index else { return Vec::new() };
        let search = Search {
            costs: self.known.costs,
            limits: &self.known.limits,
            signatures: &index.signatures,
            matching: &self.distance,
            progress: self.known.progress(),
            grain: 1,
        };
        // Younger than all in the pool, of which one is this person.
        let of = Numbered { id: u32::MAX, cluster: self.known.alone(from) };
        let Index { pool, alone, space, .. } = index;
        let (near, aligned) = search.several(of, pool, alone, most + 1, space);
        work.count(candidates.max(aligned as usize), aligned);
        let others = near.into_iter().map(|(far, at)| (far, self.everybody[at as usize]));
        let mut row = vec![(0, from)];
        row.extend(others.filter(|&(_, person)| person != from).take(most));
        row
    }

    /// Who of those who are still free is farthest from somebody; of those as far the first. A row that goes to all of
    /// them says it.
    pub(super) fn farthest(&self, from: u32, row: Vec<Far>, work: &mut Work) -> Option<u32> {
        let row = if self.index.is_some() {
            let every = self.people.len().div_ceil(SAMPLE).max(1);
            let sample: Vec<u32> = self.people.iter().step_by(every).copied().collect();
            self.known.row(from, &sample, self.distance, work)
        } else {
            row
        };
        let left = row.into_iter().filter(|&(_, person)| self.has(person));
        left.max_by_key(|&(far, person)| (far, std::cmp::Reverse(person))).map(|(_, person)| person)
    }

    /// They have a group now.
    pub(super) fn take(&mut self, group: &Group) {
        for person in group.everybody() {
            let Some(at) = self.place(person) else { continue };
            self.is_free[at] = false;
            if let Some(index) = &mut self.index {
                index.remove(at);
            }
        }
        let is_free = &self.is_free;
        let free = self.everybody.iter().zip(is_free).filter(|(_, is_free)| **is_free);
        self.people.clear();
        self.people.extend(free.map(|(&person, _)| person));
    }

    fn place(&self, person: u32) -> Option<usize> {
        self.everybody.binary_search(&person).ok()
    }
}

/// How many times k of the nearest are looked at before all are.
const NEAR_CROWDS: usize = 8;

/// Among how many the farthest is looked for.
const SAMPLE: usize = 128;

impl Index {
    fn new(everybody: &[u32], known: &People<'_>) -> Index {
        let alone: Vec<Cluster> = everybody.iter().map(|&person| known.alone(person).clone()).collect();
        let signatures = Signatures::new(known.costs, &alone);
        let mut pool = Pool::default();
        for (at, cluster) in (0..).zip(&alone) {
            pool.add(at, cluster, known.costs, &signatures);
        }
        let alone = alone.into_iter().map(Some).collect();
        Index { signatures, pool, alone, space: Space::default() }
    }

    fn remove(&mut self, at: usize) {
        if let Some(cluster) = self.alone[at].take() {
            self.pool.remove(at as u32, &cluster, &self.signatures);
        }
    }
}
