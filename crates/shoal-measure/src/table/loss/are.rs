//! Average relative error of COUNT queries: what an analyst notices who asks the published file how many records meet two conditions.
//!
//! A query asks for two quasi-identifiers, of a table with one of them for that one: a range of numbers or dates, a value of a text. It is drawn from a
//! random record, so that it is asked the more often the more frequent what it asks for is, and its true count is 1 at least. Queries
//! depend on the original alone, so that all releases of it are asked the same. Sensitive columns are not asked about: counts of
//! them together with a quasi-identifier are known to nobody, and an error that is relative to them would say something about
//! whose the values in a class are.
//!
//! The estimate is the expected count when all values that a published value covers are alike, and columns are independent: the sum over all
//! published records of Π (asked ∩ covered) / covered. Ranges are uniform over the whole numbers or days in them, decimals over their length. Records
//! that are left out are not in the file and count for nothing; those of nothing but `*` are spread over everything, as an analyst would.

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shoal_core::{Column, Kind, Progress, PublishedValue};

use super::Published;
use crate::QuasiColumn;

/// How far counts in a release are from those in the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CountError {
    /// The mean of |estimate − truth| / truth.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
    /// How many queries these are about.
    pub queries: usize,
}

/// How many queries are asked where that is cheap.
const QUERIES: usize = 1000;
/// At least so many are asked.
const FEWEST: usize = 48;
/// Pairs of columns that queries are about. More of them would make the passes over the file longer than all other measures.
const PAIRS: usize = 12;
/// A range asked for reaches over about a tenth of the different values of its column.
const HALF_RANGE: usize = 20;
/// How many cells may be looked at for all queries together, about a second.
const WORK: usize = 400_000_000;
/// Where drawing starts: the same for all releases.
const SEED: u64 = 0x5343_4f55_4e54;

/// The error of counts; none where there is nothing to ask for.
pub fn of(published: &Published<'_>, progress: &dyn Progress) -> Option<CountError> {
    if published.records == 0 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let pairs = pairs(published.quasi.len(), &mut random);
    // Drawn before the pairs are worked on in parallel, so that threads change nothing.
    let each = QUERIES.div_ceil(pairs.len().max(1));
    let drawn: Vec<Vec<usize>> = pairs
        .iter()
        .map(|_| (0..each).map(|_| random.random_range(0..published.records)).collect())
        .collect();
    let errors: Vec<Vec<f64>> = pairs
        .par_iter()
        .zip(&drawn)
        .map(|(&(a, b), drawn)| {
            progress.check();
            errors_of_pair(&published.quasi[a], &published.quasi[b], drawn, progress)
        })
        .collect();
    let errors: Vec<f64> = errors.into_iter().flatten().collect();
    let largest = errors.iter().copied().reduce(f64::max)?;
    Some(CountError {
        mean: errors.iter().sum::<f64>() / errors.len() as f64,
        largest,
        queries: errors.len(),
    })
}

/// Which columns are asked about together; one column is asked about with itself.
fn pairs(columns: usize, random: &mut ChaCha8Rng) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> =
        (0..columns).flat_map(|a| (a + 1..columns).map(move |b| (a, b))).collect();
    if columns == 1 {
        all.push((0, 0));
    }
    // The first steps of a Fisher-Yates shuffle.
    for at in 0..PAIRS.min(all.len()) {
        let other = random.random_range(at..all.len());
        all.swap(at, other);
    }
    all.truncate(PAIRS);
    all
}

fn errors_of_pair(
    a: &QuasiColumn<'_>,
    b: &QuasiColumn<'_>,
    drawn: &[usize],
    progress: &dyn Progress,
) -> Vec<f64> {
    let before = Joint::of(&a.original.codes, a.original.domain.len(), &b.original.codes);
    progress.check();
    let after = Joint::of(&a.published.codes, a.values.len(), &b.published.codes);
    progress.check();
    // Files with many different values are asked less often.
    let cost = a.values.len() + b.values.len() + before.counts.len() + after.counts.len();
    let asked = (WORK / PAIRS / cost.max(1)).clamp(FEWEST / PAIRS, drawn.len().max(1));
    let places = before.places();
    let error = |&place: &usize| {
        progress.check();
        let (at_a, at_b) = before.values_at(&places, place);
        let (of_a, of_b) = (Condition::around(a.original, at_a)?, Condition::around(b.original, at_b)?);
        let single = std::ptr::eq(a, b);
        let exact = |condition: &Condition, len: usize| -> Vec<f64> {
            (0..len as u32).map(|code| f64::from(u8::from(condition.asks(code)))).collect()
        };
        let truth = before.expected(
            &exact(&of_a, a.original.domain.len()),
            &if single { vec![1.0; b.original.domain.len()] } else { exact(&of_b, b.original.domain.len()) },
        );
        let estimate =
            after.expected(&of_a.shares(a), &if single { vec![1.0; b.values.len()] } else { of_b.shares(b) });
        Some((estimate - truth).abs() / truth)
    };
    drawn.iter().take(asked).filter_map(error).collect()
}

/// How many records have each pair of values.
struct Joint {
    /// For each value of the first column where its entries start.
    start: Vec<usize>,
    /// Values of the second column with the number of records that have both.
    counts: Vec<(u32, u32)>,
}

impl Joint {
    fn of(a: &[u32], a_values: usize, b: &[u32]) -> Joint {
        // A counting sort by the first value, then runs of the second one.
        let mut ends = vec![0_usize; a_values + 1];
        a.iter().for_each(|&value| ends[value as usize + 1] += 1);
        for value in 0..a_values {
            ends[value + 1] += ends[value];
        }
        let mut next = ends.clone();
        let mut sorted = vec![0_u32; a.len()];
        for (&first, &second) in a.iter().zip(b) {
            sorted[next[first as usize]] = second;
            next[first as usize] += 1;
        }
        let (mut start, mut counts) = (Vec::with_capacity(a_values + 1), Vec::new());
        for value in 0..a_values {
            start.push(counts.len());
            let with = &mut sorted[ends[value]..ends[value + 1]];
            with.sort_unstable();
            counts.extend(with.chunk_by(|x, y| x == y).map(|same| (same[0], same.len() as u32)));
        }
        start.push(counts.len());
        Joint { start, counts }
    }

    /// For each entry how many records there are up to it.
    fn places(&self) -> Vec<usize> {
        let mut sum = 0;
        self.counts
            .iter()
            .map(|&(_, count)| {
                sum += count as usize;
                sum
            })
            .collect()
    }

    /// The values of the record at this place among all records in the order of their values: which record a number draws must not depend on
    /// the order in which they are held.
    fn values_at(&self, places: &[usize], place: usize) -> (u32, u32) {
        let entry = places.partition_point(|&end| end <= place);
        let first = self.start.partition_point(|&start| start <= entry) - 1;
        (first as u32, self.counts[entry].0)
    }

    /// The expected number of records, given for each value the probability that it is as asked.
    fn expected(&self, a: &[f64], b: &[f64]) -> f64 {
        let of = |(value, &share): (usize, &f64)| {
            let with = &self.counts[self.start[value]..self.start[value + 1]];
            share * with.iter().map(|&(other, count)| b[other as usize] * f64::from(count)).sum::<f64>()
        };
        // Most values are not asked for.
        a.iter().enumerate().filter(|(_, share)| **share > 0.0).map(of).sum()
    }
}

/// The values asked for: codes in a row, which for numbers and dates is a range.
struct Condition {
    first: u32,
    last: u32,
}

impl Condition {
    /// A condition that this value meets; none for the missing value.
    fn around(column: &Column, code: u32) -> Option<Condition> {
        let domain = &column.domain;
        if domain.missing() == Some(code) {
            return None;
        }
        let values = domain.positions().len();
        Some(match domain.is_ordered() && values > 0 {
            // Codes are in the order of values.
            true => {
                let reach = (values / HALF_RANGE) as u32;
                Condition { first: code.saturating_sub(reach), last: (code + reach).min(values as u32 - 1) }
            }
            false => Condition { first: code, last: code },
        })
    }

    fn asks(&self, code: u32) -> bool {
        self.first <= code && code <= self.last
    }

    /// For each published value the probability that what is behind it is asked for.
    fn shares(&self, column: &QuasiColumn<'_>) -> Vec<f64> {
        let leaves = column.original.hierarchy.as_ref().map(|_| self.leaves(column.original));
        column.values.iter().map(|(value, _)| self.share(value, column.original, leaves.as_deref())).collect()
    }

    fn share(&self, value: &PublishedValue, column: &Column, leaves: Option<&[u32]>) -> f64 {
        let domain = &column.domain;
        let below = |range: std::ops::Range<u32>| {
            let leaves = leaves.unwrap_or_default();
            let asked = leaves[range.end as usize] - leaves[range.start as usize];
            f64::from(asked) / f64::from((range.end - range.start).max(1))
        };
        match (value, &column.hierarchy) {
            (PublishedValue::Exact(code), _) => f64::from(u8::from(self.asks(*code))),
            (PublishedValue::Set(codes), _) => {
                let asked = codes.iter().filter(|code| self.asks(**code)).count();
                asked as f64 / codes.len().max(1) as f64
            }
            (PublishedValue::Range { lo, hi }, _) => self.share_of_range(*lo, *hi, column),
            (PublishedValue::Node(node), Some(bound)) => below(bound.tree().leaves_below(*node)),
            (PublishedValue::Node(_), None) => 0.0,
            (PublishedValue::Suppressed, Some(bound)) => below(0..bound.tree().leaf_count()),
            (PublishedValue::Suppressed, None) => match domain.positions() {
                [lo, .., hi] if domain.is_ordered() => self.share_of_range(*lo, *hi, column),
                _ => f64::from(self.last - self.first + 1) / domain.len().max(1) as f64,
            },
        }
    }

    /// Which part of a range is asked for.
    fn share_of_range(&self, lo: f64, hi: f64, column: &Column) -> f64 {
        let positions = column.domain.positions();
        let (first, last) = (positions[self.first as usize], positions[self.last as usize]);
        let (from, to) = (lo.max(first), hi.min(last));
        // Whole numbers and days have an extent of their own.
        let step = match column.domain.parser().kind() {
            Kind::Integer => 1.0,
            // Positions of dates are seconds.
            Kind::Date => 86_400.0,
            Kind::Decimal | Kind::Text => 0.0,
        };
        if from > to {
            0.0
        } else if hi - lo + step <= 0.0 {
            1.0
        } else {
            ((to - from + step) / (hi - lo + step)).min(1.0)
        }
    }

    /// For each leaf of the hierarchy how many of those before it are asked for.
    fn leaves(&self, column: &Column) -> Vec<u32> {
        let Some(bound) = &column.hierarchy else { return Vec::new() };
        let (tree, domain) = (bound.tree(), &column.domain);
        let mut asked = vec![0_u32; tree.leaf_count() as usize + 1];
        if domain.is_ordered() && !domain.positions().is_empty() {
            // Leaves between two values of the data are asked for, too, though nobody has them.
            let range = domain.positions()[self.first as usize]..=domain.positions()[self.last as usize];
            for leaf in 0..tree.leaf_count() {
                let position = domain.parser().position(tree.label(tree.leaf_node(leaf)));
                asked[leaf as usize + 1] = u32::from(position.is_some_and(|at| range.contains(&at)));
            }
        } else {
            (self.first..=self.last).for_each(|code| asked[bound.leaf_of(code) as usize + 1] = 1);
        }
        for leaf in 1..asked.len() {
            asked[leaf] += asked[leaf - 1];
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shoal_core::{Hierarchy, RawTable, Role, Silent, Table};
    use shoal_privacy::Classes;

    use super::*;

    fn table(rows: &[Vec<String>], kind: Kind) -> Table {
        let raw = RawTable::from_rows(&["age", "job"], rows);
        let encode = |at: usize, kind| {
            Column::encode(&raw.columns[at], Role::QuasiIdentifier, kind, &["?".to_owned()]).unwrap()
        };
        Table { columns: vec![encode(0, kind), encode(1, Kind::Text)], rows: rows.len() }
    }

    fn error(original: &Table, published: &[Vec<String>]) -> Option<CountError> {
        let raw = RawTable::from_rows(&["age", "job"], published);
        let quasi = original.columns.iter().zip(&raw.columns);
        let quasi: Vec<QuasiColumn<'_>> = quasi.map(|(o, p)| QuasiColumn::read(o, p).unwrap()).collect();
        let codes: Vec<&[u32]> = raw.columns.iter().map(|column| column.codes.as_slice()).collect();
        let classes = Classes::of_codes(raw.rows, &codes);
        of(&Published { records: original.rows, quasi, sensitive: Vec::new(), classes: &classes }, &Silent)
    }

    fn people() -> Vec<Vec<String>> {
        let job = |i: usize| ["cook", "clerk", "nurse"][i % 3];
        (0..60).map(|i| vec![(20 + i % 40).to_string(), job(i).to_owned()]).collect()
    }

    #[test]
    fn what_is_published_as_it_is_has_no_error() {
        for kind in [Kind::Integer, Kind::Decimal, Kind::Text] {
            let found = error(&table(&people(), kind), &people()).unwrap();
            assert_eq!((found.mean, found.largest), (0.0, 0.0), "{kind:?}");
            assert!(found.queries > 900, "{found:?}");
        }
    }

    #[test]
    fn a_range_spreads_its_records_over_its_numbers() {
        // Everybody between 20 and 59 and any job: each of the 40 ages has 1.5 of 60, a tenth of the ages 5 × 1.5; 20 have a job.
        let original = table(&people(), Kind::Integer);
        let published: Vec<Vec<String>> =
            people().iter().map(|_| vec!["[20, 59]".into(), "*".into()]).collect();
        let found = error(&original, &published).unwrap();
        // By hand, over all records: five ages (fewer at the ends), and the job of the record.
        let truth = |row: usize| {
            let (age, job) = (20 + row as i64 % 40, row % 3);
            let near = |i: usize| (20 + i as i64 % 40 - age).abs() <= 2;
            let truth = (0..60).filter(|&i| near(i) && i % 3 == job).count() as f64;
            let ages = (20..60).filter(|other: &i64| (other - age).abs() <= 2).count() as f64;
            let estimate = 60.0 * ages / 40.0 / 3.0;
            (estimate - truth).abs() / truth
        };
        let all: Vec<f64> = (0..60).map(truth).collect();
        let largest = all.iter().copied().fold(0.0, f64::max);
        assert!((found.largest - largest).abs() < 1e-9, "{found:?} {largest}");
        let mean = all.iter().sum::<f64>() / 60.0;
        assert!((found.mean - mean).abs() < 0.05, "drawn: {found:?}, all: {mean}");
    }

    #[test]
    fn nodes_and_what_is_left_out_count_as_what_they_are() {
        let lines = [
            ["cook", "kitchen", "*"],
            ["clerk", "office", "*"],
            ["nurse", "ward", "*"],
            ["baker", "kitchen", "*"],
        ];
        let tree = Arc::new(Hierarchy::from_rows(&lines.map(Vec::from)).unwrap());
        let mut original = table(&people(), Kind::Integer);
        let job = original.columns.pop().unwrap().with_hierarchy(&tree).unwrap();
        original.columns = vec![job];
        let column = |text: &str| RawTable::from_rows(&["job"], &vec![vec![text.to_owned()]; 30]);
        let mean = |text: &str| {
            let raw = column(text);
            let quasi = vec![QuasiColumn::read(&original.columns[0], &raw.columns[0]).unwrap()];
            let classes = Classes::of_codes(30, &[raw.columns[0].codes.as_slice()]);
            let published = Published { records: 60, quasi, sensitive: Vec::new(), classes: &classes };
            of(&published, &Silent).unwrap()
        };
        // 20 have each job; 30 published kitchens are 15 cooks; others have none. Nobody else is in the file.
        let found = mean("kitchen");
        assert!(found.largest == 1.0 && found.mean > 0.25 && found.mean < 1.0, "{found:?}");
        // A quarter of everybody for each of four leaves: 7.5 instead of 20.
        assert!((mean("*").mean - 0.625).abs() < 1e-9, "{:?}", mean("*"));
    }

    #[test]
    fn the_order_of_the_records_changes_nothing() {
        let published = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
            rows.iter().map(|row| vec!["[20, 59]".to_owned(), row[1].clone()]).collect()
        };
        let (rows, mut other) = (people(), people());
        other.rotate_left(17);
        let first = error(&table(&rows, Kind::Integer), &published(&rows));
        assert_eq!(first, error(&table(&other, Kind::Integer), &published(&other)));
    }

    #[test]
    fn records_without_a_value_are_not_asked_about() {
        let rows: Vec<Vec<String>> = (0..30).map(|_| vec!["?".to_owned(), "cook".to_owned()]).collect();
        assert_eq!(error(&table(&rows, Kind::Integer), &rows), None);
    }
}
