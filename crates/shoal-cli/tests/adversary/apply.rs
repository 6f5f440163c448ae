//! The recoding of an earlier release on other data: an adversary has both files, and knows who was in which.

use std::collections::BTreeMap;

use crate::releases::POLICY;
use crate::support::{CommandOutput, Dice, TestProject, csv};

const ILLNESSES: usize = 20;

/// Name, age, zip, illness.
type Person = (String, usize, usize, usize);

fn draw(dice: &mut Dice, prefix: &str, count: usize) -> Vec<Person> {
    let person = |number| {
        (format!("{prefix}{number}"), 18 + dice.below(70), 10_000 + dice.below(500), dice.below(ILLNESSES))
    };
    (0..count).map(person).collect()
}

fn write(project: &TestProject, name: &str, people: &[Person]) {
    let mut text = "name,age,zip,illness\n".to_owned();
    for (name, age, zip, illness) in people {
        text.push_str(&format!("{name},{age},{zip},illness{illness}\n"));
    }
    project.write(name, text);
}

/// A first release of 600 people.
fn hospital() -> (TestProject, Vec<Person>) {
    let project = TestProject::new();
    let people = draw(&mut Dice::new(5), "person", 600);
    write(&project, "people.csv", &people);
    project.write("policy.toml", POLICY);
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    (project, people)
}

fn apply(project: &TestProject, release: &str, data: &str, out: &str, more: &[&str]) -> CommandOutput {
    let mut args = vec!["apply", release, data, "-o", out, "--json"];
    args.extend(more);
    project.shoal(&args)
}

/// How often each line of quasi-identifiers is in a file, with the illnesses of these lines.
fn crowds(project: &TestProject, file: &str) -> BTreeMap<(String, String), BTreeMap<String, usize>> {
    let mut crowds: BTreeMap<(String, String), BTreeMap<String, usize>> = BTreeMap::new();
    for row in csv(&project.read(file)).1 {
        *crowds.entry((row[0].clone(), row[1].clone())).or_default().entry(row[2].clone()).or_default() += 1;
    }
    crowds
}

/// What is in the second and not in the first: with nobody gone, these are the newcomers, and whoever has both files knows it.
fn difference(
    second: &BTreeMap<String, usize>,
    first: Option<&BTreeMap<String, usize>>,
) -> BTreeMap<String, usize> {
    let mut left = second.clone();
    for (illness, count) in first.into_iter().flatten() {
        let before = left.get_mut(illness).expect("whoever was there is still there");
        *before = before.checked_sub(*count).expect("whoever was there is still there");
    }
    left.retain(|_, count| *count > 0);
    left
}

#[test]
fn a_table_that_has_grown_keeps_its_classes_and_hides_newcomers_among_themselves() {
    let (project, mut people) = hospital();
    people.extend(draw(&mut Dice::new(9), "new", 400));
    write(&project, "grown.csv", &people);
    let said = apply(&project, "first.report", "grown.csv", "second.csv", &[]).ended_with(0);
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert!(said.stdout.contains("600 records keep the classes of earlier releases"), "{}", said.stdout);
    assert!(said.stdout.contains("recoded as the earlier release does"), "{}", said.stdout);
    assert_eq!(report["records-in"], 1000);

    let (first, second) = (crowds(&project, "first.csv"), crowds(&project, "second.csv"));
    // Every class of the first release is there again, with the same texts, and nobody of it is gone.
    for (cells, before) in &first {
        let now = &second[cells];
        assert!(before.iter().all(|(illness, count)| now[illness] >= *count), "{cells:?}");
    }
    // The newcomers of every class are a crowd with enough illnesses, when all others are struck out.
    let mut joined = 0;
    for (cells, now) in &second {
        let new = difference(now, first.get(cells));
        let crowd: usize = new.values().sum();
        assert!(crowd == 0 || (crowd >= 10 && new.len() >= 5), "{cells:?}: {new:?}");
        joined += usize::from(crowd > 0 && first.contains_key(cells));
    }
    assert!(joined > 0, "some newcomers publish what a class of the first release says");
    // What the verb says of itself can be checked with the other verbs.
    let verify = ["verify", "second.csv", "--policy", "second.report/audit.json", "--original", "grown.csv"];
    project.shoal(&verify).ended_with(0);
    let audit: serde_json::Value = serde_json::from_str(&project.read("second.report/audit.json")).unwrap();
    assert_eq!(audit["applied-from"], audit["previous"][0]["audit-hash"]);
    assert_eq!(audit["reused-classes"], true);
}

#[test]
fn other_people_get_the_recoding_of_the_first_release() {
    let (project, _) = hospital();
    write(&project, "others.csv", &draw(&mut Dice::new(21), "other", 700));
    apply(&project, "first.report/audit.json", "others.csv", "second.csv", &[]).ended_with(0);
    let (first, second) = (crowds(&project, "first.csv"), crowds(&project, "second.csv"));
    let again = second.keys().filter(|cells| first.contains_key(cells)).count();
    assert!(again > 5, "{again} classes are those of the first release");
    assert!(second.values().all(|illnesses| illnesses.values().sum::<usize>() >= 10));
}

#[test]
fn a_class_that_a_few_have_left_does_not_show_what_they_had() {
    let (project, mut people) = hospital();
    // Every fourth of those in the upper half of the ages leaves.
    let mut number = 0;
    people.retain(|person| {
        number += 1;
        person.1 < 60 || number % 4 > 0
    });
    write(&project, "fewer.csv", &people);
    let said = apply(&project, "first.report", "fewer.csv", "second.csv", &[]).ended_with(0);
    assert!(said.stdout.contains("are left out because"), "{}", said.stdout);
    // Nobody is new, so whoever has both files sees who is gone from each class.
    let (first, second) = (crowds(&project, "first.csv"), crowds(&project, "second.csv"));
    assert!(second.len() > 5 && second.keys().all(|cells| first.contains_key(cells)));
    for (cells, now) in &second {
        let gone: usize = difference(&first[cells], Some(now)).values().sum();
        assert!(gone == 0 || gone >= 10, "{gone} are gone of {cells:?}");
    }
    let verify = ["verify", "second.csv", "--policy", "second.report/audit.json", "--original", "fewer.csv"];
    project.shoal(&verify).ended_with(0);
    // Whoever is left out is not found in the second release, however well somebody else's row fits.
    let attack = [
        "attack",
        "fewer.csv",
        "second.csv",
        "--policy",
        "second.report/audit.json",
        "--previous",
        "first.report",
    ];
    project.shoal(&attack).ended_with(0);
    // Somebody may prefer to publish them, and is told who pays for it.
    let said = apply(&project, "first.report", "fewer.csv", "all.csv", &["--allow-absent"]).ended_with(0);
    assert!(said.stdout.contains("absent-people"), "{}", said.stdout);
    assert!(project.read("all.csv").lines().count() > project.read("second.csv").lines().count());
}

#[test]
fn a_third_release_holds_against_the_first_two() {
    let (project, mut people) = hospital();
    people.extend(draw(&mut Dice::new(9), "new", 300));
    write(&project, "grown.csv", &people);
    apply(&project, "first.report", "grown.csv", "second.csv", &[]).ended_with(0);
    people.extend(draw(&mut Dice::new(10), "newer", 300));
    write(&project, "more.csv", &people);
    project.write_key("key");
    let key = ["--set", "algorithm.key-file=key"];
    let said = apply(&project, "second.report", "more.csv", "third.csv", &key).ended_with(0);
    assert!(said.stdout.contains("(2 given)"), "{}", said.stdout);
    // In every class, those of each of the three times are nobody or a crowd.
    let releases = ["first.csv", "second.csv", "third.csv"].map(|file| crowds(&project, file));
    for (cells, now) in &releases[2] {
        let mut before = None;
        for release in &releases[..2] {
            before = release.get(cells).or(before);
        }
        let crowd: usize = difference(now, before).values().sum();
        assert!(crowd == 0 || crowd >= 10, "{cells:?}");
    }
    // The first release is still looked for when its audit has moved, and missed when it is not found.
    std::fs::rename(project.path("first.report"), project.path("moved")).unwrap();
    let lost = apply(&project, "second.report", "more.csv", "again.csv", &[]).ended_with(2);
    assert!(lost.stderr.contains("--previous") && !project.exists("again.csv"), "{}", lost.stderr);
    let again = [&["--previous", "moved"][..], &key].concat();
    apply(&project, "second.report", "more.csv", "again.csv", &again).ended_with(0);
    assert_eq!(project.read("again.csv"), project.read("third.csv"));
}

#[test]
fn newcomers_who_are_too_few_are_left_out() {
    // Among those who were there, the few could be told from the rest of their class.
    let (project, mut people) = hospital();
    people.extend(draw(&mut Dice::new(9), "new", 4));
    write(&project, "people.csv", &people);
    let run = ["run", "policy.toml", "-o", "second.csv", "--previous", "first.report"];
    project.shoal(&run).ended_with(0);
    let published: usize = crowds(&project, "second.csv").values().flat_map(|crowd| crowd.values()).sum();
    assert_eq!(published, people.len() - 4);
    let said = apply(&project, "first.report", "people.csv", "second.csv", &["--force"]).ended_with(0);
    assert!(said.stdout.contains("4 records are left out because they are new"), "{}", said.stdout);
    assert_eq!(crowds(&project, "first.csv"), crowds(&project, "second.csv"));
}

#[test]
fn an_earlier_release_is_never_replaced_and_a_stream_is_not_applied() {
    let (project, _) = hospital();
    for out in ["first.csv", "./first.csv"] {
        apply(&project, "first.report", "people.csv", out, &["--force"]).ended_with(2);
    }
    let said =
        apply(&project, "first.report", "people.csv", "x.csv", &["--report", "first.report", "--force"]);
    said.ended_with(2);
    let nowhere = project.shoal(&["apply", "first.report", "people.csv"]).ended_with(2);
    assert!(nowhere.stderr.contains("-o"), "{}", nowhere.stderr);
    project.write(
        "stream.toml",
        "version = 1\n[data]\nshape = \"stream\"\nsource = \"-\"\nformat = \"ndjson\"\n[columns.age]\nrole = \
         \"quasi-identifier\"\nkind = \"integer\"\n[columns.illness]\nrole = \"sensitive\"\ndomain = [\"a\", \"b\", \
         \"c\"]\n[privacy]\nl = 2\n",
    );
    let stream = apply(&project, "stream.toml", "people.csv", "x.csv", &[]).ended_with(2);
    assert!(stream.stderr.contains("shoal stream"), "{}", stream.stderr);
}
