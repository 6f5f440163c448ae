//! Bad input: a clear message, the right exit code, and no file left.

use crate::project::{PEOPLE, TestProject};

/// Runs the policy, expects it to fail with `code`, and that the folder is as before. The message is a
/// snapshot, and `check`, which writes nothing anyway, says no other.
#[track_caller]
fn refused(name: &str, project: &TestProject, code: i32, args: &[&str]) {
    let before = project.everything();
    let mut run = vec!["run", "policy.toml"];
    run.extend(args);
    let said = project.shoal(&run).ended_with(code);
    assert_eq!(project.everything(), before, "something was left behind");
    assert_eq!(said.stdout, "");
    insta::assert_snapshot!(name, said.error());

    run.extend(["--json", "--show-values"]);
    let body = project.shoal(&run).ended_with(code).json();
    assert_eq!(body["error"]["exit-code"], code);
    let message = body["error"]["message"].as_str().unwrap().to_owned();
    assert!(said.stderr.contains(message.lines().next().unwrap()), "{message}");
}

#[test]
fn empty_file() {
    let project = TestProject::with_people();
    project.write("people.csv", "");
    refused("empty_file", &project, 2, &[]);
}

#[test]
fn header_only() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.lines().next().unwrap());
    refused("header_only", &project, 2, &[]);
}

#[test]
fn more_k_than_records() {
    let project = TestProject::with_people();
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let name = format!("algorithm.name={algorithm}");
        refused("more_k_than_records", &project, 1, &["--set", "privacy.k=13", "--set", &name]);
    }
    let checked = project.shoal(&["check", "policy.toml", "--set", "privacy.k=13"]).ended_with(1);
    assert!(checked.stdout.contains("feasible   no"), "{}", checked.stdout);
}

#[test]
fn k_of_one() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 1");
    refused("k_of_one", &project, 2, &[]);
}

#[test]
fn k_of_one_by_set() {
    refused("k_of_one_by_set", &TestProject::with_people(), 2, &["--set", "privacy.k=1"]);
}

#[test]
fn absent_quasi_identifier() {
    let project = TestProject::with_people();
    project.edit_policy("[columns.zip]", "[columns.postcode]");
    refused("absent_quasi_identifier", &project, 2, &[]);
}

#[test]
fn column_without_a_role() {
    let project = TestProject::with_people();
    project.edit_policy("[columns.illness]\nrole = \"sensitive\"\n", "");
    refused("column_without_a_role", &project, 2, &[]);
}

#[test]
fn value_outside_its_hierarchy() {
    let project = TestProject::with_people();
    project.edit_policy("[columns.sex]", "[columns.sex]\nhierarchy = \"sex.csv\"");
    project.write("sex.csv", "f;*\nd;*\n");
    refused("value_outside_its_hierarchy", &project, 2, &[]);
}

#[test]
fn two_parents() {
    let project = TestProject::with_people();
    project.edit_policy("[columns.zip]", "[columns.zip]\nhierarchy = \"zip.csv\"");
    project.write("zip.csv", "53715;5371*;*\n53703;5370*;*\n53715;5370*;*\n");
    refused("two_parents", &project, 2, &[]);
}

#[test]
fn misspelt_key() {
    let project = TestProject::with_people();
    project.edit_policy("kind = \"integer\"", "knd = \"integer\"");
    refused("misspelt_key", &project, 2, &[]);
}

#[test]
fn misspelt_key_by_set() {
    refused("misspelt_key_by_set", &TestProject::with_people(), 2, &["--set", "privacy.kk=4"]);
}

#[test]
fn misspelt_table_by_set() {
    refused("misspelt_table_by_set", &TestProject::with_people(), 2, &["--set", "privcy.k=4"]);
}

#[test]
fn value_of_the_wrong_type_by_set() {
    refused("value_of_the_wrong_type_by_set", &TestProject::with_people(), 2, &["--set", "privacy.k=many"]);
}

#[test]
fn not_toml() {
    let project = TestProject::with_people();
    project.edit_policy("[privacy]", "[privacy");
    refused("not_toml", &project, 2, &[]);
}

#[test]
fn missing_key() {
    let project = TestProject::with_people();
    project.edit_policy("source = \"people.csv\"\n", "");
    refused("missing_key", &project, 2, &[]);
}

#[test]
fn missing_source() {
    let project = TestProject::with_people();
    project.edit_policy("people.csv", "nobody.csv");
    refused("missing_source", &project, 2, &[]);
}

#[test]
fn folder_as_source() {
    let project = TestProject::with_people();
    project.write("folder/inside.csv", PEOPLE);
    project.edit_policy("people.csv", "folder");
    refused("folder_as_source", &project, 2, &[]);
}

#[test]
fn missing_policy() {
    let project = TestProject::empty();
    refused("missing_policy", &project, 2, &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    use std::os::unix::fs::FileTypeExt;
    let project = TestProject::with_people();
    refused("full_disk", &project, 2, &["-o", "/dev/full"]);
    refused("full_disk", &project, 2, &["-o", "/dev/full", "--report", "reports", "--force"]);
    refused("full_disk", &project, 2, &["-o", "/dev/full", "--report", "new/and/deep", "--force"]);
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn folder_of_the_output_lacks() {
    refused("folder_of_the_output_lacks", &TestProject::with_people(), 2, &["-o", "nowhere/out.csv"]);
}

#[test]
fn file_in_the_place_of_a_folder() {
    let project = TestProject::with_people();
    refused("file_in_the_place_of_the_outputs_folder", &project, 2, &["-o", "people.csv/out.csv"]);
    refused("file_in_the_place_of_the_reports", &project, 2, &["--report", "people.csv"]);
}

#[test]
fn output_exists() {
    let project = TestProject::with_people();
    project.write("out.csv", "precious");
    refused("output_exists", &project, 2, &[]);
    project.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    assert_ne!(project.read("out.csv"), "precious");
}

#[test]
fn no_output() {
    let project = TestProject::with_people();
    project.edit_policy("path = \"out.csv\"", "");
    refused("no_output", &project, 2, &[]);
}

#[test]
fn invalid_utf8() {
    let project = TestProject::with_people();
    let mut bytes = PEOPLE.as_bytes().to_vec();
    let at = PEOPLE.find("flu").unwrap();
    bytes[at] = 0xff;
    project.write("people.csv", bytes);
    refused("invalid_utf8", &project, 2, &[]);
}

#[test]
fn ragged_row() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("Cid,41,m,53703,cold", "Cid,41,m,53703"));
    refused("ragged_row", &project, 2, &[]);
}

#[test]
fn duplicate_header() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("name,age,sex", "age,age,sex"));
    refused("duplicate_header", &project, 2, &[]);
}

#[test]
fn value_of_the_wrong_kind() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace(",41,", ",forty,"));
    refused("value_of_the_wrong_kind", &project, 2, &[]);
}

#[test]
fn value_that_looks_generalized() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("Cid,41,m", "Cid,41,*"));
    refused("value_that_looks_generalized", &project, 2, &[]);
}

#[test]
fn promise_that_is_no_promise() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3\nt-closeness = 2.0");
    refused("promise_that_is_no_promise", &project, 2, &[]);
}

#[test]
fn promise_about_a_column_without_order() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3\nt-closeness = { t = 0.2, distance = \"ordered\" }");
    refused("promise_about_a_column_without_order", &project, 2, &[]);
}

#[test]
fn promise_that_the_data_forbid() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3\nl-diversity = { kind = \"distinct\", l = 4 }");
    refused("promise_that_the_data_forbid", &project, 1, &[]);
}

#[test]
fn value_too_frequent_for_a_promise() {
    let project = TestProject::with_people();
    project.edit_policy("k = 3", "k = 3\nl-diversity = { kind = \"recursive\", l = 3, c = 1.0 }");
    refused("value_too_frequent_for_a_promise", &project, 1, &[]);
}

#[test]
fn personal_k_beyond_everybody() {
    let project = TestProject::with_people();
    project.write("people.csv", PEOPLE.replace("Cid,41", "99,41").replace("Ann,34", "2,34"));
    let text = project.read("people.csv");
    let numbers: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(line, text)| match (line, text.split_once(',')) {
            (0, _) => text.to_owned(),
            (_, Some((name, rest))) if name.parse::<u32>().is_err() => format!("1,{rest}"),
            _ => text.to_owned(),
        })
        .collect();
    project.write("people.csv", numbers.join("\n") + "\n");
    project.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    refused("personal_k_beyond_everybody", &project, 1, &[]);
}

#[test]
fn personal_k_of_nobody() {
    let project = TestProject::with_people();
    let numbered = PEOPLE.lines().enumerate().map(|(line, text)| match text.split_once(',') {
        Some((_, rest)) if line > 0 => format!("{},{rest}\n", line - 1),
        _ => format!("{text}\n"),
    });
    project.write("people.csv", numbered.collect::<String>());
    project.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    refused("personal_k_of_nobody", &project, 2, &[]);
}
