//! `shoal verify`, `measure` and `check`: answers about files.

use crate::workshop::{PEOPLE, Workshop};

fn released() -> Workshop {
    let shop = Workshop::with_people();
    shop.shoal(&["run", "policy.toml"]).ended_with(0);
    shop
}

#[test]
fn a_tampered_release_breaks_its_promise() {
    let shop = released();
    let text = shop.read("out.csv");
    let line = text.lines().nth(4).unwrap();
    let (age, rest) = line.split_once("\",").unwrap();
    assert!(age.starts_with("\"["), "{line}");
    shop.write("out.csv", text.replacen(line, &format!("\"[1, 99]\",{rest}"), 1));
    let said = shop.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(1);
    insta::assert_snapshot!("tampered", said.stdout);
    let json = shop.shoal(&["verify", "out.csv", "--policy", "policy.toml", "--json"]).ended_with(1).json();
    assert_eq!(json["promises"][0]["holds"], false);
    let worst = &json["broken"][0]["violations"]["worst"][0];
    assert_eq!(worst["rows"], serde_json::json!([4]));
    assert_eq!(worst["cells"][0], serde_json::json!({"column": "age", "text": "[1, 99]"}));
}

#[test]
fn a_file_with_an_identifier_is_refused() {
    let shop = released();
    let with_names: String = shop
        .read("out.csv")
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{},{line}\n", if at == 0 { "name" } else { "somebody" }))
        .collect();
    shop.write("named.csv", with_names);
    let said = shop.shoal(&["verify", "named.csv", "--policy", "policy.toml"]).ended_with(1);
    assert!(said.stdout.contains("`name` must not be published"), "{}", said.stdout);
}

#[test]
fn a_file_that_is_not_ours_is_verified_as_well() {
    let shop = Workshop::with_people();
    shop.write("foreign.csv", "zip,sex,age\n5*,p,young\n5*,p,young\n5*,p,young\n");
    shop.shoal(&["verify", "foreign.csv", "--policy", "policy.toml"]).ended_with(0);
    shop.shoal(&["verify", "foreign.csv", "--policy", "policy.toml", "--set", "privacy.k=4"]).ended_with(1);
}

#[test]
fn what_cannot_be_verified_is_a_wrong_request() {
    let shop = released();
    shop.write("half.csv", "age,sex\n1,f\n1,f\n1,f\n");
    let said = shop.shoal(&["verify", "half.csv", "--policy", "policy.toml"]).ended_with(2);
    insta::assert_snapshot!("verify_lacking_column", said.error());
    shop.shoal(&["verify", "nothing.csv", "--policy", "policy.toml"]).ended_with(2);
    shop.shoal(&["verify", "out.csv", "--policy", "nothing.toml"]).ended_with(2);
    shop.shoal(&["verify", "out.csv"]).ended_with(2);
}

#[test]
fn measure_prints_losses_and_risks() {
    let shop = released();
    let said = shop.shoal(&["measure", "people.csv", "out.csv", "--policy", "policy.toml"]).ended_with(0);
    insta::assert_snapshot!("measure", said.stdout);
    let args = ["measure", "people.csv", "out.csv", "--policy", "policy.toml", "--json"];
    let json = shop.shoal(&args).ended_with(0).json();
    let audit = shop.json("out.report/audit.json");
    assert_eq!(json["loss"], audit["loss"]);
    assert_eq!(json["risk"], audit["risk"]);
    shop.shoal(&["measure", "people.csv", "nothing.csv", "--policy", "policy.toml"]).ended_with(2);
}

#[test]
fn check_prints_the_plan_and_writes_nothing() {
    let shop = Workshop::with_people();
    shop.write("people.csv", PEOPLE.replace("Cid,41,m", "Cid,?,m"));
    shop.edit_policy("kind = \"integer\"", "kind = \"integer\"\nmissing = \"suppress\"");
    let before = shop.everything();
    let args = ["check", "policy.toml", "--set", "algorithm.name=datafly"];
    let said = shop.shoal(&args).ended_with(0);
    insta::assert_snapshot!("check", said.stdout);
    let plan = shop.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
    assert_eq!(plan["feasible"], true);
    assert_eq!(plan["incomplete"], 1);
    assert_eq!(shop.everything(), before);
}
