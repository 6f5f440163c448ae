//! Crowds of rows that belong to one person, in tables.
//!
//! The adversary knows somebody's quasi-identifiers, finds her class and counts not its rows but the people in it. What
//! decides is the original, which this file reads with its own code: a published row is found there again by a number that no
//! two rows share.

use std::collections::{BTreeMap, BTreeSet};

use super::support::{Dice, TestProject, csv};

const K: usize = 5;

/// Visits of patients, most of them with a few close to each other: as many rows as patients make them, 20 of one. The
/// column `note` is different in every row, so that rows can be found again.
fn visits() -> String {
    let mut dice = Dice::new(7);
    let mut text = String::from("patient,age,ward,illness,note\n");
    let illnesses = ["flu", "gout", "cold", "ulcer", "asthma", "cancer"];
    let mut number = 0;
    for patient in 0..120 {
        let (age, ward) = (20 + dice.below(60), dice.below(4));
        let rows = if patient == 0 { 20 } else { 1 + dice.below(6) };
        for _ in 0..rows {
            let illness = illnesses[dice.below(6).min(dice.below(6))];
            text += &format!("p{patient},{},w{ward},{illness},n{number}\n", age + dice.below(2));
            number += 1;
        }
    }
    text
}

fn policy(algorithm: &str, person: &str, more: &str) -> String {
    format!(
        "version = 1\n[data]\nshape = \"table\"\nsource = \"visits.csv\"\n{person}\n\
         [columns.patient]\nrole = \"identifier\"\n\
         [columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n\
         [columns.ward]\nrole = \"quasi-identifier\"\n\
         [columns.illness]\nrole = \"sensitive\"\n\
         [columns.note]\nrole = \"insensitive\"\n\
         [privacy]\nk = {K}\n{more}\n\
         [algorithm]\nname = \"{algorithm}\"\n[output]\npath = \"out.csv\"\nreport = \"report\"\n"
    )
}

/// Who is in a class, and who of them has each value.
type Class = (BTreeSet<String>, BTreeMap<String, BTreeSet<String>>);

/// The classes of a published file: for each the people in it, and how many of them have each illness there.
fn classes(project: &TestProject) -> Vec<Class> {
    let (_, original) = csv(&project.read("visits.csv"));
    let whose: BTreeMap<&str, &str> = original.iter().map(|row| (row[4].as_str(), row[0].as_str())).collect();
    let (header, rows) = csv(&project.read("out.csv"));
    assert_eq!(header, ["age", "ward", "illness", "note"], "nobody is named");
    let mut classes: BTreeMap<[&str; 2], Class> = BTreeMap::new();
    for row in &rows {
        let person = whose[row[3].as_str()].to_owned();
        let class = classes.entry([&row[0], &row[1]]).or_default();
        class.1.entry(row[2].clone()).or_default().insert(person.clone());
        class.0.insert(person);
    }
    classes.into_values().collect()
}

const PERSON: &str = "person = \"patient\"";

#[test]
fn one_patient_in_many_rows_is_never_her_own_crowd() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = TestProject::new();
        project.write("visits.csv", visits());
        project.write("policy.toml", policy(algorithm, PERSON, ""));
        project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
        for (people, _) in classes(&project) {
            assert!(people.len() >= K, "{algorithm}: {people:?}");
        }
    }
}

/// The attack succeeds where rows are counted; then at least it is reported, before and after.
#[test]
fn without_the_person_rows_are_counted_and_that_is_said() {
    let project = TestProject::new();
    project.write("visits.csv", visits());
    project.write("policy.toml", policy("mondrian", "", ""));
    let check = project.shoal(&["check", "policy.toml"]).ended_with(0);
    assert!(check.stdout.contains("person = \"patient\""), "{}", check.stdout);
    let run = project.shoal(&["run", "policy.toml"]).ended_with(0);
    assert!((run.stdout + &run.stderr).contains("person = \"patient\""));
    assert!(project.read("report/audit.json").contains("\"repeated-identifier\""));
    let alone = classes(&project).iter().filter(|(people, _)| people.len() < K).count();
    assert!(alone > 0, "this is why it must be reported");

    project.write("policy.toml", policy("mondrian", PERSON, ""));
    project.shoal(&["run", "policy.toml", "--quiet", "--force"]).ended_with(0);
    assert!(!project.read("report/audit.json").contains("\"repeated-identifier\""));
}

/// Of the people in a class, no illness is known of all: whoever has several rows does not lend the others her values.
#[test]
fn values_of_one_patient_do_not_hide_what_all_the_others_have() {
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = TestProject::new();
        project.write("visits.csv", visits());
        project
            .write("policy.toml", policy(algorithm, PERSON, "l-diversity = { kind = \"distinct\", l = 2 }"));
        project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
        for (people, illnesses) in classes(&project) {
            assert!(people.len() >= K, "{algorithm}");
            for (illness, who) in illnesses {
                assert!(who.len() < people.len(), "{algorithm}: everybody of {people:?} has {illness}");
            }
        }
    }
}

/// A file whose classes are large enough in rows proves nothing about people, and `verify` says so; one with too few rows
/// is broken for sure.
#[test]
fn a_file_alone_proves_nothing_about_people() {
    let project = TestProject::new();
    let rows = |count: usize| (0..count).map(|at| format!("33,w1,flu,n{at}\n")).collect::<String>();
    project.write("policy.toml", policy("mondrian", PERSON, ""));
    project.write("twenty.csv", format!("age,ward,illness,note\n{}", rows(20)));
    let said = project.shoal(&["verify", "twenty.csv", "--policy", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("whose") && said.stderr.contains("patient"), "{}", said.stderr);
    project.write("four.csv", format!("age,ward,illness,note\n{}", rows(4)));
    project.shoal(&["verify", "four.csv", "--policy", "policy.toml"]).ended_with(1);
}

/// Ids that a person would take for the same are one person.
#[test]
fn another_spelling_is_not_another_patient() {
    let project = TestProject::new();
    let spellings = ["7", "07", "7.0", "7.00", "007"];
    let mut text = String::from("patient,age,ward,illness,note\n");
    for (at, spelling) in spellings.iter().enumerate() {
        text += &format!("{spelling},30,w1,flu,n{at}\n");
    }
    for at in 0..10 {
        text += &format!("p{at},{},w2,gout,m{at}\n", 60 + at);
    }
    project.write("visits.csv", text);
    project.write("policy.toml", policy("mondrian", PERSON, ""));
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let (_, rows) = csv(&project.read("out.csv"));
    assert!(rows.iter().all(|row| row[0] != "30"), "five spellings of one name are one patient");
}

#[test]
fn a_row_that_is_nobodys_stops_the_run_or_is_left_out() {
    let project = TestProject::new();
    project.write("visits.csv", visits() + ",44,w1,flu,nobody\n");
    project.write("policy.toml", policy("mondrian", PERSON, ""));
    let said = project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(2);
    assert!(said.stderr.contains("patient") && said.stderr.contains("suppress"), "{}", said.stderr);
    assert!(!project.exists("out.csv"));
    project
        .shoal(&["run", "policy.toml", "--quiet", "--set", "columns.patient.missing=\"suppress\""])
        .ended_with(0);
    assert!(!project.read("out.csv").contains("nobody"));
}

/// `init` proposes the key and says why.
#[test]
fn init_proposes_the_person() {
    let project = TestProject::new();
    project.write("visits.csv", visits());
    project.shoal(&["init", "visits.csv", "-o", "policy.toml"]).ended_with(0);
    let text = project.read("policy.toml");
    assert!(text.contains("\nperson = \"patient\"\n") && text.contains("count people"), "{text}");
    project.shoal(&["check", "policy.toml"]).ended_with(0);
}

/// Whose a record is decides about crowds, so it must not do so by the place of the record in the source.
#[test]
fn with_people_the_order_of_the_input_changes_nothing_either() {
    let text = visits();
    let (header, rows) = text.split_once('\n').unwrap();
    // Without the numbers many records of different patients say the same.
    let rows: Vec<String> =
        rows.lines().map(|row| row.rsplit_once(',').unwrap().0.to_owned() + ",x").collect();
    let mut dice = Dice::new(3);
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let published = |rows: &[String]| {
            let project = TestProject::new();
            project.write("visits.csv", format!("{header}\n{}\n", rows.join("\n")));
            project.write("policy.toml", policy(algorithm, PERSON, ""));
            project.write_key("key");
            let args = ["run", "policy.toml", "--quiet", "--set", "algorithm.key-file=key"];
            project.shoal(&args).ended_with(0);
            project.bytes("out.csv")
        };
        assert_eq!(published(&rows), published(&dice.shuffled(rows.clone())), "{algorithm}");
    }
}

/// All figures to twelve digits: the last ones depend on the order of a sum, which is that of the records.
fn exact(risk: &serde_json::Value) -> String {
    let rounded = |number: f64| format!("{number:.12}");
    match risk {
        serde_json::Value::Number(number) => rounded(number.as_f64().unwrap()),
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(name, value)| format!("{name} {}\n", exact(value))).collect()
        }
        other => other.to_string(),
    }
}

/// Whoever measures a file must not see a smaller risk than whoever made it.
#[test]
fn measure_counts_people_as_run_does() {
    let project = TestProject::new();
    project.write("visits.csv", visits());
    project.write("policy.toml", policy("mondrian", PERSON, ""));
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    // The report that goes out is rounded.
    let ran: serde_json::Value = serde_json::from_str(&project.read("report/audit.json")).unwrap();
    let measure = ["measure", "visits.csv", "out.csv", "--policy", "policy.toml", "--json"];
    let measured = project.shoal(&measure).ended_with(0);
    let measured: serde_json::Value = serde_json::from_str(&measured.stdout).unwrap();
    assert_eq!(exact(&measured["risk"]), exact(&ran["risk"]));
    project.write("records.toml", policy("mondrian", "", ""));
    let measure = ["measure", "visits.csv", "out.csv", "--policy", "records.toml", "--json"];
    let records = project.shoal(&measure).ended_with(0);
    let records: serde_json::Value = serde_json::from_str(&records.stdout).unwrap();
    assert_ne!(exact(&records["risk"]), exact(&ran["risk"]), "records are not people");
}

/// Stays of patients in coarse columns and nothing that tells rows apart.
fn coarse_stays() -> String {
    let mut dice = Dice::new(11);
    let mut text = String::from("patient,age,ward,illness,note\n");
    for patient in 0..150 {
        let (age, ward) = (20 + dice.below(12), dice.below(3));
        for _ in 0..1 + dice.below(5) {
            text += &format!("p{patient},{},w{ward},flu,\n", age + dice.below(3));
        }
    }
    text
}

const VERIFY: [&str; 6] = ["verify", "out.csv", "--original", "visits.csv", "--json", "--policy"];

/// Rows could be many people's. Who is in which class is in the audit; without it nobody is told that a promise is broken
/// which was kept.
#[test]
fn a_genuine_release_is_not_called_broken_because_rows_could_be_others() {
    let mut unsure = 0;
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let project = TestProject::new();
        project.write("visits.csv", coarse_stays());
        project.write("policy.toml", policy(algorithm, PERSON, ""));
        project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
        let sure = project.shoal(&[&VERIFY[..], &["report/audit.json"]].concat()).ended_with(0);
        assert!(!sure.stdout.contains("one-assignment"), "{algorithm}: {}", sure.stdout);
        let said = project.shoal(&[&VERIFY[..], &["policy.toml"]].concat());
        match said.code {
            // Where no other assignment fits, there is nothing to add.
            0 => unsure += usize::from(said.stdout.contains("one-assignment")),
            _ => {
                unsure += 1;
                let said = said.ended_with(2);
                assert!(said.stderr.contains("audit.json"), "{algorithm}: {}", said.stderr);
            }
        }
    }
    assert!(unsure > 0, "some of these files fit several assignments");
}

/// The audit is not a proof: where the people that it names are too few, or cannot be in the class, nothing holds.
#[test]
fn an_audit_does_not_make_a_crowd_of_too_few_people() {
    let project = TestProject::new();
    project.write("visits.csv", coarse_stays());
    project.write("policy.toml", policy("mondrian", "", ""));
    project.shoal(&["run", "policy.toml", "--quiet"]).ended_with(0);
    let of_people = ["--set", "data.person=\"patient\""];
    let said = project.shoal(&[&VERIFY[..], &["report/audit.json"], &of_people].concat()).ended_with(1);
    assert!(
        said.stdout.contains("\"holds\":false") || said.stdout.contains("\"holds\": false"),
        "{}",
        said.stdout
    );

    // Other people are named than those of the release: the file of its people is not the one that the audit names.
    let mut audit: serde_json::Value = serde_json::from_str(&project.read("report/audit.json")).unwrap();
    audit["people"]["hash"] = "0".repeat(64).into();
    project.write("report/forged.json", audit.to_string());
    let said = project.shoal(&[&VERIFY[..], &["report/forged.json"], &of_people].concat());
    assert_ne!(said.code, 0, "{}", said.stdout);
}
