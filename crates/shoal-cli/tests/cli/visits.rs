//! Every public file of visits, from `init` to a verified release, with the right person and the right order proposed.

use shoal_core::PolicyDocument;
use shoal_testkit::data::{public, public_text};

use crate::project::TestProject;

struct Visits {
    file: &'static str,
    person: &'static str,
    order: &'static [&'static str],
    ties: bool,
    /// How many of its rows are run. `init` looks at the file itself.
    rows: usize,
}

/// What is known about the public ones.
const FILES: [Visits; 6] = [
    Visits {
        file: "synpuf/synpuf_inpatient_visits_s01-10.csv.gz",
        person: "patient_id",
        order: &["admission_date", "discharge_date"],
        ties: true,
        rows: 4_000,
    },
    Visits {
        file: "synpuf/DE1_0_2008_to_2010_Inpatient_Claims_Sample_1_10000.csv.gz",
        person: "DESYNPUF_ID",
        order: &["CLM_ADMSN_DT", "NCH_BENE_DSCHRG_DT"],
        ties: true,
        rows: usize::MAX,
    },
    Visits {
        file: "diabetes130/diabetic_data.csv.gz",
        person: "patient_nbr",
        order: &["encounter_id"],
        ties: false,
        rows: 4_000,
    },
    Visits {
        file: "synthea/synthea_visits.csv.gz",
        person: "patient_id",
        order: &["start", "stop"],
        ties: true,
        rows: usize::MAX,
    },
    Visits {
        file: "synthea/synthea_conditions.csv.gz",
        person: "patient_id",
        order: &["start"],
        ties: true,
        rows: usize::MAX,
    },
    Visits {
        file: "informs/conditions05.csv.gz",
        person: "DUPERSID",
        order: &["year"],
        ties: true,
        rows: 20_000,
    },
];

#[test]
#[ignore = "needs SHOAL_DATA"]
fn every_file_of_visits_is_released_as_proposed() {
    for Visits { file, person, order, ties, rows } in FILES {
        let project = TestProject::empty();
        let path = public(file).display().to_string();
        let said = project.shoal(&["init", &path, "--shape", "sequences"]).ended_with(0).stdout;
        assert!(said.contains(&format!("person: `{person}`")), "{file}: {said}");
        let policy = PolicyDocument::parse(&project.read("policy.toml"), &[]).unwrap();
        let proposed = &policy.policy().data;
        assert_eq!(proposed.id.as_deref(), Some(person), "{file}");
        assert_eq!(proposed.order, order, "{file}");
        assert_eq!(proposed.ties.as_deref(), ties.then_some("file"), "{file}");

        // The kernels are measured elsewhere; here the first rows are enough.
        let text = public_text(file);
        let few: Vec<&str> = text.lines().take(rows.saturating_add(1)).collect();
        project.write("few.csv", few.join("\n"));
        let source = ["--set", "data.source=few.csv"];
        let run = ["run", "policy.toml", "-o", "out.csv", "--report", "report", "--quiet"];
        project.shoal(&[&run[..], &source[..]].concat()).ended_with(0);
        let verify = ["verify", "out.csv", "--policy", "report/audit.json", "--original", "few.csv"];
        project.shoal(&verify).ended_with(0);
    }
}

/// Like MIMIC's table of transfers: a number per admission that is above all others by repeats, a length of stay, a flag, and two
/// transfers at one time.
#[test]
fn people_are_told_from_admissions_and_times_from_durations() {
    let mut text = String::from("row_id,hadm_id,subject_id,hospital_expire_flag,los,intime,icd9_all\n");
    for i in 0..240 {
        let (admission, subject) = (i / 3, i / 12);
        let codes: Vec<String> = (0..1 + i % 4).map(|c| (100 + (i * 7 + c) % 50).to_string()).collect();
        text += &format!(
            "{},{},{},{},{}.25,2{}-0{}-1{} 0{}:00:00,{}\n",
            i,
            100_000 + admission,
            10 + subject,
            i % 7 / 6,
            i % 11,
            130 + subject,
            1 + admission % 4,
            // The first two of each admission at one time.
            i % 3 / 2,
            i % 3 / 2,
            codes.join(";"),
        );
    }
    let project = TestProject::empty();
    project.write("transfers.csv", text);
    let said = project.shoal(&["init", "transfers.csv", "--shape", "sequences"]).ended_with(0).stdout;
    let policy = project.read("policy.toml");
    assert!(policy.contains("\nid = \"subject_id\"\n"), "{policy}");
    assert!(policy.contains("# id = \"hadm_id\"\n"), "the other one is a line away: {policy}");
    assert!(
        policy.contains("\norder = [\"intime\", \"row_id\"]\n"),
        "the rows are numbered in order: {policy}"
    );
    assert!(said.contains("question: column `icd9_all`: its cells hold several values"), "{said}");
    project.shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report"]).ended_with(0);
    project.shoal(&["verify", "out.csv", "--policy", "report/audit.json"]).ended_with(0);
}

#[test]
fn a_person_that_cannot_be_told_is_asked_for() {
    let row = |i: usize| format!("x{},{},{}\n", i / 4, ["f", "m"][i / 4 % 2], i % 9);
    let project = TestProject::empty();
    project.write("events.csv", format!("a,sex,c\n{}", (0..120).map(row).collect::<String>()));
    let said = project.shoal(&["init", "events.csv", "--shape", "sequences"]).ended_with(0).stdout;
    assert!(said.contains("question: which column says whose a row is? Perhaps `a`"), "{said}");
    assert!(project.read("policy.toml").contains("# QUESTION: which column says whose a row is?"));
    // Nothing runs before it is answered.
    let said = project.shoal(&["check", "policy.toml"]).ended_with(2);
    assert!(said.stderr.contains("sequences need the column of the ids"), "{}", said.stderr);
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn a_table_of_conditions_has_a_row_per_item() {
    let project = TestProject::empty();
    let path = public("informs/conditions05.csv.gz").display().to_string();
    let said = project.shoal(&["init", &path, "--shape", "transactions"]).ended_with(0);
    assert!(said.stdout.contains("question: is one `DUPERSID` one transaction"), "{}", said.stdout);
    assert!(project.read("policy.toml").contains("id = \"DUPERSID\"\nitem = \"ICD9CODX\""));
    project.shoal(&["run", "policy.toml"]).ended_with(0);
}
