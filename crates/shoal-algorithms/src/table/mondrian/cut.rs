//! Where a part of the space is cut, if it can be.

use super::axis::{Axis, Extent};
use super::guard::Guard;
use super::space::Part;

/// A cut after a place on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) dim: usize,
    pub(super) after: u32,
}

/// Memory that the search for a cut uses again and again.
pub(super) struct Scratch {
    extents: Vec<Extent>,
    /// The axes, the one to cut first in front.
    order: Vec<(f64, usize)>,
    /// Places that are taken, ascending, and the records there.
    taken: Vec<(u32, u32)>,
    /// Records by place, all 0 between two uses.
    counts: Vec<u32>,
}

impl Scratch {
    pub(super) fn new(axes: &[Axis<'_>]) -> Self {
        let longest = axes.iter().map(Axis::length).max().unwrap_or(0);
        Scratch { extents: vec![], order: vec![], taken: vec![], counts: vec![0; longest] }
    }

    /// The cut of this part: on the axis where its class would lose most, and of equals the one with fewer
    /// values, the boundary nearest to the median that leaves k records on both sides, and both as the guard
    /// wants them; on the next axis where there is none; `None` where no axis has one.
    pub(super) fn find_cut(
        &mut self,
        part: &Part<'_>,
        axes: &[Axis<'_>],
        k: u64,
        guard: Option<Guard<'_>>,
    ) -> Option<Cut> {
        let records = part.records();
        // Records of one point are never separated, so one point is a class whatever its weight.
        if records < 2 * k || part.len() < 2 {
            return None;
        }
        part.extents(&mut self.extents);
        self.rank_axes(part, axes);
        for at in 0..self.order.len() {
            let dim = self.order[at].1;
            let extent = self.extents[dim];
            if extent.lo == extent.hi {
                continue;
            }
            self.count_along(part, dim);
            let may_cut = |a: u32, b: u32| axes[dim].may_cut(extent, a, b);
            let after = match guard {
                None => nearest_to_median(&self.taken, records, k, may_cut),
                Some(guard) => guard.nearest_to_median(part, dim, &self.taken, k, may_cut),
            };
            if let Some(after) = after {
                return Some(Cut { dim, after });
            }
        }
        None
    }

    fn rank_axes(&mut self, part: &Part<'_>, axes: &[Axis<'_>]) {
        self.order.clear();
        for (dim, axis) in axes.iter().enumerate() {
            if axis.needs_count() && self.extents[dim].lo < self.extents[dim].hi {
                self.count_along(part, dim);
                self.extents[dim].distinct = self.taken.len() as u32;
            }
            self.order.push((axis.loss(self.extents[dim]), dim));
        }
        let values = |dim: usize| axes[dim].values();
        // Stable: columns that tie in both stay in the order of the table.
        self.order.sort_by(|a, b| b.0.total_cmp(&a.0).then(values(a.1).cmp(&values(b.1))));
    }

    /// Fills `taken` for one axis: by a histogram, or by sorting where that would be mostly empty.
    fn count_along(&mut self, part: &Part<'_>, dim: usize) {
        let Extent { lo, hi, .. } = self.extents[dim];
        self.taken.clear();
        // Where most counters would stay 0, sorting is faster. The 8 was chosen by hand; both give the same.
        if (hi - lo) as usize > 8 * part.len() {
            self.taken.extend(part.along(dim));
            self.taken.sort_unstable_by_key(|&(place, _)| place);
            self.taken.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0 };
                same
            });
            return;
        }
        for (place, records) in part.along(dim) {
            self.counts[place as usize] += records;
        }
        for place in lo..=hi {
            // Leaves 0 behind for the next use.
            let records = std::mem::take(&mut self.counts[place as usize]);
            if records > 0 {
                self.taken.push((place, records));
            }
        }
    }
}

/// The place after which to cut; the lower of two that are equally near.
fn nearest_to_median(
    taken: &[(u32, u32)],
    records: u64,
    k: u64,
    may_cut: impl Fn(u32, u32) -> bool,
) -> Option<u32> {
    let mut best: Option<(u64, u32)> = None;
    let mut left = 0;
    for pair in taken.windows(2) {
        let (place, here) = pair[0];
        left += u64::from(here);
        let right = records - left;
        // The right side only shrinks from here on.
        if right < k {
            break;
        }
        let off = left.abs_diff(right);
        if left >= k && best.is_none_or(|(least, _)| off < least) && may_cut(place, pair[1].0) {
            best = Some((off, place));
        }
    }
    best.map(|(_, place)| place)
}
