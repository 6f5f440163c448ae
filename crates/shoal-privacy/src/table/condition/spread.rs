//! How the values of a sensitive column are spread over the classes of a file.

use std::ops::Range;

use rayon::prelude::*;

use super::Values;
use crate::View;

/// A sensitive column, class by class.
#[derive(Debug)]
pub(super) struct Spread<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) values: Values<'a>,
}

/// The values of one class.
#[derive(Debug)]
pub(super) struct Class<'a> {
    /// How many records it has.
    pub(super) size: u32,
    /// Its values, ascending, each with the number of records that have it.
    pub(super) counts: &'a [(u32, u32)],
}

impl Class<'_> {
    /// The share of the class that so many of its records are.
    pub(super) fn share(&self, records: u32) -> f64 {
        f64::from(records) / f64::from(self.size)
    }
}

impl<'a> Spread<'a> {
    pub(super) fn new(view: &'a View<'a>, values: Values<'a>) -> Spread<'a> {
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
    pub(super) fn look<T>(&self, class: u32, look: impl FnOnce(&Class<'_>) -> T) -> T {
        look(&Tally::new(self.values.totals.len()).count(self, class as usize))
    }

    /// Runs of classes with about as many records each: some for every thread, few enough that a tally for each of
    /// them costs nothing.
    fn parts(&self) -> Vec<Range<usize>> {
        let gathered = self.view.gathered();
        let parts = 4 * rayon::current_num_threads() as u64;
        let bounds = (0..=parts).map(|part| gathered.class_behind(self.values.records() * part / parts));
        let bounds: Vec<usize> = bounds.collect();
        bounds.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }
}

/// Counts the values of one class after the other.
struct Tally {
    /// By value; all 0 between two classes.
    counts: Vec<u32>,
    found: Vec<(u32, u32)>,
}

impl Tally {
    fn new(values: usize) -> Tally {
        Tally { counts: vec![0; values], found: Vec::new() }
    }

    fn count(&mut self, spread: &Spread<'_>, class: usize) -> Class<'_> {
        let Spread { view, values } = spread;
        let rows = view.gathered().of(class);
        self.found.clear();
        for &row in rows {
            let value = values.of_code(values.codes()[row as usize]);
            let count = &mut self.counts[value as usize];
            if *count == 0 {
                self.found.push((value, 0));
            }
            *count += 1;
        }
        self.found.sort_unstable();
        for (value, count) in &mut self.found {
            *count = std::mem::take(&mut self.counts[*value as usize]);
        }
        Class { size: rows.len() as u32, counts: &self.found }
    }
}
