//! Transactions whose groups are numbers of a dictionary, against the same release with its groups written out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use proptest::prelude::*;
use serde_json::Value;
use shoal_core::{Silent, quote_item, split_items};
use shoal_pipeline::files::{Job, RunOptions, VerifyOptions, apply, open_applied, verify_with};
use shoal_pipeline::{Explained, PipelineError};

use crate::project::TestProject;

const POLICY: &str = r#"
version = 1
[data]
shape = "transactions"
source = "baskets.dat"
header = false
[privacy]
k = 3
m = 2
[output]
path = "out.dat"
report = "report"
"#;

const DICTIONARY: &str = "output.groups=dictionary";
const WRITTEN_OUT: &str = "output.groups=written-out";
const GROUPS: &str = "out.dat.groups.csv";

/// Names that a careless reader would take for numbers of groups, for groups, or for something in quotes.
const HOSTILE: [&str; 16] = [
    "(1,)", "\"(1,)\"", "(2,)", "1", "2", "(a,b)", "(a", "a)", "\"", "\"a", "#1", "(,)", "(1)", "(01,)",
    "a b", ",",
];

fn baskets(rows: &[Vec<usize>]) -> String {
    let line = |row: &Vec<usize>| {
        let items: Vec<String> = row.iter().map(|&item| quote_item(HOSTILE[item])).collect();
        items.join(" ") + "\n"
    };
    rows.iter().map(line).collect()
}

/// Frequent items, rare ones, and pairs that few have.
fn some_baskets() -> Vec<Vec<usize>> {
    (0..40).map(|row| vec![row % 3, 3 + row * row % 7, 3 + row * 5 % 13]).collect()
}

fn project(rows: &[Vec<usize>]) -> TestProject {
    TestProject::with(POLICY, "baskets.dat", &baskets(rows))
}

/// The dictionary, read with no code of ours: a number, a comma, and a text in quotes.
fn dictionary(text: &str) -> BTreeMap<String, String> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("number,members"));
    let row = |line: &str| {
        let (number, members) = line.split_once(',').unwrap();
        let members = members.strip_prefix('"').unwrap().strip_suffix('"').unwrap().replace("\"\"", "\"");
        (format!("({number},)"), members)
    };
    lines.map(row).collect()
}

/// The lines of a file as sets of published texts, numbers replaced by what the dictionary has for them.
fn lines(text: &str, groups: &BTreeMap<String, String>) -> Vec<BTreeSet<String>> {
    let shown = |item: &str| groups.get(item).map_or(item, String::as_str).to_owned();
    text.lines()
        .map(|line| split_items(line, ' ').filter(|item| !item.is_empty()).map(shown).collect())
        .collect()
}

/// A file with other texts in the place of some; the texts are whole items.
fn with_items(text: &str, mut other: impl FnMut(&str) -> String) -> String {
    let mut line = |line: &str| split_items(line, ' ').map(&mut other).collect::<Vec<_>>().join(" ") + "\n";
    text.lines().map(&mut line).collect()
}

fn verified(project: &TestProject, job: &Job, original: Option<&str>) -> Result<Value, PipelineError> {
    let options = VerifyOptions { original: original.map(|name| project.path(name)) };
    let verified = verify_with(job, &project.path("out.dat"), &options, &Silent)?;
    let mut value = serde_json::to_value(&verified).unwrap();
    value["holds"] = verified.holds().into();
    Ok(value)
}

/// What every verb says about `out.dat`, as far as it does not name its bytes.
fn said(project: &TestProject) -> [Value; 4] {
    let (job, out, original) = (project.job(&[]), project.path("out.dat"), project.path("baskets.dat"));
    let mut verdict = verified(project, &job, Some("baskets.dat")).unwrap();
    verdict["sha256"].take();
    verdict.as_object_mut().unwrap().shift_remove("groups-sha256");
    let measured = shoal_pipeline::files::measure(&job, Some(&original), &out, None, &Silent).unwrap();
    let attacked = shoal_pipeline::files::attack(&job, &original, &out, &[], &Silent).unwrap();
    let explained = shoal_pipeline::files::explain(&job, None, &out, &Explained::All, &Silent).unwrap();
    [
        verdict,
        serde_json::to_value(measured).unwrap(),
        serde_json::to_value(attacked).unwrap(),
        serde_json::to_value(explained).unwrap(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn both_forms_are_the_same_release(
        rows in prop::collection::vec(prop::collection::vec(0..HOSTILE.len(), 0..5), 6..30),
    ) {
        let project = project(&rows);
        let plain = match project.run(&[WRITTEN_OUT]) {
            Ok(outcome) => outcome,
            Err(infeasible) => {
                prop_assert!(infeasible.is_broken_promise() || matches!(infeasible, PipelineError::MTooLarge { .. }), "{infeasible}");
                return Ok(());
            }
        };
        prop_assert_eq!(&plain.groups, &None);
        let (text, figures) = (project.read("out.dat"), said(&project));
        let numbered = project.run_by_key_of(&plain, &[DICTIONARY]).unwrap();
        let has_groups = split_items(&text.replace('\n', " "), ' ').any(|item| shoal_core::parse_group(item).is_some());
        prop_assert_eq!(numbered.groups.is_some(), has_groups);
        let groups = if has_groups { dictionary(&project.read(GROUPS)) } else { BTreeMap::new() };
        prop_assert_eq!(lines(&project.read("out.dat"), &groups), lines(&text, &BTreeMap::new()));
        prop_assert_eq!(said(&project), figures);
        prop_assert_eq!(
            serde_json::to_value(&numbered.report.loss).unwrap(),
            serde_json::to_value(&plain.report.loss).unwrap()
        );
    }
}

#[test]
fn a_dictionary_says_nothing_but_the_groups() {
    let rows = some_baskets();
    let bytes = |rows: &[Vec<usize>]| {
        let project = project(rows);
        project.run(&[DICTIONARY]).unwrap();
        (project.read("out.dat"), project.read(GROUPS))
    };
    let (data, groups) = bytes(&rows);
    let backwards: Vec<Vec<usize>> =
        rows.iter().rev().map(|row| row.iter().rev().copied().collect()).collect();
    assert_eq!(bytes(&backwards), (data, groups.clone()), "not the order of the input");
    // By the first members and by nothing else: neither by frequency nor by size.
    let firsts: Vec<String> = groups
        .lines()
        .skip(1)
        .map(|line| {
            let members = &dictionary(&format!("number,members\n{line}")).into_values().next().unwrap();
            shoal_core::parse_group(members).unwrap().remove(0)
        })
        .collect();
    assert!(firsts.len() > 2, "{groups}");
    let mut sorted = firsts.clone();
    sorted.sort_by_key(|name| (name.parse::<i64>().is_err(), name.parse::<i64>().unwrap_or(0), name.clone()));
    assert_eq!(firsts, sorted);
}

#[test]
fn every_layout_has_numbers() {
    let rows = some_baskets();
    let project = project(&rows);
    project.run(&[WRITTEN_OUT, "output.keep-order=true"]).unwrap();
    let expected = lines(&project.read("out.dat"), &BTreeMap::new());

    let csv = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let (mut long, mut items) = ("who,what\n".to_owned(), ListBuilder::new(StringBuilder::new()));
    for (number, row) in rows.iter().enumerate() {
        row.iter().for_each(|&item| long.push_str(&format!("p{number},{}\n", csv(HOSTILE[item]))));
        row.iter().for_each(|&item| items.values().append_value(HOSTILE[item]));
        items.append(true);
    }
    project.write("long.csv", long);
    let batch = RecordBatch::try_from_iter([("basket", Arc::new(items.finish()) as ArrayRef)]).unwrap();
    let file = std::fs::File::create(project.path("baskets.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();

    let long =
        ["data.source=long.csv", "data.format=long", "data.id=who", "data.item=what", "output.path=out.csv"];
    let listed = ["data.source=baskets.parquet", "data.items=basket", "output.path=out.parquet"];
    for layout in [&long[..], &listed] {
        let with = |form: &'static str| {
            [layout, &[form, "data.header=true", "output.keep-order=true", "output.report=other"]].concat()
        };
        let plain = project.run(&with(WRITTEN_OUT)).unwrap();
        let numbered = project.run_by_key_of(&plain, &with(DICTIONARY)).unwrap();
        let out = numbered.output.clone();
        let beside = numbered.groups.expect("there are groups");
        assert_eq!(beside, PathBuf::from(format!("{}.groups.csv", out.display())));
        assert_eq!(dictionary(&std::fs::read_to_string(&beside).unwrap()).len(), expected_groups(&expected));
        let job = project.job(&with(DICTIONARY));
        assert!(shoal_pipeline::files::verify(&job, &out, &Silent).unwrap().holds(), "{layout:?}");
        assert_eq!(
            serde_json::to_value(&numbered.report.loss).unwrap(),
            serde_json::to_value(&plain.report.loss).unwrap()
        );
        std::fs::remove_file(beside).unwrap();
        let error = shoal_pipeline::files::verify(&job, &out, &Silent).unwrap_err();
        assert!(error.to_string().contains("there is no dictionary of groups"), "{error}");
        assert!(!error.is_broken_promise());
    }
}

fn expected_groups(lines: &[BTreeSet<String>]) -> usize {
    let texts: BTreeSet<&String> = lines.iter().flatten().collect();
    texts.into_iter().filter(|text| shoal_core::parse_group(text).is_some()).count()
}

#[test]
fn no_byte_of_a_dictionary_can_be_changed() {
    let project = project(&some_baskets());
    project.run(&[DICTIONARY]).unwrap();
    let whole = project.read(GROUPS);
    let audit = Job::open(&project.path("report/audit.json"), &[]).unwrap();
    let holds =
        |original| matches!(verified(&project, &audit, original), Ok(found) if found["holds"] == true);
    assert!(holds(None) && holds(Some("baskets.dat")));
    for at in 0..whole.len() {
        let mut changed = whole.clone().into_bytes();
        changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
        project.write(GROUPS, changed);
        assert!(!holds(None), "byte {at}");
    }
    project.write(GROUPS, &whole);
    assert!(holds(None));
}

#[test]
fn a_file_and_a_dictionary_that_do_not_belong_together_are_noticed() {
    let project = project(&some_baskets());
    project.run(&[DICTIONARY]).unwrap();
    let (data, groups) = (project.read("out.dat"), project.read(GROUPS));
    let count = groups.lines().count() - 1;
    let first = groups.lines().nth(1).unwrap();
    let members = dictionary(&groups)["(1,)"].clone();
    let policy = project.job(&[]);
    // Judged by the policy alone, which knows neither the release nor the original.
    let refused = |data: &str, groups: &str, promise: bool, what: &str| {
        project.write("out.dat", data);
        project.write(GROUPS, groups);
        let error = verified(&project, &policy, None).unwrap_err();
        assert!(error.to_string().contains(what), "{what}: {error}");
        assert_eq!(error.is_broken_promise(), promise, "{error}");
    };
    // In the first transaction that holds it, and in all.
    let once = |other: &str| {
        let mut rest = Some(other.to_owned());
        with_items(
            &data,
            |item| if item == "(1,)" { rest.take().unwrap_or("(1,)".into()) } else { item.to_owned() },
        )
    };
    let all = |other: &str| with_items(&data, |item| if item == "(1,)" { other } else { item }.to_owned());
    refused(&all("(99,)"), &groups, true, "`(99,)` is the number of no group");
    refused(&once("(01,)"), &groups, true, "`(01,)` is the number of no group");
    refused(&once(&members), &groups, true, "is written out");
    refused(
        &data,
        &format!("{groups}{},\"(y,z)\"\n", count + 1),
        true,
        &format!("group {} of the dictionary", count + 1),
    );
    refused(&data, &groups.replacen(&format!("{first}\n"), "", 1), false, "row 1 has the number `2`");
    refused(&data, &groups.replacen("number", "Number", 1), false, "its columns are not");
    refused(&data, "number,members\n", false, "it has no groups");
    refused("a b\na b\na b\n", &groups, true, "group 1 of the dictionary is in no published transaction");
    // Groups that share an item: the verdict says so, as of groups that are written out.
    project.write("out.dat", "(1,) (2,)\n".repeat(5));
    project.write(GROUPS, "number,members\n1,\"(a,c)\"\n2,\"(b,c)\"\n");
    let found = verified(&project, &policy, None).unwrap();
    assert_eq!((&found["holds"], &found["items-in-two-images"]["total"]), (&false.into(), &1.into()));
    // Another group in the place of one: whether it is true is known by the original, and by the audit.
    project.write("out.dat", &data);
    let others = groups.replacen(&members.replace('"', "\"\""), "(-2,-1)", 1);
    assert_ne!(others, groups);
    project.write(GROUPS, others);
    assert_eq!(verified(&project, &policy, None).unwrap()["holds"], true);
    assert_eq!(verified(&project, &policy, Some("baskets.dat")).unwrap()["holds"], false);
    let audit = Job::open(&project.path("report/audit.json"), &[]).unwrap();
    let error = verified(&project, &audit, None).unwrap_err();
    assert!(error.to_string().contains("not the one that the file was released with"), "{error}");
    assert!(error.is_broken_promise());
}

#[test]
fn a_release_with_a_dictionary_is_applied_again() {
    let published = |form: &str| {
        let project = project(&some_baskets());
        project.run(&[form]).unwrap();
        project.write("more.dat", baskets(&[some_baskets(), some_baskets()].concat()));
        let (release, data) = (project.path("report"), project.path("more.dat"));
        let job = open_applied(&release, &data.to_string_lossy(), &[]).unwrap();
        let options = RunOptions {
            output: Some(project.path("second.dat")),
            report: Some(project.path("second")),
            allow_total_loss: true,
            ..RunOptions::default()
        };
        let outcome = apply(&job, &release, &options, &Silent).unwrap();
        let groups = outcome.groups.map(|path| dictionary(&std::fs::read_to_string(path).unwrap()));
        let lines = lines(&project.read("second.dat"), &groups.clone().unwrap_or_default());
        // The dictionary of the first release is a part of it.
        if groups.is_some() {
            let text = project.read(GROUPS).replacen("(", "(-1,", 1);
            project.write(GROUPS, text);
            let again = RunOptions { force: true, ..options };
            let error = apply(&job, &release, &again, &Silent).unwrap_err();
            assert!(error.to_string().contains("dictionary of its groups is not the one"), "{error}");
        }
        (groups.is_some(), lines)
    };
    let (numbered, written_out) = (published(DICTIONARY), published(WRITTEN_OUT));
    assert!(numbered.0 && !written_out.0);
    assert_eq!(numbered.1, written_out.1);
}
