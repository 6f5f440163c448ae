//! The population that a file is a sample of: how many of its people a class of the file could be about.
//!
//! With counts, a class's people are those of all combinations that its published cells cover, in the columns that the counts
//! have: `[30, 39]` and `f` cover every woman between 30 and 39. With a sampling fraction f, a class of s records is taken for
//! s/f people. That is an estimate, right on average over samples; a class that has many of its few people in the file
//! is smaller than that, so the true highest risk can be above the estimate.

use std::collections::HashMap;

use rayon::prelude::*;
use shoal_core::{Column, Progress, PublishedValue, RawColumn, RawTable, Table};
use shoal_privacy::Classes;

use super::quasi::QuasiColumn;
use super::risk::{Journalist, Population};
use crate::MeasureError;
use crate::table::measure::find;

/// What is known about the population.
#[derive(Clone, Copy, Debug)]
pub enum PopulationFigures<'a> {
    /// Nothing: the file is taken for it.
    Sample,
    /// The share of it that is in the data.
    Fraction(f64),
    /// How many of its people have which combination of values.
    Counts(&'a PopulationCounts),
}

/// Counts of a population, a row per combination of values.
#[derive(Clone, Debug, Default)]
pub struct PopulationCounts {
    /// The values, in columns that are named as the quasi-identifiers that they are of.
    pub columns: Vec<RawColumn>,
    /// The people of each row.
    pub counts: Vec<u64>,
}

impl PopulationFigures<'_> {
    /// The journalist's risk in the classes of the original, of which `sizes` says how many records or people each has.
    pub(crate) fn before(
        self,
        original: &Table,
        classes: &Classes,
        sizes: &[u32],
    ) -> Result<Journalist, MeasureError> {
        match self {
            PopulationFigures::Counts(counts) => {
                Ok(journalist(&counts.of_original(original, classes, sizes)?, Population::Counts))
            }
            _ => Ok(self.by_size(sizes)),
        }
    }

    /// The same in the classes of the published file.
    pub(crate) fn after(
        self,
        original: &Table,
        published: &RawTable,
        classes: &Classes,
        sizes: &[u32],
        progress: &dyn Progress,
    ) -> Result<Journalist, MeasureError> {
        match self {
            PopulationFigures::Counts(counts) => {
                let people = counts.of_published(original, published, classes, progress)?;
                Ok(journalist(&people, Population::Counts))
            }
            _ => Ok(self.by_size(sizes)),
        }
    }

    fn by_size(self, sizes: &[u32]) -> Journalist {
        let smallest = sizes.iter().min().map_or(0.0, |&size| 1.0 / f64::from(size));
        match self {
            PopulationFigures::Fraction(fraction) => Journalist {
                sampling_fraction: Some(fraction),
                ..Journalist::new(fraction * smallest, Population::SamplingFraction)
            },
            _ => Journalist::new(smallest, Population::Sample),
        }
    }
}

fn journalist(people: &[u64], population: Population) -> Journalist {
    let highest = people.iter().min().map_or(0.0, |&people| 1.0 / people as f64);
    Journalist::new(highest, population)
}

impl PopulationCounts {
    /// Whether the population has at least the people of the data, in every combination. `sizes` are those of `classes`, which are the
    /// classes of the original by all its quasi-identifiers or by more.
    pub fn check(&self, original: &Table, classes: &Classes, sizes: &[u32]) -> Result<(), MeasureError> {
        self.of_original(original, classes, sizes).map(|_| ())
    }

    /// The people of the population that each class of the original could be about.
    fn of_original(
        &self,
        original: &Table,
        classes: &Classes,
        sizes: &[u32],
    ) -> Result<Vec<u64>, MeasureError> {
        let columns = self.originals(original)?;
        // Looked up and never gone through: its order cannot reach a figure.
        let mut people: HashMap<Vec<Option<u32>>, u64> = HashMap::new();
        for (row, count) in self.counts.iter().enumerate() {
            let code = |(ours, theirs): (&RawColumn, &&Column)| theirs.domain.code_of(ours.text(row));
            let codes: Vec<Option<u32>> = self.columns.iter().zip(&columns).map(code).collect();
            *people.entry(codes).or_default() += count;
        }
        let of_class = |row: u32| {
            let codes: Vec<Option<u32>> = columns.iter().map(|c| Some(c.codes[row as usize])).collect();
            people.get(&codes).copied().unwrap_or_default()
        };
        let people: Vec<u64> = classes.first_rows().into_iter().map(of_class).collect();
        let fewer = people.iter().zip(sizes).filter(|(people, size)| **people < u64::from(**size)).count();
        match fewer {
            0 => Ok(people),
            // A population that lacks people of its own sample is not the one that the sample is of.
            combinations => Err(MeasureError::Population { combinations }),
        }
    }

    /// The people of the population that each class of the published file could be about. There are at least as many as the class
    /// has, since its cells cover the originals of its records, whose combinations [`PopulationCounts::of_original`] has compared.
    fn of_published(
        &self,
        original: &Table,
        published: &RawTable,
        classes: &Classes,
        progress: &dyn Progress,
    ) -> Result<Vec<u64>, MeasureError> {
        let columns = self.originals(original)?;
        let mut covers: Vec<(&RawColumn, Vec<Vec<bool>>)> = Vec::with_capacity(columns.len());
        for (ours, theirs) in self.columns.iter().zip(&columns) {
            let column = find(published, &theirs.name)?;
            let read = QuasiColumn::read(theirs, column)?;
            let by_text = read.values.iter().map(|(value, _)| covered(value, theirs, ours)).collect();
            covers.push((column, by_text));
        }
        let people = |row: u32| {
            progress.check();
            let cells: Vec<&[bool]> = covers
                .iter()
                .map(|(column, by_text)| &*by_text[column.codes[row as usize] as usize])
                .collect();
            let is_covered =
                |at: usize| self.columns.iter().zip(&cells).all(|(ours, cell)| cell[ours.codes[at] as usize]);
            (0..self.counts.len()).filter(|&at| is_covered(at)).map(|at| self.counts[at]).sum()
        };
        Ok(classes.first_rows().into_par_iter().map(people).collect())
    }

    /// The column of the original for each of ours.
    fn originals<'a>(&self, original: &'a Table) -> Result<Vec<&'a Column>, MeasureError> {
        let of = |ours: &RawColumn| {
            let found = original.columns.iter().find(|column| column.name == ours.name);
            found.ok_or_else(|| MeasureError::Lacking { column: ours.name.clone() })
        };
        self.columns.iter().map(of).collect()
    }
}

/// Which values of a column of the population a published value covers. The population may have values that the data
/// do not have: they lie in ranges and below nodes, too.
fn covered(value: &PublishedValue, theirs: &Column, ours: &RawColumn) -> Vec<bool> {
    let domain = &theirs.domain;
    let is_covered = |text: &str| match value {
        PublishedValue::Exact(code) => domain.code_of(text) == Some(*code),
        PublishedValue::Set(codes) => domain.code_of(text).is_some_and(|code| codes.contains(&code)),
        PublishedValue::Range { lo, hi } => {
            domain.parser().position(text).is_some_and(|at| *lo <= at && at <= *hi)
        }
        PublishedValue::Node(node) => theirs.hierarchy.as_ref().is_some_and(|bound| {
            let (tree, code) = (bound.tree(), domain.code_of(text));
            let leaf = code.map(|code| bound.leaf_of(code)).or_else(|| tree.leaf(text));
            leaf.is_some_and(|leaf| tree.leaves_below(*node).contains(&leaf))
        }),
        PublishedValue::Suppressed => true,
    };
    ours.labels.iter().map(is_covered).collect()
}

#[cfg(test)]
mod tests {
    use shoal_core::{Kind, Role, Silent};

    use super::*;

    fn original() -> Table {
        let rows = [["30", "f"], ["32", "f"], ["41", "m"], ["47", "m"]].map(|row| row.to_vec());
        let raw = RawTable::from_rows(&["age", "sex"], &rows);
        let encode =
            |at: usize, kind| Column::encode(&raw.columns[at], Role::QuasiIdentifier, kind, &[]).unwrap();
        Table { rows: 4, columns: vec![encode(0, Kind::Integer), encode(1, Kind::Text)] }
    }

    fn census(rows: &[(&str, &str, u64)]) -> PopulationCounts {
        let cells: Vec<Vec<&str>> = rows.iter().map(|(age, sex, _)| vec![*age, *sex]).collect();
        let columns = RawTable::from_rows(&["age", "sex"], &cells).columns;
        PopulationCounts { columns, counts: rows.iter().map(|row| row.2).collect() }
    }

    const CENSUS: [(&str, &str, u64); 7] = [
        ("30", "f", 4),
        // Nobody of 31 is in the data, and a range covers them.
        ("31", "f", 10),
        ("32", "f", 6),
        ("32", "m", 100),
        ("41", "m", 5),
        ("47", "m", 2),
        ("60", "m", 1000),
    ];

    #[test]
    fn a_class_is_as_large_as_what_its_cells_cover_in_the_population() {
        let original = original();
        let rows = [["[30, 32]", "f"], ["[30, 32]", "f"], ["[41, 47]", "m"], ["[41, 47]", "*"]];
        let published = RawTable::from_rows(&["age", "sex"], &rows.map(|row| row.to_vec()));
        let classes = Classes::of(4, &published.columns.iter().collect::<Vec<_>>());
        let census = census(&CENSUS);
        let mut people = census.of_published(&original, &published, &classes, &Silent).unwrap();
        people.sort_unstable();
        assert_eq!(people, [7, 7, 20]);
        let figures = PopulationFigures::Counts(&census);
        let after = figures.after(&original, &published, &classes, &classes.sizes, &Silent).unwrap();
        assert_eq!((after.highest, after.population), (1.0 / 7.0, Population::Counts));
        let raw = Classes::of_codes(4, &[&original.columns[0].codes, &original.columns[1].codes]);
        assert_eq!(figures.before(&original, &raw, &raw.sizes).unwrap().highest, 0.5);
    }

    #[test]
    fn a_population_without_its_own_sample_is_refused() {
        let original = original();
        let raw = Classes::of_codes(4, &[&original.columns[0].codes, &original.columns[1].codes]);
        let check = |counts: &[(&str, &str, u64)]| census(counts).check(&original, &raw, &raw.sizes);
        assert_eq!(check(&CENSUS), Ok(()));
        assert_eq!(check(&CENSUS[..4]), Err(MeasureError::Population { combinations: 2 }));
        let mut nobody = CENSUS;
        nobody[0].2 = 0;
        assert_eq!(check(&nobody), Err(MeasureError::Population { combinations: 1 }));
    }

    #[test]
    fn a_tenth_makes_classes_ten_times_as_large() {
        let after = PopulationFigures::Fraction(0.1).by_size(&[5, 20]);
        assert_eq!((after.highest, after.sampling_fraction), (0.1 * 0.2, Some(0.1)));
        assert_eq!(PopulationFigures::Sample.by_size(&[5, 20]).highest, 0.2);
        assert_eq!(PopulationFigures::Fraction(0.1).by_size(&[]).highest, 0.0);
    }
}
