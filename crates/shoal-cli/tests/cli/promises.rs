//! What a table owner can ask for beside k: asked, kept, verified, broken.

use crate::project::TestProject;

const PROMISES: [&str; 7] = [
    "l-diversity = { kind = \"distinct\", l = 2 }",
    "l-diversity = { kind = \"entropy\", l = 1.8 }",
    "l-diversity = { kind = \"recursive\", l = 2, c = 2.0 }",
    "t-closeness = 0.4",
    "t-closeness = { t = 0.5, distance = \"equal\" }",
    "beta-likeness = 1.0",
    "beta-likeness = { beta = 0.8, kind = \"basic\" }",
];

#[test]
fn every_algorithm_keeps_every_promise_and_verify_agrees() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        for promise in PROMISES {
            let project = TestProject::with_people();
            project.edit_policy("k = 3", &format!("k = 3\n{promise}\n[algorithm]\nname = \"{algorithm}\""));
            project.shoal(&["run", "policy.toml"]).ended_with(0);
            project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
            let report: serde_json::Value =
                serde_json::from_str(&project.read("out.report/report.json")).unwrap();
            assert_eq!(report["promises"].as_array().unwrap().len(), 2, "{algorithm}, {promise}");
            assert_eq!(report["promises"][1]["column"], "illness");
        }
    }
}

#[test]
fn a_file_that_breaks_a_promise_is_told_where_and_why() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--set", "algorithm.name=mondrian"]).ended_with(0);
    project.edit_policy("k = 3", "k = 3\nbeta-likeness = 0.2");
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("broken_likeness", said.timeless());
}

#[test]
fn the_plan_names_what_is_asked_of_every_class() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3\nl-diversity = { kind = \"distinct\", l = 2 }\nt-closeness = 0.4");
    insta::assert_snapshot!(
        "plan_with_conditions",
        project.shoal(&["check", "policy.toml"]).ended_with(0).timeless()
    );
    project.edit_policy("l = 2", "l = 4");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("plan_that_cannot_be_kept", said.timeless());
}

#[test]
fn a_personal_k_is_proven_by_the_run_and_cannot_be_seen_in_the_file() {
    let project = TestProject::with_people();
    let numbered = project.read("people.csv").lines().enumerate().fold(String::new(), |text, (line, row)| {
        let rest = row.split_once(',').unwrap().1;
        let first = if line == 0 {
            "name"
        } else if line == 5 {
            "6"
        } else {
            "1"
        };
        format!("{text}{first},{rest}\n")
    });
    project.write("people.csv", numbered);
    project.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let report: serde_json::Value = serde_json::from_str(&project.read("out.report/audit.json")).unwrap();
    assert_eq!(report["promises"][1]["name"], "personal-k");
    assert_eq!(report["promises"][1]["holds"], true);
    assert!(!project.read("out.csv").starts_with("name"));
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(2);
    insta::assert_snapshot!("personal_k_cannot_be_verified", said.error());
    let rest = ["verify", "out.csv", "--policy", "policy.toml", "--set", "columns.name.role=\"identifier\""];
    project.shoal(&rest).ended_with(0);
}

#[test]
fn a_timed_run_can_be_repeated_by_its_rounds() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--set", "algorithm.seconds=0.2"]).ended_with(0);
    let audit = project.json("out.report/audit.json");
    let rounds = audit["ribbon"]["rounds"].as_array().unwrap().len();
    let set = format!("algorithm.rounds={rounds}");
    let again = ["run", "policy.toml", "--set", &set, "-o", "again.csv", "--key-of", "out.report"];
    project.shoal(&again).ended_with(0);
    assert_eq!(project.read("out.csv"), project.read("again.csv"));
}

#[test]
fn what_is_left_out_is_limited_and_priced() {
    let project = TestProject::with_people();
    let text = project.read("people.csv").replace("Gus,55", "Gus,99");
    project.write("people.csv", text);
    project.edit_policy("k = 3", "k = 3\n[algorithm]\noutliers = \"suppress\"\nmax-suppressed = 0.1");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let audit = project.json("out.report/audit.json");
    let price = &audit["ribbon"]["outliers"];
    assert!(price["published"].as_f64().unwrap() <= price["keeping"].as_f64().unwrap());
    assert!(audit["records-suppressed"].as_u64().unwrap() <= 1);
    let limit = audit["promises"].as_array().unwrap().iter().find(|p| p["name"] == "max-suppressed").unwrap();
    assert_eq!(limit["holds"], true);
}
