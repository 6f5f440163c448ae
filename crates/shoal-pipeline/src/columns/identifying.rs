//! Which quasi-identifiers, taken together, tell people from each other.
//!
//! All pairs are compared on a sample, and all triples of the columns that did best in pairs; the few that make most people
//! unique there are then counted among all records, so that the figures that are shown are true of the whole table and only the choice
//! comes from a sample. (A sample itself has fewer records that could be alike, so its figures would be too large.)

use rayon::prelude::*;
use serde::Serialize;
use shoal_core::{Column, Progress, Table};
use shoal_measure::table::uniqueness;
use shoal_privacy::Classes;

use super::sample::{Units, sample};

/// The most records that combinations are compared on: large enough that ties are rare, and 9 quasi-identifiers
/// (36 pairs, 84 triples) take a few tenths of a second.
const SAMPLE: usize = 100_000;
/// The most columns of which all pairs are compared (435 pairs).
const IN_PAIRS: usize = 30;
/// The most columns of which all triples are compared (120 triples).
const IN_TRIPLES: usize = 10;
/// How many pairs and how many triples are shown.
const SHOWN: usize = 3;

/// How far people can be told from each other by their quasi-identifiers, as they are in the original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Identifying {
    /// What is counted: `records` or `people`.
    pub unit: &'static str,
    /// How many of them there are.
    pub units: usize,
    /// The records (or events) that would be published.
    pub records: usize,
    /// How many of these were looked at to choose among the pairs and triples. What is said of those that were chosen
    /// was counted among all records.
    pub sample: usize,
    /// The pairs that make most of them unique, the worst first.
    pub pairs: Vec<Combination>,
    /// The triples that make most of them unique, the worst first.
    pub triples: Vec<Combination>,
    /// All quasi-identifiers together.
    pub all: Combination,
}

/// Columns that somebody may know together.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Combination {
    /// Their names, in the order of the source.
    pub columns: Vec<String>,
    /// How many share their combination of values with nobody else.
    pub unique: usize,
    /// The same as a share of all, in [0, 1].
    pub share: f64,
}

/// Looks for the combinations of quasi-identifiers that make most people unique; `None` without a quasi-identifier or a record.
pub(crate) fn identifying(table: &Table, units: Units<'_>, progress: &dyn Progress) -> Option<Identifying> {
    let quasi = table.quasi_identifiers();
    if quasi.is_empty() || table.rows == 0 {
        return None;
    }
    let chosen = sample(units, table.rows, SAMPLE);
    let codes = |column: &&Column| chosen.iter().map(|&row| column.codes[row as usize]).collect();
    let sampled: Vec<Vec<u32>> = quasi.iter().map(codes).collect();
    let person_of: Option<Vec<u32>> =
        units.person_of().map(|person_of| chosen.iter().map(|&row| person_of[row as usize]).collect());
    let search = Search {
        columns: sampled.iter().map(Vec::as_slice).collect(),
        rows: chosen.len(),
        person_of: person_of.as_deref(),
        progress,
    };
    let (pairs, triples) = search.pairs_and_triples();

    let everybody = Search {
        columns: quasi.iter().map(|column| column.codes.as_slice()).collect(),
        rows: table.rows,
        person_of: units.person_of(),
        progress,
    };
    let all = units.count(table.rows);
    let said = |counted: Counted| Combination {
        columns: counted.columns.iter().map(|&column| quasi[column].name.clone()).collect(),
        unique: counted.unique,
        share: counted.unique as f64 / all.max(1) as f64,
    };
    let recounted = |worst: Vec<Counted>| -> Vec<Combination> {
        let sets = worst.into_iter().take(SHOWN).map(|counted| counted.columns).collect();
        everybody.ranked(sets).into_iter().map(said).collect()
    };
    Some(Identifying {
        unit: units.name(),
        units: all,
        records: table.rows,
        sample: chosen.len(),
        pairs: recounted(pairs),
        triples: recounted(triples),
        all: said(everybody.count((0..quasi.len()).collect())),
    })
}

/// Records whose columns are compared.
struct Search<'a> {
    columns: Vec<&'a [u32]>,
    rows: usize,
    person_of: Option<&'a [u32]>,
    progress: &'a dyn Progress,
}

/// A combination of columns, by their numbers, with what it tells apart.
#[derive(Clone, Debug)]
struct Counted {
    columns: Vec<usize>,
    unique: usize,
    /// How many different combinations of values there are: decides between equals.
    classes: usize,
}

impl Search<'_> {
    fn pairs_and_triples(&self) -> (Vec<Counted>, Vec<Counted>) {
        // Of very many columns only those that tell most apart on their own, or have the most values.
        let singles = self.ranked((0..self.columns.len()).map(|column| vec![column]).collect());
        let in_pairs: Vec<usize> = singles.iter().take(IN_PAIRS).map(|single| single.columns[0]).collect();
        let pairs = self.ranked(combinations(&in_pairs, 2));

        // Columns that do well in pairs do well in triples: the first ones by the sum over their pairs.
        let mut sums: Vec<(usize, usize)> = vec![(0, 0); self.columns.len()];
        for pair in &pairs {
            for &column in &pair.columns {
                sums[column].0 += pair.unique;
                sums[column].1 += pair.classes;
            }
        }
        let mut by_sum = in_pairs;
        by_sum.sort_unstable_by_key(|&column| (std::cmp::Reverse(sums[column]), column));
        by_sum.truncate(IN_TRIPLES);
        let triples = self.ranked(combinations(&by_sum, 3));
        (pairs, triples)
    }

    /// The combinations, those that tell most apart first; of equals the one of earlier columns.
    fn ranked(&self, sets: Vec<Vec<usize>>) -> Vec<Counted> {
        let mut counted: Vec<Counted> = sets.into_par_iter().map(|columns| self.count(columns)).collect();
        counted.sort_by(|a, b| {
            (b.unique, b.classes).cmp(&(a.unique, a.classes)).then_with(|| a.columns.cmp(&b.columns))
        });
        counted
    }

    fn count(&self, columns: Vec<usize>) -> Counted {
        self.progress.check();
        let codes: Vec<&[u32]> = columns.iter().map(|&column| self.columns[column]).collect();
        let classes = Classes::of_codes(self.rows, &codes);
        Counted { unique: uniqueness::of(&classes, self.person_of), classes: classes.len(), columns }
    }
}

/// All sets of `size` of the columns, each ascending.
fn combinations(columns: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut sorted = columns.to_vec();
    sorted.sort_unstable();
    let mut sets: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let last = set.last().copied();
            let set = set.clone();
            let next = sorted.iter().filter(move |&&column| last.is_none_or(|last| column > last));
            next.map(move |&column| [&set[..], &[column]].concat()).collect::<Vec<_>>()
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use shoal_core::{Kind, RawTable, Role, Silent};

    use super::*;

    fn table(rows: &[[u32; 5]]) -> Table {
        let names = ["a", "b", "c", "d", "e"];
        let texts: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(u32::to_string).collect()).collect();
        let raw = RawTable::from_rows(&names, &texts);
        let encode = |column| Column::encode(column, Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
        Table { columns: raw.columns.iter().map(encode).collect(), rows: rows.len() }
    }

    /// The people, or records, that have a combination of values which no other has.
    fn alone(rows: &[[u32; 5]], columns: &[usize], person_of: &[u32]) -> usize {
        let mut owners: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (row, &person) in rows.iter().zip(person_of) {
            owners.entry(columns.iter().map(|&c| row[c]).collect()).or_default().push(person);
        }
        let of_one = |people: &Vec<u32>| people.iter().all(|p| *p == people[0]).then_some(people[0]);
        let mut alone: Vec<u32> = owners.values().filter_map(of_one).collect();
        alone.sort_unstable();
        alone.dedup();
        alone.len()
    }

    fn worst(rows: &[[u32; 5]], size: usize, person_of: &[u32]) -> Vec<usize> {
        let mut counts: Vec<usize> = (0_u32..32)
            .filter(|set| set.count_ones() as usize == size)
            .map(|set| (0..5).filter(|c| set >> c & 1 == 1).collect::<Vec<usize>>())
            .map(|columns| alone(rows, &columns, person_of))
            .collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts.truncate(SHOWN);
        counts
    }

    proptest! {
        #[test]
        fn finds_what_trying_every_set_of_columns_finds(
            rows in prop::collection::vec((prop::array::uniform5(0..4_u32), 0..9_u32), 1..40),
        ) {
            let (rows, person_of): (Vec<[u32; 5]>, Vec<u32>) = rows.into_iter().unzip();
            let each: Vec<u32> = (0..rows.len() as u32).collect();
            let table = table(&rows);
            for (units, person_of) in [(Units::Records, &each), (Units::People(&person_of), &person_of)] {
                let found = identifying(&table, units, &Silent).unwrap();
                let unique = |shown: &[Combination]| shown.iter().map(|c| c.unique).collect::<Vec<_>>();
                prop_assert_eq!(unique(&found.pairs), worst(&rows, 2, person_of));
                prop_assert_eq!(unique(&found.triples), worst(&rows, 3, person_of));
                prop_assert_eq!(found.all.unique, alone(&rows, &[0, 1, 2, 3, 4], person_of));
                for shown in found.pairs.iter().chain(&found.triples) {
                    let place = |name: &String| "abcde".find(name.as_str()).unwrap();
                    let columns: Vec<usize> = shown.columns.iter().map(place).collect();
                    prop_assert_eq!(shown.unique, alone(&rows, &columns, person_of));
                    prop_assert_eq!(shown.share, shown.unique as f64 / found.units as f64);
                }
            }
        }
    }

    #[test]
    fn what_is_shown_of_a_sample_was_counted_among_all() {
        // Everybody has a partner who is alike, and every second record is in the sample: there, all are unique.
        let rows: Vec<[u32; 5]> = (0..2 * SAMPLE as u32).map(|row| [row / 2, 0, row / 4, 1, 1]).collect();
        let found = identifying(&table(&rows), Units::Records, &Silent).unwrap();
        assert_eq!((found.sample, found.units), (SAMPLE, 2 * SAMPLE));
        assert_eq!(found.pairs[0].columns, ["a", "b"]);
        assert_eq!(found.pairs[0].unique, 0);
    }

    #[test]
    fn there_are_as_many_combinations_as_there_should_be() {
        let of = |columns: usize, size| combinations(&(0..columns).rev().collect::<Vec<_>>(), size).len();
        assert_eq!([of(9, 2), of(9, 3), of(2, 3), of(1, 1), of(0, 2)], [36, 84, 0, 1, 0]);
        assert_eq!(combinations(&[7, 3, 5], 2), [[3, 5], [3, 7], [5, 7]]);
    }
}
