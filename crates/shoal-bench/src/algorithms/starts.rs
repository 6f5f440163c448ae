//! Prints what Mondrian, ribbon's rounds from Mondrian's classes alone, and ribbon lose, in percent. Ribbon must never lose more than the other two.
//!
//! `cargo run --release -p shoal-bench -- algorithms starts [census|eia|tarragona|diabetes|informs …]`

use std::error::Error;

use shoal_algorithms::table::TableAlgorithm as _;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::RibbonParams;
use shoal_core::{Kind, Silent, Table};

use super::tables::{column, ncp};
use crate::data::shared_text;

/// A public table: its name, its file, whether it has a header, and its quasi-identifiers with their place in a line.
type Source = (&'static str, &'static str, bool, &'static [(usize, Kind)]);

/// The first `places` columns after some others, all of whole numbers.
const fn integers<const N: usize>(first: usize) -> [(usize, Kind); N] {
    let mut columns = [(0, Kind::Integer); N];
    let mut at = 0;
    while at < N {
        columns[at].0 = first + at;
        at += 1;
    }
    columns
}

const CENSUS: [(usize, Kind); 13] = integers(0);
const EIA: [(usize, Kind); 10] = integers(5);

const SOURCES: &[Source] = &[
    ("census", "casc/casc_census_1080.csv", true, &CENSUS),
    ("eia", "casc/casc_eia_4092.csv", true, &EIA),
    ("tarragona", "casc/casc_tarragona_834.csv", true, &CENSUS),
    // Race, gender, age, the three kinds of admission and discharge, days, specialty.
    (
        "diabetes",
        "diabetes130/diabetic_data.csv.gz",
        true,
        &[
            (2, Kind::Text),
            (3, Kind::Text),
            (4, Kind::Text),
            (6, Kind::Text),
            (7, Kind::Text),
            (8, Kind::Text),
            (9, Kind::Integer),
            (11, Kind::Text),
        ],
    ),
    // Month and year of birth, race, years of education, marital status, income.
    (
        "informs",
        "informs/demographics.csv.gz",
        false,
        &[
            (3, Kind::Integer),
            (4, Kind::Integer),
            (6, Kind::Text),
            (13, Kind::Integer),
            (15, Kind::Text),
            (16, Kind::Integer),
        ],
    ),
];

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    println!("| table | k | `mondrian` | rounds from its classes | `ribbon` |");
    println!("|---|---|---|---|---|");
    let asked = |source: &&Source| arguments.is_empty() || arguments.iter().any(|name| name == source.0);
    for source in SOURCES.iter().filter(asked) {
        let table = table(source)?;
        for k in [2, 5, 10, 50] {
            let mondrian = MondrianParams::new(k).check()?.anonymize(&table, &Silent)?;
            let ribbon = RibbonParams::new(k).check()?;
            let rounds = ribbon.anonymize_from_mondrian(&table, &Silent)?;
            let ribbon = ribbon.anonymize(&table, &Silent)?;
            let [mondrian, rounds, ribbon] =
                [mondrian, rounds, ribbon].map(|made| 100.0 * ncp(&table, &made.recoding));
            println!("| {} | {k} | {mondrian:.3} | {rounds:.3} | {ribbon:.3} |", source.0);
        }
    }
    Ok(())
}

/// The quasi-identifiers of a table.
fn table((_, file, header, columns): &Source) -> Result<Table, Box<dyn Error>> {
    let text = shared_text(file)?;

    let rows: Vec<Vec<&str>> = text.lines().skip(usize::from(*header)).map(cells).collect();
    let columns = columns.iter().map(|&(at, kind)| {
        let cells = rows.iter().map(|row| row.get(at).copied().unwrap_or_default());
        column(&format!("column {at}"), kind, cells, None)
    });
    Ok(Table { columns: columns.collect::<Result<_, _>>()?, rows: rows.len() })
}

/// The cells of a line; commas within quotes separate nothing.
fn cells(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    line.split(|c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    })
    .collect()
}
