//! Millions of made-up people whose records hardly ever repeat.
//!
//! Each is crossed from two records of the example: a column comes from the one or the other, so that shares and many of the
//! dependencies are those of the census while most combinations are new. A date of birth takes the place of the age, and a
//! five-digit zip code, dense in few places and thin in many, is added. What [`data::adult_repeated`](crate::data::adult_repeated)
//! makes folds to a few points; this does not.

use std::io::{self, Write};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;

use crate::data::adult_csv;

/// The columns: eight quasi-identifiers and the salary class.
const HEADER: &str = "sex,birth,race,marital-status,education,zip,workclass,occupation,salary-class";

/// The policy that fits, for k = 10. Hierarchies are those of the example, in the folder `hierarchies` beside it.
pub const POLICY: &str = r#"version = 1
[data]
shape = "table"
source = "people.csv"
[columns.sex]
role = "quasi-identifier"
hierarchy = "hierarchies/sex.csv"
[columns.birth]
role = "quasi-identifier"
kind = "date"
[columns.race]
role = "quasi-identifier"
hierarchy = "hierarchies/race.csv"
[columns.marital-status]
role = "quasi-identifier"
hierarchy = "hierarchies/marital-status.csv"
[columns.education]
role = "quasi-identifier"
hierarchy = "hierarchies/education.csv"
[columns.zip]
role = "quasi-identifier"
kind = "integer"
[columns.workclass]
role = "quasi-identifier"
hierarchy = "hierarchies/workclass.csv"
[columns.occupation]
role = "quasi-identifier"
hierarchy = "hierarchies/occupation.csv"
[columns.salary-class]
role = "sensitive"
[privacy]
k = 10
[output]
path = "people.k10.csv"
report = "report"
"#;

/// The columns of a wide table beyond these: how many values each has, numbers first, then names without a hierarchy.
const MORE_NUMBERS: [u32; 6] = [10, 20, 50, 100, 200, 500];
/// See [`MORE_NUMBERS`].
const MORE_NAMES: [u32; 6] = [3, 5, 8, 12, 20, 40];

/// The policy for people with twelve more columns, 20 quasi-identifiers in all.
pub fn wide_policy() -> String {
    let numbers = (1..=MORE_NUMBERS.len())
        .map(|at| format!("[columns.n{at}]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n"));
    let names = (1..=MORE_NAMES.len()).map(|at| format!("[columns.s{at}]\nrole = \"quasi-identifier\"\n"));
    let more: String = numbers.chain(names).collect();
    POLICY.replace("[privacy]", &format!("{more}[privacy]"))
}

/// Writes this many people as CSV, always the same for the same seed.
pub fn write(out: &mut dyn Write, rows: usize, seed: u64) -> io::Result<()> {
    write_columns(out, rows, seed, false)
}

/// The same people with twelve more columns: six of numbers and six of names, each independent of all others, small
/// numbers and first names more frequent.
pub fn write_wide(out: &mut dyn Write, rows: usize, seed: u64) -> io::Result<()> {
    write_columns(out, rows, seed, true)
}

fn write_columns(out: &mut dyn Write, rows: usize, seed: u64, is_wide: bool) -> io::Result<()> {
    let text = adult_csv();
    let records: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(';').collect()).collect();
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    // A sequence of their own, so that the people are the same with them and without.
    let mut more = ChaCha20Rng::seed_from_u64(!seed);
    write!(out, "{HEADER}")?;
    if is_wide {
        for (prefix, columns) in [("n", MORE_NUMBERS.len()), ("s", MORE_NAMES.len())] {
            (1..=columns).try_for_each(|at| write!(out, ",{prefix}{at}"))?;
        }
    }
    writeln!(out)?;
    for _ in 0..rows {
        let parents = [0, 1].map(|_| &records[random.random_range(0..records.len())]);
        let mut from_either = |column: usize| parents[random.random_range(0..2)][column];
        let [sex, age, race, marital] = [0, 1, 2, 3].map(&mut from_either);
        let [education, workclass, occupation, salary] = [4, 6, 7, 8].map(&mut from_either);
        let year = 1994 - age.parse::<u32>().expect("the second column is the age");
        let (month, day) = (random.random_range(1..=12), random.random_range(1..=28));
        // The square of a uniform number: half of the people live in a quarter of the places.
        let place: f64 = random.random_range(0.0..1.0);
        let zip = 10_000 + (place * place * 30_000.0) as u32;
        write!(
            out,
            "{sex},{year}-{month:02}-{day:02},{race},{marital},{education},{zip},{workclass},{occupation},{salary}"
        )?;
        if is_wide {
            // As with places: squared, so that the first half of the values has 71 % of the records.
            let mut skewed = |values: u32| {
                let drawn: f64 = more.random_range(0.0..1.0);
                (drawn * drawn * f64::from(values)) as u32
            };
            MORE_NUMBERS.iter().try_for_each(|&values| write!(out, ",{}", skewed(values)))?;
            MORE_NAMES.iter().try_for_each(|&values| write!(out, ",v{}", skewed(values)))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_people_and_few_are_alike() {
        let people = |seed| {
            let mut csv = Vec::new();
            write(&mut csv, 2000, seed).unwrap();
            String::from_utf8(csv).unwrap()
        };
        assert_eq!(people(1), people(1));
        assert_ne!(people(1), people(2));
        let text = people(1);
        let mut lines: Vec<&str> = text.lines().skip(1).collect();
        assert!(lines.iter().all(|line| line.split(',').count() == 9));
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 2000);
    }

    #[test]
    fn wide_people_are_the_same_with_twelve_more_columns() {
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        write(&mut narrow, 500, 1).unwrap();
        write_wide(&mut wide, 500, 1).unwrap();
        let (narrow, wide) = (String::from_utf8(narrow).unwrap(), String::from_utf8(wide).unwrap());
        assert_eq!(narrow.lines().count(), wide.lines().count());
        for (few, many) in narrow.lines().zip(wide.lines()) {
            assert!(many.strip_prefix(few).is_some_and(|more| more.matches(',').count() == 12), "{many}");
        }
        assert_eq!(wide_policy().matches("quasi-identifier").count(), 20);
    }
}
