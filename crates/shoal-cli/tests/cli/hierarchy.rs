//! `shoal hierarchy build | show | check`.

use crate::project::{PEOPLE, TestProject};

const ZIP: &str = "\
53715;5371*;537**;*
53711;5371*;537**;*
53703;5370*;537**;*
53706;5370*;537**;*
60601;6060*;606**;*
";

#[test]
fn built_hierarchies_hold_the_values_they_were_built_from() {
    let project = TestProject::with_people();
    for (column, kind) in [
        ("age", "intervals"),
        ("zip", "prefixes"),
        ("illness", "flat"),
        ("zip", "intervals"),
        ("name", "flat"),
    ] {
        let file = format!("{column}.{kind}.csv");
        project
            .shoal(&["hierarchy", "build", "people.csv", "--column", column, "--kind", kind, "-o", &file])
            .ended_with(0);
        project
            .shoal(&["hierarchy", "check", &file, "--data", "people.csv", "--column", column])
            .ended_with(0);
        project
            .shoal(&["hierarchy", "check", &file, "--policy", "policy.toml", "--column", column])
            .ended_with(0);
    }
}

#[test]
fn parameters_shape_the_tree() {
    let project = TestProject::with_people();
    project.write("days.csv", "day\n03.02.2001\n17.02.2001\n01.12.1999\n");
    let build = |args: &[&str]| {
        let call = [&["hierarchy", "build"], args].concat();
        project.shoal(&call).ended_with(0).stdout
    };
    insta::assert_snapshot!(
        "built",
        [
            build(&["people.csv", "--column", "age", "--kind", "intervals", "--widths", "10,20"]),
            build(&["--policy", "policy.toml", "--column", "zip", "--kind", "prefixes", "--keep", "4,2"]),
            build(&[
                "days.csv",
                "--column",
                "day",
                "--kind",
                "dates",
                "--steps",
                "month,decade",
                "--format",
                "%d.%m.%Y"
            ]),
            build(&["people.csv", "--column", "sex", "--kind", "flat"]),
        ]
        .join("\n")
    );
    let json =
        project.shoal(&["hierarchy", "build", "people.csv", "--column", "sex", "--kind", "flat", "--json"]);
    assert_eq!(json.ended_with(0).json()["rows"], serde_json::json!([["f", "*"], ["m", "*"]]));
    let from_stdin = ["hierarchy", "build", "-", "--column", "sex", "--kind", "flat"];
    assert_eq!(project.shoal_reading(&from_stdin, PEOPLE).ended_with(0).stdout, "f;*\nm;*\n");
}

#[test]
fn a_built_hierarchy_serves_a_run() {
    let project = TestProject::with_people();
    let build = ["hierarchy", "build", "--policy", "policy.toml", "--column", "zip", "--kind", "prefixes"];
    project.shoal(&[&build[..], &["-o", "zip.csv"]].concat()).ended_with(0);
    project.shoal(&[&build[..], &["-o", "zip.csv"]].concat()).ended_with(2);
    project.shoal(&[&build[..], &["-o", "zip.csv", "--force"]].concat()).ended_with(0);
    project.edit_policy("[columns.zip]", "[columns.zip]\nhierarchy = \"zip.csv\"");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
}

#[test]
fn wrong_requests_to_build_are_told() {
    let project = TestProject::with_people();
    let before = project.everything();
    let refuse = |args: &[&str]| {
        let call = [&["hierarchy", "build", "people.csv", "-o", "h.csv"], args].concat();
        project.shoal(&call).ended_with(2).error()
    };
    insta::assert_snapshot!(
        "build_errors",
        [
            refuse(&["--column", "height", "--kind", "flat"]),
            refuse(&["--column", "sex", "--kind", "intervals"]),
            refuse(&["--column", "age", "--kind", "intervals", "--widths", "10,15"]),
            refuse(&["--column", "age", "--kind", "flat", "--widths", "10"]),
            refuse(&["--column", "age", "--kind", "dates"]),
            refuse(&["--column", "age", "--kind", "dates", "--format", "%Q"]),
            refuse(&["--column", "zip", "--kind", "prefixes", "--keep", "2,4"]),
            refuse(&["--column", "age", "--kind", "dates", "--steps", "fortnight"]),
        ]
        .join("\n")
    );
    assert_eq!(project.everything(), before);
}

#[test]
fn show_draws_the_tree() {
    let project = TestProject::empty();
    project.write("zip.csv", ZIP);
    let flat: String = (0..200).map(|value| format!("value-{value};*\n")).collect();
    project.write("flat.csv", flat);
    let groups: String = (0..30).map(|value| format!("value-{value};group-{};top;*\n", value / 2)).collect();
    project.write("groups.csv", groups);
    let show = |args: &[&str]| project.shoal(&[&["hierarchy", "show"], args].concat()).ended_with(0).stdout;
    insta::assert_snapshot!(
        "show",
        [show(&["zip.csv"]), show(&["flat.csv"]), show(&["groups.csv"]), show(&["zip.csv", "--depth", "1"])]
            .join("\n")
    );
    assert!(show(&["groups.csv", "--all"]).contains("└─ group-14 (2): value-28, value-29"));
    let json = project.shoal(&["hierarchy", "show", "zip.csv", "--json"]).ended_with(0).json();
    assert_eq!(json["values"], 5);
    assert_eq!(json["tree"]["children"][0]["children"][1]["children"][0]["label"], "53703");
}

#[test]
fn check_tells_trees_coverage_and_broken_files_apart() {
    let project = TestProject::with_people();
    project.write("zip.csv", ZIP);
    project.write("short.csv", "53715;*\n53706;*\n");
    project.write("broken.csv", "53715;A;*\n53715;B;*\n");
    let check =
        |args: &[&str], code: i32| project.shoal(&[&["hierarchy", "check"], args].concat()).ended_with(code);
    check(&["zip.csv"], 0);
    let covered = check(&["zip.csv", "--data", "people.csv", "--column", "zip"], 0);
    let missed = check(&["short.csv", "--policy", "policy.toml", "--column", "zip"], 1);
    let broken = check(&["broken.csv"], 2);
    insta::assert_snapshot!("hierarchy_check", [covered.stdout, missed.stdout, broken.error()].join("\n"));
    let args = ["short.csv", "--data", "people.csv", "--column", "zip", "--json"];
    let json = check(&args, 1).json();
    assert_eq!(
        json["coverage"]["missed"][0],
        serde_json::json!({"value": "53703", "first": "people.csv:4", "records": 3})
    );
    check(&["nothing.csv"], 2);
    check(&["zip.csv", "--data", "people.csv"], 2);
    check(&["zip.csv", "--data", "people.csv", "--column", "height"], 2);
}

#[test]
fn missing_values_need_no_line() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace(",53711,", ",?,"));
    project.write("zip.csv", "53715;*\n53703;*\n53706;*\n");
    project
        .shoal(&["hierarchy", "check", "zip.csv", "--data", "people.csv", "--column", "zip"])
        .ended_with(0);
    let build = ["hierarchy", "build", "people.csv", "--column", "zip", "--kind", "intervals"];
    assert!(!project.shoal(&build).ended_with(0).stdout.contains('?'));
}
