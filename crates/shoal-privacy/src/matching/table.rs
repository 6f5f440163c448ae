//! The origins of the rows of a table.

use rayon::prelude::*;
use shoal_core::{Progress, RawTable, Table};

use super::columns::{Pairs, Quasi};
use super::flow::{Demand, Shortage, assign};
use super::{NoOrigin, Origins};
use crate::Classes;
use crate::origin::number;
use crate::table::Gathered;

/// Finds for every published row an original record of its own of which it is true. `excluded` are records that the policy
/// leaves out; nothing that is published comes from them.
pub fn match_table(
    original: &Table,
    published: &RawTable,
    excluded: &[u32],
    progress: &dyn Progress,
) -> Result<Origins, NoOrigin> {
    let pairs = Pairs::new(original, published, None)?;
    let mut usable = vec![true; original.rows];
    excluded.iter().for_each(|&row| usable[row as usize] = false);
    let usable: Vec<u32> = (0..original.rows as u32).filter(|&row| usable[row as usize]).collect();

    let sides = Sides::new(&pairs, published.rows, &usable);
    let fits = sides.fits(&pairs, progress);
    let demand =
        Demand { published: sides.published.sizes.clone(), originals: sides.originals.sizes.clone(), fits };
    let rows_of = sides.published.gather();
    let taken = assign(&demand, progress).map_err(|short| no_origin(&short, &rows_of, "record"))?;

    let originals_of = sides.originals.gather();
    let mut next = vec![0; demand.originals.len()];
    let mut origin = vec![0; published.rows];
    for (group, rows) in rows_of.iter().enumerate() {
        let mut rows = rows.iter();
        for (&amount, &from) in taken[group].iter().zip(&demand.fits[group]) {
            let place = &mut next[from as usize];
            let given = &originals_of.of(from as usize)[*place..*place + amount as usize];
            *place += amount as usize;
            // The given ones first: a zip asks its first side once more than its second.
            for (&at, &row) in given.iter().zip(rows.by_ref()) {
                origin[row as usize] = usable[at as usize];
            }
        }
    }
    Ok(Origins { left_out: original.rows - origin.len(), origin })
}

/// Who cannot be served, by the first row of them.
pub(super) fn no_origin(short: &Shortage, rows_of: &Gathered, record: &'static str) -> NoOrigin {
    let first = short.groups.iter().map(|&group| rows_of.of(group as usize)[0]).min().unwrap_or(0);
    let row = number(first as usize);
    match short.originals {
        0 => NoOrigin::TrueOfNobody { row, record },
        originals => NoOrigin::TooFew { row, published: short.published, originals, record },
    }
}

/// Both sides, folded. A part holds the records of either side that agree in all columns that nobody touches; only
/// inside it can a row be a record's.
struct Sides {
    /// Groups of published rows: one part, one class.
    published: Classes,
    /// Groups of originals: one part, one combination of original values. They stand for the usable records, in order.
    originals: Classes,
    published_parts: Vec<u32>,
    original_parts: Vec<u32>,
    /// For each group of originals, and for each quasi-identifier in turn, its original values.
    points: Vec<Vec<u32>>,
}

impl Sides {
    fn new(pairs: &Pairs<'_>, rows: usize, usable: &[u32]) -> Sides {
        let all = rows + usable.len();
        let both = pairs.untouched.iter().map(|column| {
            let from = usable.iter().map(|&row| column.from[row as usize]);
            column.to.iter().copied().chain(from).collect::<Vec<u32>>()
        });
        let both: Vec<Vec<u32>> = both.collect();
        let parts = Classes::of_codes(all, &both.iter().map(Vec::as_slice).collect::<Vec<_>>()).class_of;
        let (part_of_row, part_of_original) = parts.split_at(rows);

        let mut keys: Vec<&[u32]> = vec![part_of_row];
        keys.extend(pairs.quasi.iter().map(|column| column.to.codes.as_slice()));
        let published = Classes::of_codes(rows, &keys);
        let values = pairs
            .quasi
            .iter()
            .map(|column| usable.iter().map(|&row| column.from.codes[row as usize]).collect::<Vec<u32>>());
        let values: Vec<Vec<u32>> = values.collect();
        let mut keys: Vec<&[u32]> = vec![part_of_original];
        keys.extend(values.iter().map(Vec::as_slice));
        let originals = Classes::of_codes(usable.len(), &keys);

        let first = originals.first_rows();
        Sides {
            published_parts: published.first_rows().iter().map(|&row| part_of_row[row as usize]).collect(),
            original_parts: first.iter().map(|&at| part_of_original[at as usize]).collect(),
            points: values.iter().map(|codes| first.iter().map(|&at| codes[at as usize]).collect()).collect(),
            published,
            originals,
        }
    }

    /// For each group of published rows the groups of originals of which they are true. Only those are looked at that a
    /// single column leaves, the one that is true of the fewest.
    fn fits(&self, pairs: &Pairs<'_>, progress: &dyn Progress) -> Vec<Vec<u32>> {
        let indexes: Vec<Index> =
            self.points.iter().map(|codes| Index::new(&self.original_parts, codes)).collect();
        let first = self.published.first_rows();
        (0..self.published.len())
            .into_par_iter()
            .map(|group| {
                progress.check();
                let (row, part) = (first[group] as usize, self.published_parts[group]);
                let texts: Vec<u32> = pairs.quasi.iter().map(|column| column.to.codes[row]).collect();
                let narrowest = pairs
                    .quasi
                    .iter()
                    .zip(&texts)
                    .enumerate()
                    .min_by_key(|(at, (column, text))| indexes[*at].count(column, **text, part));
                let Some((at, (column, &text))) = narrowest else {
                    // Without a quasi-identifier everybody of the part fits.
                    return Index::new(&self.original_parts, &vec![0; self.original_parts.len()])
                        .of(part, 0)
                        .to_vec();
                };
                let is_true = |&original: &u32| {
                    let mut others = pairs.quasi.iter().zip(&texts).zip(&self.points);
                    others.all(|((column, &text), codes)| column.is_true(text, codes[original as usize]))
                };
                let candidates = column.values(text).flat_map(|code| indexes[at].of(part, code));
                let mut fits: Vec<u32> = candidates.copied().filter(is_true).collect();
                fits.sort_unstable();
                fits
            })
            .collect()
    }
}

/// The groups of originals by part and by their value in one column.
struct Index {
    keys: Vec<(u32, u32)>,
    groups: Vec<u32>,
}

impl Index {
    fn new(parts: &[u32], codes: &[u32]) -> Index {
        let mut groups: Vec<u32> = (0..parts.len() as u32).collect();
        groups.sort_unstable_by_key(|&group| (parts[group as usize], codes[group as usize]));
        let keys = groups.iter().map(|&group| (parts[group as usize], codes[group as usize])).collect();
        Index { keys, groups }
    }

    fn of(&self, part: u32, code: u32) -> &[u32] {
        let from = self.keys.partition_point(|key| *key < (part, code));
        let length = self.keys[from..].partition_point(|key| *key == (part, code));
        &self.groups[from..from + length]
    }

    fn count(&self, column: &Quasi<'_>, text: u32, part: u32) -> usize {
        column.values(text).map(|code| self.of(part, code).len()).sum()
    }
}
