//! Whole runs on small tables through the public functions.

use std::collections::BTreeMap;
use std::path::Path;

use crate::project::TestProject;
use shoal_core::Silent;
use shoal_pipeline::files::RunOptions;
use shoal_pipeline::{Loss, Measured, PipelineError, Plan, Verified};

const DATA: &str = "\
name,age,sex,zip,illness
Ann,34,F,53715,flu
Bob,36,M,53715,cold
Cid,41,M,53703,flu
Dee,47,F,53703,asthma
Eve,?,F,53706,flu
Fay,52,F,53706,cold
Gus,58,M,53706,flu
Hal,63,M,53711,asthma
Ina,39,F,53711,cold
";

const POLICY: &str = r#"
version = 1
[data]
shape = "table"
source = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
[columns.zip]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[privacy]
k = 2
[output]
path = "out.csv"
"#;

fn fresh() -> TestProject {
    TestProject::with(POLICY, "people.csv", DATA)
}

fn published(project: &TestProject) -> Vec<Vec<String>> {
    rows(&project.path("out.csv"))
}

/// A CSV file taken apart, by a reader that knows quotes and nothing else.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let cells = |line: &str| {
        let mut cells = vec![String::new()];
        let mut quoted = false;
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                c => cells.last_mut().unwrap().push(c),
            }
        }
        cells
    };
    text.lines().map(cells).collect()
}

fn class_sizes(rows: &[Vec<String>], quasi: usize) -> Vec<usize> {
    let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
    for row in &rows[1..] {
        *classes.entry(&row[..quasi]).or_default() += 1;
    }
    classes.into_values().collect()
}

#[test]
fn every_algorithm_publishes_crowds_without_names() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = fresh();
        let outcome = project.run(&[&format!("algorithm.name={algorithm}")]).unwrap();
        let published = published(&project);
        assert_eq!(published[0], ["age", "sex", "zip", "illness"], "{algorithm}");
        assert!(class_sizes(&published, 3).iter().all(|&size| size >= 2), "{algorithm}: {published:?}");
        let report = &outcome.report;
        assert_eq!(report.records_in, 9);
        assert_eq!(report.records_out + report.records_suppressed, 9);
        assert_eq!(report.records_out, published.len() - 1);
        assert_eq!(report.classes, class_sizes(&published, 3).len());
        assert!(report.promises.iter().all(|p| p.holds));
        let text = std::fs::read_to_string(project.path("out.csv")).unwrap();
        assert!(!text.contains("Ann"), "{algorithm} published a name");
        assert_eq!(project.files(), ["out.csv", "out.report", "people.csv", "policy.toml"]);
    }
}

#[test]
fn the_report_has_what_the_contract_lists() {
    let project = fresh();
    project.run(&[]).unwrap();
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(project.path(name)).unwrap()).unwrap()
    };
    let report = read("out.report/report.json");
    for key in [
        "version",
        "output-sha256",
        "shape",
        "algorithm",
        "records-out",
        "classes",
        "promises",
        "leaks",
        "loss",
        "risk",
    ] {
        assert!(report.get(key).is_some(), "report.json has no `{key}`");
    }
    let audit = read("out.report/audit.json");
    for key in ["records-in", "records-suppressed", "clusters", "seconds", "peak-memory-bytes"] {
        assert!(report.get(key).is_none() && audit.get(key).is_some(), "only audit.json has `{key}`");
    }
    for key in ["ncp", "utility", "discernibility"] {
        assert!(report["loss"][key].is_number(), "loss has no `{key}`");
    }
    assert!(audit["seconds"]["total"].is_number());
    let bytes = std::fs::read(project.path("out.csv")).unwrap();
    assert_eq!(report["output-sha256"], shoal_io::sha256_hex(&bytes));
    assert_eq!(audit["output-sha256"], report["output-sha256"]);
    assert_eq!(audit["people"]["records"].as_u64(), report["records-out"].as_u64());
    assert!(std::fs::metadata(project.path("out.report/audit.people.parquet")).unwrap().len() > 0);
    assert!(!audit.to_string().contains("Ann"));
}

#[test]
fn rows_stand_in_the_order_of_their_texts() {
    let bytes = |set: &[&str]| {
        let project = fresh();
        project.run(set).unwrap();
        std::fs::read(project.path("out.csv")).unwrap()
    };
    assert_eq!(bytes(&[]), bytes(&[]));
    let project = fresh();
    project.run(&[]).unwrap();
    let rows = published(&project);
    let mut sorted = rows.clone();
    sorted[1..].sort();
    assert_eq!(rows, sorted);
}

#[test]
fn order_can_be_kept() {
    let project = fresh();
    project.run(&["output.keep-order=true"]).unwrap();
    let illnesses: Vec<String> = published(&project)[1..].iter().map(|row| row[3].clone()).collect();
    assert_eq!(illnesses, ["flu", "cold", "flu", "asthma", "flu", "cold", "flu", "asthma", "cold"]);
}

#[test]
fn a_missing_value_lies_in_no_range() {
    let project = fresh();
    project.run(&["output.keep-order=true"]).unwrap();
    // Eve has no age, so the cell of her class is `*`, or her class has no ages at all.
    let eve = &published(&project)[5];
    assert!(eve[0] == "*" || eve[0] == "?", "{eve:?}");
}

#[test]
fn incomplete_records_can_be_left_out_or_refused() {
    let project = fresh();
    let outcome = project.run(&["columns.age.missing=suppress"]).unwrap();
    assert_eq!((outcome.report.records_out, outcome.report.records_suppressed), (8, 1));
    assert!(outcome.report.notes.iter().any(|n| n.contains("1 record")));
    let refused = fresh().run(&["columns.age.missing=error"]).unwrap_err();
    assert!(matches!(refused, PipelineError::MissingValue { at } if at.place.line == Some(6)));
}

#[test]
fn stars_are_a_crowd_of_their_own() {
    let project = fresh();
    let outcome = project.run(&["columns.age.missing=suppress", "output.suppressed=star"]).unwrap();
    let published = published(&project);
    let starred = published[1..].iter().filter(|row| row[..3].iter().all(|cell| cell == "*")).count();
    assert!(starred >= 2, "{published:?}");
    assert_eq!(published.len() - 1, 9);
    assert_eq!(outcome.report.records_suppressed, starred);
}

#[test]
fn hierarchies_that_are_built_are_said() {
    let notes = fresh().run(&["algorithm.name=datafly"]).unwrap().report.notes;
    assert!(notes.iter().any(|n| n.contains("`age`") && n.contains("intervals")), "{notes:?}");
    assert!(notes.iter().any(|n| n.contains("`sex`")), "{notes:?}");
}

#[test]
fn what_was_published_verifies_and_measures_alike() {
    let project = fresh();
    let report = project.run(&[]).unwrap().report;
    let job = project.job(&[]);
    let verified = shoal_pipeline::files::verify(&job, &project.path("out.csv"), &Silent).unwrap();
    assert!(verified.holds());
    assert!(matches!(verified, Verified::Table(found) if found.sha256 == report.about.output_sha256));
    let measured = shoal_pipeline::files::measure(
        &job,
        Some(&project.path("people.csv")),
        &project.path("out.csv"),
        None,
        &Silent,
    )
    .unwrap();
    let Measured::Table(measured) = measured else { panic!("a table") };
    assert_eq!(Loss::Table(measured.measures.loss), report.loss);
    let larger =
        shoal_pipeline::files::verify(&project.job(&["privacy.k=9"]), &project.path("out.csv"), &Silent)
            .unwrap();
    assert!(!larger.holds());
}

#[test]
fn a_check_writes_nothing() {
    let project = fresh();
    let before = project.files();
    let plan = shoal_pipeline::files::check(&project.job(&[]), &Silent).unwrap();
    let Plan::Table(plan) = plan else { panic!("a table") };
    assert!(plan.feasible);
    assert_eq!((plan.records, plan.most_classes), (9, 4));
    assert_eq!(plan.columns.len(), 5);
    assert!(!shoal_pipeline::files::check(&project.job(&["privacy.k=10"]), &Silent).unwrap().feasible());
    assert_eq!(project.files(), before);
}

#[test]
fn nothing_is_left_behind_when_it_fails() {
    let project = fresh();
    let before = project.files();
    let too_large = project.run(&["privacy.k=10"]).unwrap_err();
    assert!(too_large.is_broken_promise());
    project.write("people.csv", "name,age,sex,zip,illness\n");
    assert!(matches!(project.run(&[]).unwrap_err(), PipelineError::NoRecords { .. }));
    project.write("people.csv", DATA.replace("illness", "disease"));
    assert!(matches!(project.run(&[]).unwrap_err(), PipelineError::PolicyAndData { .. }));
    project.write("people.csv", DATA.replace("53715,flu", "*,flu"));
    assert!(matches!(project.run(&[]).unwrap_err(), PipelineError::LooksGeneralized { .. }));
    project.write("people.csv", DATA.replace("34,F", "x34,F"));
    let wrong = project.run(&[]).unwrap_err();
    assert!(matches!(&wrong, PipelineError::NotOfKind { at, .. } if at.place.line == Some(2)), "{wrong}");
    project.write("people.csv", DATA);
    project.write("zip.csv", "53715;*\n53703;*\n53706;*\n");
    let outside = project.run(&["columns.zip.hierarchy=zip.csv"]).unwrap_err();
    assert!(
        matches!(&outside, PipelineError::OutsideHierarchy { at, .. }
        if at.value == "53711" && at.place.row == 8),
        "{outside}"
    );
    project.write("zip.csv", "53715;a;*\n53703;b;*\n53706;b;*\n53711;a;*\n53715;b;*\n");
    let parents = project.run(&["columns.zip.hierarchy=zip.csv"]).unwrap_err();
    assert!(matches!(parents, PipelineError::Hierarchy { .. }), "{parents}");
    std::fs::remove_file(project.path("zip.csv")).unwrap();
    assert_eq!(project.files(), before);
}

#[test]
fn an_existing_file_is_kept_unless_forced() {
    let project = fresh();
    project.write("out.csv", "mine");
    let options = RunOptions::default();
    let refused = shoal_pipeline::files::run(&project.job(&[]), &options, &Silent).unwrap_err();
    assert!(matches!(refused, PipelineError::Exists { .. }));
    assert_eq!(std::fs::read_to_string(project.path("out.csv")).unwrap(), "mine");
}

#[test]
fn every_format_comes_out_verified() {
    for name in ["out.csv.gz", "out.csv.zst", "out.parquet"] {
        let project = fresh();
        project.run(&[&format!("output.path={name}")]).unwrap();
        let verified =
            shoal_pipeline::files::verify(&project.job(&[]), &project.path(name), &Silent).unwrap();
        assert!(verified.holds(), "{name}");
        assert!(matches!(verified, Verified::Table(found) if found.verdict.records == 9));
    }
}

#[test]
fn untouched_columns_keep_every_spelling_of_missing() {
    let project = fresh();
    project.write("people.csv", DATA.replace("53715,flu", "53715,?").replace("53706,cold", "53706,"));
    project.run(&["output.keep-order=true"]).unwrap();
    let published = published(&project);
    assert_eq!((published[1][3].as_str(), published[6][3].as_str()), ("?", ""));
}

#[test]
fn an_input_is_never_overwritten() {
    let project = fresh();
    project.write("zip.csv", "53715;*\n53703;*\n53706;*\n53711;*\n");
    for input in ["people.csv", "policy.toml", "zip.csv"] {
        let before = std::fs::read(project.path(input)).unwrap();
        let refused = project.run(&["columns.zip.hierarchy=zip.csv", &format!("output.path={input}")]);
        assert!(matches!(refused, Err(PipelineError::OutputIsInput { .. })), "{input}");
        assert_eq!(std::fs::read(project.path(input)).unwrap(), before);
    }
}
