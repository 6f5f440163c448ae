//! Two releases of which each keeps its promise, and what one has that the other has not.

use std::collections::BTreeMap;

use crate::support::{TestProject, csv};

const VISITS: &str = r#"version = 1
[data]
shape = "sequences"
source = "visits.csv"
id = "patient"
order = ["visit"]
[columns.patient]
role = "identifier"
[columns.visit]
role = "identifier"
kind = "integer"
[columns.place]
role = "quasi-identifier"
hierarchy = "places.csv"
[columns.illness]
role = "sensitive"
[privacy]
k = 3
c = 0.375
sensitive-values = ["HIV"]
[algorithm]
name = "cbmsa"
"#;

/// Eight people in Bonn, three of them with HIV, and six in Kiel, one with HIV. With at most 0.375 of a crowd with HIV the eight are one crowd.
fn hospital() -> (TestProject, Vec<(String, &'static str, &'static str)>) {
    let project = TestProject::new();
    project.write("places.csv", "Bonn;West;*\nKoeln;West;*\nKiel;North;*\nHusum;North;*\n");
    project.write("policy.toml", VISITS);
    let illness = |number: usize| if number < 3 { "HIV" } else { "flu" };
    let mut people: Vec<_> = (0..8).map(|number| (format!("b{number}"), "Bonn", illness(number))).collect();
    people
        .extend((0..6).map(|number| (format!("k{number}"), "Kiel", if number == 0 { "HIV" } else { "flu" })));
    write(&project, "visits.csv", &people);
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    (project, people)
}

fn write(project: &TestProject, name: &str, people: &[(String, &str, &str)]) {
    let lines = people.iter().map(|(name, place, illness)| format!("{name},1,{place},{illness}\n"));
    project.write(name, format!("patient,visit,place,illness\n{}", lines.collect::<String>()));
}

/// How many people of a place have HIV in a release, and how many there are.
fn with_hiv(project: &TestProject, file: &str) -> BTreeMap<String, (usize, usize)> {
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for row in csv(&project.read(file)).1 {
        let found = found.entry(row[1].clone()).or_default();
        *found = (found.0 + usize::from(row[2] == "HIV"), found.1 + 1);
    }
    found
}

#[test]
fn three_people_leave_a_cluster_of_eight_who_all_had_hiv() {
    let (project, people) = hospital();
    assert_eq!(with_hiv(&project, "first.csv")["Bonn"], (3, 8));
    write(&project, "visits.csv", &people[3..]);
    let ways: [&[&str]; 2] = [
        &["apply", "first.report", "visits.csv", "-o", "second.csv", "--force"],
        &["run", "policy.toml", "--previous", "first.report", "-o", "second.csv", "--force"],
    ];
    for way in ways {
        project.shoal(way).ended_with(0);
        // Whoever knows who has left subtracts one file from the other.
        let left = with_hiv(&project, "second.csv").get("Bonn").copied().unwrap_or_default();
        let gone = (3 - left.0, 8 - left.1);
        assert!(
            gone.1 == 0 || gone.1 >= 3 && gone.0 as f64 <= 0.375 * gone.1 as f64,
            "{gone:?} of those who left"
        );
    }
    // Where that is allowed, it is said.
    let allowed = ["apply", "first.report", "visits.csv", "-o", "third.csv", "--allow-absent", "--json"];
    let said = project.shoal(&allowed).ended_with(0);
    assert!(said.stdout.contains("absent-people"), "{}", said.stdout);
    assert_eq!(with_hiv(&project, "third.csv")["Bonn"], (0, 5));
}

/// Those who stay are too few with HIV or too many: a promise about all who were there says nothing of them.
#[test]
fn two_releases_cut_a_cluster_in_two_ways() {
    let (project, mut people) = hospital();
    // Newcomers with whom a run on its own would mix.
    people.extend((0..6).map(|number| (format!("n{number}"), "Bonn", "flu")));
    let people: Vec<_> =
        people.into_iter().filter(|(name, ..)| !["b3", "b4", "b5"].contains(&name.as_str())).collect();
    write(&project, "visits.csv", &people);
    project.shoal(&["run", "policy.toml", "--previous", "first.report", "-o", "second.csv"]).ended_with(0);
    // Of the five who stay three have HIV. Newcomers in the same town do not hide them from an attacker who knows who is new.
    let found = with_hiv(&project, "second.csv");
    assert_eq!(found["Bonn"].0, 0, "{found:?}");
    assert_eq!((found["Bonn"].1, found["Kiel"].1), (6, 6), "newcomers and the others are there");
}

const BASKETS: &str = r#"version = 1
[data]
shape = "transactions"
source = "items.csv"
format = "long"
id = "visit"
item = "code"
person = "patient"
[columns.patient]
role = "identifier"
[privacy]
k = 4
m = 2
"#;

/// A visit a line: who, and the items.
fn shop(k: usize, visits: &[(String, &str)]) -> TestProject {
    let project = TestProject::new();
    project.write("policy.toml", BASKETS.replace("k = 4", &format!("k = {k}")));
    write_visits(&project, visits);
    project.shoal(&["run", "policy.toml", "-o", "first.csv", "--quiet"]).ended_with(0);
    project
}

fn write_visits(project: &TestProject, visits: &[(String, &str)]) {
    let mut text = "visit,patient,code\n".to_owned();
    for (number, (who, items)) in visits.iter().enumerate() {
        items.split(' ').for_each(|item| text.push_str(&format!("{number},{who},{item}\n")));
    }
    project.write("items.csv", text);
}

/// How many published transactions have an item.
fn holding(project: &TestProject, file: &str, item: &str) -> usize {
    csv(&project.read(file)).1.iter().filter(|row| row[1] == item).count()
}

#[test]
fn somebody_leaves_and_their_line_is_the_difference() {
    let visits: Vec<(String, &str)> = (0..12)
        .map(|number| (format!("p{number}"), if number < 5 { "bread hiv" } else { "bread" }))
        .collect();
    let project = shop(4, &visits);
    assert_eq!(holding(&project, "first.csv", "hiv"), 5);
    write_visits(&project, &visits[1..]);
    let ways: [&[&str]; 2] = [
        &["apply", "first.report", "items.csv", "-o", "second.csv", "--force"],
        &["run", "policy.toml", "--previous", "first.report", "-o", "second.csv", "--force"],
    ];
    for way in ways {
        project.shoal(way).ended_with(0);
        let gone = (holding(&project, "first.csv", "bread") - holding(&project, "second.csv", "bread"))
            .max(12 - lines(&project, "second.csv"));
        let with_hiv = 5 - holding(&project, "second.csv", "hiv");
        assert!(
            gone >= 4 && (with_hiv == 0 || with_hiv >= 4),
            "{with_hiv} of {gone} lines that are gone have hiv"
        );
    }
    let allowed = ["apply", "first.report", "items.csv", "-o", "third.csv", "--allow-absent", "--json"];
    let said = project.shoal(&allowed).ended_with(0);
    assert!(said.stdout.contains("absent-people"), "{}", said.stdout);
    assert_eq!(lines(&project, "third.csv"), 11);
}

fn lines(project: &TestProject, file: &str) -> usize {
    let ids: std::collections::BTreeSet<String> =
        csv(&project.read(file)).1.iter().map(|row| row[0].clone()).collect();
    ids.len()
}

/// Two lines are gone that have the item, which is as many as k says, and they are one person's.
#[test]
fn lines_of_one_person_are_no_crowd() {
    let mut visits = vec![("p0".to_owned(), "bread hiv"), ("p0".to_owned(), "bread hiv")];
    visits
        .extend((1..9).map(|number| (format!("p{number}"), if number < 5 { "bread hiv" } else { "bread" })));
    let project = shop(2, &visits);
    assert_eq!(holding(&project, "first.csv", "hiv"), 6);
    write_visits(&project, &visits[2..]);
    project.shoal(&["apply", "first.report", "items.csv", "-o", "second.csv"]).ended_with(0);
    let gone = 6 - holding(&project, "second.csv", "hiv");
    assert!(gone > 2, "{gone} lines with hiv are gone, all of them one person's");
}

/// Verifies and attacks releases from which people were left out.
#[test]
fn a_release_with_people_left_out_is_true_of_all_data() {
    let visits: Vec<(String, &str)> = (0..12)
        .map(|number| (format!("p{number}"), if number < 5 { "bread hiv" } else { "bread" }))
        .collect();
    let project = shop(4, &visits);
    write_visits(&project, &visits[1..]);
    project.shoal(&["apply", "first.report", "items.csv", "-o", "second.csv"]).ended_with(0);
    project.second_release_holds("items.csv");
    // Lines that are lost from a release on its own are still noticed.
    let first = project.read("first.csv");
    let cut: Vec<&str> = first.lines().filter(|line| !line.starts_with("12,")).collect();
    project.write("cut.csv", cut.join("\n") + "\n");
    write_visits(&project, &visits);
    let verify = ["verify", "cut.csv", "--policy", "policy.toml", "--original", "items.csv"];
    project.shoal(&verify).ended_with(1);
}
