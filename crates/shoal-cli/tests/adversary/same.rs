//! One value in many spellings, one person in many, and two that only look like one: the attacker reads what is meant.

use std::collections::BTreeMap;

use crate::support::{TestProject, csv};

/// Spellings of one illness that no reader tells apart: a direction mark, a soft hyphen, two blanks, a no-break blank.
const ILLNESS: [&str; 6] = ["HIV 1", "hiv 1", "HIV\u{200e} 1", "H\u{ad}IV 1", "HIV  1", "\u{feff}HIV\u{a0}1"];

fn table(more: &str) -> String {
    format!(
        "version = 1\n[data]\nshape = \"table\"\nsource = \"in.csv\"\n{more}\n[output]\npath = \"out.csv\"\nreport = \
         \"report\"\n[columns.age]\nrole = \"quasi-identifier\"\nkind = \"integer\"\n[columns.illness]\nrole = \"sensitive\"\n"
    )
}

/// The values of each class of a published file of ages and illnesses.
fn classes(project: &TestProject) -> BTreeMap<String, Vec<String>> {
    let mut classes = BTreeMap::<String, Vec<String>>::new();
    let (header, rows) = csv(&project.read("out.csv"));
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (age, illness) = (at("age"), at("illness"));
    rows.into_iter().for_each(|row| classes.entry(row[age].clone()).or_default().push(row[illness].clone()));
    classes
}

#[test]
fn an_illness_in_disguise_is_no_second_illness() {
    let project = TestProject::new();
    for kind in ["distinct", "entropy", "frequency"] {
        let asked = format!("[privacy]\nk = 2\nl-diversity = {{ kind = \"{kind}\", l = 2 }}");
        project.write("policy.toml", table(&asked));
        for other in &ILLNESS[1..] {
            project.write("out.csv", format!("age,illness\n20,{}\n20,\"{other}\"\n", ILLNESS[0]));
            project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
        }
    }
    // Nor is there a leak that takes it for two: everybody of the class has it.
    project.write("policy.toml", table("[privacy]\nk = 2"));
    let rows: Vec<String> = ILLNESS.iter().map(|illness| format!("20,\"{illness}\"\n")).collect();
    project.write("in.csv", format!("age,illness\n{}30,flu\n30,gout\n", rows.concat()));
    project.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    assert!(classes(&project).contains_key("20"));
    assert!(project.read("report/report.json").contains("(6 records) everybody has the same `illness`"));
}

/// A person of 17 digits, and one whose number differs in the last of them.
const NUMBERS: [&str; 2] = ["12345678901234567", "12345678901234568"];

#[test]
fn numbers_of_17_digits_are_two_people_and_three_spellings_are_one() {
    let project = TestProject::new();
    let person = "person = \"who\"\n[columns.who]\nrole = \"identifier\"";
    let run = |names: [&str; 4], k: usize| {
        let rows: Vec<String> = names.iter().map(|name| format!("{name},20,flu\n")).collect();
        project.write("in.csv", format!("who,age,illness\n{}", rows.concat()));
        project.write("policy.toml", table(&format!("{person}\n[privacy]\nk = {k}")));
        project.shoal(&["run", "policy.toml", "--force"])
    };
    run([NUMBERS[0], NUMBERS[0], NUMBERS[1], NUMBERS[1]], 2).ended_with(0);
    run([NUMBERS[0], "12345678901234567.0", "012345678901234567", NUMBERS[1]], 3).ended_with(1);
    // Three spellings of José and one of Ann are two people.
    let jose = ["Jos\u{e9}", "Jose\u{301}", "JOS\u{c9}\u{200f}", "Ann"];
    run(jose, 2).ended_with(0);
    run(jose, 3).ended_with(1);
}

#[test]
fn a_leak_by_name_needs_the_same_number_and_not_one_like_it() {
    let project = TestProject::new();
    let columns =
        "[columns.who]\nrole = \"identifier\"\n[columns.note]\nrole = \"insensitive\"\n[privacy]\nk = 2";
    project.write("policy.toml", table(columns));
    let said = |note: &str| {
        project.write(
            "in.csv",
            format!("who,age,illness,note\n{},20,flu,a\n8,20,gout,see {note}\n", NUMBERS[0]),
        );
        project.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
        // Only the original shows it, so it is not in the edition that goes out.
        project.read("report/audit.json").contains("names-people")
    };
    assert!(said(NUMBERS[0]));
    assert!(!said(NUMBERS[1]));
}

/// José is José, composed or decomposed, also where he returns: the second release finds him, and two numbers of 17 digits in
/// it are two people.
#[test]
fn who_returns_in_another_spelling_is_the_same_person() {
    let project = TestProject::new();
    let person = "[columns.who]\nrole = \"identifier\"\n[privacy]\nk = 2";
    project.write("policy.toml", table(person));
    project.write("in.csv", "who,age,illness\nJos\u{e9},20,flu\nAnn,20,gout\nBob,60,flu\nCid,60,cold\n");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    project.write(
        "more.csv",
        "who,age,illness\nJose\u{301},20,flu\nANN\u{a0},20,gout\nbob,60,flu\nC\u{ad}id,60,cold\n",
    );
    project.shoal(&["apply", "report", "more.csv", "--output", "second.csv"]).ended_with(0);
    // Had somebody gone, those who were in a class with them would be left out.
    let (_, rows) = csv(&project.read("second.csv"));
    assert_eq!(rows.len(), 4);
}

/// `na` says that a value is missing where the policy lists `NA`, in every column and shape.
#[test]
fn a_missing_value_is_missing_in_every_spelling() {
    let project = TestProject::new();
    let missing = "missing = [\"NA\"]\n[privacy]\nk = 2\nl-diversity = { kind = \"distinct\", l = 2 }";
    project.write("policy.toml", table(missing));
    for value in ["NA", "na", "N\u{ad}A", "\u{a0}na"] {
        project.write("out.csv", format!("age,illness\n20,flu\n20,\"{value}\"\n"));
        // It is no second illness beside the flu.
        project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    }
    // As an age it is no text that is not a number.
    project.write("in.csv", "age,illness\n20,flu\nna,gout\n20,gout\nNA,flu\n");
    project.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    // Who has no name is nobody, and not one person with all the others.
    let person =
        "missing = [\"NA\"]\nperson = \"who\"\n[columns.who]\nrole = \"identifier\"\n[privacy]\nk = 2";
    project.write("policy.toml", table(person));
    project.write("in.csv", "who,age,illness\nAnn,20,flu\nna,20,gout\n");
    project.shoal(&["run", "policy.toml", "--force"]).ended_with(2);
}

/// A class of which nobody has an illness says nothing about illnesses; one of whom only one person has one says all.
#[test]
fn an_empty_cell_is_nobodys_secret_and_no_company() {
    let project = TestProject::new();
    for kind in ["distinct", "entropy", "frequency"] {
        let asked = format!("[privacy]\nk = 3\nl-diversity = {{ kind = \"{kind}\", l = 2 }}");
        project.write("policy.toml", table(&asked));
        let verify = |rows: &str| {
            project.write("out.csv", format!("age,illness\n20,flu\n20,gout\n20,\n{rows}"));
            project.shoal(&["verify", "out.csv", "--policy", "policy.toml"])
        };
        verify("30,\n30,\n30,\n").ended_with(0);
        verify("30,flu\n30,gout\n30,\n30,\n30,\n").ended_with(0);
        // An attacker who knows that one of them was treated knows with what.
        verify("30,flu\n30,\n30,\n").ended_with(1);
        verify("30,flu\n30,flu\n30,\n").ended_with(1);
    }
}

/// A register in which most have no diagnosis, published by every algorithm: those who have one are in mixed company, and nothing
/// is said about an empty cell.
#[test]
fn a_register_of_mostly_empty_cells_can_be_published() {
    let project = TestProject::new();
    let illness = |n: usize| ["flu", "gout", "cold"].get(n % 20).copied().unwrap_or_default();
    let rows: Vec<String> = (0..200).map(|n| format!("{},{}\n", 20 + n % 50, illness(n * 7 % 200))).collect();
    project.write("in.csv", format!("age,illness\n{}", rows.concat()));
    project.write("policy.toml", table("[privacy]\nk = 4\nl-diversity = { kind = \"distinct\", l = 2 }"));
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let name = format!("algorithm.name={algorithm}");
        project.shoal(&["run", "policy.toml", "--force", "--allow-total-loss", "--set", &name]).ended_with(0);
        for (class, values) in classes(&project) {
            let mut present: Vec<&String> = values.iter().filter(|value| !value.is_empty()).collect();
            present.sort_unstable();
            present.dedup();
            assert!(present.len() != 1, "{algorithm}, {class}: {values:?}");
        }
        assert!(!project.read("report/report.json").contains("``"), "{algorithm}");
    }
}

/// Published spellings of one item would tell baskets apart that count as alike.
#[test]
fn spellings_of_one_item_are_one_item() {
    let project = TestProject::new();
    project.write(
        "policy.toml",
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"in.txt\"\nseparator = \",\"\nheader = false\n[privacy]\nk = 2\nm = 2\n\
         [algorithm]\nname = \"pcta\"\n[output]\npath = \"out.txt\"\nreport = \"report\"\n",
    );
    project.write("in.txt", "Bread,milk\nbread,Milk\nBRE\u{ad}AD,milk\nbread,milk,bread\n");
    project.shoal(&["run", "policy.toml"]).ended_with(0);
    let published = project.read("out.txt");
    let lines: Vec<&str> = published.lines().collect();
    assert!(lines.len() == 4 && lines.iter().all(|line| *line == lines[0]), "{lines:?}");
    // A file that keeps both spellings: whoever reads them tells two from four.
    project.write("foreign.txt", "Bread,milk\nBread,milk\nbread,milk\nbread,milk\n");
    let said = project.shoal(&["verify", "foreign.txt", "--policy", "policy.toml"]).ended_with(1);
    assert!(format!("{}{}", said.stdout, said.stderr).contains("two images"), "{said:?}");
}
