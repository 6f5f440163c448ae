//! Where only k is promised: a seed and its k − 1 nearest records are a class; and so on.

use shoal_core::{Column, Progress};

use super::distance::Distances;
use super::params::SbcParams;
use super::trie::{Taken, Trie};
use crate::table::points::Points;

/// Which records of which points belong together.
pub(super) struct Clusters {
    /// The class of every record, [`UNPLACED`] for those that are left.
    pub(super) class_of: Vec<u32>,
    /// The points of every class.
    pub(super) members: Vec<Vec<u32>>,
    /// What is left, in sorted order.
    pub(super) left: Vec<Record>,
}

/// A record and the point on which it lies.
#[derive(Clone, Copy)]
pub(super) struct Record {
    pub(super) point: u32,
    pub(super) row: u32,
}

/// The class of a record that has none yet. The same as [`shoal_core::SUPPRESSED`], which is what it stays if it gets none.
pub(super) const UNPLACED: u32 = shoal_core::SUPPRESSED;

/// Forms classes of exactly k while as many records remain. The columns are in order of increasing
/// cardinality and the points are folded in that order.
pub(super) fn cluster(
    columns: &[&Column],
    points: &Points,
    rows: usize,
    params: &SbcParams,
    progress: &dyn Progress,
) -> Clusters {
    progress.stage("clustering", rows as u64);
    let k = params.promise.k;
    let mut distances = Distances::new(columns, points, k, params.separate_normalization);
    let mut trie = Trie::of(points);
    let mut clusters =
        Clusters { class_of: vec![UNPLACED; rows], members: Vec::with_capacity(rows / k), left: vec![] };
    let mut seed = 0;
    for _ in 0..rows / k {
        // The first in sorted order that remains. It only moves forward, so that all seeds together are one pass.
        while trie.remaining(seed) == 0 {
            seed += 1;
        }
        distances.measure_from(points.point(seed));
        let nearest = trie.nearest(distances.rulers(), k);
        for &taken in &nearest {
            // Before it is taken out: what remains says which of the point's records are next.
            clusters.assign(points, taken, trie.remaining(taken.point as usize));
            distances.remove(points.point(taken.point as usize), taken.records);
            trie.remove(taken);
        }
        clusters.members.push(nearest.iter().map(|taken| taken.point).collect());
        progress.advance(k as u64);
    }
    for point in seed..points.len() {
        let remaining = trie.remaining(point) as usize;
        let rows = points.rows(point);
        let left = rows[rows.len() - remaining..].iter().map(|&row| Record { point: point as u32, row });
        clusters.left.extend(left);
    }
    clusters
}

impl Clusters {
    /// Gives the first of a point's remaining records to the class that is being formed.
    fn assign(&mut self, points: &Points, taken: Taken, remaining: u32) {
        let rows = points.rows(taken.point as usize);
        let first = rows.len() - remaining as usize;
        let class = self.members.len() as u32;
        for &row in &rows[first..first + taken.records as usize] {
            self.class_of[row as usize] = class;
        }
    }
}
