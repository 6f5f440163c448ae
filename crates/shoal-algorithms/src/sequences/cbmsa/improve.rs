//! Finished crowds exchange people as long as less is lost by it.
//!
//! The agglomeration takes no merge back, so people end up in crowds that were near when they were small, or that were the
//! only ones left. In a pass everybody first looks for the nearest crowd but their own, on all cores. Then, in turn,
//! each crowd tries to come to terms with those that its members have found: two small crowds are cut anew in
//! the best way (see `recut.rs`), between larger ones somebody moves or two people change places (see `exchange.rs`).
//! Every step lowers the loss and leaves crowds that keep the promise. The next pass is for the members of crowds that
//! have changed.

use std::collections::BTreeSet;

use rayon::prelude::*;
use shoal_core::Progress;

use super::exchange::{Exchange, Loose};
use super::people::People;
use super::recut::{SMALL, recut};
use crate::sequences::Work;
use crate::sequences::agglomeration::{Clustering, Original};
use crate::sequences::alignment::Aligned;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::Numbered;
use crate::sequences::nearest::{Kind, Search, Space};
use crate::sequences::pool::Pool;

/// How many passes there are at most; later ones find next to nothing.
const PASSES: usize = 4;

/// From how many times k people on a crowd is large, see [`is_large`].
const LARGE: usize = 4;

/// Lowers the loss of finished crowds.
pub(super) fn improve(clustering: &mut Clustering, original: &Original, search: &Search<'_, Aligned>) {
    let people = People::new(original, search);
    let mut crowds = Crowds::new(std::mem::take(&mut clustering.finished));
    for _ in 0..PASSES {
        if crowds.changed.is_empty() {
            break;
        }
        crowds.split(&people, &mut clustering.work);
        let wishes = crowds.wishes(&people, &mut clustering.work);
        // From here on it collects the crowds of the next pass.
        crowds.changed.clear();
        crowds.fulfil(wishes, &people, &mut clustering.work);
    }
    clustering.finished = crowds.all;
}

/// The crowds by their numbers.
struct Crowds {
    all: Vec<Option<Cluster>>,
    /// Those that are not as they were before the last pass.
    changed: BTreeSet<u32>,
    /// For crowds that were asked before, whom they would give away.
    loose: Vec<Option<Vec<Loose>>>,
}

/// Somebody of a crowd would like to be in another one.
struct Wish {
    person: u32,
    crowd: u32,
    other: u32,
}

impl Crowds {
    fn new(all: Vec<Option<Cluster>>) -> Crowds {
        let changed = (0..all.len() as u32).filter(|&id| all[id as usize].is_some()).collect();
        Crowds { loose: vec![None; all.len()], all, changed }
    }

    /// Cuts small crowds into several where that is better.
    fn split(&mut self, people: &People<'_>, work: &mut Work) {
        let k = people.search.limits.k;
        for id in self.changed.clone() {
            people.search.progress.check();
            let Some(crowd) = &self.all[id as usize] else { continue };
            // Fewer than 2k people cannot be two crowds.
            if (2 * k..=SMALL).contains(&crowd.size())
                && let Some(parts) = recut(&[crowd], people, work)
            {
                self.replace(&[id], parts);
            }
        }
    }

    /// What the members of changed crowds find when they look around. Nobody does who loses nothing.
    fn wishes(&self, people: &People<'_>, work: &mut Work) -> Vec<Wish> {
        let search = people.search;
        let mut pool = Pool::default();
        let mut seekers = Vec::new();
        let mut others = 0;
        for (id, crowd) in (0..).zip(&self.all) {
            let Some(crowd) = crowd else { continue };
            pool.add(id, crowd, search.costs, search.signatures);
            others += 1;
            if self.changed.contains(&id) && people.loss(crowd) > 0 && !is_large(crowd, people) {
                seekers.extend(crowd.members.iter().map(|&person| (person, id)));
            }
        }
        let look = |space: &mut Space, (person, crowd): (u32, u32)| {
            let alone = people.alone(person);
            let seeker = Numbered { id: NEWCOMER, cluster: &alone };
            let (nearest, aligned) = search.nearest(seeker, &pool, &self.all, Kind::AnyBut(crowd), space);
            (nearest.map(|(_, other)| Wish { person, crowd, other }), aligned)
        };
        let found: Vec<(Option<Wish>, u64)> =
            seekers.into_par_iter().with_min_len(search.grain).map_init(Space::default, look).collect();
        found.iter().for_each(|&(_, aligned)| work.count(others - 1, aligned));
        found.into_iter().filter_map(|(wish, _)| wish).collect()
    }

    /// Lets each wish change the two crowds for the better, if it can. Small crowds are tried once.
    fn fulfil(&mut self, wishes: Vec<Wish>, people: &People<'_>, work: &mut Work) {
        let mut tried = BTreeSet::new();
        for Wish { person, crowd, other } in wishes {
            people.search.progress.check();
            let (Some(one), Some(two)) = (&self.all[crowd as usize], &self.all[other as usize]) else {
                continue;
            };
            let better = if one.size() + two.size() > SMALL {
                // Asked once for each crowd: `replace` forgets the answer when the crowd changes.
                let loose = self.loose[other as usize].get_or_insert_with(|| {
                    if is_large(two, people) { Vec::new() } else { Loose::of(two, people) }
                });
                Exchange { one, two, loose, people }.best(person, work).map(Vec::from)
            } else if tried.insert((crowd.min(other), crowd.max(other))) {
                recut(&[one, two], people, work)
            } else {
                None
            };
            if let Some(better) = better {
                self.replace(&[crowd, other], better);
            }
        }
    }

    /// Puts crowds in the place of others. Where there are more, the last get new numbers.
    fn replace(&mut self, before: &[u32], after: Vec<Cluster>) {
        for &id in before {
            self.all[id as usize] = None;
            self.loose[id as usize] = None;
            self.changed.remove(&id);
        }
        let new = self.all.len() as u32..;
        for (id, crowd) in before.iter().copied().chain(new).zip(after) {
            if id as usize == self.all.len() {
                self.all.push(None);
                self.loose.push(None);
            }
            self.all[id as usize] = Some(crowd);
            self.changed.insert(id);
        }
    }
}

/// A crowd of many times k people is one of people who are alike, and a few who have joined them. It takes others
/// in, but all its members are not asked: that would take the square of their number.
fn is_large(crowd: &Cluster, people: &People<'_>) -> bool {
    crowd.size() > LARGE * people.search.limits.k
}

/// Younger than any crowd, so that all are searched.
const NEWCOMER: u32 = u32::MAX;
