//! The points in whole numbers: what a class covers and what it costs, without a float or an allocation.

use rayon::prelude::*;
use shoal_core::Column;

use super::axis::Axis;
use super::tuning::Tuning;
use crate::table::points::Points;
use crate::table::recode::Scale;

/// What a record loses when nothing is said about it: the unit of all costs. Whole numbers add up to the same in any
/// order, which the same result for any number of threads needs; 2^26 leave room for 2^38 records in 64 bits.
pub(in crate::table) const WHOLE: u32 = 1 << 26;

/// The points and the axes that they lie on. A *cover* is a few words that say which values are possible; a point
/// is the cover of one record.
pub(in crate::table) struct Space {
    /// Where the words of each axis begin, and the axis.
    axes: Vec<(usize, Axis)>,
    width: usize,
    points: Vec<u64>,
    weights: Vec<u32>,
}

impl Space {
    /// Folded points; the columns that are not quasi-identifying come last in them and do not count.
    pub(in crate::table) fn new(quasi: &[&Column], points: &Points) -> Space {
        let total: f64 = quasi.iter().map(|c| c.weight).sum();
        let scales: Vec<Scale<'_>> = quasi.iter().map(|column| Scale::of(column)).collect();
        let mut axes = Vec::with_capacity(quasi.len());
        let mut width = 0;
        for (column, scale) in quasi.iter().zip(&scales) {
            let axis = Axis::of(column, scale, column.weight / total * f64::from(WHOLE));
            let words = axis.words();
            axes.push((width, axis));
            width += words;
        }
        let mut covers = vec![0_u64; width * points.len()];
        covers.par_chunks_exact_mut(width).enumerate().for_each(|(i, cover)| {
            for (((slot, axis), scale), &code) in axes.iter().zip(&scales).zip(points.point(i)) {
                axis.point(&mut cover[*slot..], scale.at(code));
            }
        });
        let weights = (0..points.len()).map(|i| points.weight(i)).collect();
        Space { axes, width, points: covers, weights }
    }

    /// How many points there are.
    pub(in crate::table) fn len(&self) -> usize {
        self.weights.len()
    }

    /// How many columns there are.
    pub(in crate::table) fn dims(&self) -> usize {
        self.axes.len()
    }

    /// How many words a cover has.
    pub(in crate::table) fn width(&self) -> usize {
        self.width
    }

    /// How many times longer it takes to look at a cover than where no set of names needs more than a word, roughly.
    pub(in crate::table) fn time_factor(&self) -> u64 {
        1 + (self.width - self.axes.len()) as u64 / Tuning::WORDS_PER_TIME_UNIT
    }

    /// The cover of one point.
    #[inline]
    pub(in crate::table) fn point(&self, i: u32) -> &[u64] {
        &self.points[i as usize * self.width..(i as usize + 1) * self.width]
    }

    /// How many records share a point.
    pub(in crate::table) fn weight(&self, i: u32) -> u32 {
        self.weights[i as usize]
    }

    /// What a record loses in a class that covers both.
    #[inline]
    pub(in crate::table) fn union_cost(&self, a: &[u64], b: &[u64]) -> u32 {
        // The usual case, one word for each axis, without slices and their bounds: this is the innermost loop.
        if self.width == self.axes.len() {
            let words = a.iter().zip(b).zip(&self.axes);
            return words.map(|((&a, &b), (_, axis))| axis.word_cost(a, b)).sum();
        }
        self.axes.iter().map(|(slot, axis)| axis.union_cost(&a[*slot..], &b[*slot..])).sum()
    }

    /// The same if it is at most `most`; nothing where it is more, which a few columns often show already.
    #[inline]
    pub(in crate::table) fn union_cost_within(&self, a: &[u64], b: &[u64], most: u32) -> Option<u32> {
        let mut sum = 0;
        // The two cases of `union_cost`.
        if self.width == self.axes.len() {
            for ((&a, &b), (_, axis)) in a.iter().zip(b).zip(&self.axes) {
                sum += axis.word_cost(a, b);
                if sum > most {
                    return None;
                }
            }
            return Some(sum);
        }
        for (slot, axis) in &self.axes {
            sum += axis.union_cost(&a[*slot..], &b[*slot..]);
            if sum > most {
                return None;
            }
        }
        Some(sum)
    }

    /// What a record loses in a class with this cover.
    pub(in crate::table) fn cost(&self, cover: &[u64]) -> u32 {
        self.union_cost(cover, cover)
    }

    /// The part of one column in that.
    pub(in crate::table) fn cost_in(&self, column: usize, cover: &[u64]) -> u32 {
        self.union_cost_in(column, cover, cover)
    }

    /// What a record loses in one column of a class that covers both.
    pub(in crate::table) fn union_cost_in(&self, column: usize, a: &[u64], b: &[u64]) -> u32 {
        let (slot, axis) = &self.axes[column];
        axis.union_cost(&a[*slot..], &b[*slot..])
    }

    /// The names in one column of a cover; nothing where the column has no names.
    pub(in crate::table) fn names_in<'c>(
        &self,
        column: usize,
        cover: &'c [u64],
    ) -> Option<impl Iterator<Item = usize> + 'c> {
        let (slot, axis) = &self.axes[column];
        axis.names(&cover[*slot..])
    }

    /// Lets a cover grow by another.
    #[inline]
    pub(in crate::table) fn join(&self, into: &mut [u64], other: &[u64]) {
        if self.width == self.axes.len() {
            let words = into.iter_mut().zip(other).zip(&self.axes);
            words.for_each(|((a, &b), (_, axis))| *a = axis.word_join(*a, b));
            return;
        }
        for (slot, axis) in &self.axes {
            axis.join(&mut into[*slot..], &other[*slot..]);
        }
    }

    /// Whether a cover stays as it is without one of its points, given the others. In large classes some other point nearly always
    /// reaches as far in a column, and is soon found.
    pub(in crate::table) fn is_same_without<'p>(
        &self,
        cover: &[u64],
        point: &[u64],
        others: &(impl Iterator<Item = &'p [u64]> + Clone),
    ) -> bool {
        self.axes.iter().all(|(slot, axis)| {
            axis.is_same_without(
                &cover[*slot..],
                &point[*slot..],
                others.clone().map(|other| &other[*slot..]),
            )
        })
    }

    /// Whether a column has names without an order.
    pub(in crate::table) fn is_names(&self, column: usize) -> bool {
        matches!(self.axes[column].1, Axis::Names { .. })
    }

    /// Where a cover stands when covers are sorted by one column.
    pub(in crate::table) fn place(&self, column: usize, cover: &[u64]) -> u32 {
        let (slot, axis) = &self.axes[column];
        axis.place(&cover[*slot..])
    }
}

/// A cover that grows, with what it costs: only columns that can change are looked at, and only those that do are counted again.
pub(in crate::table) struct Growing<'a> {
    space: &'a Space,
    /// What it cannot grow beyond; nothing where that is not known.
    limit: &'a [u64],
    cover: Vec<u64>,
    /// What each column costs.
    costs: Vec<u32>,
    cost: u32,
    /// The columns that have not reached the limit.
    open: Vec<usize>,
}

impl<'a> Growing<'a> {
    /// A cover of nothing; [`Growing::start`] must follow.
    pub(in crate::table) fn new(space: &'a Space) -> Growing<'a> {
        Growing::within(space, &[])
    }

    /// The same for points that `limit` covers all together. With many points most columns soon reach it.
    pub(in crate::table) fn within(space: &'a Space, limit: &'a [u64]) -> Growing<'a> {
        let (cover, costs) = (vec![0; space.width], vec![0; space.axes.len()]);
        Growing { space, limit, cover, costs, cost: 0, open: Vec::with_capacity(space.axes.len()) }
    }

    /// Covers one point and nothing else.
    pub(in crate::table) fn start(&mut self, point: &[u64]) {
        self.cover.copy_from_slice(point);
        for ((slot, axis), cost) in self.space.axes.iter().zip(&mut self.costs) {
            *cost = axis.union_cost(&point[*slot..], &point[*slot..]);
        }
        self.cost = self.costs.iter().sum();
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        open.extend((0..self.costs.len()).filter(|&column| !self.is_at_limit(column)));
        self.open = open;
    }

    /// Covers one point more.
    #[inline]
    pub(in crate::table) fn join(&mut self, point: &[u64]) {
        let mut at = 0;
        while at < self.open.len() {
            let column = self.open[at];
            let (slot, axis) = &self.space.axes[column];
            let cover = &mut self.cover[*slot..];
            if axis.join_changes(cover, &point[*slot..]) {
                let now = axis.union_cost(cover, cover);
                // A cover that grows costs no less, but for the rounding of each column's costs to whole numbers.
                self.cost = self.cost - self.costs[column] + now;
                self.costs[column] = now;
                if self.is_at_limit(column) {
                    self.open.swap_remove(at);
                    continue;
                }
            }
            at += 1;
        }
    }

    /// What a record loses in a class with this cover.
    pub(in crate::table) fn cost(&self) -> u32 {
        self.cost
    }

    fn is_at_limit(&self, column: usize) -> bool {
        let (slot, axis) = &self.space.axes[column];
        let words = *slot..*slot + axis.words();
        !self.limit.is_empty() && self.cover[words.clone()] == self.limit[words]
    }
}
