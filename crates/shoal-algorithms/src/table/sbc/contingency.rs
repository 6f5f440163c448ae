//! How often the values of two columns occur together among the records that remain.

use crate::table::points::Points;

/// Counts for the pairs of values of a *given* column (rows of the table) and a *counted* one (columns).
/// Only pairs that occur are held, so that two columns with many values do not fill the memory.
pub(super) struct Contingency {
    /// `pairs[starts[g]..starts[g + 1]]` is the row of the given value g.
    starts: Vec<u32>,
    pairs: Vec<Pair>,
    row_totals: Vec<u32>,
    /// All rows merged.
    merged: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Pair {
    value: u32,
    count: u32,
}

impl Contingency {
    /// Counts two columns of the points, each given by its place and its number of values.
    pub(super) fn count(points: &Points, given: (usize, usize), counted: (usize, usize)) -> Self {
        let mut weighted: Vec<(u32, u32, u32)> = (0..points.len())
            .map(|i| (points.point(i)[given.0], points.point(i)[counted.0], points.weight(i)))
            .collect();
        weighted.sort_unstable();
        let mut table = Contingency {
            starts: vec![0],
            pairs: Vec::new(),
            row_totals: vec![0; given.1],
            merged: vec![0; counted.1],
        };
        for same_row in weighted.chunk_by(|a, b| a.0 == b.0) {
            let row = same_row[0].0 as usize;
            // Rows without a pair before this one begin where it begins.
            table.starts.resize(row + 1, table.pairs.len() as u32);
            for same_pair in same_row.chunk_by(|a, b| a.1 == b.1) {
                let (value, count) = (same_pair[0].1, same_pair.iter().map(|w| w.2).sum());
                table.pairs.push(Pair { value, count });
                table.row_totals[row] += count;
                table.merged[value as usize] += count;
            }
        }
        table.starts.resize(given.1 + 1, table.pairs.len() as u32);
        table
    }

    /// Takes away `records` that have both values.
    pub(super) fn remove(&mut self, given: u32, value: u32, records: u32) {
        let row = self.row(given);
        let at = self.pairs[row.clone()].partition_point(|pair| pair.value < value);
        self.pairs[row.start + at].count -= records;
        self.row_totals[given as usize] -= records;
        self.merged[value as usize] -= records;
    }

    /// How often each value occurs in the row of `given`; in all rows where that row holds fewer than `k`
    /// records, since a class must then reach beyond it.
    pub(super) fn observe(&self, given: u32, k: usize, counts: &mut [u32]) {
        if (self.row_totals[given as usize] as usize) < k {
            counts.copy_from_slice(&self.merged);
            return;
        }
        counts.fill(0);
        for pair in &self.pairs[self.row(given)] {
            counts[pair.value as usize] = pair.count;
        }
    }

    fn row(&self, given: u32) -> std::ops::Range<usize> {
        self.starts[given as usize] as usize..self.starts[given as usize + 1] as usize
    }
}
