//! Improves classes without looking at values: near classes exchange records of the same column, and some are pooled
//! and cut again.

use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{Progress, mix};

use super::class::{Class, Member, loss};
use super::cut::{Cutter, Part};
use super::exchange::Exchange;
use crate::table::ribbon::neighbours::Neighbours;
use crate::table::ribbon::rng::Rng;
use crate::table::ribbon::space::Space;

/// How much work goes into improvement.
struct Tuning {
    /// How many near classes are looked at together. Every pair of them is tried, so that the time is the square of it.
    piece: usize,
    /// How many rounds, each with other pieces …
    rounds: u32,
    /// … and how many where there are more than `many` records: a round then takes seconds.
    few_rounds: u32,
    many: usize,
    /// How often every pair of a piece is tried in a round.
    sweeps: usize,
    /// How often each class of a piece, on average, is pooled with others.
    pooled: usize,
    /// Pools are not larger than this many records.
    pool: usize,
}

/// First guesses: none of them has been tuned on data yet.
const TUNING: Tuning =
    Tuning { piece: 24, rounds: 12, few_rounds: 2, many: 200_000, sweeps: 3, pooled: 4, pool: 2000 };

/// Improves the classes in rounds. `buckets` are the columns of each bucket, by their numbers.
pub(super) fn improve(
    space: &Space,
    k: usize,
    buckets: &[Range<u32>],
    classes: &mut Vec<Class>,
    seed: u64,
    progress: &dyn Progress,
) {
    let records: usize = classes.iter().map(Class::size).sum();
    let rounds = if records > TUNING.many { TUNING.few_rounds } else { TUNING.rounds };
    progress.stage("improving", u64::from(rounds));
    for round in 0..rounds {
        let before = loss(classes);
        if before == 0 {
            return;
        }
        one_round(space, k, buckets, classes, mix(seed.wrapping_add(1 + u64::from(round))), progress);
        progress.advance(1);
        // After a round that gained less than 0.01 % the next ones are not worth their time.
        if (before - loss(classes)) < before / 10_000 {
            return;
        }
    }
}

fn one_round(
    space: &Space,
    k: usize,
    buckets: &[Range<u32>],
    classes: &mut Vec<Class>,
    seed: u64,
    progress: &dyn Progress,
) {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    let cover = |class: u32| &classes[class as usize].cover[..];
    let may = |_: &[u32]| {
        progress.check();
        true
    };
    let sizes = Neighbours { space, cover, may, most: TUNING.piece }.group(&mut order, seed);
    let mut taken: Vec<Option<Class>> = std::mem::take(classes).into_iter().map(Some).collect();
    let mut arranged = order.iter().filter_map(|&class| taken[class as usize].take());
    let pieces: Vec<Vec<Class>> = sizes.iter().map(|&size| arranged.by_ref().take(size).collect()).collect();
    let better: Vec<Vec<Class>> = pieces
        .into_par_iter()
        .enumerate()
        .map(|(number, classes)| {
            let mut piece =
                Piece { space, k, buckets, classes, rng: Rng::new(seed, number as u64), progress };
            piece.improve();
            piece.classes
        })
        .collect();
    *classes = better.into_iter().flatten().collect();
}

/// Classes that are near to each other.
struct Piece<'a> {
    space: &'a Space,
    k: usize,
    buckets: &'a [Range<u32>],
    classes: Vec<Class>,
    rng: Rng,
    progress: &'a dyn Progress,
}

impl Piece<'_> {
    fn improve(&mut self) {
        self.exchange();
        for _ in 0..TUNING.pooled * self.classes.len() {
            self.progress.check();
            self.pool();
        }
        self.exchange();
    }

    /// Tries every pair of classes while there is something to gain, a few times.
    fn exchange(&mut self) {
        let mut exchange = Exchange::new(self.space, std::mem::take(&mut self.classes));
        for _ in 0..TUNING.sweeps {
            if !exchange.sweep(self.progress) {
                break;
            }
        }
        self.classes = exchange.into_classes();
    }

    /// Pools a class and some of its nearest, and cuts them again; kept if less is lost.
    fn pool(&mut self) {
        let Some(first) = self.pick_costly() else { return };
        // A pool must have equally many records of each column of one bucket, or it could not be cut.
        let Some(bucket) = self.bucket_of(&self.classes[first]) else { return };
        let more = 1 + self.rng.below(3);
        let cover = &self.classes[first].cover;
        let mut near: Vec<(u32, usize)> = (0..self.classes.len())
            .filter(|&at| at != first && self.bucket_of(&self.classes[at]) == Some(bucket))
            .map(|at| (self.space.union_cost(cover, &self.classes[at].cover), at))
            .collect();
        near.sort_unstable();
        let mut chosen: Vec<usize> = near.iter().take(more).map(|near| near.1).chain([first]).collect();
        let records: usize = chosen.iter().map(|&at| self.classes[at].size()).sum();
        if chosen.len() < 2 || records > TUNING.pool {
            return;
        }
        let columns = self.buckets[bucket].clone();
        let mut part = Part { columns: vec![Vec::new(); columns.len()] };
        for &Member { slot, point } in chosen.iter().flat_map(|&at| &self.classes[at].members) {
            part.columns[(slot - columns.start) as usize].push(point);
        }
        let cutter =
            Cutter { space: self.space, depth: self.k.div_ceil(columns.len()), progress: self.progress };
        let mut parts = Vec::new();
        cutter.cut_at_random(part, &mut self.rng, &mut parts);
        let made: Vec<Class> =
            parts.iter().map(|part| Class::of_part(self.space, part, columns.start)).collect();
        let before: u64 = chosen.iter().map(|&at| self.classes[at].loss()).sum();
        if loss(&made) < before {
            chosen.sort_unstable();
            // From the back: `swap_remove` then moves no class that is still to go.
            chosen.iter().rev().for_each(|&at| drop(self.classes.swap_remove(at)));
            self.classes.extend(made);
        }
    }

    /// The costlier of two random classes, unless it costs nothing.
    fn pick_costly(&mut self) -> Option<usize> {
        let all = self.classes.len();
        if all < 2 {
            return None;
        }
        let (x, y) = (self.rng.below(all), self.rng.below(all));
        let first = if self.classes[x].cost >= self.classes[y].cost { x } else { y };
        (self.classes[first].cost > 0).then_some(first)
    }

    /// The bucket that all records of a class come from, if it is one.
    fn bucket_of(&self, class: &Class) -> Option<usize> {
        let (first, last) = (class.members.first()?.slot, class.members.last()?.slot);
        let bucket = self.buckets.partition_point(|columns| columns.end <= first);
        self.buckets[bucket].contains(&last).then_some(bucket)
    }
}
