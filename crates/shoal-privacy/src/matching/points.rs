//! Of which originals is a published row true? An index of points that is asked with boxes.
//!
//! An original is a point with a coordinate for each quasi-identifier, a published row a box around some of them. The points
//! are halved at the median of a column again and again until a few are left, and each half knows the smallest box around its
//! points. A half whose box does not touch the one that is asked for is skipped with all that is in it; the points that
//! are left are asked one by one. So the answer is exact, and columns decide only how much is skipped.

use rayon::prelude::*;

use super::columns::{Covered, Pairs};

/// How many points are not halved any more. There is about one box (two numbers a column) for every eight points then, so
/// that all boxes take a quarter of the memory of the points.
const FEW: usize = 16;

/// How many points are looked at to choose the column by which a half is halved again.
const LOOKED_AT: usize = 32;

/// Points by part; only those of one part are ever looked for together.
pub(super) struct PointIndex {
    columns: usize,
    /// The numbers of the points, those of a part together and inside it those of a half.
    numbers: Vec<u32>,
    /// Their coordinates in the same order, those of a point together.
    places: Vec<u32>,
    parts: Vec<Part>,
    /// The halves of all parts, each before its own halves.
    halves: Vec<Half>,
    /// From where to where each half goes, for every column in turn; the end is not included.
    boxes: Vec<(u32, u32)>,
}

/// A part: its points, and its halves where it has more than a few.
#[derive(Clone, Copy, Default)]
struct Part {
    from: u32,
    to: u32,
    halves: (u32, u32),
}

#[derive(Clone, Copy)]
struct Half {
    from: u32,
    to: u32,
    /// How many halves it consists of, itself included: that many are skipped with it.
    size: u32,
}

impl PointIndex {
    /// `part_of` says of each point its part, `points` for each column the original values of all points.
    pub(super) fn new(pairs: &Pairs<'_>, part_of: &[u32], points: &[Vec<u32>]) -> PointIndex {
        let scales: Vec<f64> =
            pairs.quasi.iter().map(|column| 1.0 / column.from.domain.len().max(1) as f64).collect();
        let coordinates: Vec<Vec<u32>> = pairs
            .quasi
            .par_iter()
            .zip(points)
            .map(|(column, codes)| codes.iter().map(|&code| column.place(code)).collect())
            .collect();
        PointIndex::of_places(&scales, part_of, &coordinates)
    }

    /// `scales` say for each column how much a step in it counts when the widest column is looked for.
    fn of_places(scales: &[f64], part_of: &[u32], coordinates: &[Vec<u32>]) -> PointIndex {
        let mut numbers: Vec<u32> = (0..part_of.len() as u32).collect();
        numbers.sort_unstable_by_key(|&number| (part_of[number as usize], number));
        let mut parts = vec![Part::default(); part_of.iter().max().map_or(0, |&last| last as usize + 1)];
        for (at, &number) in (0..).zip(&numbers) {
            let part = &mut parts[part_of[number as usize] as usize];
            if part.to == 0 {
                part.from = at;
            }
            part.to = at + 1;
        }
        let mut halves = Vec::new();
        for part in parts.iter_mut().filter(|part| (part.to - part.from) as usize > FEW) {
            let start = halves.len() as u32;
            list_halves(part.from, part.to, &mut halves);
            part.halves = (start, halves.len() as u32);
            halve(scales, coordinates, &mut numbers[part.from as usize..part.to as usize]);
        }
        let places: Vec<u32> = numbers
            .par_iter()
            .flat_map_iter(|&number| coordinates.iter().map(move |column| column[number as usize]))
            .collect();
        let boxes = boxes_of(&halves, &places, coordinates.len());
        PointIndex { columns: coordinates.len(), numbers, places, parts, halves, boxes }
    }

    /// The points of a part that lie where a published row says, in no particular order.
    pub(super) fn of_which_true(&self, part: u32, says: &[&Covered]) -> Vec<u32> {
        let Some(part) = self.parts.get(part as usize) else { return Vec::new() };
        let hulls: Vec<(u32, u32)> = says.iter().map(|covered| covered.hull()).collect();
        let mut found = Vec::new();
        if part.halves.0 == part.halves.1 {
            self.ask(part.from, part.to, says, &mut found);
        }
        let (mut at, end) = (part.halves.0 as usize, part.halves.1 as usize);
        while at < end {
            let half = self.halves[at];
            let own = &self.boxes[at * self.columns..(at + 1) * self.columns];
            let touches = own.iter().zip(&hulls).all(|(own, asked)| own.0 < asked.1 && asked.0 < own.1);
            if !touches {
                at += half.size as usize;
                continue;
            }
            if half.size == 1 {
                self.ask(half.from, half.to, says, &mut found);
            }
            at += 1;
        }
        found
    }

    fn ask(&self, from: u32, to: u32, says: &[&Covered], found: &mut Vec<u32>) {
        for at in from as usize..to as usize {
            let places = &self.places[at * self.columns..(at + 1) * self.columns];
            if places.iter().zip(says).all(|(&place, covered)| covered.holds(place)) {
                found.push(self.numbers[at]);
            }
        }
    }
}

/// Where a stretch of points is halved; `None` where few are left.
fn middle(from: u32, to: u32) -> Option<u32> {
    ((to - from) as usize > FEW).then(|| from + (to - from) / 2)
}

/// The halves of a stretch of points, each before its own halves. Returns how many there are.
fn list_halves(from: u32, to: u32, halves: &mut Vec<Half>) -> u32 {
    let at = halves.len();
    halves.push(Half { from, to, size: 1 });
    if let Some(middle) = middle(from, to) {
        let size = 1 + list_halves(from, middle, halves) + list_halves(middle, to, halves);
        halves[at].size = size;
    }
    halves[at].size
}

/// Puts points into an order in which all stretches of [`list_halves`] are halved by one column.
fn halve(scales: &[f64], coordinates: &[Vec<u32>], numbers: &mut [u32]) {
    let Some(middle) = middle(0, numbers.len() as u32) else { return };
    if let Some(column) = widest(scales, coordinates, numbers) {
        // The number decides between equal places, so that the order is always the same.
        numbers.select_nth_unstable_by_key(middle as usize, |&number| (column[number as usize], number));
    }
    let (left, right) = numbers.split_at_mut(middle as usize);
    rayon::join(|| halve(scales, coordinates, left), || halve(scales, coordinates, right));
}

/// The column in which some of the points are farthest apart.
fn widest<'a>(scales: &[f64], coordinates: &'a [Vec<u32>], numbers: &[u32]) -> Option<&'a Vec<u32>> {
    let spread = |(scale, column): (&f64, &Vec<u32>)| {
        let every = numbers.len().div_ceil(LOOKED_AT);
        let places = || numbers.iter().step_by(every).map(|&number| column[number as usize]);
        let (least, most) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
        f64::from(most - least) * scale
    };
    let spreads = scales.iter().zip(coordinates).map(spread);
    let widest = spreads.zip(coordinates).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(widest.1)
}

/// The smallest box around the points of each half.
fn boxes_of(halves: &[Half], places: &[u32], columns: usize) -> Vec<(u32, u32)> {
    let mut boxes = vec![(u32::MAX, 0); halves.len() * columns];
    // From the last to the first, so that both halves of a half come before it.
    for (at, half) in halves.iter().enumerate().rev() {
        let (before, behind) = boxes.split_at_mut((at + 1) * columns);
        let own = &mut before[at * columns..];
        if half.size == 1 {
            let points = &places[half.from as usize * columns..half.to as usize * columns];
            // Without a column there are no places, and no half has a box.
            for point in points.chunks_exact(columns.max(1)) {
                for (own, &place) in own.iter_mut().zip(point) {
                    *own = (own.0.min(place), own.1.max(place + 1));
                }
            }
        } else {
            let first = halves[at + 1].size as usize;
            let (left, right) = (&behind[..columns], &behind[first * columns..(first + 1) * columns]);
            for ((own, left), right) in own.iter_mut().zip(left).zip(right) {
                *own = (left.0.min(right.0), left.1.max(right.1));
            }
        }
    }
    boxes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against asking every point, with more points than are left in a half, equal ones among them.
        #[test]
        fn agrees_with_asking_every_point(
            points in proptest::collection::vec((0_u32..3, 0_u32..9, 0_u32..40, 0_u32..2), 1..300),
            asked in proptest::collection::vec((0_u32..4, 0_u32..9, 0_u32..9, proptest::collection::btree_set(0_u32..40, 1..20)), 20),
        ) {
            let part_of: Vec<u32> = points.iter().map(|point| point.0).collect();
            let columns = vec![
                points.iter().map(|point| point.1).collect::<Vec<_>>(),
                points.iter().map(|point| point.2).collect(),
                points.iter().map(|point| point.3).collect(),
            ];
            let index = PointIndex::of_places(&[1.0 / 9.0, 1.0 / 40.0, 0.5], &part_of, &columns);
            for (part, from, wide, places) in asked {
                let all = Covered::Stretch(0, 2);
                let says = [Covered::Stretch(from, from + wide), Covered::Places(places.into_iter().collect()), all];
                let says: Vec<&Covered> = says.iter().collect();
                let mut found = index.of_which_true(part, &says);
                found.sort_unstable();
                let lies_there = |&number: &u32| {
                    let at = number as usize;
                    part_of[at] == part && columns.iter().zip(&says).all(|(column, says)| says.holds(column[at]))
                };
                prop_assert_eq!(found, (0..points.len() as u32).filter(lies_there).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn without_columns_everybody_of_a_part_is_found() {
        let index = PointIndex::of_places(&[], &[0, 1, 0, 1, 1], &[]);
        assert_eq!(index.of_which_true(1, &[]), [1, 3, 4]);
        let many = PointIndex::of_places(&[], &vec![0; 100], &[]);
        assert_eq!(many.of_which_true(0, &[]).len(), 100);
        assert!(many.of_which_true(7, &[]).is_empty());
    }
}
