//! Two releases of the same people, each of which keeps its promise: the adversary intersects what is possible.

use std::collections::BTreeSet;

use crate::support::{CommandOutput, Dice, TestProject, csv};

const PEOPLE: usize = 1_000;
const ILLNESSES: usize = 20;

pub(crate) const POLICY: &str = r#"version = 1
[data]
shape = "table"
source = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.zip]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 10
l-diversity = { kind = "distinct", l = 5 }
[algorithm]
name = "mondrian"
"#;

/// Name, age, zip, illness.
fn hospital() -> (TestProject, Vec<(usize, usize, String)>) {
    let project = TestProject::new();
    let mut dice = Dice::new(7);
    let mut text = "name,age,zip,illness\n".to_owned();
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let person =
            (18 + dice.below(70), 10_000 + dice.below(500), format!("illness{}", dice.below(ILLNESSES)));
        text.push_str(&format!("person{number},{},{},{}\n", person.0, person.1, person.2));
        people.push(person);
    }
    project.write("people.csv", text);
    project.write("policy.toml", POLICY);
    (project, people)
}

/// Whether a published cell may stand for a number.
fn may_be(cell: &str, number: usize) -> bool {
    if cell == "*" {
        return true;
    }
    let inside = cell.trim_start_matches('[').trim_end_matches(']');
    let bounds: Vec<usize> = inside.split(", ").map(|bound| bound.parse().unwrap()).collect();
    bounds[0] <= number && number <= bounds[bounds.len() - 1]
}

/// The illnesses that somebody of this age and zip may have, by one release. Mondrian's classes do not overlap, so
/// whoever knows both numbers knows the class.
fn possible(rows: &[Vec<String>], age: usize, zip: usize) -> BTreeSet<String> {
    let fits = |row: &&Vec<String>| may_be(&row[0], age) && may_be(&row[1], zip);
    rows.iter().filter(fits).map(|row| row[2].clone()).collect()
}

/// A release that keeps zips finer and ages coarser: its classes lie across those of the first.
fn second(project: &TestProject, more: &[&str]) -> CommandOutput {
    let mut args =
        vec!["run", "policy.toml", "-o", "second.csv", "--set", "columns.zip.weight=9.0", "--json"];
    args.extend(more);
    project.shoal(&args)
}

fn kinds(said: &CommandOutput) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let leaks = report["leaks"].as_array().unwrap().iter();
    leaks.map(|leak| leak["kind"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn two_releases_are_held_against_each_other() {
    let (project, people) = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    second(&project, &[]).ended_with(0);
    // The attack: each release leaves at least five illnesses for everybody, both together do not.
    let (first, other) = (csv(&project.read("first.csv")).1, csv(&project.read("second.csv")).1);
    let mut betrayed = 0;
    for (age, zip, illness) in &people {
        let (one, two) = (possible(&first, *age, *zip), possible(&other, *age, *zip));
        assert!(one.len() >= 5 && two.len() >= 5);
        let both: BTreeSet<&String> = one.intersection(&two).collect();
        assert!(both.contains(illness));
        betrayed += usize::from(both.len() < 5);
    }
    assert!(betrayed > 10, "{betrayed} people have fewer than five possible illnesses");

    // Held against the first, everybody is published among the people with whom they were.
    second(&project, &["--previous", "first.report/audit.json", "--force"]).ended_with(0);
    let other = csv(&project.read("second.csv")).1;
    assert_eq!(other.len(), PEOPLE);
    for (age, zip, illness) in &people {
        let (one, two) = (possible(&first, *age, *zip), possible(&other, *age, *zip));
        let both: BTreeSet<&String> = one.intersection(&two).collect();
        assert!(both.len() >= 5 && both.contains(illness));
    }
    // One that was not, is refused as soon as a third has to hold together with both.
    second(&project, &["--force"]).ended_with(0);
    let third =
        ["run", "policy.toml", "-o", "third.csv", "--quiet", "--previous", "first.report", "--previous"];
    let refused = project.shoal(&[&third[..], &["second.report"]].concat()).ended_with(1);
    assert!(refused.stderr.contains("nobody can be published together"), "{}", refused.stderr);
    assert!(!project.exists("third.csv") && !project.exists("third.report"));
    // An earlier release is never replaced: others have it, and the next one has to be compared with it.
    for place in [["-o", "first.csv"], ["--report", "first.report"]] {
        let before = (project.read("first.csv"), project.read("first.report/audit.json"));
        let over = ["run", "policy.toml", "-o", "new.csv", "--previous", "first.report", "--force"];
        let over = [&over[..2], &place, &over[if place[0] == "-o" { 4 } else { 2 }..]].concat();
        let refused = project.shoal(&over).ended_with(2);
        assert!(refused.stderr.contains("first."), "{}", refused.stderr);
        assert_eq!(before, (project.read("first.csv"), project.read("first.report/audit.json")));
    }
    // Whoever publishes the same again gives nothing new away, whatever its name is.
    let again = ["run", "policy.toml", "-o", "again.csv", "--previous", "first.report", "--json"];
    let said = project.shoal(&again).ended_with(0);
    assert!(kinds(&said).contains(&"earlier-releases".to_owned()), "{}", said.stdout);
}

#[test]
fn a_folder_that_held_a_release_of_the_same_people_says_so() {
    let (project, _) = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--report", "reports", "--quiet"]).ended_with(0);
    // The same people in another order, and one more: another file.
    let text = project.read("people.csv");
    let (head, rows) = text.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().rev().collect();
    rows.push("newcomer,50,10100,illness3");
    project.write("people.csv", format!("{head}\n{}\n", rows.join("\n")));
    let said = second(&project, &["--report", "reports", "--force"]).ended_with(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let leak = report["leaks"].as_array().unwrap().iter().find(|leak| leak["kind"] == "earlier-release");
    assert!(leak.unwrap()["count"].as_u64().unwrap() > 900, "{}", said.stdout);
}

#[test]
fn other_people_may_be_published_beside() {
    let (project, _) = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let mut dice = Dice::new(99);
    let mut text = "name,age,zip,illness\n".to_owned();
    for number in 0..500 {
        let (age, zip, illness) = (18 + dice.below(70), 20_000 + dice.below(500), dice.below(ILLNESSES));
        text.push_str(&format!("other{number},{age},{zip},illness{illness}\n"));
    }
    project.write("people.csv", text);
    second(&project, &["--previous", "first.report"]).ended_with(0);
}

#[test]
fn kept_classes_hide_as_before() {
    let (project, people) = hospital();
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    let mut rows: Vec<String> = project.read("people.csv").lines().map(str::to_owned).collect();
    let mut dice = Dice::new(17);
    for number in 0..100 {
        let (age, zip, illness) = (18 + dice.below(70), 10_000 + dice.below(500), dice.below(ILLNESSES));
        rows.push(format!("new{number},{age},{zip},illness{illness}"));
    }
    project.write("people.csv", rows.join("\n") + "\n");
    let said = second(&project, &["--previous", "first.report"]).ended_with(0);
    assert!(said.stdout.contains("1000 records keep the classes of earlier releases"), "{}", said.stdout);
    let (first, other) = (csv(&project.read("first.csv")).1, csv(&project.read("second.csv")).1);
    for (age, zip, _) in &people {
        let (one, two) = (possible(&first, *age, *zip), possible(&other, *age, *zip));
        assert!(one.intersection(&two).count() >= 5);
    }
    // Four hundred leave: many of their classes are too small now, and whoever is left of them is left out.
    rows.drain(1..401);
    project.write("people.csv", rows.join("\n") + "\n");
    let third = [
        "run",
        "policy.toml",
        "-o",
        "third.csv",
        "--previous",
        "first.report",
        "--previous",
        "second.report",
        "--allow-absent",
        "--json",
    ];
    let said = project.shoal(&third).ended_with(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let left_out = report["records-suppressed"].as_u64().unwrap();
    assert!((1..600).contains(&left_out), "{left_out}");
    // The policy leaves nobody out; that this release does is in its audit, and goes for no other file.
    let truth = |file: &str, policy: &str| {
        project.shoal(&["verify", file, "--policy", policy, "--original", "people.csv"])
    };
    let output = truth("third.csv", "policy.toml").ended_with(1);
    assert!(
        output.stdout.contains("--previous") && output.stdout.contains("audit.json"),
        "{}",
        output.stdout
    );
    truth("third.csv", "third.report/audit.json").ended_with(0);
    let text = project.read("third.csv");
    let (kept, _) = text.trim_end().rsplit_once('\n').unwrap();
    project.write("shorter.csv", format!("{kept}\n"));
    truth("shorter.csv", "third.report/audit.json").ended_with(1);
}
