//! Transactions: columns that slipped into a published file, ids that are names, and crowds that are one person.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Dice, TestProject, csv};

/// A row per item, with the patient's name beside it; the visit is what is anonymized.
const LONG: &str = "\
version = 1
[data]
shape = \"transactions\"
source = \"visits.csv\"
format = \"long\"
id = \"visit\"
item = \"code\"
[privacy]
k = 2
m = 2
[output]
path = \"out.csv\"
";

/// A cell per visit, with the patient's name beside it.
const COLUMN: &str = "\
version = 1
[data]
shape = \"transactions\"
source = \"visits.csv\"
items = \"codes\"
[columns.name]
role = \"identifier\"
[columns.ward]
role = \"insensitive\"
[privacy]
k = 2
m = 2
[output]
path = \"out.csv\"
";

#[test]
fn a_name_beside_the_items_is_not_overlooked() {
    let project = TestProject::new();
    project.write("long.toml", LONG);
    project.write("named.csv", "visit,name,code\n1,ann,a\n1,ann,b\n2,bo,a\n2,bo,b\n");
    let said = project.shoal(&["verify", "named.csv", "--policy", "long.toml"]).ended_with(1);
    assert!(said.stdout.contains("`name`") && said.stdout.contains("must not be published"), "{said:?}");
    project.write("plain.csv", "visit,code\n1,a\n1,b\n2,a\n2,b\n");
    project.shoal(&["verify", "plain.csv", "--policy", "long.toml"]).ended_with(0);

    project.write("column.toml", COLUMN);
    project.write("named.csv", "name,ward,codes\nann,3,a;b\nbo,4,a;b\n");
    let said = project.shoal(&["verify", "named.csv", "--policy", "column.toml"]).ended_with(1);
    assert!(said.stdout.contains("`name`") && said.stdout.contains("must not be published"), "{said:?}");
    project.write("unknown.csv", "shoe,codes\n39,a;b\n40,a;b\n");
    let said = project.shoal(&["verify", "unknown.csv", "--policy", "column.toml"]).ended_with(2);
    assert!(said.stderr.contains("`shoe`"), "{said:?}");
    project.write("plain.csv", "ward,codes\n3,a;b\n4,a;b\n");
    project.shoal(&["verify", "plain.csv", "--policy", "column.toml"]).ended_with(0);
}

#[test]
fn an_id_that_is_a_name_is_refused() {
    let project = TestProject::new();
    project.write("long.toml", LONG);
    for (ids, row) in [
        (["ann", "ann", "bo", "bo"], 1),
        (["1", "1", "bo", "bo"], 3),
        (["2", "2", "3", "3"], 1),
        // Numbers that do not count are as good as names: 17 may be the seventeenth of a list.
        (["1", "1", "17", "17"], 3),
        // The id says which rows belong together; a person who comes again later is two visits linked.
        (["1", "2", "1", "2"], 3),
        (["01", "01", "02", "02"], 1),
    ] {
        let rows: String =
            ids.iter().zip(["a", "b", "a", "b"]).map(|(id, item)| format!("{id},{item}\n")).collect();
        project.write("file.csv", format!("visit,code\n{rows}"));
        let said = project.shoal(&["verify", "file.csv", "--policy", "long.toml"]).ended_with(1);
        assert!(said.stderr.contains(&format!("row {row}")), "{ids:?}: {said:?}");
    }
}

#[test]
fn what_shoal_publishes_itself_has_neither() {
    let project = TestProject::new();
    project.write("long.toml", LONG);
    let visit = |name: &str, visit: &str| format!("{visit},{name},a\n{visit},{name},b\n");
    let rows = ["ann", "bo", "cy"].map(|name| visit(name, &format!("{name}-1"))).concat();
    project.write("visits.csv", format!("visit,name,code\n{rows}"));
    project.shoal(&["run", "long.toml"]).ended_with(0);
    let published = project.read("out.csv");
    assert!(published.starts_with("visit,code\n1,"), "{published}");
    assert!(!published.contains("ann"), "{published}");
    project.shoal(&["verify", "out.csv", "--policy", "long.toml"]).ended_with(0);
}

#[test]
fn a_file_that_is_not_true_of_its_original_has_no_utility() {
    let project = TestProject::new();
    project.write("policy.toml", LONG.replace("format = \"long\"\nid = \"visit\"\nitem = \"code\"\n", ""));
    project.write("original.dat", "a b\na b\nc d\nc d\n");
    for (published, words) in [
        // Everybody with everything: covers nothing that was there.
        ("a b c d\na b c d\na b c d\na b c d\n", "not true of any transaction"),
        ("(a,b) c\n(a,b)\nc d\nc d\n", "not true of any transaction"),
        ("a b\nc d\n", "not in the published file"),
    ] {
        project.write("published.dat", published);
        let said = project
            .shoal(&["measure", "original.dat", "published.dat", "--policy", "policy.toml"])
            .ended_with(2);
        assert!(said.stderr.contains(words), "{published}: {said:?}");
    }
    project.write("published.dat", "c d\n(a,b)\nc d\n(a,b)\n");
    project.shoal(&["measure", "original.dat", "published.dat", "--policy", "policy.toml"]).ended_with(0);
}

/// Visits of a few patients: one comes again and again with the same rare codes, and is her own crowd of visits.
/// Patients, and for each visit whose it is and its codes.
fn visits(dice: &mut Dice, patients: usize) -> Vec<(String, Vec<String>)> {
    let mut visits = Vec::new();
    for _ in 0..20 {
        visits.push(("regular".to_owned(), vec!["rare1".to_owned(), "rare2".to_owned()]));
    }
    for patient in 0..patients {
        for _ in 0..1 + dice.below(3) {
            let codes: BTreeSet<String> =
                (0..1 + dice.below(4)).map(|_| format!("c{}", dice.below(9))).collect();
            visits.push((format!("p{patient}"), codes.into_iter().collect()));
        }
    }
    dice.shuffled(visits)
}

const OF_PEOPLE: &str = "\
version = 1
[data]
shape = \"transactions\"
source = \"visits.csv\"
items = \"codes\"
person = \"patient\"
[columns.patient]
role = \"identifier\"
[privacy]
k = 5
m = 2
[output]
path = \"out.csv\"
";

/// The published texts that an item is found in, as any reader of `(a,b)` understands them.
fn members(text: &str) -> Vec<&str> {
    match text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => inner.split(',').collect(),
        None => vec![text],
    }
}

/// The smallest crowd that knowing one or two items of a patient's visit leads to: the patients who have a visit that
/// is published with what is known. The attacker knows everybody's visits, which is more than any promise allows for
/// but shows the crowd.
fn smallest_crowd(published: &str, visits: &[(String, Vec<String>)]) -> usize {
    let (_, rows) = csv(published);
    let mut image: BTreeMap<&str, &str> = BTreeMap::new();
    let texts: BTreeSet<&str> =
        rows.iter().flat_map(|row| row[0].split(';')).filter(|t| !t.is_empty()).collect();
    for &text in &texts {
        members(text)
            .into_iter()
            .for_each(|item| assert!(image.insert(item, text).is_none(), "two images of {item}"));
    }
    let mut crowds: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for (patient, codes) in visits {
        let shown: BTreeSet<&str> =
            codes.iter().filter_map(|code| image.get(code.as_str()).copied()).collect();
        let shown: Vec<&str> = shown.into_iter().collect();
        for (at, &a) in shown.iter().enumerate() {
            crowds.entry(vec![a]).or_default().insert(patient);
            for &b in &shown[at + 1..] {
                crowds.entry(vec![a, b]).or_default().insert(patient);
            }
        }
    }
    crowds.values().map(BTreeSet::len).min().unwrap_or(usize::MAX)
}

fn write_visits(project: &TestProject, visits: &[(String, Vec<String>)]) {
    let rows: String =
        visits.iter().map(|(patient, codes)| format!("{patient},{}\n", codes.join(";"))).collect();
    project.write("visits.csv", format!("patient,codes\n{rows}"));
}

#[test]
fn a_patient_who_comes_often_is_no_crowd() {
    let project = TestProject::new();
    let visits = visits(&mut Dice::new(7), 60);
    write_visits(&project, &visits);
    // Counting visits she hides among her own, and the promise holds: that is reported as a leak, before and after.
    project.write("visits.toml", OF_PEOPLE.replace("person = \"patient\"\n", ""));
    let said = project.shoal(&["check", "visits.toml"]).ended_with(0);
    assert!(said.stdout.contains("person = \"patient\""), "{said:?}");
    let said = project.shoal(&["run", "visits.toml", "--report", "r1"]).ended_with(0);
    assert!(said.stdout.contains("share their `patient`"), "{said:?}");
    assert!(project.read("r1/audit.json").contains("repeated-identifier"));
    assert_eq!(
        smallest_crowd(&project.read("out.csv"), &visits),
        1,
        "the attack works where people are not counted"
    );

    project.write("people.toml", OF_PEOPLE);
    for algorithm in ["pcta", "coat"] {
        let set = format!("algorithm.name={algorithm}");
        project.shoal(&["run", "people.toml", "--force", "--report", "r2", "--set", &set]).ended_with(0);
        let crowd = smallest_crowd(&project.read("out.csv"), &visits);
        assert!(crowd >= 5, "{algorithm}: {crowd}");
        assert!(!project.read("out.csv").contains("regular"));
        assert!(!project.read("r2/audit.json").contains("repeated-identifier"));
    }
    // Without the original nobody can count people, and the file alone is not said to hold.
    let said = project.shoal(&["verify", "out.csv", "--policy", "people.toml"]).ended_with(2);
    assert!(said.stderr.contains("counts people"), "{said:?}");
    let verify = ["verify", "out.csv", "--policy", "people.toml", "--original", "visits.csv"];
    let said = project.shoal(&verify).ended_with(0);
    assert!(said.stdout.contains("5 asked"), "{said:?}");
    // The file that counts visits is true of the original, and does not hide people.
    project.shoal(&["run", "visits.toml", "--force", "--report", "r1", "-o", "of-visits.csv"]).ended_with(0);
    let verify = ["verify", "of-visits.csv", "--policy", "people.toml", "--original", "visits.csv"];
    let said = project.shoal(&verify).ended_with(1);
    assert!(said.stdout.contains("5 asked, 1 found"), "{said:?}");
    // What even visits do not hide, people do not.
    project.write("unique.csv", "codes\nc1;c2\n");
    project.shoal(&["verify", "unique.csv", "--policy", "people.toml"]).ended_with(1);
}

#[test]
fn fewer_people_than_a_crowd_publish_nothing() {
    let project = TestProject::new();
    project.write("people.toml", OF_PEOPLE);
    let rows: Vec<(String, Vec<String>)> =
        (0..40).map(|visit| (format!("p{}", visit % 4), vec!["a".to_owned(), "b".to_owned()])).collect();
    write_visits(&project, &rows);
    let said = project.shoal(&["run", "people.toml"]).ended_with(1);
    assert!(said.stderr.contains("only 4 people"), "{said:?}");
    assert!(!project.exists("out.csv"));
    project.shoal(&["check", "people.toml"]).ended_with(1);
}

#[test]
fn one_person_by_several_spellings_is_one() {
    let project = TestProject::new();
    project.write("people.toml", OF_PEOPLE.replace("k = 5", "k = 2"));
    project.write("visits.csv", "patient,codes\n7,a;b\n07,a;b\n7.0,a;b\n");
    let said = project.shoal(&["run", "people.toml"]).ended_with(1);
    assert!(said.stderr.contains("only 1 people"), "{said:?}");
    project.write("visits.csv", "patient,codes\n7,a;b\n,a;b\n8,a;b\n");
    let said = project.shoal(&["run", "people.toml"]).ended_with(2);
    assert!(said.stderr.contains("names people"), "{said:?}");
}

#[test]
fn the_long_form_knows_people_too() {
    let project = TestProject::new();
    let policy = LONG.replace(
        "item = \"code\"\n",
        "item = \"code\"\nperson = \"patient\"\n[columns.patient]\nrole = \"identifier\"\n",
    );
    project.write("long.toml", &policy);
    // Two visits of one patient, and b only in hers.
    project.write("visits.csv", "visit,patient,code\n1,ann,a\n1,ann,b\n2,ann,a\n2,ann,b\n3,bo,a\n4,bo,a\n");
    project.shoal(&["run", "long.toml", "--report", "r", "--allow-total-loss"]).ended_with(0);
    let published = project.read("out.csv");
    assert!(published.contains("(a,b)") && !published.contains("ann"), "{published}");
    // Without the key the file would be published as it is, and that is reported.
    project.write("without.toml", LONG);
    let said = project.shoal(&["run", "without.toml", "--force"]).ended_with(0);
    assert!(!project.read("out.csv").contains("(a,b)"));
    assert!(said.stdout.contains("share their `patient`"), "{said:?}");
    // A transaction of two people is nobody's.
    project.write("visits.csv", "visit,patient,code\n1,ann,a\n1,bo,b\n2,bo,a\n");
    let said = project.shoal(&["run", "long.toml", "--force"]).ended_with(2);
    assert!(said.stderr.contains("two people"), "{said:?}");
}
