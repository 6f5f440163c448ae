//! `shoal init`: a policy that can be run as it is.

use crate::project::{PEOPLE, TestProject};

#[test]
fn the_proposed_policy_can_be_checked_and_run() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    let said = project.shoal(&["init", "people.csv"]).ended_with(0);
    insta::assert_snapshot!("init", said.stdout);
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "out.csv"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn an_existing_policy_is_kept() {
    let project = TestProject::with_people();
    let before = project.everything();
    let said = project.shoal(&["init", "people.csv"]).ended_with(2);
    assert!(said.stderr.contains("`policy.toml` exists already"), "{}", said.stderr);
    assert_eq!(project.everything(), before);
    project.shoal(&["init", "people.csv", "--force"]).ended_with(0);
    assert_ne!(project.everything(), before);
}

#[test]
fn the_source_is_named_as_the_policy_sees_it() {
    let project = TestProject::empty();
    project.write("data/people.csv", PEOPLE);
    std::fs::create_dir(project.path("policies")).unwrap();
    for policy in ["policies/here.toml", "data/there.toml", "top.toml"] {
        project.shoal(&["init", "data/people.csv", "-o", policy]).ended_with(0);
        project.shoal(&["check", policy]).ended_with(0);
    }
    assert!(project.read("policies/here.toml").contains("source = \"../data/people.csv\""));
    let absolute = project.path("data/people.csv").display().to_string();
    project.shoal(&["init", &absolute, "-o", "absolute.toml"]).ended_with(0);
    project.shoal(&["check", "absolute.toml"]).ended_with(0);
    project.shoal(&["init", "data/people.csv", "-o", "nowhere/policy.toml"]).ended_with(2);
}

#[test]
fn standard_output_gets_the_policy_alone() {
    let project = TestProject::empty();
    project.write("people.csv", PEOPLE);
    let said = project.shoal(&["init", "people.csv", "-o", "-"]).ended_with(0);
    project.write("policy.toml", &said.stdout);
    project.shoal(&["check", "policy.toml"]).ended_with(0);
    let json = project.shoal(&["init", "people.csv", "-o", "-", "--json"]).ended_with(0).json();
    assert_eq!(json["text"], said.stdout);
    assert_eq!(json["columns"][1]["name"], "age");
    assert_eq!(json["columns"][1]["role"], "quasi-identifier");
}

#[test]
fn separators_and_headers_are_found_out() {
    let project = TestProject::empty();
    let body: String = PEOPLE.lines().skip(1).map(|line| format!("{line}\n")).collect();
    project.write("tabs.tsv", PEOPLE.replace(',', "\t"));
    project.write("semicolons.csv", PEOPLE.replace(',', ";"));
    project.write("nameless.csv", &body);
    for file in ["tabs.tsv", "semicolons.csv", "nameless.csv"] {
        project.shoal(&["init", file, "--force"]).ended_with(0);
        let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
        assert_eq!(plan["records"], 12, "{file}");
        assert_eq!(plan["columns"].as_array().unwrap().len(), 5, "{file}");
    }
    let said = project.shoal(&["init", "nameless.csv", "--force"]).ended_with(0);
    assert!(said.stdout.contains("note: the first line holds the number `34`"), "{}", said.stdout);
    project.shoal(&["init", "nameless.csv", "--header", "--force"]).ended_with(0);
    assert!(project.read("policy.toml").contains("[columns.Ann]"));
    project.shoal(&["init", "tabs.tsv", "--no-header", "--force"]).ended_with(0);
    assert!(project.read("policy.toml").contains("[columns.column5]"));
}

#[test]
fn data_that_cannot_be_looked_at_is_told_and_nothing_is_written() {
    let project = TestProject::empty();
    project.write("empty.csv", "");
    let before = project.everything();
    for data in ["nothing.csv", "empty.csv", ".", "*.dat", "-"] {
        let said = project.shoal(&["init", data]).ended_with(2);
        assert!(said.stderr.contains("error: ") && said.stderr.contains("hint: "), "{}", said.stderr);
    }
    project.shoal(&["init", "empty.csv", "--separator", "ab"]).ended_with(2);
    project.shoal(&["init", "empty.csv", "--shape", "stream"]).ended_with(2);
    assert_eq!(project.everything(), before);
}
