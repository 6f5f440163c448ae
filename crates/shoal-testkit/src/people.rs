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

/// Writes this many people as CSV, always the same for the same seed.
pub fn write(out: &mut dyn Write, rows: usize, seed: u64) -> io::Result<()> {
    let text = adult_csv();
    let records: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(';').collect()).collect();
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    writeln!(out, "{HEADER}")?;
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
        writeln!(
            out,
            "{sex},{year}-{month:02}-{day:02},{race},{marital},{education},{zip},{workclass},{occupation},{salary}"
        )?;
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
}
