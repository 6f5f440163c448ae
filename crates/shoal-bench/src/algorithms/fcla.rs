//! Prints what FCLA and its baseline lose in small clusters, as in the paper, and how long they take, on the SynPUF
//! hospital visits: what the alignment gains.
//!
//! `cargo run --release -p shoal-bench -- algorithms fcla [k|crowds|beta|length|share|all [people]]`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::sequences::fcla::{Distance, FclaParams};
use shoal_core::hierarchy::build::default_for;
use shoal_core::{
    Bound, Cell, Column, Kind, Limit, Progress, RawTable, Role, Sequences, SequencesPromise, Support, Table,
};

use crate::data::shared_text;

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let bars = arguments.first().map_or("k", String::as_str);
    let people = arguments.get(1).map_or(Ok(usize::MAX), |text| text.parse())?;
    let text = shared_text("synpuf/synpuf_inpatient_visits_s01-10.csv.gz")?;
    let data = visits(&text, people)?;
    println!("{} people, {} visits", data.persons(), data.events().rows);
    let wanted = |name: &str| bars == name || bars == "all";
    if wanted("k") {
        for k in [5, 10, 15, 25, 35, 45] {
            compare(&data, k, Bound::Gain(6.0), 3)?;
        }
    }
    if bars == "crowds" {
        for k in [100, 200, 500] {
            compare(&data, k, Bound::Gain(6.0), 3)?;
        }
    }
    if wanted("beta") {
        for beta in [1.0, 2.0, 3.0, 4.0, 7.0] {
            compare(&data, 5, Bound::Gain(beta), 3)?;
        }
    }
    if wanted("length") {
        for length in [1, 2, 3, 4, 6, 8, 10, 12] {
            compare(&data, 5, Bound::Gain(6.0), length)?;
        }
    }
    if wanted("share") {
        for length in 1..=12 {
            compare(&data, 5, Bound::Share(0.7), length)?;
        }
    }
    Ok(())
}

fn compare(data: &Sequences, k: usize, bound: Bound, length: usize) -> Result<(), Box<dyn Error>> {
    let values = ["mental", "skin", "blood", "congenital", "pregnancy"].map(str::to_owned).to_vec();
    let limit = Limit { column: "chapter".to_owned(), values: Some(values), bound };
    let promise = SequencesPromise {
        k,
        length: Some(length),
        support: Support::Paper,
        limits: vec![limit],
        distributions: Default::default(),
    };
    for distance in [Distance::Aligned, Distance::EventPairs] {
        let algorithm = FclaParams { distance, ..FclaParams::default() }.check();
        let clock = Clock::default();
        let result = algorithm.anonymize(data, &promise, &clock)?;
        let counts = &result.trace.counts;
        println!(
            "{:10} k = {k:2} {bound:?} L = {length:2}: loss {:.4}, {} clusters ({} identical), {} alignments, {} invalid, \
             {} items suppressed, {}",
            algorithm.name(),
            loss(data, &result.recoding.events),
            result.recoding.clusters(),
            counts.get("clusters-identical"),
            counts.get("alignments-computed"),
            counts.get("invalid-found"),
            counts.get("items-suppressed"),
            clock.times(),
        );
    }
    Ok(())
}

/// InfLoss: the mean NCP of a cell.
fn loss(data: &Sequences, recoding: &shoal_core::TableRecoding) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let cell = |(column, cell): (&&Column, &Cell)| match cell {
        Cell::Node(node) => {
            let tree = column.hierarchy.as_ref().expect("every column has one").tree();
            let leaves = tree.leaves_below(*node).len() as f64;
            if tree.is_leaf(*node) { 0.0 } else { leaves / f64::from(tree.leaf_count()) }
        }
        _ => 1.0,
    };
    let of_class: Vec<f64> =
        recoding.classes.iter().map(|class| quasi.iter().zip(&class.cells).map(cell).sum()).collect();
    let sum: f64 = recoding.class_of.iter().map(|&class| of_class[class as usize]).sum();
    sum / (recoding.class_of.len() * quasi.len()) as f64
}

/// How long each stage takes.
#[derive(Default)]
struct Clock(Mutex<Vec<(String, Instant)>>);

impl Progress for Clock {
    fn stage(&self, name: &str, _total: u64) {
        self.0.lock().expect("nobody panics here").push((name.to_owned(), Instant::now()));
    }

    fn advance(&self, _done: u64) {}
}

impl Clock {
    fn times(&self) -> String {
        let stages = self.0.lock().expect("nobody panics here");
        let ends = stages.iter().skip(1).map(|(_, start)| *start).chain([Instant::now()]);
        let times = stages.iter().zip(ends);
        let times = times.map(|((name, start), end)| format!("{name} {:.2} s", (end - *start).as_secs_f64()));
        times.collect::<Vec<_>>().join(", ")
    }
}

/// The first people with two visits or more: year, state, days since the first visit of the year, length of stay,
/// payment in thousands; the chapter of the primary diagnosis is sensitive.
fn visits(text: &str, people: usize) -> Result<Sequences, Box<dyn Error>> {
    let mut by_person: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        by_person.entry(cells[0]).or_default().push(cells);
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut starts = vec![0];
    for visits in by_person.values().filter(|visits| visits.len() >= 2).take(people) {
        for visit in visits {
            let day = |date: &str| -> Result<i64, Box<dyn Error>> {
                let (month, day): (i64, i64) = (date[4..6].parse()?, date[6..8].parse()?);
                Ok((month - 1) * 30 + day)
            };
            let same_year = visits.iter().find(|other| other[6] == visit[6]).unwrap_or(visit);
            let since = (day(visit[7])? - day(same_year[7])?).max(0);
            rows.push(vec![
                visit[6].to_owned(),
                visit[4].to_owned(),
                since.to_string(),
                visit[9].parse::<u32>().unwrap_or(0).to_string(),
                (visit[15].parse::<f64>()? / 1000.0).floor().to_string(),
                chapter(visit[12]).to_owned(),
            ]);
        }
        starts.push(rows.len() as u32);
    }
    let names = ["year", "state", "days", "stay", "payment", "chapter"];
    let raw = RawTable::from_rows(&names, &rows);
    let columns = raw.columns.iter().map(|raw| {
        let kind = if ["state", "chapter"].contains(&raw.name.as_str()) { Kind::Text } else { Kind::Integer };
        let role = if raw.name == "chapter" { Role::Sensitive } else { Role::QuasiIdentifier };
        let column = Column::encode(raw, role, kind, &[]).map_err(|e| format!("{e:?}"))?;
        if role == Role::Sensitive {
            return Ok(column);
        }
        let tree = Arc::new(default_for(&column.domain)?.hierarchy);
        Ok(column.with_hierarchy(&tree).map_err(|e| format!("{e:?}"))?)
    });
    let columns = columns.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    Ok(Sequences::new(Table { columns, rows: raw.rows }, starts)?)
}

/// The chapter of ICD-9-CM that a code belongs to.
fn chapter(code: &str) -> &'static str {
    let chapters = [
        (139, "infectious"),
        (239, "neoplasms"),
        (279, "endocrine"),
        (289, "blood"),
        (319, "mental"),
        (389, "nervous"),
        (459, "circulatory"),
        (519, "respiratory"),
        (579, "digestive"),
        (629, "genitourinary"),
        (679, "pregnancy"),
        (709, "skin"),
        (739, "musculoskeletal"),
        (759, "congenital"),
        (779, "perinatal"),
        (799, "symptoms"),
        (999, "injury"),
    ];
    let number = code.get(..3).and_then(|text| text.parse::<u32>().ok());
    let named = number.and_then(|number| chapters.iter().find(|(last, _)| number <= *last));
    named.map_or("other", |&(_, name)| name)
}
