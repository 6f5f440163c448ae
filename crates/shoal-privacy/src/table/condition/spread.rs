//! How the values of a sensitive column are spread over the classes of a file.

use std::ops::Range;

use rayon::prelude::*;

use super::Values;
use crate::TableView;

/// A sensitive column, class by class.
#[derive(Debug)]
pub(super) struct Spread<'a> {
    pub(super) view: &'a TableView<'a>,
    pub(super) values: Values<'a>,
}

/// The values of one class.
#[derive(Debug)]
pub(super) struct Class<'a> {
    /// How many members have a value: people where they are counted, else records.
    pub(super) size: u32,
    /// Its values, ascending, each with the number of members who have it.
    pub(super) counts: &'a [(u32, u32)],
}

impl Class<'_> {
    /// How many pairs of a member and one of their values there are; as many as members where everybody has one.
    pub(super) fn pairs(&self) -> u64 {
        self.counts.iter().map(|&(_, members)| u64::from(members)).sum()
    }

    /// How many members have each value, the most frequent first, if every member were looked at with one of their
    /// values only, and that so that they are as little mixed as possible: the most frequent value takes all who
    /// have it, the next one as many of the others, and so on. Whatever one value of each member is looked at, the
    /// first values have no more members together.
    pub(super) fn least_mixed(&self) -> Vec<u32> {
        let mut members: Vec<u32> = self.counts.iter().map(|(_, members)| *members).collect();
        members.sort_unstable_by(|one, two| two.cmp(one));
        let mut left = self.size;
        for of_value in &mut members {
            *of_value = (*of_value).min(left);
            left -= *of_value;
        }
        members.retain(|of_value| *of_value > 0);
        members
    }

    /// The share of the class that this number of its records is.
    pub(super) fn share(&self, records: u32) -> f64 {
        f64::from(records) / f64::from(self.size)
    }
}

impl<'a> Spread<'a> {
    pub(super) fn new(view: &'a TableView<'a>, values: Values<'a>) -> Spread<'a> {
        Spread { view, values }
    }

    /// A figure for each class. Parts of the file are looked at in parallel; how it is cut changes no figure.
    pub(super) fn each_class(&self, figure: impl Fn(&Class<'_>) -> f64 + Sync) -> Vec<f64> {
        let figures = |classes: Range<usize>| {
            let mut tally = Tally::new(self.values.totals.len());
            classes.map(|class| figure(&tally.count(self, class))).collect::<Vec<f64>>()
        };
        let parts: Vec<Vec<f64>> = self.parts().into_par_iter().map(figures).collect();
        parts.concat()
    }

    /// One class.
    pub(super) fn of_class<T>(&self, class: u32, figure: impl FnOnce(&Class<'_>) -> T) -> T {
        figure(&Tally::new(self.values.totals.len()).count(self, class as usize))
    }

    /// Runs of classes with about as many records each: some for every thread, few enough that a tally for each of
    /// them costs nothing.
    fn parts(&self) -> Vec<Range<usize>> {
        let gathered = self.view.gathered();
        let parts = 4 * rayon::current_num_threads() as u64;
        let records = self.values.codes().len() as u64;
        let bounds = (0..=parts).map(|part| gathered.class_behind(records * part / parts));
        let bounds: Vec<usize> = bounds.collect();
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }
}

/// Counts the values of one class after the other.
struct Tally {
    /// By value; all 0 between two classes.
    counts: Vec<u32>,
    found: Vec<(u32, u32)>,
    /// Pairs of value and person, where people are counted.
    pairs: Vec<(u32, u32)>,
}

impl Tally {
    fn new(values: usize) -> Tally {
        Tally { counts: vec![0; values], found: Vec::new(), pairs: Vec::new() }
    }

    fn count(&mut self, spread: &Spread<'_>, class: usize) -> Class<'_> {
        let Spread { view, values } = spread;
        let rows = view.gathered().of(class);
        let value_of = |row: u32| values.of_code(values.codes()[row as usize]);
        self.found.clear();
        if let Some(crowds) = view.people() {
            self.pairs.clear();
            let pairs =
                rows.iter().filter_map(|&row| Some((value_of(row)?, crowds.person_of()[row as usize])));
            self.pairs.extend(pairs);
            self.pairs.sort_unstable();
            self.pairs.dedup();
            for one_value in self.pairs.chunk_by(|one, two| one.0 == two.0) {
                self.found.push((one_value[0].0, one_value.len() as u32));
            }
            self.pairs.sort_unstable_by_key(|&(_, person)| person);
            let size = self.pairs.chunk_by(|one, two| one.1 == two.1).count();
            return Class { size: size as u32, counts: &self.found };
        }
        for value in rows.iter().filter_map(|&row| value_of(row)) {
            let count = &mut self.counts[value as usize];
            if *count == 0 {
                self.found.push((value, 0));
            }
            *count += 1;
        }
        // The distances of t-closeness need values in order. Taking the counts out leaves all counters at 0 for the next
        // class, without a pass over all values of the file.
        self.found.sort_unstable();
        for (value, count) in &mut self.found {
            *count = std::mem::take(&mut self.counts[*value as usize]);
        }
        let size = self.found.iter().map(|(_, count)| count).sum();
        Class { size, counts: &self.found }
    }
}
