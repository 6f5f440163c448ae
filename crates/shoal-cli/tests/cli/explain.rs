//! `shoal explain`: what drives the loss, from the files alone.

use crate::project::TestProject;

/// Six people; the third is much older than those who have the same job.
const AGES: &str =
    "age,job,illness\n30,cook,flu\n31,cook,cold\n90,cook,flu\n40,clerk,flu\n41,clerk,cough\n42,clerk,cold\n";

const POLICY: &str = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n\
    [columns.job]\nrole = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 3\n[output]\npath = \"out.csv\"\n";

fn released() -> TestProject {
    let project = TestProject::empty();
    project.write("people.csv", AGES);
    project.write("policy.toml", POLICY);
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project
}

#[test]
fn the_member_that_makes_a_class_wide_is_named() {
    let project = released();
    let said = project.shoal(&["explain", "out.csv"]).ended_with(0).stdout;
    insta::assert_snapshot!("explain_table", said);
    let json = project.shoal(&["explain", "out.csv", "--json"]).ended_with(0).json();
    let parts: f64 =
        json["columns"].as_array().unwrap().iter().map(|column| column["part"].as_f64().unwrap()).sum();
    assert!((parts - 1.0).abs() < 1e-9);
    let measured = project
        .shoal(&["measure", "people.csv", "out.csv", "--policy", "policy.toml", "--json"])
        .ended_with(0);
    assert_eq!(json["ncp"], measured.json()["loss"]["ncp"]);
    // The cooks lose most, because of the third record.
    let age = &json["shown"][0]["cells"][0];
    assert_eq!((age["column"].as_str(), age["driver"]["record"].as_u64()), (Some("age"), Some(3)));
    // [30, 31] of [30, 90].
    assert!((age["driver"]["ncp-without"].as_f64().unwrap() - 1.0 / 60.0).abs() < 1e-9, "{age}");
}

#[test]
fn a_row_a_class_and_a_column_can_be_asked_about() {
    let project = released();
    let rows = project.read("out.csv");
    let clerks = 1 + rows.lines().skip(1).position(|line| line.contains("clerk")).unwrap();
    let json =
        project.shoal(&["explain", "out.csv", "--row", &clerks.to_string(), "--json"]).ended_with(0).json();
    let class = &json["shown"][0];
    assert!(class["rows"].as_array().unwrap().contains(&clerks.into()), "{class}");
    assert_eq!(class["cells"][1]["text"], "clerk");
    assert_eq!(class["sensitive"][0]["distinct"], 3);
    assert!(class["cells"][0].get("driver").is_none(), "ages 40 to 42 are near: {class}");
    let number = class["class"].to_string();
    let same = project.shoal(&["explain", "out.csv", "--class", &number, "--json"]).ended_with(0).json();
    assert_eq!(same["shown"], json["shown"]);
    let column = project.shoal(&["explain", "out.csv", "--column", "age"]).ended_with(0).stdout;
    assert!(column.contains("without record 3"), "{column}");

    for (args, words) in [
        (["--row", "7"], "there is no row 7: the file has 6"),
        (["--class", "0"], "there is no class 0"),
        (["--column", "illness"], "no quasi-identifier"),
        (["--item", "milk"], "cannot be asked about table"),
    ] {
        let said = project.shoal(&[&["explain", "out.csv"], &args[..]].concat()).ended_with(2);
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    project.shoal(&["explain", "out.csv", "--row", "1", "--class", "1"]).ended_with(2);
}

#[test]
fn other_settings_are_tried_out_and_leave_nothing() {
    let project = released();
    // A column with a hierarchy is left out together with it.
    project.write("job.csv", "cook;worker;*\nclerk;worker;*\n");
    project.edit_policy(
        "[columns.job]\nrole = \"quasi-identifier\"",
        "[columns.job]\nrole = \"quasi-identifier\"\nhierarchy = \"job.csv\"",
    );
    project.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    let before = project.everything();
    let json = project.shoal(&["explain", "out.csv", "--what-if", "--json"]).ended_with(0).json();
    assert_eq!(project.everything(), before);
    let tried = json["what-if"].as_array().unwrap();
    let change = |name: &str| {
        tried.iter().find(|tried| tried["change"] == name).unwrap_or_else(|| panic!("{name}: {tried:?}"))
    };
    let smaller = change("k = 2");
    assert!(smaller["loss"].as_f64().unwrap() <= smaller["instead-of"].as_f64().unwrap(), "{smaller}");
    // What was tried out is what a run would do.
    let set = smaller["set"][0].as_str().unwrap();
    project.shoal(&["run", "policy.toml", "-o", "other.csv", "--set", set]).ended_with(0);
    let audit = project.json("other.report/audit.json");
    assert_eq!(audit["loss"]["ncp"], smaller["loss"]);
    // Without the ages nothing has to be generalized: the job tells two crowds of three apart.
    let ageless = change("without `age`");
    assert_eq!(ageless["loss"], 0.0, "{ageless}");
    assert!(change("without `job`")["loss"].as_f64().is_some(), "{tried:?}");
    // Where jobs need not be told apart, crowds follow the ages alone.
    let coarser = change("`job` never finer than level 1");
    assert!(coarser["loss"].as_f64().unwrap() < coarser["instead-of"].as_f64().unwrap(), "{coarser}");
    assert!(change("k = 6")["highest-risk"].as_f64().unwrap() < 0.2);
}

#[test]
fn items_and_people_are_explained_too() {
    let project = TestProject::empty();
    project.write("baskets.txt", "a b\na b\na c\na d\na\na\n");
    project.shoal(&["init", "baskets.txt", "--shape", "transactions"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "--set", "privacy.k=2"]).ended_with(0);
    let args = ["explain", "published.txt", "--item", "c", "--json"];
    let json = project.shoal(&args).ended_with(0).json();
    let group = &json["shown"][0];
    assert!(group["size"].as_u64().unwrap() >= 2, "{json}");
    assert_eq!(
        (group["members"][0]["item"].as_str(), group["members"][0]["support"].as_u64()),
        (Some("c"), Some(1))
    );
    assert_eq!(group["rarer-than-k"], 2, "c and d occur once: {json}");
    project.shoal(&["explain", "published.txt"]).ended_with(0);
    let said = project.shoal(&["explain", "published.txt", "--item", "zebra"]).ended_with(2);
    assert!(said.stderr.contains("is not an item of the original"), "{}", said.stderr);

    let project = TestProject::empty();
    let rows: String = (0..24).map(|i| format!("p{},2020-01-0{},{}\n", i / 2, 1 + i % 2, i % 5)).collect();
    project.write("visits.csv", format!("patient_id,admitted,zip\n{rows}"));
    project.shoal(&["init", "visits.csv", "--shape", "sequences"]).ended_with(0);
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report"]).ended_with(0);
    let pseudonym = project.read("out.csv").lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    let json = project.shoal(&["explain", "out.csv", "--person", &pseudonym, "--json"]).ended_with(0).json();
    let k = project.json("report/audit.json")["policy"]["privacy"]["k"].as_u64().unwrap();
    assert!(json["shown"][0]["alike"].as_u64().unwrap() >= k, "{json}");
    assert_eq!(json["shown"][0]["events"].as_array().unwrap().len(), 2);
    project.shoal(&["explain", "out.csv"]).ended_with(0);
}
