//! Boxes over the columns: what a cluster covers, and what a published class says.

use serde::{Deserialize, Serialize};

/// From the least to the greatest value of a column. Stored as bits, so that no format can round it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[u64; 2]", into = "[u64; 2]")]
pub(super) struct Span {
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Span {
    pub(super) fn with(self, x: f64) -> Span {
        // Not `min` and `max`: these look for what is not a number, and this runs most often of all.
        Span { lo: if x < self.lo { x } else { self.lo }, hi: if x > self.hi { x } else { self.hi } }
    }

    pub(super) fn holds(self, x: f64) -> bool {
        (self.lo <= x) & (x <= self.hi)
    }
}

impl From<[u64; 2]> for Span {
    fn from([lo, hi]: [u64; 2]) -> Span {
        Span { lo: f64::from_bits(lo), hi: f64::from_bits(hi) }
    }
}

impl From<Span> for [u64; 2] {
    fn from(span: Span) -> [u64; 2] {
        [span.lo.to_bits(), span.hi.to_bits()]
    }
}

/// One box: a span for every column (all where sets are published), and a set, ascending, for every column without
/// order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    pub(super) spans: Vec<Span>,
    pub(super) sets: Vec<Vec<u32>>,
}

impl Region {
    pub(super) fn view(&self) -> RegionView<'_> {
        RegionView { spans: &self.spans, sets: &self.sets }
    }
}

/// A box that lies somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RegionView<'a> {
    pub(super) spans: &'a [Span],
    pub(super) sets: &'a [Vec<u32>],
}

impl RegionView<'_> {
    pub(super) fn to_region(self) -> Region {
        Region { spans: self.spans.to_vec(), sets: self.sets.to_vec() }
    }
}

/// Many boxes in dense arrays, numbered from 0; the last takes the number of one that is removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Regions {
    len: usize,
    spans: Vec<Span>,
    sets: Vec<Vec<u32>>,
}

impl Regions {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, region: Region) {
        self.len += 1;
        self.spans.extend(region.spans);
        self.sets.extend(region.sets);
    }

    pub(super) fn get(&self, at: usize) -> RegionView<'_> {
        let (columns, sets) = self.widths();
        RegionView { spans: &self.spans[at * columns..][..columns], sets: &self.sets[at * sets..][..sets] }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = RegionView<'_>> {
        (0..self.len).map(|at| self.get(at))
    }

    pub(super) fn replace(&mut self, at: usize, region: Region) {
        let (columns, sets) = self.widths();
        self.spans[at * columns..][..columns].copy_from_slice(&region.spans);
        self.sets.splice(at * sets..(at + 1) * sets, region.sets);
    }

    pub(super) fn swap_remove(&mut self, at: usize) {
        let (columns, sets) = self.widths();
        self.len -= 1;
        self.spans.copy_within(self.len * columns.., at * columns);
        self.spans.truncate(self.len * columns);
        for set in 0..sets {
            self.sets.swap(at * sets + set, self.len * sets + set);
        }
        self.sets.truncate(self.len * sets);
    }

    fn widths(&self) -> (usize, usize) {
        let boxes = self.len.max(1);
        (self.spans.len() / boxes, self.sets.len() / boxes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(x: f64) -> Region {
        Region { spans: vec![Span { lo: x, hi: x + 1.0 }; 2], sets: vec![vec![x as u32], vec![7]] }
    }

    #[test]
    fn the_last_takes_the_place_of_one_that_goes() {
        let mut regions = Regions::default();
        (0..4).for_each(|x| regions.push(region(f64::from(x))));
        regions.swap_remove(1);
        regions.replace(0, region(9.0));
        let expected = [9.0, 3.0, 2.0].map(region);
        assert!(regions.iter().eq(expected.iter().map(Region::view)));
        regions.swap_remove(2);
        assert_eq!(regions.iter().last(), Some(region(3.0).view()));
        regions.swap_remove(0);
        regions.swap_remove(0);
        assert_eq!(regions, Regions::default());
    }
}
