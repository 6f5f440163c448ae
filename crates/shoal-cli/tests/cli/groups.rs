//! Transactions with a dictionary of groups, as a person meets them on the command line.

use std::fs;

use crate::project::TestProject;
use crate::transactions::project;

const GROUPS: &str = "out.dat.groups.csv";

fn numbered() -> TestProject {
    let project = project();
    project.edit_policy("path = \"out.dat\"", "path = \"out.dat\"\ngroups = \"dictionary\"");
    project
}

#[test]
fn a_release_is_two_files() {
    let project = numbered();
    let ran = project.shoal(&["run", "policy.toml"]).ended_with(0);
    // The error of counts depends on the order of records, and so on the release's key.
    let said: Vec<String> =
        ran.timeless().lines().filter(|line| !line.starts_with("counts ")).map(str::to_owned).collect();
    insta::assert_snapshot!("groups_run", said.join("\n"));
    let both = format!("-- out.dat\n{}-- {GROUPS}\n{}", project.read("out.dat"), project.read(GROUPS));
    insta::assert_snapshot!("groups_files", both);
    let audit = project.json("out.dat.report/audit.json");
    let hash = |name: &str| shoal_io::sha256_hex(&project.bytes(name));
    assert_eq!(audit["groups-sha256"], hash(GROUPS));
    assert_eq!(audit["output-sha256"], hash("out.dat"));
    assert!(audit["groups"].as_str().unwrap().ends_with(GROUPS), "{}", audit["groups"]);
    let report = project.json("out.dat.report/report.json");
    assert_eq!(report["groups-sha256"], hash(GROUPS));
    assert!(project.read("out.dat.report/report.html").contains(&hash(GROUPS)));
    // No policy is named: the audit is found, and knows the dictionary.
    let verified = project.shoal(&["verify", "out.dat"]).ended_with(0);
    insta::assert_snapshot!("groups_verify", verified.stdout);
}

#[test]
fn both_forms_are_told_alike() {
    let tell = |project: &TestProject| {
        project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
        let verbs: [&[&str]; 4] = [
            &["verify", "out.dat", "--policy", "policy.toml", "--original", "baskets.dat", "--json"],
            &["measure", "baskets.dat", "out.dat", "--policy", "policy.toml", "--json"],
            &["attack", "baskets.dat", "out.dat", "--policy", "policy.toml", "--json"],
            &["explain", "out.dat", "--policy", "policy.toml", "--json"],
        ];
        verbs.map(|verb| {
            let mut said = project.shoal(verb).ended_with(0).json();
            for name in ["sha256", "groups-sha256"] {
                said.as_object_mut().unwrap().remove(name);
            }
            said
        })
    };
    assert_eq!(tell(&numbered()), tell(&project()));
}

#[test]
fn a_release_that_is_damaged_is_refused() {
    let project = numbered();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let groups = project.read(GROUPS);
    let verify = ["verify", "out.dat", "--policy", "policy.toml"];
    let mut said = String::new();
    for (text, code) in [
        (None, 2),
        (Some(groups.replace("1,", "7,")), 2),
        (Some(format!("{groups}{},\"(x,y)\"\n", groups.lines().count())), 1),
    ] {
        match text {
            None => fs::remove_file(project.path(GROUPS)).unwrap(),
            Some(text) => project.write(GROUPS, text),
        }
        said.push_str(&project.shoal(&verify).ended_with(code).error());
        said.push('\n');
    }
    insta::assert_snapshot!("groups_errors", said);
}

#[test]
fn what_is_there_is_replaced_only_by_force() {
    let project = numbered();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    fs::remove_file(project.path("out.dat")).unwrap();
    let before = project.everything();
    let refused = project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(2);
    assert!(refused.stderr.contains(GROUPS), "{}", refused.stderr);
    assert_eq!(project.everything(), before);
    project.shoal(&["run", "policy.toml", "--quiet", "--force"]).ended_with(0);
    assert!(project.exists(GROUPS));
    // A dictionary that belongs to nothing any more does not stay.
    let written_out = ["run", "policy.toml", "--quiet", "--force", "--set", "output.groups=written-out"];
    project.shoal(&written_out).ended_with(0);
    assert!(!project.exists(GROUPS));
    project.shoal(&["verify", "out.dat"]).ended_with(0);
}

#[test]
fn a_run_that_fails_leaves_no_dictionary() {
    let project = numbered();
    let before = project.everything();
    project.shoal(&["run", "policy.toml", "--quiet", "--set", "privacy.k=9"]).ended_with(1);
    assert_eq!(project.everything(), before);
    // The dictionary cannot get its name, so that the data do not get theirs.
    fs::create_dir(project.path(GROUPS)).unwrap();
    project.shoal(&["run", "policy.toml", "--quiet", "--force"]).ended_with(2);
    assert!(!project.exists("out.dat"));
}

#[test]
fn where_nothing_can_lie_beside_groups_are_written_out() {
    let project = numbered();
    let plain = crate::transactions::project();
    let piped = project.shoal(&["run", "policy.toml", "--quiet", "-o", "-", "--report", "r"]).ended_with(0);
    let expected = plain.shoal(&["run", "policy.toml", "--quiet", "-o", "-"]).ended_with(0);
    assert_eq!(piped.stdout, expected.stdout);
    let notes = project.json("r/audit.json")["notes"].to_string();
    assert!(notes.contains("groups are written out: nothing can lie beside -"), "{notes}");
    let table = TestProject::with_people();
    let refused = table.shoal(&["run", "policy.toml", "--set", "output.groups=dictionary"]).ended_with(2);
    assert!(refused.error().contains("output.groups"), "{}", refused.stderr);
}
