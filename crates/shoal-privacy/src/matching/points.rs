//! Of which originals is which published row true? Points and boxes, cut into smaller and smaller pieces together.
//!
//! An original is a point with a coordinate for each quasi-identifier, a published row a box around some of them. Both are cut at
//! a value of one column: points lie on one side, a box lies on one side or is looked for on both. The column is taken of
//! which the fewest boxes are cut in two, so that a release that was made by cutting is cut at its own borders. Where a few
//! points are left they are asked one by one. So the answer is exact, and cuts decide only how many are asked.

use rayon::prelude::*;
use shoal_core::Progress;

use super::columns::{Covered, Pairs};

/// How many points are not cut any more: asking them takes as long as looking for a cut.
const FEW: usize = 16;

/// How many points and how many boxes are looked at to choose a cut.
const LOOKED_AT: usize = 32;

/// Pieces with more points are cut by several threads.
const MANY: usize = 4096;

/// The published rows and the originals, group by group.
pub(super) struct Boxes<'a> {
    /// For each column and each group of published rows of which values it is true.
    pub says: Vec<Vec<&'a Covered>>,
    /// For each column and each group of originals its place.
    pub places: Vec<Vec<u32>>,
    pub published_parts: &'a [u32],
    pub original_parts: &'a [u32],
}

/// A group of published rows and a group of originals of which they are true.
type Pair = (u32, u32);

impl<'a> Boxes<'a> {
    /// `first` are the first rows of the groups of published rows, `points` the original values for each column.
    pub(super) fn new(
        pairs: &'a Pairs<'_>,
        first: &[u32],
        points: &[Vec<u32>],
        published_parts: &'a [u32],
        original_parts: &'a [u32],
    ) -> Boxes<'a> {
        let columns = pairs.quasi.par_iter().zip(points);
        let (says, places) = columns
            .map(|(column, codes)| {
                let says = first.iter().map(|&row| column.covered(column.to.codes[row as usize])).collect();
                let places = codes.iter().map(|&code| column.place(code)).collect();
                (says, places)
            })
            .unzip();
        Boxes { says, places, published_parts, original_parts }
    }

    /// For each group of published rows the groups of originals of which it is true, ascending.
    pub(super) fn fits(&self, progress: &dyn Progress) -> Vec<Vec<u32>> {
        // Only inside a part can a row be a record's.
        let (boxes_of, points_of) = (by_part(self.published_parts), by_part(self.original_parts));
        let found: Vec<Vec<Vec<Pair>>> = boxes_of
            .into_par_iter()
            .zip(points_of)
            .map(|(boxes, mut points)| self.cut(boxes, &mut points, progress))
            .collect();
        let mut fits = vec![Vec::new(); self.published_parts.len()];
        for (group, original) in found.into_iter().flatten().flatten() {
            fits[group as usize].push(original);
        }
        fits.par_iter_mut().for_each(|fits| fits.sort_unstable());
        fits
    }

    /// The pairs of some boxes and points.
    fn cut(&self, boxes: Vec<u32>, points: &mut [u32], progress: &dyn Progress) -> Vec<Vec<Pair>> {
        progress.check();
        if boxes.is_empty() || points.is_empty() {
            return Vec::new();
        }
        let cut = if points.len() > FEW { self.best_cut(&boxes, points) } else { None };
        let Some(Cut { column, at }) = cut else { return vec![self.ask(&boxes, points)] };
        let places = &self.places[column];
        let middle = partition(points, |point| places[point as usize] < at);
        let many = points.len() > MANY;
        let (left, right) = points.split_at_mut(middle);
        let place = |&point: &u32| places[point as usize];
        let first = left.iter().map(place).min().unwrap_or(at);
        let last = right.iter().map(place).max().unwrap_or(at);
        let touching = |from: u32, to: u32| {
            let touches = |group: &&u32| self.says[column][**group as usize].touches(from, to);
            boxes.iter().filter(touches).copied().collect::<Vec<u32>>()
        };
        let (left_boxes, right_boxes) = (touching(first, at), touching(at, last + 1));
        drop(boxes);
        let (mut found, mut more) = if many {
            rayon::join(|| self.cut(left_boxes, left, progress), || self.cut(right_boxes, right, progress))
        } else {
            (self.cut(left_boxes, left, progress), self.cut(right_boxes, right, progress))
        };
        found.append(&mut more);
        found
    }

    /// Asks every box about every point.
    fn ask(&self, boxes: &[u32], points: &[u32]) -> Vec<Pair> {
        let mut found = Vec::new();
        for &group in boxes {
            let is_true = |point: &u32| {
                let mut columns = self.says.iter().zip(&self.places);
                columns.all(|(says, places)| says[group as usize].holds(places[*point as usize]))
            };
            found.extend(points.iter().copied().filter(is_true).map(|point| (group, point)));
        }
        found
    }

    /// The cut by which the fewest of some boxes lie on both sides; of equal ones the one that parts the points most evenly. `None`
    /// where the points that were looked at are all alike.
    fn best_cut(&self, boxes: &[u32], points: &[u32]) -> Option<Cut> {
        let boxes: Vec<u32> = some(boxes).collect();
        let mut places: Vec<u32> = Vec::with_capacity(LOOKED_AT);
        let mut best: Option<((usize, usize), Cut)> = None;
        for (column, (says, of_points)) in self.says.iter().zip(&self.places).enumerate() {
            places.clear();
            places.extend(some(points).map(|point| of_points[point as usize]));
            places.sort_unstable();
            let half = places[places.len() / 2];
            // The points before the cut must not be none.
            let Some(&at) = places.iter().find(|&&place| place > places[0] && place >= half) else {
                continue;
            };
            let before = places.partition_point(|&place| place < at);
            let uneven = (2 * before).abs_diff(places.len());
            let (first, last) = (places[0], places[places.len() - 1]);
            let is_cut = |group: &&u32| {
                let says = says[**group as usize];
                says.touches(first, at) && says.touches(at, last + 1)
            };
            let key = (boxes.iter().filter(is_cut).count(), uneven);
            if best.as_ref().is_none_or(|(least, _)| key < *least) {
                best = Some((key, Cut { column, at }));
            }
        }
        best.map(|(_, cut)| cut)
    }
}

/// Points with a place before this one lie on one side, all others on the other.
struct Cut {
    column: usize,
    at: u32,
}

/// A few of many numbers, evenly spread.
fn some(numbers: &[u32]) -> impl Iterator<Item = u32> + '_ {
    numbers.iter().step_by(numbers.len().div_ceil(LOOKED_AT)).copied()
}

/// The numbers of each part.
fn by_part(part_of: &[u32]) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new(); part_of.iter().max().map_or(0, |&last| last as usize + 1)];
    part_of.iter().zip(0..).for_each(|(&part, number)| parts[part as usize].push(number));
    parts
}

/// Puts those first of which something is true. Returns how many they are.
fn partition(numbers: &mut [u32], is_first: impl Fn(u32) -> bool) -> usize {
    let mut first = 0;
    for at in 0..numbers.len() {
        if is_first(numbers[at]) {
            numbers.swap(first, at);
            first += 1;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::Silent;

    use super::*;

    proptest! {
        /// Against asking every point, with more points than are left in a piece, equal ones among them.
        #[test]
        fn agrees_with_asking_every_point(
            points in proptest::collection::vec((0_u32..3, 0_u32..9, 0_u32..40, 0_u32..2), 1..300),
            asked in proptest::collection::vec(
                (0_u32..4, 0_u32..9, 0_u32..9, proptest::collection::btree_set(0_u32..40, 1..20)), 1..60,
            ),
        ) {
            let original_parts: Vec<u32> = points.iter().map(|point| point.0).collect();
            let places = vec![
                points.iter().map(|point| point.1).collect::<Vec<_>>(),
                points.iter().map(|point| point.2).collect(),
                points.iter().map(|point| point.3).collect(),
            ];
            let published_parts: Vec<u32> = asked.iter().map(|asked| asked.0).collect();
            let columns: Vec<Vec<Covered>> = vec![
                asked.iter().map(|&(_, from, wide, _)| Covered::Stretch(from, from + wide)).collect(),
                asked.iter().map(|(_, _, _, places)| Covered::of(places.iter().copied().collect())).collect(),
                asked.iter().map(|_| Covered::Stretch(0, 2)).collect(),
            ];
            let says: Vec<Vec<&Covered>> = columns.iter().map(|column| column.iter().collect()).collect();
            let boxes = Boxes { says, places, published_parts: &published_parts, original_parts: &original_parts };
            let fits = boxes.fits(&Silent);
            for (group, found) in fits.into_iter().enumerate() {
                let lies_there = |&point: &u32| {
                    let mut columns = boxes.says.iter().zip(&boxes.places);
                    original_parts[point as usize] == published_parts[group]
                        && columns.all(|(says, places)| says[group].holds(places[point as usize]))
                };
                prop_assert_eq!(found, (0..points.len() as u32).filter(lies_there).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn without_columns_everybody_of_a_part_is_found() {
        let original_parts = [vec![0, 1, 0, 1, 1], vec![0; 100]].concat();
        let boxes = Boxes {
            says: Vec::new(),
            places: Vec::new(),
            published_parts: &[1, 0, 7],
            original_parts: &original_parts,
        };
        let fits = boxes.fits(&Silent);
        assert_eq!(fits[0], [1, 3, 4]);
        assert_eq!((fits[1].len(), fits[2].len()), (102, 0));
    }
}
