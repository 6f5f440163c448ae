//! The dry run of a table: what identifies people, and what crowds would cost.

use serde_json::json;

use crate::project::{PEOPLE, TestProject};

#[test]
fn columns_pairs_and_triples_say_how_many_are_unique() {
    let project = TestProject::with_people();
    let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
    let unique = |at: usize| plan["columns"][at]["unique"].clone();
    // Identifiers are not read; of twelve people no two have the same age, and everybody shares the rest.
    assert_eq!([0, 1, 2, 3, 4].map(unique), [json!(null), json!(12), json!(0), json!(0), json!(0)]);
    let found = &plan["identifying"];
    assert_eq!(
        (&found["unit"], &found["units"], &found["sample"]),
        (&json!("records"), &json!(12), &json!(12))
    );
    assert_eq!(found["pairs"][0], json!({ "columns": ["age", "sex"], "unique": 12, "share": 1.0 }));
    // Jim and Bob, Gus and Hal, Eva and Fay, Dot and Kay are alike.
    assert_eq!(found["pairs"][2]["columns"], json!(["sex", "zip"]));
    assert_eq!(found["pairs"][2]["unique"], 4);
    assert_eq!(found["triples"].as_array().unwrap().len(), 1);
    assert_eq!(found["all"]["unique"], 12);
}

#[test]
fn people_are_counted_where_the_policy_names_them() {
    let project = TestProject::with_people();
    // Ann and Bob are one person, and so are Gus and Hal.
    let people = PEOPLE.replace("Bob", "Ann").replace("Hal", "Gus");
    project.write("people.csv", people);
    project.edit_policy("source =", "person = \"name\"\nsource =");
    let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
    let found = &plan["identifying"];
    assert_eq!(
        (&found["unit"], &found["units"], &found["records"]),
        (&json!("people"), &json!(10), &json!(12))
    );
    assert_eq!(plan["columns"][1]["unique"], 10);
    // Gus is the only man of his zip, with two records; Ann is the only woman of hers.
    let pair =
        found["pairs"].as_array().unwrap().iter().find(|pair| pair["columns"] == json!(["sex", "zip"]));
    assert_eq!(pair.unwrap()["unique"], 5);
}

#[test]
fn the_loss_of_a_small_table_is_what_mondrian_loses() {
    let project = TestProject::with_people();
    let plan = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).json();
    let estimate = &plan["estimate"];
    assert_eq!((&estimate["sample"], &estimate["records"]), (&json!(12), &json!(12)));
    let losses = estimate["losses"].as_array().unwrap();
    let crowds: Vec<_> = losses.iter().map(|loss| (loss["k"].clone(), loss["asked"].clone())).collect();
    let expected = [(2, false), (3, true), (5, false), (10, false), (20, false)];
    assert_eq!(crowds, expected.map(|(k, asked)| (json!(k), json!(asked))));
    for loss in losses {
        if loss["k"] == 20 {
            assert_eq!((&loss["feasible"], &loss["ncp"]), (&json!(false), &json!(null)));
            continue;
        }
        let k = format!("privacy.k={}", loss["k"]);
        let args = [
            "run",
            "policy.toml",
            "--json",
            "--force",
            "--allow-total-loss",
            "--set",
            &k,
            "--set",
            "algorithm.name=mondrian",
        ];
        let lost = project.shoal(&args).ended_with(0).json()["loss"]["ncp"].as_f64().unwrap();
        let estimated = loss["ncp"].as_f64().unwrap();
        // Reports have four digits.
        assert!((lost - estimated).abs() < 1e-3 * lost, "{k}: {estimated}, and {lost} was lost");
    }
}

#[test]
fn nothing_that_is_printed_names_a_value_or_depends_on_the_order_of_the_input() {
    let project = TestProject::with_people();
    let said = project.shoal(&["check", "policy.toml"]).ended_with(0).stdout;
    let json = project.shoal(&["check", "policy.toml", "--json"]).ended_with(0).stdout;
    // Ages are left out: they look like counts.
    let cells = PEOPLE.lines().skip(1).flat_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        [cells[0], cells[3], cells[4]]
    });
    for cell in cells {
        assert!(!said.contains(cell) && !json.contains(cell), "{cell}");
    }
    let mut lines: Vec<&str> = PEOPLE.lines().collect();
    lines[1..].reverse();
    project.write("people.csv", lines.join("\n"));
    assert_eq!(project.shoal(&["check", "policy.toml"]).ended_with(0).stdout, said);
}
