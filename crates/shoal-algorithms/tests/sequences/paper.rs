//! The example of the CBMSA paper: tables 1 and 2.

use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::SequencesAlgorithm;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_core::{Cell, Hierarchy, SUPPRESSED, Sequences, SequencesRecoding, Silent};

use crate::data::promise;
use crate::support::{Shape, sequences};

/// Table 1, a person a line: year, ZIP, days since the first claim, length of stay, disease.
const TABLE_1: &str = "\
2009 56117 0 3 Hepatitis
2007 56103 0 2 Infection
2008 56942 0 1 Fever, 2010 56942 0 30 Infection
2008 56107 0 2 Fever, 2010 56107 0 35 Flu
2009 56117 0 3 Fever
2009 56103 0 3 Flu, 2009 56103 10 1 Fever, 2010 56230 0 2 HIV
2008 56072 0 2 Flu
2007 56361 0 30 Hepatitis, 2011 56107 0 3 HIV
2007 56230 0 35 Flu, 2011 56107 0 3 HIV
2009 56072 0 2 Flu, 2009 56103 13 35 Fever, 2010 56043 0 30 Infection";

/// Table 2: the same people as the paper publishes them.
const TABLE_2: &str = "\
2009 56117 0 3 Hepatitis
[2007:2008] 56*** 0 2 Infection
[2007:2008] 56*** 0 [0:12] Fever, [2009:2012] 56*** 0 [0:12] Infection
[2007:2008] 56*** 0 [0:12] Fever, [2009:2012] 56107 0 [0:12] Flu
2009 56117 0 3 Fever
2009 56*** 0 [0:1] Flu, 2009 56103 [1:2] [0:12] Fever, 2010 56*** 0 [0:12] HIV
[2007:2008] 56*** 0 2 Flu
[2007:2008] 56*** 0 [0:12] Hepatitis, [2009:2012] 56107 0 [0:12] HIV
[2007:2008] 56*** 0 [0:12] Flu, [2009:2012] 56*** 0 [0:12] HIV
2009 56*** 0 [0:1] Flu, 2009 56103 [1:2] [0:12] Fever, 2010 56*** 0 [0:12] Infection";

fn people(table: &str) -> Vec<Vec<Vec<String>>> {
    let event = |text: &str| text.split_whitespace().map(String::from).collect();
    table.lines().map(|line| line.split(", ").map(event).collect()).collect()
}

/// Figure 1 is not in the paper's text, so there are several ways to read it from table 2. Above all years are two spans and a
/// root, above all days weeks and `[0:12]`, above which table 2 has nothing, so that it is taken for the root.
#[derive(Clone, Copy, Debug)]
struct Reading {
    /// How many digits of a ZIP code are left, level by level, below `56***`.
    digits: &'static [usize],
    /// Whether only days that occur are leaves, or all of twelve weeks.
    occurring: bool,
}

const READINGS: [Reading; 6] = [
    Reading { digits: &[3], occurring: false },
    Reading { digits: &[4, 3], occurring: false },
    Reading { digits: &[], occurring: false },
    Reading { digits: &[3], occurring: true },
    Reading { digits: &[4, 3], occurring: true },
    Reading { digits: &[], occurring: true },
];

fn shapes(reading: Reading) -> Vec<Shape> {
    let line = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<String>>();
    let years = (2007..=2012)
        .map(|year| line(&[&year.to_string(), if year < 2009 { "[2007:2008]" } else { "[2009:2012]" }, "*"]));
    let days = |occurring: &[u32]| {
        let all: Vec<u32> = (0..=84).collect();
        let days = if reading.occurring { occurring } else { &all };
        let week = |day: u32| day.saturating_sub(1) / 7;
        let path =
            |&day: &u32| line(&[&day.to_string(), &format!("[{}:{}]", week(day), week(day) + 1), "[0:12]"]);
        days.iter().map(path).collect::<Vec<_>>()
    };
    let zips = ["56043", "56072", "56103", "56107", "56117", "56230", "56361", "56942"].map(|zip| {
        let cut = |&digits: &usize| format!("{:*<5}", &zip[..digits]);
        let above: Vec<String> = reading.digits.iter().map(cut).collect();
        [line(&[zip]), above, line(&["56***"])].concat()
    });
    let quasi =
        |name: &str, lines: &[Vec<String>]| Shape::new(name, Some(Hierarchy::from_rows(lines).unwrap()));
    vec![
        quasi("AdmYr", &years.collect::<Vec<_>>()),
        quasi("ZIP", &zips),
        quasi("DSFC", &days(&[0, 10, 13])),
        quasi("LOS", &days(&[1, 2, 3, 30, 35])),
        Shape::new("Disease", None),
    ]
}

fn lost(tree: &Hierarchy, node: shoal_core::NodeId) -> f64 {
    (tree.leaves_below(node).len() - 1) as f64 / f64::from(tree.leaf_count())
}

/// What table 2 loses in all; it suppresses nothing.
fn loss_of_table_2(data: &Sequences) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_event = |event: &Vec<String>| {
        let cells = event.iter().zip(&quasi);
        let of_cell = |(text, column): (&String, &&shoal_core::Column)| {
            let tree = column.hierarchy.as_ref().unwrap().tree();
            lost(tree, tree.node(text).unwrap())
        };
        cells.map(of_cell).sum::<f64>()
    };
    people(TABLE_2).iter().flatten().map(of_event).sum()
}

/// What a result loses in all.
fn loss_of(recoding: &SequencesRecoding, data: &Sequences) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_event = |&class: &u32| {
        if class == SUPPRESSED {
            return quasi.len() as f64;
        }
        let cells = recoding.events.classes[class as usize].cells.iter();
        let of_cell = |(cell, column): (&Cell, &&shoal_core::Column)| match cell {
            Cell::Node(node) => lost(column.hierarchy.as_ref().unwrap().tree(), *node),
            other => panic!("{other:?}"),
        };
        cells.zip(&quasi).map(of_cell).sum::<f64>()
    };
    recoding.events.class_of.iter().map(of_event).sum()
}

#[test]
fn our_result_loses_no_more_than_the_papers() {
    for reading in READINGS {
        let data = sequences(&shapes(reading), &people(TABLE_1));
        let promise = promise(2, &[("Disease", &["HIV"], 0.5)]);
        let Anonymized { recoding, .. } =
            CbmsaParams::default().check().anonymize(&data, &promise, &Silent).unwrap();
        let (ours, theirs) = (loss_of(&recoding, &data), loss_of_table_2(&data));
        assert!(ours <= theirs + 1e-9, "{reading:?}: {ours} against {theirs}: {:?}", recoding.cluster_of);
        assert_eq!(recoding.suppressed_persons(), 0);
        // The first and the fifth are alike and stay as they are.
        assert_eq!(recoding.cluster_of[0], recoding.cluster_of[4]);
    }
}
