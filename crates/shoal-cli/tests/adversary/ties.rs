//! Ties: who of several records with equal quasi-identifiers goes to which class.
//!
//! Once a hash under the public seed decided it, over the whole record. The attacker tried the values that a class
//! shows against the program, and one was left. Now a secret key deals them.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::{Dice, TestProject, csv};

const POLICY: &str = r#"
version = 1
[data]
shape = "table"
source = "data.csv"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
"#;

const KEY_FILE: [&str; 2] = ["--set", "algorithm.key-file=key"];

fn project(policy: &str, data: &str) -> TestProject {
    let project = TestProject::new();
    project.write("policy.toml", policy);
    project.write("data.csv", data);
    project
}

/// The published bytes of a run, and what it said.
fn publish(project: &TestProject, more: &[&str]) -> (String, String) {
    let args = ["run", "policy.toml", "-o", "out.csv", "--report", "report", "--force"];
    let said = project.shoal(&[&args[..], more].concat()).ended_with(0);
    (project.read("out.csv"), said.stdout + &said.stderr)
}

/// Six people, of whom two have each of three illnesses; the last one is 31.
fn six(of_the_last: &str) -> String {
    let mut illnesses = vec!["cold", "cold", "flu", "flu", "hiv", "hiv"];
    let at = illnesses.iter().position(|illness| *illness == of_the_last).unwrap();
    illnesses.remove(at);
    let rows: String = illnesses.iter().map(|illness| format!("30,{illness}\n")).collect();
    format!("age,illness\n{rows}31,{of_the_last}\n")
}

/// The attacker knows who is 31, and how many have each illness, and has the program, the policy and the seed. They try what the
/// class of the 31 shows. Every value must give the published file, under some key.
#[test]
fn who_goes_with_the_last_one_tells_nothing_of_them() {
    for algorithm in ["ribbon", "sbc"] {
        let project = project(&format!("{POLICY}[algorithm]\nname = \"{algorithm}\"\n"), &six("hiv"));
        let shows_three = |file: &str| {
            let (_, rows) = csv(file);
            rows.iter().filter(|row| row[0] != "30").map(|row| row[1].clone()).collect::<BTreeSet<_>>()
        };
        let published = (0..60).map(|_| publish(&project, &[]).0).find(|file| shows_three(file).len() == 3);
        let published = published.expect("two times in five all three are there");
        for illness in shows_three(&published) {
            project.write("data.csv", six(&illness));
            let is_possible = (0..60).any(|_| publish(&project, &[]).0 == published);
            assert!(is_possible, "{algorithm}: not {illness}, says the program\n{published}");
        }
    }
}

/// Many ties, a table and a policy that splits them.
fn people() -> (String, Vec<String>) {
    let mut dice = Dice::new(5);
    let illnesses = ["cold", "flu", "gout", "hiv", "mumps"];
    let rows = (0..50).map(|_| format!("{},{}", 30 + dice.below(4), illnesses[dice.below(5)])).collect();
    (format!("{POLICY}[algorithm]\nname = \"sbc\"\n"), rows)
}

fn table(rows: &[String]) -> String {
    format!("age,illness\n{}\n", rows.join("\n"))
}

#[test]
fn every_run_deals_anew_and_its_key_stays_in_the_audit() {
    let (policy, rows) = people();
    let project = project(&policy, &table(&rows));
    let mut found = BTreeSet::new();
    for _ in 0..3 {
        let (published, said) = publish(&project, &[]);
        let verify = ["verify", "out.csv", "--policy", "policy.toml", "--original", "data.csv"];
        project.shoal(&verify).ended_with(0);
        let audit: serde_json::Value = serde_json::from_str(&project.read("report/audit.json")).unwrap();
        let key = audit["release-key"].as_str().unwrap().to_owned();
        assert!(key.len() == 64 && audit["key"] != audit["release-key"]);
        let mode = fs::metadata(project.path("report/audit.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        for file in ["out.csv", "report/report.json", "report/report.html", "report/audit.html"] {
            assert!(!project.read(file).contains(&key), "the key is in {file}");
        }
        assert!(!said.contains(&key), "{said}");
        found.insert(published);
    }
    assert!(found.len() > 1, "a fresh key deals otherwise");
}

#[test]
fn a_key_file_repeats_in_any_order_and_with_any_number_of_threads() {
    let (policy, rows) = people();
    let mut dice = Dice::new(8);
    for algorithm in shoal_testkit::algorithms::deterministic_for_tables() {
        let policy = policy.replace("\"sbc\"", &format!("\"{algorithm}\""));
        let project = project(&policy, &table(&rows));
        project.write_key("key");
        let (first, _) = publish(&project, &KEY_FILE);
        for threads in ["1", "2", "4"] {
            project.write("data.csv", table(&dice.shuffled(rows.clone())));
            let again = publish(&project, &[&KEY_FILE[..], &["--threads", threads]].concat());
            assert_eq!(again.0, first, "{algorithm}");
        }
    }
}

#[test]
fn a_release_is_repeated_by_its_audit() {
    let (policy, rows) = people();
    let project = project(&policy, &table(&rows));
    let (first, _) = publish(&project, &[]);
    fs::rename(project.path("report"), project.path("first")).unwrap();
    for policy in [&["policy.toml"][..], &[], &["first/audit.json"]] {
        let args = ["-o", "again.csv", "--force", "--key-of", "first"];
        let said = project.shoal(&[&["run"], policy, &args].concat()).ended_with(0);
        assert_eq!(project.read("again.csv"), first);
        assert!(said.stdout.contains("the same bytes as the release of --key-of"), "{}", said.stdout);
    }
    // Another key in the policy gives way, and other records are said to be others.
    project.write_key("key");
    let args = ["run", "policy.toml", "-o", "again.csv", "--force", "--key-of", "first/audit.json"];
    project.shoal(&[&args[..], &KEY_FILE].concat()).ended_with(0);
    assert_eq!(project.read("again.csv"), first);
    project.write("data.csv", table(&rows[1..]));
    let said = project.shoal(&args).ended_with(0);
    assert!(said.stdout.contains("other bytes than the release of --key-of"), "{}", said.stdout);
}

#[test]
fn wrong_keys_say_where_and_what_to_do() {
    let (policy, rows) = people();
    let project = project(&policy, &table(&rows));
    let args = ["run", "policy.toml", "-o", "x.csv"];
    let refused = |more: &[&str], words: &[&str]| {
        for verb in [&args[..], &["check", "policy.toml"]] {
            if verb[0] == "check" && more[0] == "--key-of" {
                continue;
            }
            let said = project.shoal(&[verb, more].concat()).ended_with(2);
            words.iter().for_each(|word| assert!(said.stderr.contains(word), "{word}: {}", said.stderr));
        }
        assert!(!project.exists("x.csv"));
    };
    let made = ["`key`", "a key is made", "64 random hexadecimal digits and mode 0600"];
    project.write_key("key");
    fs::set_permissions(project.path("key"), fs::Permissions::from_mode(0o644)).unwrap();
    refused(&KEY_FILE, &[&made[..], &["others may read it (mode 644)"]].concat());
    project.write_key("key");
    fs::write(project.path("key"), "secret\n").unwrap();
    refused(&KEY_FILE, &[&made[..], &["it does not hold 64 hexadecimal digits"]].concat());
    project.write_key("key");
    let text = project.read("key");
    fs::write(project.path("key"), format!("{text}design abc\n")).unwrap();
    refused(&KEY_FILE, &[&made[..], &["it is the key of a stream"]].concat());

    publish(&project, &[]);
    let audit = project.read("report/audit.json");
    let start = audit.find("\"release-key\"").unwrap();
    let end = start + audit[start..].find('\n').unwrap();
    project.write("old.json", format!("{}{}", &audit[..start], &audit[end..]));
    let of_old = ["old.json` holds no key", "give the audit.json of a release that this version has made"];
    refused(&["--key-of", "old.json"], &of_old);
    refused(&["--key-of", "nowhere"], &["nowhere"]);
}

/// `check` says where the key is, and a transaction has no ties: each item has one image.
#[test]
fn the_key_file_is_said_or_refused() {
    let (policy, rows) = people();
    let project = project(&policy, &table(&rows));
    let said = project.shoal(&[&["check", "policy.toml"][..], &KEY_FILE].concat()).ended_with(0);
    assert!(
        said.stdout.contains("the key of the release is in `key`: it does not exist yet"),
        "{}",
        said.stdout
    );
    assert!(!project.exists("key"));
    let (_, said) = publish(&project, &KEY_FILE);
    assert!(said.contains("key is new; keep it secret"), "{said}");
    let said = project.shoal(&[&["check", "policy.toml"][..], &KEY_FILE].concat()).ended_with(0);
    assert!(said.stdout.contains("the same records give the same bytes"), "{}", said.stdout);
    project.write("baskets", "ale bread\nale bread\n");
    let baskets = "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets\"\nformat = \"basket\"\n[privacy]\nk = 2\nm = 1\n";
    project.write("policy.toml", baskets);
    let said = project.shoal(&[&["run", "policy.toml", "-o", "y"][..], &KEY_FILE].concat()).ended_with(2);
    assert!(said.stderr.contains("algorithm.key-file"), "{}", said.stderr);
}
