//! Whole runs on sequences through the public functions.

use std::collections::BTreeMap;

use shoal_core::Silent;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::KeyFile;

use crate::project::TestProject;

const POLICY: &str = r#"
version = 1
[data]
shape = "sequences"
source = "visits.csv"
id = "who"
order = ["year", "day"]
[columns.who]
role = "identifier"
[columns.year]
role = "quasi-identifier"
kind = "integer"
[columns.day]
role = "identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
[columns.ward]
role = "insensitive"
[columns.disease]
role = "sensitive"
[privacy]
k = 3
c = 0.5
sensitive-values = ["d0"]
[output]
path = "out.csv"
"#;

/// Sixty people with one to four visits, in no order, with as many ways to be alike as to differ.
fn visits() -> String {
    let mut rows: Vec<String> = Vec::new();
    for person in 0..60 {
        for visit in 0..=(person * 7 + 3) % 4 {
            let (year, day) = (2010 + (person + visit) % 3 + visit, 100 + visit * 11);
            let (zip, disease) = (53700 + (person * 13 + visit) % 5, (person * 5 + visit * 3) % 6);
            rows.push(format!("id{person},{year},{day},{zip},w{},d{disease}\n", person % 2));
        }
    }
    // Far from the order of time and of people.
    let count = rows.len();
    let shuffled: String = (0..count).map(|i| rows[(i * 37) % count].clone()).collect();
    assert!(!count.is_multiple_of(37), "37 visits every row");
    format!("who,year,day,zip,ward,disease\n{shuffled}")
}

fn fresh() -> TestProject {
    TestProject::with(POLICY, "visits.csv", &visits())
}

/// The published quasi-identifiers and diseases of everybody, as an outsider would read them.
fn people(text: &str) -> BTreeMap<String, (Vec<String>, Vec<String>)> {
    let mut people: BTreeMap<String, (Vec<String>, Vec<String>)> = BTreeMap::new();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    for row in rows.records() {
        let row = row.unwrap();
        let person = people.entry(row[0].to_owned()).or_default();
        person.0.push(format!("{}|{}", &row[1], &row[2]));
        person.1.push(row[4].to_owned());
    }
    people
}

#[test]
fn both_algorithms_against_all_events_keep_k_and_c() {
    // The others keep a promise of bounded length; `tests/batches.rs` runs every algorithm.
    for algorithm in ["cbmsa", "cbmsa-baseline"] {
        for (k, c) in [(2, 0.5), (5, 0.4), (10, 1.0)] {
            let project = fresh();
            let set =
                [format!("privacy.k={k}"), format!("privacy.c={c}"), format!("algorithm.name={algorithm}")];
            let outcome = project.run(&set.each_ref().map(String::as_str)).unwrap();
            assert!(outcome.report.promises.iter().all(|promise| promise.holds));
            let people = people(&project.read("out.csv"));
            assert_eq!(people.len(), outcome.report.records_out);
            let mut classes: BTreeMap<&[String], (usize, usize)> = BTreeMap::new();
            for (events, diseases) in people.values() {
                let class = classes.entry(events).or_default();
                class.0 += 1;
                class.1 += usize::from(diseases.iter().any(|d| d == "d0"));
            }
            assert_eq!(classes.len(), outcome.report.classes);
            for (size, sensitive) in classes.into_values() {
                assert!(size >= k, "{algorithm} {k} {c}");
                assert!(sensitive as f64 / size as f64 <= c, "{algorithm} {k} {c}");
            }
        }
    }
}

#[test]
fn what_is_published_is_a_fresh_id_and_never_the_old_one_nor_the_day() {
    let project = fresh();
    project.run(&[]).unwrap();
    let text = project.read("out.csv");
    assert_eq!(text.lines().next(), Some("who,year,zip,ward,disease"));
    assert!(!text.contains("id1") && !text.contains("111"), "{text}");
    let ids: Vec<usize> =
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(ids.is_sorted(), "the events of a person are next to each other");
    assert_eq!(ids.first(), Some(&1));
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_other_pseudonyms_for_another_key() {
    let run = |threads: usize, key: [u8; 32]| {
        let project = fresh();
        KeyFile::create(&project.path("key"), &key).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| project.run(&["algorithm.key-file=key"])).unwrap();
        project.read("out.csv")
    };
    // Two keys that nobody could guess.
    let [one, two] = [7_u32, 11]
        .map(|factor| std::array::from_fn(|at| (at as u32 * at as u32 * factor + 31 * at as u32) as u8));
    assert_eq!(run(1, one), run(3, one));
    assert_ne!(run(1, one), run(1, two));
}

#[test]
fn an_event_without_a_value_is_left_out_where_the_policy_says_so() {
    let project = fresh();
    let text = visits().replacen(",53702,", ",,", 3);
    project.write("visits.csv", &text);
    let outcome = project.run(&["columns.zip.missing=suppress"]).unwrap();
    assert!(
        outcome.report.notes.iter().any(|note| note.starts_with("3 events left out")),
        "{:?}",
        outcome.report.notes
    );
    let failed = project.run(&["columns.zip.missing=error"]).unwrap_err();
    assert!(matches!(failed, PipelineError::MissingValue { .. }), "{failed:?}");
}

#[test]
fn several_sensitive_columns_have_their_own_limits() {
    let project = fresh();
    let set = [
        "columns.ward.role=sensitive",
        "columns.ward.sensitive-values=[\"w1\"]",
        "columns.ward.c=0.8",
        "privacy.sensitive-values=[]",
        "columns.disease.sensitive-values=[\"d0\", \"d1\"]",
    ];
    let outcome = project.run(&set).unwrap();
    let names: Vec<String> = outcome.report.promises.iter().map(|p| p.promise.name()).collect();
    assert_eq!(names, ["k-anonymity", "confidence(ward)", "confidence(disease)"]);
}

#[test]
fn a_changed_release_does_not_verify() {
    let project = fresh();
    project.run(&[]).unwrap();
    let job = project.job(&[]);
    assert!(shoal_pipeline::files::verify(&job, &project.path("out.csv"), &Silent).unwrap().holds());
    let text = project.read("out.csv");
    let second = text.lines().nth(1).unwrap();
    let mut cells: Vec<&str> = second.split(',').collect();
    cells[1] = "1999";
    project.write("changed.csv", text.replacen(second, &cells.join(","), 1));
    assert!(!shoal_pipeline::files::verify(&job, &project.path("changed.csv"), &Silent).unwrap().holds());
}

/// The same people, with hierarchies, against somebody who knows up to three values.
fn partly_known() -> TestProject {
    let project = fresh();
    let zips: String = (53700..53705).map(|zip| format!("{zip};{}**;*\n", zip / 100)).collect();
    project.write("zip.csv", zips);
    let years: String = (2010..2017).map(|year| format!("{year};{}s;*\n", year / 4 * 4)).collect();
    project.write("year.csv", years);
    project
}

const KNOWN: [&str; 5] = [
    "columns.zip.hierarchy=zip.csv",
    "columns.year.hierarchy=year.csv",
    "privacy.length=3",
    "privacy.sensitive-values=[]",
    "privacy.k=4",
];

#[test]
fn every_algorithm_against_partial_knowledge_is_verified_and_counts_whom_it_leaves_out() {
    for algorithm in ["fcla", "fcla-base1", "halt"] {
        for bound in ["privacy.c=0.8", "columns.disease.c=0.9"] {
            let project = partly_known();
            let name = format!("algorithm.name={algorithm}");
            let mut set = KNOWN.to_vec();
            set.extend([bound, name.as_str()]);
            let outcome = project.run(&set).unwrap_or_else(|e| panic!("{algorithm} {bound}: {e}"));
            let report = &outcome.report;
            assert_eq!((report.records_in, report.records_out + report.records_suppressed), (60, 60));
            assert!(report.records_out > 30, "{algorithm} {bound}: {}", report.records_out);
            // By the papers' count, what would give somebody away becomes `*`, and nobody has to go.
            let by_paper = project.run(
                &[&set[..], &["privacy.support=paper", "output.path=paper.csv", "output.report=paper"]]
                    .concat(),
            );
            assert_eq!(by_paper.unwrap().report.records_out, 60, "{algorithm} {bound}");
            assert_eq!(report.promises[0].promise.name(), "(k,C)^L");
            assert!(report.seconds.phases.values().sum::<f64>() <= report.seconds.total);
        }
    }
}

#[test]
fn whoever_knows_more_costs_more() {
    let loss = |length: &str| {
        let project = partly_known();
        let mut set = KNOWN.to_vec();
        set.extend(["privacy.c=1", length]);
        match project.run(&set).unwrap().report.loss {
            shoal_pipeline::Loss::Sequences(loss) => loss.inf_loss,
            other => panic!("{other:?}"),
        }
    };
    let (one, three, all) = (loss("privacy.length=1"), loss("privacy.length=3"), loss("privacy.length=12"));
    assert!(one < three && three <= all, "{one} {three} {all}");
}
