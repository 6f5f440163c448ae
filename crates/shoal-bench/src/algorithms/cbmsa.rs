//! Prints what CBMSA and its baseline lose, and how long they take, on generated patients and on SynPUF's.
//!
//! `cargo run --release -p shoal-bench -- algorithms cbmsa [1000 | 10000 | long | strict | synpuf | grid]`:
//! `long` are 10,000 patients with 10 events and 4 quasi-identifiers, `strict` lets a tenth of a crowd be sensitive,
//! `grid` prints the mean loss over several sets for the k and c of the paper's figures 2 and 3.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_core::{
    Bound, Cell, Column, Hierarchy, Kind, Limit, RawTable, Role, SUPPRESSED, Sequences, SequencesPromise,
    SequencesRecoding, Silent, Support, Table,
};
use shoal_testkit::patients::{DIAGNOSIS, HIGHLY_SENSITIVE, PatientParams};

use crate::data::shared_text;

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let asked = |name: &str| arguments.is_empty() || arguments.iter().any(|argument| argument == name);
    for persons in [1000, 10_000] {
        if asked(&persons.to_string()) {
            show(&PatientParams::data_5_3(persons, 1), 10, 0.7)?;
        }
    }
    if asked("long") {
        let long =
            PatientParams { mean_events: 10, quasi_identifiers: 4, ..PatientParams::data_5_3(10_000, 1) };
        show(&long, 10, 0.7)?;
    }
    if asked("strict") {
        show(&PatientParams::data_5_3(10_000, 1), 10, 0.1)?;
    }
    if asked("synpuf") {
        compare("SynPUF", &synpuf()?, &promise("chapter", &["V", "29", "30", "31"], 10, 0.7))?;
    }
    if arguments.iter().any(|argument| argument == "grid") {
        grid(1000, 10)?;
        grid(10_000, 3)?;
    }
    Ok(())
}

/// Crowds of k, of whom a share c may have one of these values.
fn promise(column: &str, values: &[&str], k: usize, c: f64) -> SequencesPromise {
    let values = Some(values.iter().map(|&value| value.to_owned()).collect());
    let limits = vec![Limit { column: column.to_owned(), values, bound: Bound::Share(c) }];
    SequencesPromise { k, length: None, support: Support::Paper, limits, distributions: Default::default() }
}

fn show(params: &PatientParams, k: usize, c: f64) -> Result<(), Box<dyn Error>> {
    let patients = params.check()?.generate();
    compare(&patients.name(), &patients.sequences(), &promise(DIAGNOSIS, &HIGHLY_SENSITIVE, k, c))
}

fn compare(name: &str, data: &Sequences, promise: &SequencesPromise) -> Result<(), Box<dyn Error>> {
    for algorithm in algorithms() {
        let start = Instant::now();
        let result = algorithm.anonymize(data, promise, &Silent)?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name}, k = {}: {:14} IL {:.4}, {} clusters, {} people left out, {} of {} events suppressed, \
             {:.2} M alignments, {:.1} M skipped, {seconds:.2} s",
            promise.k,
            algorithm.name(),
            loss(data, &result.recoding),
            result.recoding.clusters(),
            result.recoding.suppressed_persons(),
            result.recoding.events.suppressed(),
            data.events().rows,
            result.trace.counts.get("alignments-computed") as f64 / 1e6,
            result.trace.counts.get("alignments-skipped") as f64 / 1e6,
        );
    }
    Ok(())
}

fn algorithms() -> [Box<dyn SequencesAlgorithm>; 2] {
    [Box::new(CbmsaParams::default().check()), Box::new(BaselineParams::default().check())]
}

/// The mean loss of both algorithms over some data sets.
fn grid(persons: usize, sets: u64) -> Result<(), Box<dyn Error>> {
    let data = (0..sets)
        .map(|seed| Ok(PatientParams::data_5_3(persons, seed).check()?.generate().sequences()))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let by_k = [5, 10, 20, 30, 40, 50].map(|k| (k, 0.7));
    let by_c = [0.5, 0.6, 0.7, 0.8, 0.9].map(|c| (5, c));
    for (k, c) in by_k.into_iter().chain(by_c) {
        let promise = promise(DIAGNOSIS, &HIGHLY_SENSITIVE, k, c);
        print!("Data_{persons}_5_3, {sets} sets, k = {k}, c = {c}:");
        for algorithm in algorithms() {
            let mut sum = 0.0;
            for data in &data {
                sum += loss(data, &algorithm.anonymize(data, &promise, &Silent)?.recoding);
            }
            print!("  {} IL {:.4}", algorithm.name(), sum / sets as f64);
        }
        println!();
    }
    Ok(())
}

/// IL, equation 1 of the paper.
fn loss(data: &Sequences, recoding: &SequencesRecoding) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_event = |&class: &u32| {
        if class == SUPPRESSED {
            return quasi.iter().map(|column| column.weight).sum::<f64>();
        }
        let cells = recoding.events.classes[class as usize].cells.iter();
        let of_cell = |(cell, column): (&Cell, &&Column)| match (cell, &column.hierarchy) {
            (Cell::Node(node), Some(bound)) => {
                let below = bound.tree().leaves_below(*node).len() - 1;
                column.weight * below as f64 / f64::from(bound.tree().leaf_count())
            }
            _ => column.weight,
        };
        cells.zip(&quasi).map(of_cell).sum()
    };
    recoding.events.class_of.iter().map(of_event).sum::<f64>() / data.persons() as f64
}

/// The inpatient visits of SynPUF: year, state and county, length of stay; the chapter of the diagnosis is sensitive.
fn synpuf() -> Result<Sequences, Box<dyn Error>> {
    let text = shared_text("synpuf/synpuf_inpatient_visits_s01-10.csv.gz")?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut starts = Vec::new();
    let mut patient = "";
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] != patient {
            patient = cells[0];
            starts.push(rows.len() as u32);
        }
        let stay = if cells[9].is_empty() { "0" } else { cells[9] };
        let chapter = cells[12].get(..2).unwrap_or("none");
        let chapter = if chapter.starts_with('V') { "V" } else { chapter };
        let county = format!("{}-{}", cells[4], cells[5]);
        rows.push([cells[1], cells[6], &county, stay, chapter].map(String::from).to_vec());
    }
    starts.push(rows.len() as u32);
    let distinct = |at: usize| {
        let mut values: Vec<String> = rows.iter().map(|row| row[at].clone()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let births = distinct(0).into_iter().map(|birth| {
        let year: u32 = birth.parse().unwrap_or(0);
        path(&[birth, format!("{}s", year / 5 * 5), format!("{}s and after", year / 20 * 20)])
    });
    let years = distinct(1).into_iter().map(|year| path(&[year]));
    let counties = distinct(2).into_iter().map(|county| {
        let state = county[..2].to_owned();
        path(&[county, format!("state {state}"), format!("region {}", &state[..1])])
    });
    let stays = distinct(3).into_iter().map(|stay| {
        let days: u32 = stay.parse().unwrap_or(0);
        path(&[stay, format!("week {}", days / 7)])
    });
    let columns = [
        ("birth", Some(births.collect())),
        ("year", Some(years.collect())),
        ("county", Some(counties.collect())),
        ("stay", Some(stays.collect())),
        ("chapter", None),
    ];
    sequences(&columns, &rows, starts)
}

/// A line of a hierarchy.
fn path(below: &[String]) -> Vec<String> {
    below.iter().cloned().chain(["*".to_owned()]).collect()
}

/// Columns with a hierarchy are quasi-identifiers, the others sensitive.
fn sequences(
    columns: &[(&str, Option<Vec<Vec<String>>>)],
    rows: &[Vec<String>],
    starts: Vec<u32>,
) -> Result<Sequences, Box<dyn Error>> {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let raw = RawTable::from_rows(&names, rows);
    let mut table = Table { columns: Vec::new(), rows: rows.len() };
    for (raw, (_, lines)) in raw.columns.iter().zip(columns) {
        let role = if lines.is_some() { Role::QuasiIdentifier } else { Role::Sensitive };
        let column = Column::encode(raw, role, Kind::Text, &[]).map_err(|_| "a value of another kind")?;
        table.columns.push(match lines {
            Some(lines) => {
                let tree = Arc::new(Hierarchy::from_rows(lines)?);
                column.with_hierarchy(&tree).map_err(|_| "a value outside its hierarchy")?
            }
            None => column,
        });
    }
    Ok(Sequences::new(table, starts)?)
}
