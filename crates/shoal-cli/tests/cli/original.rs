//! `verify --original` and `measure`: is what is published true of the original, is nobody lost or doubled?

use crate::project::{CommandOutput, TestProject};
use crate::{sequences, transactions};

fn against(project: &TestProject, file: &str, original: &str) -> CommandOutput {
    project.shoal(&["verify", file, "--policy", "policy.toml", "--original", original])
}

/// The published file with one change, under another name.
fn changed(project: &TestProject, file: &str, change: impl FnOnce(Vec<String>) -> Vec<String>) {
    let lines: Vec<String> = project.read(file).lines().map(str::to_owned).collect();
    project.write(&format!("changed.{file}"), change(lines).join("\n") + "\n");
}

#[test]
fn every_release_of_ours_is_true_of_its_original() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = TestProject::with_people();
        let name = format!("algorithm.name={algorithm}");
        project.shoal(&["run", "policy.toml", "--quiet", "--set", &name]).ended_with(0);
        let args = [
            "verify",
            "out.csv",
            "--policy",
            "policy.toml",
            "--set",
            &name,
            "--original",
            "people.csv",
            "--json",
        ];
        let found = project.shoal(&args).ended_with(0).json();
        assert_eq!(found["original"]["holds"], true, "{algorithm}");
        assert_eq!(found["original"]["records"], 12, "{algorithm}");
    }
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    insta::assert_snapshot!(
        "verify_original",
        against(&project, "out.csv", "people.csv").ended_with(0).stdout
    );
    let audit = ["verify", "out.csv", "--policy", "out.report/audit.json", "--original", "people.csv"];
    project.shoal(&audit).ended_with(0);
}

#[test]
fn values_that_are_swapped_between_crowds_are_noticed() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let quasi = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let illness = |line: &str| line.rsplit_once(',').unwrap().1.to_owned();
    // Two rows of different crowds trade their illnesses: every crowd is as large as before.
    changed(&project, "out.csv", |mut lines| {
        let other = (2..lines.len())
            .find(|&at| quasi(&lines[at]) != quasi(&lines[1]) && illness(&lines[at]) != illness(&lines[1]))
            .unwrap();
        let (one, two) = (illness(&lines[1]), illness(&lines[other]));
        lines[1] = format!("{},{two}", quasi(&lines[1]));
        lines[other] = format!("{},{one}", quasi(&lines[other]));
        lines
    });
    project.shoal(&["verify", "changed.out.csv", "--policy", "policy.toml"]).ended_with(0);
    let said = against(&project, "changed.out.csv", "people.csv").ended_with(1);
    assert!(said.stdout.contains("not true"), "{}", said.stdout);
    let measured =
        project.shoal(&["measure", "people.csv", "changed.out.csv", "--policy", "policy.toml"]).ended_with(1);
    assert!(measured.stderr.contains("is not true of the original"), "{}", measured.stderr);
}

#[test]
fn whoever_is_doubled_or_lost_is_noticed() {
    let project = TestProject::with_people();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let quasi = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    // One row occurs twice, another one of the same crowd is gone.
    changed(&project, "out.csv", |mut lines| {
        let other = (2..lines.len())
            .find(|&at| quasi(&lines[at]) == quasi(&lines[1]) && lines[at] != lines[1])
            .unwrap();
        lines[other] = lines[1].clone();
        lines
    });
    project.shoal(&["verify", "changed.out.csv", "--policy", "policy.toml"]).ended_with(0);
    let said = against(&project, "changed.out.csv", "people.csv").ended_with(1);
    assert!(
        said.stdout.contains("doubled or made up") || said.stdout.contains("true of no record"),
        "{}",
        said.stdout
    );
    project.write("one.csv", "name,age,sex,zip,illness\n");
    changed(&project, "out.csv", |mut lines| {
        lines.pop();
        lines
    });
    let said = project.shoal(&[
        "verify",
        "changed.out.csv",
        "--policy",
        "policy.toml",
        "--set",
        "privacy.k=2",
        "--original",
        "people.csv",
    ]);
    let said = said.ended_with(1);
    assert!(said.stdout.contains("1 left out"), "{}", said.stdout);
    assert!(said.stdout.contains("the policy leaves nobody out"), "{}", said.stdout);
}

#[test]
fn a_value_that_covers_nobody_is_no_utility() {
    let project = TestProject::with_people();
    project.write("theirs.csv", "age,sex,zip,illness\n".to_owned() + &"\"[70, 80]\",f,53715,flu\n".repeat(3));
    project.shoal(&["verify", "theirs.csv", "--policy", "policy.toml"]).ended_with(0);
    let said = against(&project, "theirs.csv", "people.csv").ended_with(1);
    assert!(said.stdout.contains("published row 1 is true of no record"), "{}", said.stdout);
    project.shoal(&["measure", "people.csv", "theirs.csv", "--policy", "policy.toml"]).ended_with(1);
}

#[test]
fn a_personal_k_is_proved_with_the_original_at_hand() {
    let project = TestProject::with_people();
    let text = project.read("people.csv");
    let numbered: String = text
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => format!("{line}\n"),
            _ => format!("{},{}\n", 2 + at % 3, line.split_once(',').unwrap().1),
        })
        .collect();
    project.write("people.csv", numbered);
    project.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(2);
    let said = against(&project, "out.csv", "people.csv").ended_with(0);
    assert!(said.stdout.contains("personal-k"), "{}", said.stdout);
}

#[test]
fn transactions_are_what_one_recoding_makes_of_the_original() {
    let project = transactions::project();
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    against(&project, "out.dat", "baskets.dat").ended_with(0);
    changed(&project, "out.dat", |mut lines| {
        let longest = (0..lines.len()).max_by_key(|&at| lines[at].len()).unwrap();
        lines[longest] = String::new();
        lines
    });
    let said = against(&project, "changed.out.dat", "baskets.dat").ended_with(1);
    assert!(said.stdout.contains("not true"), "{}", said.stdout);
    changed(&project, "out.dat", |mut lines| {
        lines.pop();
        lines
    });
    let said = against(&project, "changed.out.dat", "baskets.dat").ended_with(1);
    assert!(said.stdout.contains("not true"), "{}", said.stdout);
}

#[test]
fn sequences_are_true_event_by_event() {
    let ward = sequences::ward();
    ward.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let said = against(&ward, "out.csv", "visits.csv").ended_with(0);
    assert!(said.stdout.contains("8 people, 0 left out"), "{}", said.stdout);
    // A cold that was a flu: no crowd changes, and nobody had these events.
    changed(&ward, "out.csv", |mut lines| {
        let cold = lines.iter().position(|line| line.ends_with(",cold")).unwrap();
        lines[cold] = lines[cold].replace(",cold", ",flu");
        lines
    });
    ward.shoal(&["verify", "changed.out.csv", "--policy", "policy.toml"]).ended_with(0);
    let said = against(&ward, "changed.out.csv", "visits.csv").ended_with(1);
    assert!(said.stdout.contains("not true"), "{}", said.stdout);
    ward.shoal(&["measure", "visits.csv", "changed.out.csv", "--policy", "policy.toml"]).ended_with(1);
}

#[test]
fn crowds_of_people_are_proved_with_the_original_at_hand() {
    let project = TestProject::with_people();
    // Everybody comes twice.
    let text = project.read("people.csv");
    let (head, rows) = text.split_once('\n').unwrap();
    project.write("people.csv", format!("{head}\n{rows}{rows}"));
    project.edit_policy("source = \"people.csv\"", "source = \"people.csv\"\nperson = \"name\"");
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let said = against(&project, "out.csv", "people.csv").ended_with(0);
    assert!(said.stdout.contains("true, nobody doubled"), "{}", said.stdout);
    // Six rows of three people are not a crowd of four.
    let args =
        ["verify", "out.csv", "--policy", "policy.toml", "--original", "people.csv", "--set", "privacy.k=13"];
    let said = project.shoal(&args).ended_with(1);
    assert!(said.stdout.contains("is broken"), "{}", said.stdout);
}

/// Half of the people of each town have the flu, as everywhere; of the records of a town two thirds or one third do.
#[test]
fn shares_are_those_of_people_where_people_are_promised() {
    let project = TestProject::empty();
    let policy = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"name\"\nknown-rows = \"one\"\n\
                  [columns.name]\nrole = \"identifier\"\n[columns.town]\nrole = \"quasi-identifier\"\n\
                  [columns.illness]\nrole = \"sensitive\"\n[privacy]\nk = 2\nbeta-likeness = 0.1\n";
    project.write("policy.toml", policy);
    let rows = "Ann,Ay,flu\nAnn,Ay,flu\nBob,Ay,gout\nCid,Bee,flu\nDan,Bee,gout\nDan,Bee,gout\n";
    project.write("people.csv", format!("name,town,illness\n{rows}"));
    let published = "town,illness\nAy,flu\nAy,flu\nAy,gout\nBee,flu\nBee,gout\nBee,gout\n";
    project.write("out.csv", published);
    let said = against(&project, "out.csv", "people.csv").ended_with(0);
    assert!(said.stdout.contains("beta-likeness"), "{}", said.stdout);
    // The records alone do not keep it.
    project.edit_policy("person = \"name\"\nknown-rows = \"one\"\n", "");
    let said = against(&project, "out.csv", "people.csv").ended_with(1);
    assert!(said.stdout.contains("is broken"), "{}", said.stdout);
}

/// Where people are counted, what records alone would show is said of no promise, also where another one is broken.
#[test]
fn a_promise_that_people_keep_is_not_called_broken_beside_one_that_is() {
    let project = TestProject::empty();
    let of_one = "p1,20,flu\n".repeat(6);
    project
        .write("people.csv", format!("pid,age,ill\n{of_one}p2,20,cold\np3,20,cold\np4,30,flu\np5,30,cold\n"));
    let flu = "20,flu\n".repeat(6);
    project.write("out.csv", format!("age,ill\n20,cold\n20,cold\n{flu}30,cold\n30,flu\n"));
    let policy = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"pid\"\nknown-rows = \"one\"\n[columns.pid]\nrole = \"identifier\"\n\
                  [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n[columns.ill]\nrole = \"sensitive\"\n\
                  [privacy]\nk = 2\nbeta-likeness = { beta = 0.3, kind = \"basic\" }\n";
    project.write("policy.toml", policy);
    for (k, code) in [("2", 0), ("3", 1)] {
        let k_set = format!("privacy.k={k}");
        let args = [
            "verify",
            "out.csv",
            "--policy",
            "policy.toml",
            "--original",
            "people.csv",
            "--json",
            "--set",
            &k_set,
        ];
        let found = project.shoal(&args).ended_with(code).json();
        let likeness =
            found["promises"].as_array().unwrap().iter().find(|p| p["name"] == "beta-likeness").unwrap();
        assert_eq!(
            (&likeness["holds"], &likeness["found"]),
            (&true.into(), &0.25.into()),
            "k = {k}: {found}"
        );
    }
}

#[test]
fn what_too_few_people_cannot_keep_is_infeasible_and_not_a_wrong_request() {
    let project = TestProject::empty();
    let rows: String = (0..60).map(|n| format!("p{},{}\n", n % 20, 20 + n % 7)).collect();
    project.write("people.csv", format!("pid,age\n{rows}"));
    let policy = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\nperson = \"pid\"\nknown-rows = \"one\"\n[columns.pid]\nrole = \"identifier\"\n\
                  [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n[privacy]\nk = 25\n[output]\npath = \"out.csv\"\n";
    project.write("policy.toml", policy);
    for verb in ["check", "run"] {
        project.shoal(&[verb, "policy.toml", "--quiet"]).ended_with(1);
    }
    project.edit_policy("k = 25", "k = 2\n[columns.zip]\nrole = \"insensitive\"\nweight = 1e308");
    project.edit_policy("kind = \"integer\"", "kind = \"integer\"\nweight = 1e308");
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("too large a number"), "{}", said.stderr);
}
