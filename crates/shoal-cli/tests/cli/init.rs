//! `shoal init`: a policy that can be run as it is.

use crate::workshop::{PEOPLE, Workshop};

#[test]
fn the_proposed_policy_can_be_checked_and_run() {
    let shop = Workshop::empty();
    shop.write("people.csv", PEOPLE);
    let said = shop.shoal(&["init", "people.csv"]).ended_with(0);
    insta::assert_snapshot!("init", said.stdout);
    shop.shoal(&["check", "policy.toml"]).ended_with(0);
    shop.shoal(&["run", "policy.toml", "-o", "out.csv"]).ended_with(0);
    shop.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn an_existing_policy_is_kept() {
    let shop = Workshop::with_people();
    let before = shop.everything();
    let said = shop.shoal(&["init", "people.csv"]).ended_with(2);
    assert!(said.stderr.contains("`policy.toml` exists already"), "{}", said.stderr);
    assert_eq!(shop.everything(), before);
    shop.shoal(&["init", "people.csv", "--force"]).ended_with(0);
    assert_ne!(shop.everything(), before);
}

#[test]
fn the_source_is_named_as_the_policy_sees_it() {
    let shop = Workshop::empty();
    shop.write("data/people.csv", PEOPLE);
    std::fs::create_dir(shop.path("policies")).unwrap();
    for policy in ["policies/here.toml", "data/there.toml", "top.toml"] {
        shop.shoal(&["init", "data/people.csv", "-o", policy]).ended_with(0);
        shop.shoal(&["check", policy]).ended_with(0);
    }
    assert!(shop.read("policies/here.toml").contains("source = \"../data/people.csv\""));
    let absolute = shop.path("data/people.csv").display().to_string();
    shop.shoal(&["init", &absolute, "-o", "absolute.toml"]).ended_with(0);
    shop.shoal(&["check", "absolute.toml"]).ended_with(0);
    shop.shoal(&["init", "data/people.csv", "-o", "nowhere/policy.toml"]).ended_with(2);
}

#[test]
fn standard_output_gets_the_policy_alone() {
    let shop = Workshop::empty();
    shop.write("people.csv", PEOPLE);
    let said = shop.shoal(&["init", "people.csv", "-o", "-"]).ended_with(0);
    shop.write("policy.toml", &said.stdout);
    shop.shoal(&["check", "policy.toml"]).ended_with(0);
    let json = shop.shoal(&["init", "people.csv", "-o", "-", "--json"]).ended_with(0).json();
    assert_eq!(json["text"], said.stdout);
    assert_eq!(json["columns"][1]["name"], "age");
    assert_eq!(json["columns"][1]["role"], "quasi-identifier");
}

#[test]
fn separators_and_headers_are_found_out() {
    let shop = Workshop::empty();
    let body: String = PEOPLE.lines().skip(1).map(|line| format!("{line}\n")).collect();
    shop.write("tabs.tsv", PEOPLE.replace(',', "\t"));
    shop.write("semicolons.csv", PEOPLE.replace(',', ";"));
    shop.write("nameless.csv", &body);
    for file in ["tabs.tsv", "semicolons.csv", "nameless.csv"] {
        shop.shoal(&["init", file, "--force"]).ended_with(0);
        let plan = shop.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
        assert_eq!(plan["records"], 12, "{file}");
        assert_eq!(plan["columns"].as_array().unwrap().len(), 5, "{file}");
    }
    let said = shop.shoal(&["init", "nameless.csv", "--force"]).ended_with(0);
    assert!(said.stdout.contains("note: the first line holds the number `34`"), "{}", said.stdout);
    shop.shoal(&["init", "nameless.csv", "--header", "--force"]).ended_with(0);
    assert!(shop.read("policy.toml").contains("[columns.Ann]"));
    shop.shoal(&["init", "tabs.tsv", "--no-header", "--force"]).ended_with(0);
    assert!(shop.read("policy.toml").contains("[columns.column5]"));
}

#[test]
fn data_that_cannot_be_looked_at_is_told_and_nothing_is_written() {
    let shop = Workshop::empty();
    shop.write("empty.csv", "");
    let before = shop.everything();
    for data in ["nothing.csv", "empty.csv", ".", "*.dat", "-"] {
        let said = shop.shoal(&["init", data]).ended_with(2);
        assert!(said.stderr.contains("error: ") && said.stderr.contains("hint: "), "{}", said.stderr);
    }
    shop.shoal(&["init", "empty.csv", "--separator", "ab"]).ended_with(2);
    shop.shoal(&["init", "empty.csv", "--shape", "stream"]).ended_with(2);
    assert_eq!(shop.everything(), before);
}
