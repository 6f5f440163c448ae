//! Bad input: a clear message, the right exit code, and no file left.

use crate::workshop::{PEOPLE, Workshop};

/// Runs the policy, expects it to fail with `code`, and that the folder is as before. The message is a
/// snapshot, and `check`, which writes nothing anyway, says no other.
#[track_caller]
fn refused(name: &str, shop: &Workshop, code: i32, args: &[&str]) {
    let before = shop.everything();
    let mut run = vec!["run", "policy.toml"];
    run.extend(args);
    let said = shop.shoal(&run).ended_with(code);
    assert_eq!(shop.everything(), before, "something was left behind");
    assert_eq!(said.stdout, "");
    insta::assert_snapshot!(name, said.error());

    run.extend(["--json", "--show-values"]);
    let body = shop.shoal(&run).ended_with(code).json();
    assert_eq!(body["error"]["exit-code"], code);
    let message = body["error"]["message"].as_str().unwrap().to_owned();
    assert!(said.stderr.contains(message.lines().next().unwrap()), "{message}");
}

#[test]
fn empty_file() {
    let shop = Workshop::with_people();
    shop.write("people.csv", "");
    refused("empty_file", &shop, 2, &[]);
}

#[test]
fn header_only() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.lines().next().unwrap());
    refused("header_only", &shop, 2, &[]);
}

#[test]
fn more_k_than_records() {
    let shop = Workshop::with_people();
    for algorithm in ["mondrian", "sbc", "incognito", "datafly"] {
        let name = format!("algorithm.name={algorithm}");
        refused("more_k_than_records", &shop, 1, &["--set", "privacy.k=13", "--set", &name]);
    }
    let checked = shop.shoal(&["check", "policy.toml", "--set", "privacy.k=13"]).ended_with(1);
    assert!(checked.stdout.contains("feasible   no"), "{}", checked.stdout);
}

#[test]
fn k_of_one() {
    let shop = Workshop::with_people();
    shop.edit_policy("k = 3", "k = 1");
    refused("k_of_one", &shop, 2, &[]);
}

#[test]
fn k_of_one_by_set() {
    refused("k_of_one_by_set", &Workshop::with_people(), 2, &["--set", "privacy.k=1"]);
}

#[test]
fn absent_quasi_identifier() {
    let shop = Workshop::with_people();
    shop.edit_policy("[columns.zip]", "[columns.postcode]");
    refused("absent_quasi_identifier", &shop, 2, &[]);
}

#[test]
fn column_without_a_role() {
    let shop = Workshop::with_people();
    shop.edit_policy("[columns.illness]\nrole = \"sensitive\"\n", "");
    refused("column_without_a_role", &shop, 2, &[]);
}

#[test]
fn value_outside_its_hierarchy() {
    let shop = Workshop::with_people();
    shop.edit_policy("[columns.sex]", "[columns.sex]\nhierarchy = \"sex.csv\"");
    shop.write("sex.csv", "f;*\nd;*\n");
    refused("value_outside_its_hierarchy", &shop, 2, &[]);
}

#[test]
fn two_parents() {
    let shop = Workshop::with_people();
    shop.edit_policy("[columns.zip]", "[columns.zip]\nhierarchy = \"zip.csv\"");
    shop.write("zip.csv", "53715;5371*;*\n53703;5370*;*\n53715;5370*;*\n");
    refused("two_parents", &shop, 2, &[]);
}

#[test]
fn misspelt_key() {
    let shop = Workshop::with_people();
    shop.edit_policy("kind = \"integer\"", "knd = \"integer\"");
    refused("misspelt_key", &shop, 2, &[]);
}

#[test]
fn misspelt_key_by_set() {
    refused("misspelt_key_by_set", &Workshop::with_people(), 2, &["--set", "privacy.kk=4"]);
}

#[test]
fn misspelt_table_by_set() {
    refused("misspelt_table_by_set", &Workshop::with_people(), 2, &["--set", "privcy.k=4"]);
}

#[test]
fn value_of_the_wrong_type_by_set() {
    refused("value_of_the_wrong_type_by_set", &Workshop::with_people(), 2, &["--set", "privacy.k=many"]);
}

#[test]
fn not_toml() {
    let shop = Workshop::with_people();
    shop.edit_policy("[privacy]", "[privacy");
    refused("not_toml", &shop, 2, &[]);
}

#[test]
fn key_that_lacks() {
    let shop = Workshop::with_people();
    shop.edit_policy("source = \"people.csv\"\n", "");
    refused("key_that_lacks", &shop, 2, &[]);
}

#[test]
fn missing_source() {
    let shop = Workshop::with_people();
    shop.edit_policy("people.csv", "nobody.csv");
    refused("missing_source", &shop, 2, &[]);
}

#[test]
fn folder_as_source() {
    let shop = Workshop::with_people();
    shop.write("folder/inside.csv", PEOPLE);
    shop.edit_policy("people.csv", "folder");
    refused("folder_as_source", &shop, 2, &[]);
}

#[test]
fn missing_policy() {
    let shop = Workshop::empty();
    refused("missing_policy", &shop, 2, &[]);
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk() {
    use std::os::unix::fs::FileTypeExt;
    let shop = Workshop::with_people();
    refused("full_disk", &shop, 2, &["-o", "/dev/full"]);
    refused("full_disk", &shop, 2, &["-o", "/dev/full", "--report", "reports", "--force"]);
    refused("full_disk", &shop, 2, &["-o", "/dev/full", "--report", "new/and/deep", "--force"]);
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn folder_of_the_output_lacks() {
    refused("folder_of_the_output_lacks", &Workshop::with_people(), 2, &["-o", "nowhere/out.csv"]);
}

#[test]
fn file_in_the_place_of_a_folder() {
    let shop = Workshop::with_people();
    refused("file_in_the_place_of_the_outputs_folder", &shop, 2, &["-o", "people.csv/out.csv"]);
    refused("file_in_the_place_of_the_reports", &shop, 2, &["--report", "people.csv"]);
}

#[test]
fn output_exists() {
    let shop = Workshop::with_people();
    shop.write("out.csv", "precious");
    refused("output_exists", &shop, 2, &[]);
    shop.shoal(&["run", "policy.toml", "--force"]).ended_with(0);
    assert_ne!(shop.read("out.csv"), "precious");
}

#[test]
fn no_output() {
    let shop = Workshop::with_people();
    shop.edit_policy("path = \"out.csv\"", "");
    refused("no_output", &shop, 2, &[]);
}

#[test]
fn invalid_utf8() {
    let shop = Workshop::with_people();
    let mut bytes = PEOPLE.as_bytes().to_vec();
    let at = PEOPLE.find("flu").unwrap();
    bytes[at] = 0xff;
    shop.write("people.csv", bytes);
    refused("invalid_utf8", &shop, 2, &[]);
}

#[test]
fn ragged_row() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace("Cid,41,m,53703,cold", "Cid,41,m,53703"));
    refused("ragged_row", &shop, 2, &[]);
}

#[test]
fn duplicate_header() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace("name,age,sex", "age,age,sex"));
    refused("duplicate_header", &shop, 2, &[]);
}

#[test]
fn value_of_the_wrong_kind() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace(",41,", ",forty,"));
    refused("value_of_the_wrong_kind", &shop, 2, &[]);
}

#[test]
fn value_that_looks_generalized() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace("Cid,41,m", "Cid,41,*"));
    refused("value_that_looks_generalized", &shop, 2, &[]);
}

#[test]
fn promise_that_is_no_promise() {
    let shop = Workshop::with_people();
    shop.edit_policy("k = 3", "k = 3\nt-closeness = 2.0");
    refused("promise_that_is_no_promise", &shop, 2, &[]);
}

#[test]
fn promise_about_a_column_without_order() {
    let shop = Workshop::with_people();
    shop.edit_policy("k = 3", "k = 3\nt-closeness = { t = 0.2, distance = \"ordered\" }");
    refused("promise_about_a_column_without_order", &shop, 2, &[]);
}

#[test]
fn promise_that_the_data_forbid() {
    let shop = Workshop::with_people();
    shop.edit_policy("k = 3", "k = 3\nl-diversity = { kind = \"distinct\", l = 4 }");
    refused("promise_that_the_data_forbid", &shop, 1, &[]);
}

#[test]
fn value_too_frequent_for_a_promise() {
    let shop = Workshop::with_people();
    shop.edit_policy("k = 3", "k = 3\nl-diversity = { kind = \"recursive\", l = 3, c = 1.0 }");
    refused("value_too_frequent_for_a_promise", &shop, 1, &[]);
}

#[test]
fn personal_k_beyond_everybody() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace("Cid,41", "99,41").replace("Ann,34", "2,34"));
    let text = shop.read("people.csv");
    let numbers: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(line, text)| match (line, text.split_once(',')) {
            (0, _) => text.to_owned(),
            (_, Some((name, rest))) if name.parse::<u32>().is_err() => format!("1,{rest}"),
            _ => text.to_owned(),
        })
        .collect();
    shop.write("people.csv", numbers.join("\n") + "\n");
    shop.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    refused("personal_k_beyond_everybody", &shop, 1, &[]);
}

#[test]
fn personal_k_of_nobody() {
    let shop = Workshop::with_people();
    let numbered = PEOPLE.lines().enumerate().map(|(line, text)| match text.split_once(',') {
        Some((_, rest)) if line > 0 => format!("{},{rest}\n", line - 1),
        _ => format!("{text}\n"),
    });
    shop.write("people.csv", numbered.collect::<String>());
    shop.edit_policy("role = \"identifier\"", "role = \"personal-k\"\nkind = \"integer\"");
    refused("personal_k_of_nobody", &shop, 2, &[]);
}
