//! The points in one piece of memory, cut in place.

use crate::table::points::Points;

use super::axis::{Axis, Extent};

/// Points one after the other, each with its place on every axis, its number of records and its own number.
/// They are moved when the space is cut, so that a part is always one piece and every pass over it is a
/// straight run through memory.
pub(super) struct Space {
    dims: usize,
    entries: Vec<u32>,
}

/// A part of the space: neighbouring points that have not been separated yet.
pub(super) struct Part<'a> {
    dims: usize,
    entries: &'a mut [u32],
}

impl Space {
    pub(super) fn new(points: &Points, axes: &[Axis<'_>]) -> Self {
        let mut entries = Vec::with_capacity(points.len() * (axes.len() + 2));
        for i in 0..points.len() {
            entries.extend(axes.iter().zip(points.point(i)).map(|(axis, &code)| axis.place(code)));
            entries.extend([points.weight(i), i as u32]);
        }
        Space { dims: axes.len(), entries }
    }

    /// All of it.
    pub(super) fn whole(&mut self) -> Part<'_> {
        Part { dims: self.dims, entries: &mut self.entries }
    }

    /// Parts of so many points each, from front to back.
    pub(super) fn parts(&mut self, sizes: &[u32]) -> Vec<Part<'_>> {
        let (dims, mut rest) = (self.dims, &mut self.entries[..]);
        let part = |&size: &u32| {
            let (entries, after) = std::mem::take(&mut rest).split_at_mut(size as usize * (dims + 2));
            rest = after;
            Part { dims, entries }
        };
        sizes.iter().map(part).collect()
    }

    /// The numbers of the points in their present order.
    pub(super) fn order(&self) -> Vec<u32> {
        self.entries.chunks_exact(self.dims + 2).map(|entry| entry[self.dims + 1]).collect()
    }
}

impl<'a> Part<'a> {
    /// How many points there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len() / (self.dims + 2)
    }

    /// How many records they stand for.
    pub(super) fn records(&self) -> u64 {
        self.iter().map(|entry| u64::from(entry[self.dims])).sum()
    }

    /// The least and greatest place on every axis; `distinct` is left at 0.
    pub(super) fn extents(&self, extents: &mut Vec<Extent>) {
        extents.clear();
        extents.resize(self.dims, Extent { lo: u32::MAX, hi: 0, distinct: 0 });
        for entry in self.iter() {
            for (extent, &place) in extents.iter_mut().zip(entry) {
                extent.lo = extent.lo.min(place);
                extent.hi = extent.hi.max(place);
            }
        }
    }

    /// Place on one axis and number of records, point by point.
    pub(super) fn along(&self, dim: usize) -> impl Iterator<Item = (u32, u32)> {
        let records = self.dims;
        self.iter().map(move |entry| (entry[dim], entry[records]))
    }

    /// Place on one axis and number of the point, point by point.
    pub(super) fn points_along(&self, dim: usize) -> impl Iterator<Item = (u32, u32)> {
        let number = self.dims + 1;
        self.iter().map(move |entry| (entry[dim], entry[number]))
    }

    /// Cuts after `place`: what lies up to it, and what lies beyond.
    pub(super) fn cut(self, dim: usize, place: u32) -> (Part<'a>, Part<'a>) {
        // As in quicksort, from both ends, without a second copy of the points.
        let width = self.dims + 2;
        let (mut left, mut right) = (0, self.len());
        loop {
            while left < right && self.entries[left * width + dim] <= place {
                left += 1;
            }
            while left < right && self.entries[(right - 1) * width + dim] > place {
                right -= 1;
            }
            if left == right {
                break;
            }
            right -= 1;
            let (head, tail) = self.entries.split_at_mut(right * width);
            head[left * width..(left + 1) * width].swap_with_slice(&mut tail[..width]);
            left += 1;
        }
        let (low, high) = self.entries.split_at_mut(left * width);
        (Part { dims: self.dims, entries: low }, Part { dims: self.dims, entries: high })
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.entries.chunks_exact(self.dims + 2)
    }
}
