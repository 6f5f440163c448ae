//! Cuts where more is promised than k: both sides must hold.

use super::space::Part;
use crate::table::conditions::{Conditions, Tally};
use crate::table::points::Points;

/// The most boundaries that are tried on one axis. Far from the median one side of a cut is small, and a small side is
/// the least likely to hold. Chosen by hand; not measured.
const MOST_TRIES: usize = 64;

/// What both sides of a cut must satisfy.
#[derive(Clone, Copy)]
pub(super) struct Guard<'a> {
    pub(super) conditions: &'a Conditions<'a>,
    pub(super) points: &'a Points,
}

/// A boundary between two places that are taken.
#[derive(Clone, Copy)]
struct Boundary {
    after: u32,
    /// How far from the median: by how many records the two sides differ.
    off: u64,
}

impl Guard<'_> {
    /// The place after which to cut: nearest to the median, the lower of two that are equally near, among the
    /// boundaries that may be cut and leave two sides that hold.
    pub(super) fn nearest_to_median(
        self,
        part: &Part<'_>,
        dim: usize,
        taken: &[(u32, u32)],
        k: u64,
        may_cut: impl Fn(u32, u32) -> bool,
    ) -> Option<u32> {
        let boundaries = boundaries(taken, k, may_cut);
        let nearest = (0..boundaries.len()).min_by_key(|&at| boundaries[at].off)?;
        let slices = self.slices(part, dim, &boundaries);
        let mut down = Sides::at(nearest, &slices, self.conditions);
        // Two pairs of tallies, one for each direction, so that every slice is moved across at most once in each.
        let mut up = down.clone();
        // Downwards and upwards from the median, always the nearer of the two.
        let (mut lower, mut higher) = (Some(nearest), nearest + 1);
        loop {
            let off = |at: usize| boundaries.get(at).map(|boundary| boundary.off);
            let (sides, at) = match (lower, off(higher)) {
                (None, None) => return None,
                (Some(low), Some(high_off)) if boundaries[low].off > high_off => (&mut up, higher),
                (None, Some(_)) => (&mut up, higher),
                (Some(low), _) => (&mut down, low),
            };
            sides.move_to(at, &slices);
            if sides.hold(self.conditions) {
                return Some(boundaries[at].after);
            }
            if at == higher {
                higher += 1;
            } else {
                lower = at.checked_sub(1);
            }
        }
    }

    /// The tallies of what lies between the boundaries, one more than there are boundaries.
    fn slices(self, part: &Part<'_>, dim: usize, boundaries: &[Boundary]) -> Vec<Tally> {
        let mut slices = vec![self.conditions.tally(); boundaries.len() + 1];
        for (place, point) in part.points_along(dim) {
            let slice = boundaries.partition_point(|boundary| boundary.after < place);
            for &row in self.points.rows(point as usize) {
                self.conditions.add(&mut slices[slice], row, 1);
            }
        }
        slices
    }
}

/// The boundaries with k records on both sides, as many as may be tried, ascending.
fn boundaries(taken: &[(u32, u32)], k: u64, may_cut: impl Fn(u32, u32) -> bool) -> Vec<Boundary> {
    let records: u64 = taken.iter().map(|&(_, here)| u64::from(here)).sum();
    let mut found = Vec::new();
    let mut left = 0;
    for pair in taken.windows(2) {
        left += u64::from(pair[0].1);
        if left >= k && records - left >= k && may_cut(pair[0].0, pair[1].0) {
            found.push(Boundary { after: pair[0].0, off: left.abs_diff(records - left) });
        }
    }
    // They are nearest in the middle, so that the farthest is at one of the two ends.
    let mut near = &found[..];
    while let [first, .., last] = near
        && near.len() > MOST_TRIES
    {
        near = if first.off > last.off { &near[1..] } else { &near[..near.len() - 1] };
    }
    near.to_vec()
}

/// The two sides of a boundary.
#[derive(Clone)]
struct Sides {
    at: usize,
    low: Tally,
    high: Tally,
}

impl Sides {
    fn at(boundary: usize, slices: &[Tally], conditions: &Conditions<'_>) -> Sides {
        let (mut low, mut high) = (conditions.tally(), conditions.tally());
        slices[..=boundary].iter().for_each(|slice| low.merge(slice));
        slices[boundary + 1..].iter().for_each(|slice| high.merge(slice));
        Sides { at: boundary, low, high }
    }

    fn move_to(&mut self, boundary: usize, slices: &[Tally]) {
        let (to, from, crossed) = match boundary < self.at {
            true => (&mut self.high, &mut self.low, boundary + 1..self.at + 1),
            false => (&mut self.low, &mut self.high, self.at + 1..boundary + 1),
        };
        for slice in &slices[crossed] {
            to.merge(slice);
            from.separate(slice);
        }
        self.at = boundary;
    }

    fn hold(&self, conditions: &Conditions<'_>) -> bool {
        conditions.hold(&self.low) && conditions.hold(&self.high)
    }
}
