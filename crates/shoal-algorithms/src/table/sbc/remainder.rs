//! What becomes of the fewer than k records that are left.

use rayon::prelude::*;
use shoal_core::Progress;

use super::cluster::{Clusters, Record};
use super::params::{Remainder, SbcParams};
use crate::table::points::Points;
use crate::table::recode::{Cover, Recoder};

/// Finds a class for each record that is left, or leaves it out.
pub(super) fn place(
    clusters: &mut Clusters,
    points: &Points,
    recoder: &Recoder<'_>,
    params: &SbcParams,
    progress: &dyn Progress,
) {
    let k = params.promise.k;
    let left = std::mem::take(&mut clusters.left);
    if left.is_empty() {
        return;
    }
    match params.remainder {
        Remainder::Suppress => {}
        Remainder::Last => {
            let last = clusters.members.len() - 1;
            left.iter().for_each(|&record| clusters.join(record, last));
        }
        Remainder::Nearest => {
            let crowd = |members: &Vec<u32>| Crowd::of(members, k, points, recoder);
            let mut crowds: Vec<Crowd> = clusters.members.par_iter().map(crowd).collect();
            for &record in &left {
                progress.check();
                let point = points.point(record.point as usize);
                let class = least(&crowds, |crowd| crowd.added_loss(point, recoder));
                crowds[class].grow(point, recoder);
                clusters.join(record, class);
            }
        }
    }
}

impl Clusters {
    fn join(&mut self, record: Record, class: usize) {
        self.class_of[record.row as usize] = class as u32;
        self.members[class].push(record.point);
    }
}

/// A class with its size and what it covers.
struct Crowd {
    size: usize,
    covers: Vec<Cover>,
    cost: f64,
}

impl Crowd {
    fn of(members: &[u32], size: usize, points: &Points, recoder: &Recoder<'_>) -> Self {
        let mut covers = recoder.nothing();
        members.iter().for_each(|&m| recoder.add(&mut covers, points.point(m as usize)));
        let cost = recoder.cost(&covers);
        Crowd { size, covers, cost }
    }

    /// What all members together lose by the new one, and what the new one loses itself.
    fn added_loss(&self, point: &[u32], recoder: &Recoder<'_>) -> f64 {
        let (before, after) = (self.size as f64, (self.size + 1) as f64);
        after * recoder.cost_with(&self.covers, point) - before * self.cost
    }

    fn grow(&mut self, point: &[u32], recoder: &Recoder<'_>) {
        recoder.add(&mut self.covers, point);
        self.cost = recoder.cost(&self.covers);
        self.size += 1;
    }
}

/// The first of those with the least loss.
fn least(crowds: &[Crowd], loss: impl Fn(&Crowd) -> f64 + Sync) -> usize {
    let losses = crowds.par_iter().map(|crowd| in_steps(loss(crowd)));
    // The index breaks ties, so that the number of threads does not.
    losses.enumerate().with_min_len(256).min_by_key(|&(at, loss)| (loss, at)).map_or(0, |(at, _)| at)
}

/// Losses are compared in steps far above the rounding errors of their sums and far below any difference that
/// matters, so that equal ones are equal.
pub(super) fn in_steps(loss: f64) -> i64 {
    const STEPS: f64 = (1_u64 << 32) as f64;
    (loss * STEPS).round() as i64
}
