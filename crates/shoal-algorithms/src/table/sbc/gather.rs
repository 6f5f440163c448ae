//! The loop where more is promised than k: a seed, its nearest, and further ones until the class holds.

use shoal_core::{Column, Progress};

use super::cluster::Record;
use super::distance::Distances;
use super::params::SbcParams;
use super::trie::{Taken, Trie};
use crate::table::conditions::Conditions;
use crate::table::points::Points;

/// After this many seeds in a row that find no class the rest is left over: it has too few of some values. Chosen by
/// hand; not measured.
const MOST_FAILURES: usize = 4;

/// Who belongs together.
pub(super) struct Gathered {
    /// Classes that hold.
    pub(super) classes: Vec<Vec<Record>>,
    /// What is left, in sorted order.
    pub(super) left: Vec<Record>,
}

/// Forms classes that hold. The columns are in order of increasing cardinality and the points are folded in
/// that order.
pub(super) fn gather(
    columns: &[&Column],
    points: &Points,
    params: &SbcParams,
    conditions: &Conditions<'_>,
    progress: &dyn Progress,
) -> Gathered {
    let records: usize = (0..points.len()).map(|point| points.weight(point) as usize).sum();
    progress.stage("clustering", records as u64);
    let k = conditions.k();
    let distances = Distances::new(columns, points, k, params.separate_normalization);
    let trie = Trie::of(points);
    let mut pool = Pool {
        points,
        conditions,
        progress,
        distances,
        trie,
        remaining: records,
        waits: vec![true; records],
    };
    let mut classes = Vec::new();
    let mut left = Vec::new();
    let (mut seed, mut failures) = (0, 0);
    while pool.remaining >= k && failures < MOST_FAILURES {
        while pool.trie.remaining(seed) == 0 {
            seed += 1;
        }
        match pool.class_around(seed) {
            Some(class) => {
                failures = 0;
                class.iter().for_each(|&record| pool.take(record));
                progress.advance(class.len() as u64);
                classes.push(class);
            }
            None => {
                progress.check();
                failures += 1;
                // Only one record of the seed's point is put aside: others of it may have other sensitive values.
                let aside = pool.waiting_on(seed as u32).next();
                left.extend(aside);
                aside.into_iter().for_each(|record| pool.take(record));
            }
        }
    }
    left.extend((seed as u32..points.len() as u32).flat_map(|point| pool.waiting_on(point)));
    // Those that were put aside go between the others, where the sorted order has them.
    left.sort_unstable_by_key(|record| (record.point, record.row));
    Gathered { classes, left }
}

/// The records that have no class yet.
struct Pool<'a> {
    points: &'a Points,
    conditions: &'a Conditions<'a>,
    progress: &'a dyn Progress,
    distances: Distances<'a>,
    trie: Trie<'a>,
    remaining: usize,
    /// Whether each record can still be taken.
    waits: Vec<bool>,
}

impl Pool<'_> {
    /// The k nearest to a seed and, of those that follow, each that brings the class nearer to the promise, until
    /// it holds. They are looked for in ever wider circles; `None` where in the widest one nobody helps.
    fn class_around(&mut self, seed: usize) -> Option<Vec<Record>> {
        self.distances.measure_from(self.points.point(seed));
        let k = self.conditions.k();
        let mut class: Vec<Record> = Vec::with_capacity(2 * k);
        let mut tally = self.conditions.tally();
        let mut lack = f64::INFINITY;
        let mut reach = k;
        loop {
            self.progress.check();
            let before = class.len();
            let near = self.trie.nearest(self.distances.rulers(), reach.min(self.remaining));
            for record in near.iter().flat_map(|taken| self.waiting_on(taken.point)).collect::<Vec<_>>() {
                if !self.waits[record.row as usize] {
                    continue;
                }
                self.conditions.add(&mut tally, record.row, 1);
                // The first k join in any case; later ones only if less is lacking with them.
                let with = self.conditions.lack(&tally);
                if class.len() >= k && with >= lack {
                    self.conditions.remove(&mut tally, record.row, 1);
                    continue;
                }
                lack = with;
                self.waits[record.row as usize] = false;
                class.push(record);
                if self.conditions.hold(&tally) {
                    return Some(class);
                }
            }
            // Everybody was asked and nobody helps. While somebody joined, others may help now who did not before.
            if reach >= self.remaining && class.len() == before {
                class.iter().for_each(|record| self.waits[record.row as usize] = true);
                return None;
            }
            // Doubled, so that all searches together cost no more than twice the last one.
            reach *= 2;
        }
    }

    fn waiting_on(&self, point: u32) -> impl Iterator<Item = Record> {
        let rows = self.points.rows(point as usize).iter();
        rows.filter(|&&row| self.waits[row as usize]).map(move |&row| Record { point, row })
    }

    /// Takes a record out.
    fn take(&mut self, record: Record) {
        self.waits[record.row as usize] = false;
        self.distances.remove(self.points.point(record.point as usize), 1);
        self.trie.remove(Taken { point: record.point, records: 1 });
        self.remaining -= 1;
    }
}
