//! Cuts a bucket into classes, blind to which column is which.
//!
//! A part has equally many records of every column. A cut sorts each column along one quasi-identifier and takes the same
//! number from the front of each; what is left is as good a part as before. Which quasi-identifier and which number is
//! decided by the loss, in which all columns count alike.

use rayon::join;
use shoal_core::Progress;

use crate::table::ribbon::rng::Rng;
use crate::table::ribbon::space::Space;

/// Parts with more records than this are cut nearer to the middle, so that the work stays within n log n … The value is
/// that of ribbon's splits; none of the three was tuned on data.
const MIDDLE_RECORDS: usize = 512;

/// … and those with more than this along the few quasi-identifiers that cost most, in two threads.
const PARALLEL_RECORDS: usize = 8192;

/// How many quasi-identifiers are tried for those.
const MOST_DIMS: usize = 3;

/// Records of a bucket: for each column their points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// All equally long.
    pub(super) columns: Vec<Vec<u32>>,
}

impl Part {
    /// How many records of each column.
    pub(super) fn depth(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// How many records.
    pub(super) fn records(&self) -> usize {
        self.columns.len() * self.depth()
    }
}

/// What all cuts have in common.
#[derive(Clone, Copy)]
pub(super) struct Cutter<'a> {
    pub(super) space: &'a Space,
    /// The least number of records of each column in a class.
    pub(super) depth: usize,
    pub(super) progress: &'a dyn Progress,
}

impl Cutter<'_> {
    /// The least loss that comes of cutting, and of cutting what comes of it, as long as the loss falls.
    pub(super) fn cut(&self, part: Part, out: &mut Vec<Part>) {
        self.cut_along(part, &mut |_| true, out);
    }

    /// The same along quasi-identifiers that are chosen at random for every cut.
    pub(super) fn cut_at_random(&self, part: Part, rng: &mut Rng, out: &mut Vec<Part>) {
        self.cut_here(part, &mut |_| rng.below(3) > 0, out);
    }

    fn cut_along(&self, part: Part, may: &mut dyn FnMut(usize) -> bool, out: &mut Vec<Part>) {
        if part.records() <= PARALLEL_RECORDS {
            return self.cut_here(part, may, out);
        }
        match self.best(&part, may) {
            None => out.push(part),
            Some((low, high)) => {
                drop(part);
                let (mut more, mut rest) = (Vec::new(), Vec::new());
                join(
                    || self.cut_along(low, &mut |_| true, &mut more),
                    || self.cut_along(high, &mut |_| true, &mut rest),
                );
                out.append(&mut more);
                out.append(&mut rest);
            }
        }
    }

    fn cut_here(&self, part: Part, may: &mut dyn FnMut(usize) -> bool, out: &mut Vec<Part>) {
        let mut waiting = vec![part];
        while let Some(part) = waiting.pop() {
            match self.best(&part, may) {
                Some((low, high)) => {
                    waiting.push(high);
                    waiting.push(low);
                }
                None => out.push(part),
            }
        }
    }

    /// The cut that leaves least; none where a part would be too small, and none where a small part would not gain.
    fn best(&self, part: &Part, may: &mut dyn FnMut(usize) -> bool) -> Option<(Part, Part)> {
        let (space, depth, records) = (self.space, part.depth(), part.records());
        if depth < 2 * self.depth {
            return None;
        }
        let mut cover = Vec::with_capacity(space.width());
        part.columns.iter().flatten().for_each(|&point| grow(space, &mut cover, point));
        let whole = records as u64 * u64::from(space.cost(&cover));
        if whole == 0 {
            return None;
        }
        let mut costs: Vec<(u32, usize)> = (0..space.dims())
            .map(|dim| (space.cost_in(dim, &cover), dim))
            .filter(|cost| cost.0 > 0)
            .collect();
        costs.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        costs.truncate(if records > PARALLEL_RECORDS { MOST_DIMS } else { costs.len() });
        let margin = if records > MIDDLE_RECORDS { self.depth.max(depth / 8) } else { self.depth };
        let mut best: Option<(u64, usize, Part)> = None;
        for &(_, dim) in costs.iter().filter(|cost| may(cost.1)) {
            self.progress.check();
            let sorted = self.sorted(part, dim);
            if let Some((left, at)) = self.along(&sorted, margin)
                && best.as_ref().is_none_or(|(least, ..)| left < *least)
                && (left < whole || records > MIDDLE_RECORDS)
            {
                best = Some((left, at, sorted));
            }
        }
        let (_, at, mut low) = best?;
        let high = low.columns.iter_mut().map(|column| column.split_off(at)).collect();
        Some((low, Part { columns: high }))
    }

    fn sorted(&self, part: &Part, dim: usize) -> Part {
        // Ties by the point, never by a record: equal points must not be told apart by the order of the file.
        let place = |&point: &u32| (self.space.place(dim, self.space.point(point)), point);
        let sort = |column: &Vec<u32>| {
            let mut placed: Vec<(u32, u32)> = column.iter().map(place).collect();
            placed.sort_unstable();
            placed.into_iter().map(|(_, point)| point).collect()
        };
        Part { columns: part.columns.iter().map(sort).collect() }
    }

    /// The number of records of each column after which a cut leaves least, and how much it leaves.
    fn along(&self, part: &Part, margin: usize) -> Option<(u64, usize)> {
        let (space, width, depth) = (self.space, part.columns.len() as u64, part.depth());
        let loss = |records: usize, cover: &[u64]| records as u64 * width * u64::from(space.cost(cover));
        let mut after = vec![0; depth];
        let mut cover = Vec::with_capacity(space.width());
        // From the back the upper parts, then from the front the lower ones.
        for at in (margin..depth).rev() {
            part.columns.iter().for_each(|column| grow(space, &mut cover, column[at]));
            after[at] = loss(depth - at, &cover);
        }
        cover.clear();
        let mut best: Option<(u64, usize)> = None;
        for at in 1..=depth - margin {
            part.columns.iter().for_each(|column| grow(space, &mut cover, column[at - 1]));
            if at >= margin {
                let left = loss(at, &cover) + after[at];
                if best.is_none_or(|(least, _)| left < least) {
                    best = Some((left, at));
                }
            }
        }
        best
    }
}

/// Lets a cover, which may be empty, grow by a point.
pub(super) fn grow(space: &Space, cover: &mut Vec<u64>, point: u32) {
    if cover.is_empty() {
        cover.extend_from_slice(space.point(point));
    } else {
        space.join(cover, space.point(point));
    }
}
