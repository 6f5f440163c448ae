//! Prints what HALT loses, and how long it takes, on the SynPUF hospital stays as patterns grow longer.
//!
//! `cargo run --release -p shoal-bench -- algorithms halt [longest [people …]]`; with `at-once` before
//! these, all lengths are searched for at once.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use shoal_algorithms::sequences::halt::{HaltParams, HaltResult};
use shoal_core::hierarchy::build::{IntervalParams, Number, intervals};
use shoal_core::{
    Bound, Cell, Column, Hierarchy, Kind, Limit, RawColumn, RawTable, Role, SUPPRESSED, Sequences,
    SequencesPromise, Silent, Support, Table,
};

use crate::data::shared_text;

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let mut arguments = arguments;
    let all_at_once = arguments.first().is_some_and(|first| first == "at-once");
    if all_at_once {
        arguments = &arguments[1..];
    }
    let numbers = arguments.iter().map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let longest = numbers.first().copied().unwrap_or(3);
    let sizes = if numbers.len() > 1 { &numbers[1..] } else { &[2_000, 8_000, usize::MAX] };
    for &size in sizes {
        let data = visits(size)?;
        println!("{} people, {} visits", data.persons(), data.events().rows);
        for length in 1..=longest {
            let promise = SequencesPromise {
                k: 5,
                length: Some(length),
                support: Support::default(),
                limits: vec![Limit {
                    column: "chapter".to_owned(),
                    values: Some(vec!["mental disorders".to_owned(), "neoplasms".to_owned()]),
                    bound: Bound::Share(0.7),
                }],
                distributions: Default::default(),
            };
            let start = Instant::now();
            let result =
                HaltParams { all_at_once, ..HaltParams::default() }.check().run(&data, &promise, &Silent)?;
            show(&data, length, &result, start.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

fn show(data: &Sequences, length: usize, result: &HaltResult, seconds: f64) {
    println!(
        "  L = {length}: InfLoss {:.4}, {seconds:.2} s, {} patterns in {} searches, {} broken, levels {:?}, {} \
         items suppressed",
        loss(data, result),
        result.patterns,
        result.searches,
        result.broken,
        result.levels,
        result.suppressed_items
    );
}

/// The mean over events and quasi-identifiers of 0 for a leaf, 1 for `*`, leaves / all leaves between.
fn loss(data: &Sequences, result: &HaltResult) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_cell = |(cell, column): (&Cell, &&Column)| {
        let (Cell::Node(node), Some(bound)) = (cell, &column.hierarchy) else { return 1.0 };
        let tree = bound.tree();
        let leaves = tree.leaves_below(*node).len() as f64;
        if tree.is_leaf(*node) { 0.0 } else { leaves / f64::from(tree.leaf_count()) }
    };
    let events = &result.recoding.events;
    let of_class: Vec<f64> =
        events.classes.iter().map(|class| class.cells.iter().zip(&quasi).map(of_cell).sum()).collect();
    // An event that is left out has lost everything.
    let of_event =
        |&class: &u32| if class == SUPPRESSED { quasi.len() as f64 } else { of_class[class as usize] };
    let sum: f64 = events.class_of.iter().map(of_event).sum();
    sum / (events.class_of.len() * quasi.len()) as f64
}

/// The stays of the first so many people with at least two.
fn visits(people: usize) -> Result<Sequences, Box<dyn Error>> {
    let text = shared_text("synpuf/synpuf_inpatient_visits_s01-10.csv.gz")?;
    let lines: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let several = lines.chunk_by(|a, b| a[0] == b[0]).filter(|stays| stays.len() > 1);
    let (mut rows, mut starts) = (Vec::new(), vec![0]);
    for stays in several.take(people) {
        for stay in stays {
            let first = stays.iter().find(|other| other[6] == stay[6]).unwrap_or(stay);
            let payment: f64 = stay[15].parse()?;
            let band = (payment / 5_000.0).floor().clamp(0.0, 10.0) * 5.0;
            rows.push(vec![
                stay[6].to_owned(),
                stay[4].to_owned(),
                (day(stay[7])? - day(first[7])?).to_string(),
                if stay[9].is_empty() { "?".to_owned() } else { stay[9].to_owned() },
                band.to_string(),
                chapter(stay[12]).to_owned(),
            ]);
        }
        starts.push(rows.len() as u32);
    }
    let raw = RawTable::from_rows(&["year", "state", "days", "stay", "payment", "chapter"], &rows);
    let widths: [&[i64]; 6] = [&[2], &[], &[7, 28, 84], &[2, 4, 8, 16], &[10, 20], &[]];
    let columns = raw.columns.iter().zip(widths).map(|(raw, widths)| column(raw, widths));
    let table = Table { columns: columns.collect::<Result<_, _>>()?, rows: rows.len() };
    Ok(Sequences::new(table, starts)?)
}

/// States have the census' hierarchy, numbers intervals of these widths; the chapter is what nobody may learn.
fn column(raw: &RawColumn, widths: &[i64]) -> Result<Column, Box<dyn Error>> {
    let kind = if widths.is_empty() { Kind::Text } else { Kind::Integer };
    let role = if raw.name == "chapter" { Role::Sensitive } else { Role::QuasiIdentifier };
    let column =
        Column::encode(raw, role, kind, &["?".to_owned()]).map_err(|bad| format!("{}: {bad:?}", raw.name))?;
    let tree = match raw.name.as_str() {
        "chapter" => return Ok(column),
        "state" => states()?,
        name => {
            let widths = Some(widths.iter().map(|&width| Number::from(width)).collect());
            let origin = Number::from(if name == "year" { 2007 } else { 0 });
            intervals(&column.domain, &IntervalParams { widths, origin }.check()?)?.hierarchy
        }
    };
    Ok(column.with_hierarchy(&Arc::new(tree)).map_err(|bad| format!("{}: {bad:?}", raw.name))?)
}

/// States (numbered by Medicare in the order of their names) by census division and region.
fn states() -> Result<Hierarchy, Box<dyn Error>> {
    let divisions = [
        ("New England", "Northeast", "07 20 22 30 41 47"),
        ("Middle Atlantic", "Northeast", "31 33 39"),
        ("East North Central", "Midwest", "14 15 23 36 52"),
        ("West North Central", "Midwest", "16 17 24 26 28 35 43"),
        ("South Atlantic", "South", "08 09 10 11 21 34 42 49 51"),
        ("East South Central", "South", "01 18 25 44"),
        ("West South Central", "South", "04 19 37 45"),
        ("Mountain", "West", "03 06 13 27 29 32 46 53"),
        ("Pacific", "West", "02 05 12 38 50"),
        ("outside", "abroad", "40 48 54"),
    ];
    let of = |&(division, region, states): &(&'static str, &'static str, &'static str)| {
        states.split(' ').map(move |state| vec![state, division, region, "*"]).collect::<Vec<_>>()
    };
    Ok(Hierarchy::from_rows(&divisions.iter().flat_map(of).collect::<Vec<_>>())?)
}

/// The number of a day written as `YYYYMMDD`.
fn day(text: &str) -> Result<i32, Box<dyn Error>> {
    let (year, month, day): (i32, i32, i32) = (text[..4].parse()?, text[4..6].parse()?, text[6..].parse()?);
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    Ok(year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day)
}

/// The chapter of an ICD-9 code, as far as it matters here.
fn chapter(code: &str) -> &'static str {
    match code.get(..3).and_then(|group| group.parse::<u32>().ok()) {
        Some(140..=239) => "neoplasms",
        Some(290..=319) => "mental disorders",
        _ => "other",
    }
}
