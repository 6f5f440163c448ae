//! Items that are secrets: all who bought bread and milk have HIV, and a role that says so must not be ignored.

use crate::support::TestProject;

const BASKETS: &str = r#"version = 1
[data]
shape = "transactions"
source = "baskets.txt"
[privacy]
k = 2
m = 2
sensitive-items = ["HIV"]
[output]
path = "out.txt"
"#;

const LONG: &str = r#"version = 1
[data]
shape = "transactions"
source = "rows.csv"
format = "long"
id = "who"
item = "item"
[privacy]
k = 2
m = 2
[output]
path = "out.csv"
"#;

fn project() -> TestProject {
    let project = TestProject::new();
    let baskets = ["bread milk hiv"; 4].into_iter().chain(["bread beer"; 4]).chain(["milk beer"; 4]);
    let baskets: Vec<&str> = baskets.collect();
    project.write("baskets.txt", baskets.join("\n") + "\n");
    let rows = (0..).zip(&baskets).flat_map(|(who, items)| {
        items.split(' ').map(move |item| format!("{who},{item}\n")).collect::<Vec<_>>()
    });
    project.write("rows.csv", format!("who,item\n{}", rows.collect::<String>()));
    project.write("baskets.toml", BASKETS);
    project.write("long.toml", LONG);
    project
}

#[test]
fn who_bought_bread_and_milk_has_it_and_the_release_says_so() {
    let project = project();
    // What the attacker does: two known items, and everybody who fits has the third.
    let printed = project.shoal(&["run", "baskets.toml", "--json"]).ended_with(0).stdout;
    let published = project.read("out.txt");
    let fits = published.lines().filter(|line| line.contains("bread") && line.contains("milk"));
    assert!(fits.clone().count() >= 2 && fits.clone().all(|line| line.contains("hiv")), "{published}");

    let document: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let leaks = document["leaks"].as_array().unwrap();
    let said = leaks.iter().find(|leak| leak["kind"] == "sensitive-items").expect("a leak");
    assert_eq!(said["count"], 4, "{said}");
    let text = said["text"].as_str().unwrap();
    assert!(
        text.contains("right for 100 %") && text.contains("33 % of all") && !text.contains("hiv"),
        "{text}"
    );
    // Whoever gets the file alone finds it, too.
    let said = project.shoal(&["verify", "out.txt", "--policy", "baskets.toml"]).ended_with(0);
    assert!(said.stdout.contains("sensitive-items"), "{}", said.stdout);
    assert!(project.read("out.report/report.html").contains("an item that is a secret can be guessed"));
}

#[test]
fn a_role_that_has_no_effect_is_refused_and_the_hint_names_the_key() {
    let project = project();
    for (policy, set) in [
        ("baskets.toml", "columns.hiv.role=sensitive"),
        ("long.toml", "columns.hiv.role=sensitive"),
        ("long.toml", "columns.item.role=sensitive"),
        ("long.toml", "columns.item.role=insensitive"),
    ] {
        for verb in ["run", "check"] {
            let said = project.shoal(&[verb, policy, "--set", set]).ended_with(2);
            assert!(said.stderr.contains("sensitive-items"), "{set}: {}", said.stderr);
        }
    }
    // A misspelt secret would never be spoken of.
    let said =
        project.shoal(&["run", "baskets.toml", "--set", "privacy.sensitive-items=[\"hvi\"]"]).ended_with(2);
    assert!(said.stderr.contains("is not an item of the data"), "{}", said.stderr);
    // For other shapes the key means nothing.
    let said = project.shoal(&["check", "baskets.toml", "--set", "data.shape=table"]).ended_with(2);
    assert!(said.stderr.contains("means nothing for data of shape `table`"), "{}", said.stderr);
}
