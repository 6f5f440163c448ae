//! Equivalence classes, by nothing but equality.

use std::hash::Hash;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use shoal_core::RawColumn;

/// Records that agree in every quasi-identifier stand in one class. Classes are numbered from 0 in the
/// order of their first records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// The class of each record.
    pub class_of: Vec<u32>,
    /// How many records each class has.
    pub sizes: Vec<u32>,
}

impl Classes {
    /// The classes of a published file: equal codes are equal texts.
    pub fn of(rows: usize, quasi: &[&RawColumn]) -> Classes {
        let codes: Vec<&[u32]> = quasi.iter().map(|column| column.codes.as_slice()).collect();
        Classes::of_codes(rows, &codes)
    }

    /// The classes of records that are given as columns of codes. Without a column all records are alike.
    ///
    /// A release stands in the order of what it says, so that most records are like the one above. Where they are, only
    /// the first of each such run is compared with others.
    ///
    /// # Panics
    /// When a column has not `rows` codes.
    pub fn of_codes(rows: usize, columns: &[&[u32]]) -> Classes {
        for codes in columns {
            assert_eq!(codes.len(), rows, "a column has a code for each record");
        }
        let starts = run_starts(rows, columns);
        // Copying the first of each run pays where there are much fewer runs than records.
        if starts.len() > rows / 2 {
            return Classes::of_distinct(rows, columns);
        }
        let firsts: Vec<Vec<u32>> =
            columns.par_iter().map(|codes| starts.iter().map(|&row| codes[row as usize]).collect()).collect();
        let runs = Classes::of_distinct(starts.len(), &firsts.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut classes = Classes { class_of: Vec::with_capacity(rows), sizes: vec![0; runs.len()] };
        let ends = starts.iter().skip(1).copied().chain([rows as u32]);
        for ((&start, end), &class) in starts.iter().zip(ends).zip(&runs.class_of) {
            classes.class_of.resize(end as usize, class);
            classes.sizes[class as usize] += end - start;
        }
        classes
    }

    /// The same, every record compared.
    ///
    /// The codes of as many columns as fit are packed into one 64-bit word together with the class found
    /// so far, and equal words are one class. Words are compared whole, so the result is exact. A word
    /// has room for the class and at least one column, since neither is wider than 32 bits.
    fn of_distinct(rows: usize, columns: &[&[u32]]) -> Classes {
        let mut classes = Classes { class_of: vec![0; rows], sizes: vec![rows as u32; rows.min(1)] };
        let mut columns = columns.iter().map(|codes| (*codes, width(codes))).peekable();
        while columns.peek().is_some() {
            let mut words: Vec<u64> = classes.class_of.iter().map(|&class| u64::from(class)).collect();
            let mut used = u32::BITS - (classes.len() as u32).leading_zeros();
            while let Some((codes, width)) = columns.next_if(|(_, width)| used + width <= u64::BITS) {
                words
                    .iter_mut()
                    .zip(codes)
                    .for_each(|(word, &code)| *word = *word << width | u64::from(code));
                used += width;
            }
            classes = Classes::of_keys(words.into_iter());
        }
        classes
    }

    /// Numbers equal keys alike, in order of appearance. Keys are compared whole, so the result is exact.
    pub(crate) fn of_keys<K: Eq + Hash>(keys: impl ExactSizeIterator<Item = K>) -> Classes {
        let mut known: HashMap<K, u32, FixedState> = HashMap::with_hasher(FixedState::default());
        let mut classes = Classes { class_of: Vec::with_capacity(keys.len()), sizes: Vec::new() };
        for key in keys {
            let class = *known.entry(key).or_insert(classes.sizes.len() as u32);
            if class as usize == classes.sizes.len() {
                classes.sizes.push(0);
            }
            classes.sizes[class as usize] += 1;
            classes.class_of.push(class);
        }
        classes
    }

    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no class, hence no record.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The size of the smallest class.
    pub fn smallest(&self) -> Option<u32> {
        self.sizes.iter().copied().min()
    }

    /// The first record of each class, counted from 0.
    pub fn first_rows(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.len());
        for (row, &class) in self.class_of.iter().enumerate() {
            // Classes are numbered by their first records, so a new one is always the next one.
            if class as usize == first.len() {
                first.push(row as u32);
            }
        }
        first
    }

    /// The first few members of some classes, at most `each` of them, counted from 0.
    pub(crate) fn members(&self, of: &[u32], each: usize) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); of.len()];
        if !of.is_empty() {
            for (row, class) in self.class_of.iter().enumerate() {
                if let Some(at) = of.iter().position(|one| one == class)
                    && members[at].len() < each
                {
                    members[at].push(row as u32);
                }
            }
        }
        members
    }

    /// All records, those of a class together.
    pub(crate) fn gather(&self) -> Gathered {
        let mut starts = Vec::with_capacity(self.len() + 1);
        starts.push(0);
        starts.extend(self.sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        let mut next = starts.clone();
        let mut rows = vec![0; self.class_of.len()];
        for (row, &class) in self.class_of.iter().enumerate() {
            let at = &mut next[class as usize];
            rows[*at as usize] = row as u32;
            *at += 1;
        }
        Gathered { rows, starts }
    }

    /// For each class, whether it says nothing: `*` in every quasi-identifier of its published file.
    pub fn starred(&self, quasi: &[&RawColumn]) -> Vec<bool> {
        let is_star = |row: u32, column: &RawColumn| column.text(row as usize) == "*";
        let says_nothing = |row: u32| !quasi.is_empty() && quasi.iter().all(|column| is_star(row, column));
        self.first_rows().into_iter().map(says_nothing).collect()
    }
}

/// Records in the order of their classes, ascending inside each.
#[derive(Debug)]
pub(crate) struct Gathered {
    rows: Vec<u32>,
    /// Where each class starts in `rows`, and at the end the number of rows.
    starts: Vec<u32>,
}

impl Gathered {
    /// The records of a class, counted from 0; at least one.
    pub(crate) fn of(&self, class: usize) -> &[u32] {
        &self.rows[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// The records of every class in turn.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.rows[pair[0] as usize..pair[1] as usize])
    }

    /// Something about every record in its place.
    pub(crate) fn map(&self, of: impl Fn(u32) -> u32) -> Gathered {
        Gathered { rows: self.rows.iter().map(|&row| of(row)).collect(), starts: self.starts.clone() }
    }

    /// How many classes there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The first class that starts at or behind this number of records; the number of classes where none does.
    pub(crate) fn class_behind(&self, rows: u64) -> usize {
        self.starts.partition_point(|&start| u64::from(start) < rows).min(self.len())
    }
}

/// The records that differ from the one above, and the first.
fn run_starts(rows: usize, columns: &[&[u32]]) -> Vec<u32> {
    /// Records that are looked at together, so that their marks stay in the cache while the columns pass.
    const TOGETHER: usize = 1 << 14;
    let chunks: Vec<Vec<u32>> = (0..rows.div_ceil(TOGETHER))
        .into_par_iter()
        .map(|chunk| {
            let (from, to) = (chunk * TOGETHER, ((chunk + 1) * TOGETHER).min(rows));
            let mut differs = vec![false; to - from];
            // The first record has none above it.
            differs[0] = from == 0;
            for codes in columns {
                let first = from.max(1);
                let pairs = codes[first - 1..to].iter().zip(&codes[first..to]);
                differs[first - from..]
                    .iter_mut()
                    .zip(pairs)
                    .for_each(|(differs, (above, own))| *differs |= above != own);
            }
            (from as u32..).zip(&differs).filter(|(_, differs)| **differs).map(|(row, _)| row).collect()
        })
        .collect();
    chunks.concat()
}

/// How many bits the codes need. Taken from the codes themselves: a column that lied about its number of
/// labels would otherwise run into its neighbour.
fn width(codes: &[u32]) -> u32 {
    u32::BITS - codes.iter().copied().max().unwrap_or(0).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_numbered_by_their_first_record() {
        let classes = Classes::of_codes(5, &[&[7, 3, 7, 3, 7], &[0, 0, 0, 0, 1]]);
        assert_eq!(classes, Classes { class_of: vec![0, 1, 0, 1, 2], sizes: vec![2, 2, 1] });
        assert_eq!(classes.first_rows(), [0, 1, 4]);
        assert_eq!(classes.smallest(), Some(1));
    }

    #[test]
    fn a_few_members_of_some_classes() {
        let classes = Classes::of_codes(6, &[&[7, 3, 7, 7, 9, 3]]);
        assert_eq!(classes.members(&[1, 0], 2), [[1, 5], [0, 2]]);
        assert_eq!(classes.members(&[2], 2), [[4]]);
        assert!(classes.members(&[], 2).is_empty());
    }

    #[test]
    fn the_records_of_a_class_together() {
        let classes = Classes::of_codes(6, &[&[7, 3, 7, 7, 9, 3]]);
        let gathered = classes.gather();
        assert_eq!(gathered.iter().collect::<Vec<_>>(), [&[0, 2, 3][..], &[1, 5], &[4]]);
        assert_eq!(gathered.of(1), [1, 5]);
        let behind: Vec<usize> = (0..8).map(|rows| gathered.class_behind(rows)).collect();
        assert_eq!(behind, [0, 1, 1, 1, 2, 2, 3, 3]);
        assert_eq!(Classes::default().gather().len(), 0);
    }

    #[test]
    fn columns_wider_than_one_word_do_not_run_into_each_other() {
        let (low, high) = ([0, 1, 0, 0], [u32::MAX, 0, u32::MAX, u32::MAX - 1]);
        let classes = Classes::of_codes(4, &[&high, &low, &high, &high, &low]);
        assert_eq!(classes.class_of, [0, 1, 0, 2]);
    }

    /// A word that took in more bits than it has would lose those of the first columns, and records that differ only
    /// there would be one class.
    #[test]
    fn many_narrow_columns_do_not_push_the_first_one_out_of_the_word() {
        let first: [u32; 4] = [0, 1, 1, 0];
        let rest: [u32; 4] = [1, 1, 1, 1];
        for columns in 1..200 {
            let mut all: Vec<&[u32]> = vec![&rest; columns];
            all[0] = &first;
            assert_eq!(Classes::of_codes(4, &all).class_of, [0, 1, 1, 0], "{columns} columns of one bit");
        }
    }

    /// The same for the classes that were found before: 64 of them take seven bits of the next word.
    #[test]
    fn the_classes_found_so_far_have_room_in_the_next_word() {
        let rows = 64;
        let different: Vec<u32> = (0..rows).map(|row| u32::MAX - row).collect();
        let (wide, narrow) = (vec![u32::MAX; rows as usize], vec![u32::MAX >> 1; rows as usize]);
        // 1 + 32 + 31 bits fill the first word; without room for the classes 32 + 31 would fit into the second as well.
        let classes = Classes::of_codes(rows as usize, &[&different, &narrow, &wide, &narrow]);
        assert_eq!(classes.class_of, (0..rows).collect::<Vec<_>>());
        let classes =
            Classes::of_codes(rows as usize, &[&wide, &narrow, &different, &narrow, &wide, &narrow]);
        assert_eq!(classes.len(), rows as usize);
    }

    /// Runs of equal records, some of them in several places, against records that are compared one by one.
    #[test]
    fn runs_of_equal_records_are_classes_like_any_other() {
        // More than one chunk, with a run that crosses the border between two.
        for rows in [1, 2, 16_383, 16_384, 16_385, 40_000] {
            for run in [1, 2, 3, 10, 50_000] {
                let first: Vec<u32> = (0..rows).map(|row| (row / run * 7 % 11) as u32).collect();
                let second: Vec<u32> = (0..rows).map(|row| (row / run % 5 + row / 30_000) as u32).collect();
                let columns: [&[u32]; 2] = [&first, &second];
                let keys = first.iter().zip(&second);
                assert_eq!(Classes::of_codes(rows, &columns), Classes::of_keys(keys), "{rows} {run}");
            }
        }
    }

    #[test]
    fn without_columns_all_are_alike_and_without_records_there_is_no_class() {
        assert_eq!(Classes::of_codes(3, &[]).sizes, [3]);
        assert!(Classes::of_codes(0, &[]).is_empty());
        assert!(Classes::of_codes(0, &[&[]]).is_empty());
    }
}
