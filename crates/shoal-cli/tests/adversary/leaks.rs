//! A promise that holds and a secret that is out: every young person has the same illness. What is printed must say so.

use crate::support::{CommandOutput, Dice, TestProject, csv};

const POLICY: &str = r#"version = 1
[data]
shape = "table"
source = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.illness]
role = "sensitive"
[columns.file-number]
role = "insensitive"
[columns.note]
role = "insensitive"
[privacy]
k = 10
[output]
path = "out.csv"
"#;

/// A hundred people: whoever is under thirty has HIV. File numbers are unique, notes name people.
fn ward() -> TestProject {
    let project = TestProject::new();
    let mut dice = Dice::new(3);
    let mut text = "name,age,illness,file-number,note\n".to_owned();
    for number in 0..100 {
        let young = number % 2 == 0;
        let age = if young { 20 + dice.below(10) } else { 50 + dice.below(30) };
        let illness = if young { "HIV" } else { ["flu", "cold", "cough", "asthma"][dice.below(4)] };
        // `hiv` and `HIV ` are the same illness to whoever reads them.
        let illness = if young && number % 4 == 0 { "hiv" } else { illness };
        text.push_str(&format!(
            "person{number},{age},{illness},F{number},brought in by person{} after lunch on day {number}\n",
            (number + 1) % 100
        ));
    }
    project.write("people.csv", text);
    project.write("policy.toml", POLICY);
    project
}

fn leaks(said: &CommandOutput) -> Vec<(String, String)> {
    let document: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let text = |leak: &serde_json::Value, key: &str| leak[key].as_str().unwrap_or_default().to_owned();
    document["leaks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|leak| (text(leak, "kind"), text(leak, "column")))
        .collect()
}

fn has(leaks: &[(String, String)], kind: &str, column: &str) -> bool {
    leaks.iter().any(|leak| (leak.0.as_str(), leak.1.as_str()) == (kind, column))
}

#[test]
fn a_crowd_that_shares_its_secret_is_said_below_the_promise() {
    let project = ward();
    let said = project.shoal(&["run", "policy.toml"]).ended_with(0);
    let lines: Vec<&str> = said.stdout.lines().collect();
    let promise = lines.iter().position(|line| line.starts_with("k-anonymity")).unwrap();
    assert!(lines[promise].contains("holds"), "{}", said.stdout);
    assert!(lines[promise + 1].starts_with("but"), "{}", said.stdout);
    assert!(lines[promise + 1].contains("everybody has the same `illness`"), "{}", said.stdout);
    assert!(said.stdout.contains("50 records"), "{}", said.stdout);
    let verified = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    assert!(verified.stdout.contains("everybody has the same `illness`"), "{}", verified.stdout);
}

#[test]
fn everything_is_in_the_report_in_verify_and_as_far_as_known_in_check() {
    let project = ward();
    let ran = leaks(&project.shoal(&["run", "policy.toml", "--json"]).ended_with(0));
    let verified =
        leaks(&project.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--json"]).ended_with(0));
    for leaks in [&ran, &verified] {
        assert!(has(leaks, "one-value-classes", "illness"), "{leaks:?}");
        assert!(has(leaks, "best-guess", "illness"), "{leaks:?}");
        assert!(has(leaks, "unique-values", "file-number"), "{leaks:?}");
        assert!(has(leaks, "free-text", "note"), "{leaks:?}");
    }
    let planned = leaks(&project.shoal(&["check", "policy.toml", "--json"]).ended_with(0));
    assert!(has(&planned, "no-condition", "illness"), "{planned:?}");
    assert!(has(&planned, "unique-values", "file-number"), "{planned:?}");
    assert!(has(&planned, "free-text", "note"), "{planned:?}");
    // What the order of rows gives away is reported before and after the run.
    for verb in ["check", "run"] {
        let mut args = vec![verb, "policy.toml", "--json", "--set", "output.keep-order=true"];
        if verb == "run" {
            args.push("--force");
        }
        assert!(has(&leaks(&project.shoal(&args).ended_with(0)), "kept-order", ""), "{verb}");
    }
}

#[test]
fn a_condition_that_is_kept_takes_the_worst_away() {
    let project = ward();
    // Three, since `HIV` and `hiv` would do for two where spelling counts.
    let l = "privacy.l-diversity={ kind = \"distinct\", l = 3 }";
    let kept = leaks(&project.shoal(&["run", "policy.toml", "--json", "--set", l]).ended_with(0));
    assert!(!has(&kept, "one-value-classes", "illness"), "{kept:?}");
    assert!(has(&kept, "best-guess", "illness"), "{kept:?}");
    let planned = leaks(&project.shoal(&["check", "policy.toml", "--json", "--set", l]).ended_with(0));
    assert!(!has(&planned, "no-condition", "illness"), "{planned:?}");
}

#[test]
fn crowds_of_sequences_and_rare_transactions_are_said_too() {
    let project = TestProject::new();
    let mut text = "patient,day,zip,illness\n".to_owned();
    for patient in 0..20 {
        let illness = if patient < 10 { "HIV" } else { "flu" };
        text.push_str(&format!("p{patient},1,{},{illness}\n", if patient < 10 { "a" } else { "b" }));
    }
    project.write("visits.csv", text);
    project.write(
        "visits.toml",
        "version = 1\n[data]\nshape = \"sequences\"\nsource = \"visits.csv\"\nid = \"patient\"\norder = [\"day\"]\n\
         [columns.patient]\nrole = \"identifier\"\n[columns.day]\nrole = \"identifier\"\nkind = \"integer\"\n\
         [columns.zip]\nrole = \"quasi-identifier\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = 5\nc = 1.0\nsensitive-values = [\"HIV\"]\n[output]\npath = \"visits.out.csv\"\n",
    );
    let found = leaks(&project.shoal(&["run", "visits.toml", "--json"]).ended_with(0));
    assert!(has(&found, "one-value-classes", "illness"), "{found:?}");

    let mut baskets = "rare bread\n".to_owned();
    (0..10).for_each(|n| baskets.push_str(if n % 2 == 0 { "bread milk\n" } else { "milk beer\n" }));
    project.write("baskets.dat", baskets);
    project.write("secret.txt", "beer\n");
    project.write(
        "baskets.toml",
        "version = 1\n[data]\nshape = \"transactions\"\nsource = \"baskets.dat\"\n\
         [privacy]\nk = 3\nconstraints = \"secret.txt\"\n[output]\npath = \"baskets.out.dat\"\n",
    );
    let found = leaks(&project.shoal(&["run", "baskets.toml", "--json"]).ended_with(0));
    assert!(has(&found, "rare-items", "") && has(&found, "unique-transactions", ""), "{found:?}");
}

const VILLAGES: &str = r#"version = 1
[data]
shape = "table"
source = "people.csv"
[columns.name]
role = "identifier"
[columns.village]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[privacy]
k = 5
l-diversity = { kind = "distinct", l = 2 }
[algorithm]
name = "incognito"
max-suppressed = 0.1
[output]
path = "out.csv"
"#;

/// Three villages; in the smallest one, which is large enough for k, everybody has the same illness.
fn villages(smallest: &[&str]) -> TestProject {
    let project = TestProject::new();
    let mut dice = Dice::new(5);
    let mut text = "name,village,illness\n".to_owned();
    for number in 0..100 {
        let illness = ["flu", "cold", "cough"][dice.below(3)];
        text.push_str(&format!(
            "person{number},{},{illness}\n",
            if number % 2 == 0 { "Ahorn" } else { "Birke" }
        ));
    }
    for number in 0..6 {
        text.push_str(&format!("villager{number},Ceder,{}\n", smallest[number % smallest.len()]));
    }
    project.write("people.csv", text);
    project.write("policy.toml", VILLAGES);
    project
}

/// The neighbour knows that somebody from the smallest village was asked, and that six people from there were: enough for
/// a crowd of five. The village is not in the file, so it was left out for its values: all had the same.
#[test]
fn whoever_is_missing_for_their_values_is_said() {
    let project = villages(&["HIV"]);
    let said = project.shoal(&["run", "policy.toml", "--json"]).ended_with(0);
    let (_, rows) = csv(&project.read("out.csv"));
    assert_eq!(rows.len(), 100);
    assert!(rows.iter().all(|row| row[0] != "Ceder" && row[0] != "*" && row[1] != "HIV"), "{rows:?}");
    let original = ["verify", "out.csv", "--policy", "policy.toml", "--original", "people.csv", "--json"];
    for said in [said, project.shoal(&original).ended_with(0)] {
        let document: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        let leak = document["leaks"].as_array().unwrap().iter().find(|leak| leak["kind"] == "left-out");
        let leak = leak.unwrap_or_else(|| panic!("{}", said.stdout));
        assert_eq!(leak["count"], 6);
        assert!(leak["text"].as_str().unwrap().contains("depend on their sensitive values"), "{leak}");
    }
    // Nobody is missing where the village is mixed.
    let mixed = villages(&["HIV", "flu"]);
    let found = leaks(&mixed.shoal(&["run", "policy.toml", "--json"]).ended_with(0));
    assert!(!has(&found, "left-out", ""), "{found:?}");
}

/// The same for sequences: the limit is kept by leaving out people who have the illness and nobody else.
#[test]
fn people_who_are_missing_from_sequences_are_said() {
    let project = TestProject::new();
    let mut text = "patient,day,zip,illness\n".to_owned();
    for patient in 0..60 {
        let illness = if patient % 3 == 0 && patient < 18 { "HIV" } else { ["flu", "cold"][patient % 2] };
        text.push_str(&format!("p{patient},1,{},{illness}\n", ["a", "b", "c"][patient % 3]));
    }
    project.write("visits.csv", text);
    project.write("zips.csv", "a;west;*\nb;west;*\nc;east;*\n");
    project.write(
        "visits.toml",
        "version = 1\n[data]\nshape = \"sequences\"\nsource = \"visits.csv\"\nid = \"patient\"\norder = [\"day\"]\n\
         [columns.patient]\nrole = \"identifier\"\n[columns.day]\nrole = \"identifier\"\nkind = \"integer\"\n\
         [columns.zip]\nrole = \"quasi-identifier\"\nhierarchy = \"zips.csv\"\n[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = 5\nlength = 1\nc = 0.15\nsensitive-values = [\"HIV\"]\n[output]\npath = \"out.csv\"\n",
    );
    // A fixed key: who is put together, and so left out, is dealt by it.
    project.write_key("key");
    let args = ["run", "visits.toml", "--json", "--set", "algorithm.key-file=key"];
    let said = project.shoal(&args).ended_with(0);
    let (_, rows) = csv(&project.read("out.csv"));
    let published = rows.iter().filter(|row| row.contains(&"HIV".to_owned())).count();
    let document: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let leak = document["leaks"].as_array().unwrap().iter().find(|leak| leak["kind"] == "left-out");
    let missing = leak.unwrap_or_else(|| panic!("{}", said.stdout))["count"].as_u64().unwrap() as usize;
    assert_eq!(missing, 60 - rows.len());
    // Six of sixty have it; who is known to be missing has it for certain.
    assert!(
        missing > 0 && 6 - published == missing,
        "{published} of 6 are published, {missing} people are missing"
    );
}

/// A column that is published as `*` only says nothing about its range; neither may the report that goes out with it. The width
/// of what is published was once in it, and the width of `*` is the distance of the youngest and the oldest.
#[test]
fn the_range_of_a_hidden_column_is_not_in_the_report() {
    let project = TestProject::new();
    let ages = [21, 25, 33, 48, 59, 60, 71, 98];
    let rows: String = ages.iter().map(|age| format!("{age},{}\n", age % 2)).collect();
    project.write("people.csv", format!("age,sex\n{rows}"));
    project.write("ages.csv", ages.map(|age| format!("{age};*\n")).concat());
    let policy = "version = 1\n[data]\nshape = \"table\"\nsource = \"people.csv\"\n[columns.age]\nrole = \"quasi-identifier\"\n\
                  kind = \"integer\"\nhierarchy = \"ages.csv\"\n[columns.sex]\nrole = \"quasi-identifier\"\n[privacy]\nk = 3\n";
    project.write("policy.toml", policy);
    let run = ["run", "policy.toml", "-o", "out.csv", "--report", "r", "--allow-total-loss", "--json"];
    let said = project.shoal(&run).ended_with(0);
    assert!(project.read("out.csv").lines().skip(1).all(|line| line.starts_with("*,")), "the age is hidden");
    for text in [project.read("r/report.json"), said.stdout] {
        // Times and memory may hold any digits.
        let loss = text.split("\"loss\"").nth(1).and_then(|rest| rest.split("\"risk\"").next()).unwrap();
        assert!(!loss.contains("width") && !loss.contains("77"), "98 − 21 is in: {loss}");
    }
}
