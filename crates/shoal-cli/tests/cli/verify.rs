//! `shoal verify`, `measure` and `check`: answers about files.

use crate::project::{PEOPLE, TestProject};

fn released() -> TestProject {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project
}

#[test]
fn a_tampered_release_breaks_its_promise() {
    let project = released();
    let text = project.read("out.csv");
    let line = text.lines().nth(4).unwrap();
    let (age, rest) = line.split_once("\",").unwrap();
    assert!(age.starts_with("\"["), "{line}");
    project.write("out.csv", text.replacen(line, &format!("\"[1, 99]\",{rest}"), 1));
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("tampered", said.stdout);
    let json =
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--json"]).ended_with(1).json();
    assert_eq!(json["promises"][0]["holds"], false);
    let worst = &json["broken"][0]["violations"]["worst"][0];
    assert_eq!(worst["rows"], serde_json::json!([4]));
    assert_eq!(worst["cells"][0], serde_json::json!({"column": "age", "text": "[1, 99]"}));
}

#[test]
fn a_file_with_an_identifier_is_refused() {
    let project = released();
    let with_names: String = project
        .read("out.csv")
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{},{line}\n", if at == 0 { "name" } else { "somebody" }))
        .collect();
    project.write("named.csv", with_names);
    let said = project.shoal(&["verify", "named.csv", "--policy", "policy.toml"]).ended_with(1);
    assert!(said.stdout.contains("`name` must not be published"), "{}", said.stdout);
}

#[test]
fn a_file_that_is_not_ours_is_verified_as_well() {
    let project = TestProject::with_people();
    project.write("foreign.csv", "zip,sex,age\n5*,p,young\n5*,p,young\n5*,p,young\n");
    project.shoal(&["verify", "foreign.csv", "--policy", "policy.toml"]).ended_with(0);
    project
        .shoal(&["verify", "foreign.csv", "--policy", "policy.toml", "--set", "privacy.k=4"])
        .ended_with(1);
}

#[test]
fn what_cannot_be_verified_is_a_wrong_request() {
    let project = released();
    project.write("half.csv", "age,sex\n1,f\n1,f\n1,f\n");
    let said = project.shoal(&["verify", "half.csv", "--policy", "policy.toml"]).ended_with(2);
    insta::assert_snapshot!("verify_lacking_column", said.error());
    project.shoal(&["verify", "nothing.csv", "--policy", "policy.toml"]).ended_with(2);
    project.shoal(&["verify", "out.csv", "--policy", "nothing.toml"]).ended_with(2);
}

#[test]
fn measure_prints_losses_and_risks() {
    let project = released();
    let said = project.shoal(&["measure", "people.csv", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    insta::assert_snapshot!("measure", said.stdout);
    let args = ["measure", "people.csv", "out.csv", "--policy", "policy.toml", "--json"];
    let json = project.shoal(&args).ended_with(0).json();
    let audit = project.json("out.report/audit.json");
    assert_eq!(json["loss"], audit["loss"]);
    assert_eq!(json["risk"], audit["risk"]);
    project.shoal(&["measure", "people.csv", "nothing.csv", "--policy", "policy.toml"]).ended_with(2);
}

#[test]
fn check_prints_the_plan_and_writes_nothing() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("Cid,41,m", "Cid,?,m"));
    project.edit_policy("kind = \"integer\"", "kind = \"integer\"\nmissing = \"suppress\"");
    let before = project.everything();
    let args = ["check", "policy.toml", "--set", "algorithm.name=datafly"];
    let said = project.shoal(&args).ended_with(0);
    insta::assert_snapshot!("check", said.stdout);
    let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
    assert_eq!(plan["feasible"], true);
    assert_eq!(plan["incomplete"], 1);
    assert_eq!(project.everything(), before);
}

#[test]
fn what_set_said_need_not_be_repeated() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--set", "privacy.k=2"]).ended_with(0);
    // Its own promise is that of its audit, wherever one stands.
    let said = project.shoal(&["verify", "out.csv"]).ended_with(0);
    assert!(
        said.stdout.contains("2 asked") && said.stdout.contains("out.report/audit.json"),
        "{}",
        said.stdout
    );
    // Whoever asks for the policy's promise gets its verdict, and is told why it may be another.
    let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    assert!(said.stdout.contains("released with another privacy.k;"), "{}", said.stdout);
    let json =
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--json"]).ended_with(1).json();
    assert_eq!(json["other-settings"][0], "privacy.k");
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--set", "privacy.k=2"]).ended_with(0);

    // The audit of another file says nothing about this one.
    std::fs::copy(project.path("out.csv"), project.path("copy.csv")).unwrap();
    std::fs::rename(project.path("out.report"), project.path("copy.report")).unwrap();
    let said = project.shoal(&["verify", "copy.csv"]).ended_with(2);
    assert!(said.stderr.contains("No policy was given"), "{}", said.stderr);
}
