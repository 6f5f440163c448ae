use rayon::prelude::*;
use shoal_core::{Column, Progress, PublishedValue, RawColumn, RawTable, Table};

use super::points::{Points, members, published_classes};

/// A published table as somebody sees it who knows the quasi-identifiers of people: which classes could hold whom.
#[derive(Clone, Debug)]
pub(crate) struct Fits {
    /// The class of each published row.
    pub class_of: Vec<u32>,
    /// The rows of each class.
    pub rows: Vec<Vec<u32>>,
    /// For each point the classes whose cells all cover it, ascending.
    pub classes: Vec<Vec<u32>>,
    /// Published texts that say nothing in terms of the original, and so fit nobody.
    pub unreadable: usize,
}

impl Fits {
    /// Looks for the points that each class fits. A quasi-identifier that the file does not have rules nobody out.
    pub(crate) fn find(
        original: &Table,
        points: &Points,
        published: &RawTable,
        progress: &dyn Progress,
    ) -> Fits {
        let columns = original.quasi_identifiers();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (class_of, first) = published_classes(published, &names);
        let read: Vec<Covered<'_>> = columns
            .par_iter()
            .filter_map(|column| Some(Covered::of(column, published.column(&column.name)?, points)))
            .collect();
        let words = points.len().div_ceil(64);
        let of_class: Vec<Vec<u32>> = first
            .par_iter()
            .map(|&row| {
                progress.check();
                let mut fits = vec![u64::MAX; words];
                for column in &read {
                    match &column.points[column.published.codes[row as usize] as usize] {
                        Some(covered) => {
                            fits.iter_mut().zip(covered).for_each(|(fits, covered)| *fits &= covered);
                        }
                        None => return Vec::new(),
                    }
                }
                ones(&fits, points.len())
            })
            .collect();
        let mut classes = vec![Vec::new(); points.len()];
        for (fitting, class) in of_class.iter().zip(0..) {
            fitting.iter().for_each(|&point| classes[point as usize].push(class));
        }
        let unreadable = read.iter().map(Covered::unreadable).sum();
        let rows = members(&class_of, first.len());
        Fits { class_of, rows, classes, unreadable }
    }

    /// How many rows the classes of a list have together.
    pub(crate) fn size(&self, classes: &[u32]) -> u64 {
        classes.iter().map(|&class| self.rows[class as usize].len() as u64).sum()
    }
}

/// A published column: for each distinct text the set of points that it covers.
struct Covered<'a> {
    published: &'a RawColumn,
    /// By code of the text, a bit per point; none where the text cannot be read.
    points: Vec<Option<Vec<u64>>>,
}

impl<'a> Covered<'a> {
    fn of(column: &Column, published: &'a RawColumn, points: &Points) -> Covered<'a> {
        // Points by value, so that a text costs as much as it covers and not as much as there are points.
        let mut by_code = vec![Vec::new(); column.domain.len()];
        for (&record, point) in points.first.iter().zip(0_u32..) {
            by_code[column.codes[record as usize] as usize].push(point);
        }
        let read = |code: u32| {
            let value = read_cell(column, published, code)?;
            let mut bits = vec![0_u64; points.len().div_ceil(64)];
            let covers = |code: u32| value.covers(code, &column.domain, column.hierarchy.as_ref());
            for (of_code, _) in by_code.iter().zip(0..).filter(|(_, code)| covers(*code)) {
                of_code.iter().for_each(|&point| bits[point as usize / 64] |= 1 << (point % 64));
            }
            Some(bits)
        };
        let points = (0..published.labels.len() as u32).into_par_iter().map(read).collect();
        Covered { published, points }
    }

    fn unreadable(&self) -> usize {
        self.points.iter().filter(|covered| covered.is_none()).count()
    }
}

/// What a published text says; a null is the missing value.
pub(crate) fn read_cell(column: &Column, published: &RawColumn, code: u32) -> Option<PublishedValue> {
    if published.null == Some(code) {
        return column.domain.missing().map(PublishedValue::Exact);
    }
    PublishedValue::parse(published.labels.get(code), &column.domain, column.hierarchy.as_ref()).ok()
}

/// The numbers of the bits that are set, below `end`.
fn ones(bits: &[u64], end: usize) -> Vec<u32> {
    let mut found = Vec::new();
    for (&word, at) in bits.iter().zip(0_u32..) {
        let mut left = word;
        while left != 0 {
            let bit = 64 * at + left.trailing_zeros();
            // The last word may have more bits than there are points.
            if (bit as usize) < end {
                found.push(bit);
            }
            left &= left - 1;
        }
    }
    found
}
