//! Whoever knows a few values of a person's events looks for everybody who may be that person.
//!
//! The papers counted only people whose published values lie at or below what is known. A person published as `*` was in
//! nobody's crowd, and could be picked out by any value that no other cell names.

use std::collections::BTreeSet;

use crate::support::{Dice, TestProject, csv};

const PLACES: &str = "Bonn;West;*\nKöln;West;*\nKiel;North;*\nHusum;North;*\n";
const YEARS: &str = "2019;old;*\n2020;old;*\n2021;new;*\n2022;new;*\n";

fn policy(algorithm: &str, promise: &str) -> String {
    format!(
        r#"version = 1
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
[columns.year]
role = "quasi-identifier"
kind = "integer"
hierarchy = "years.csv"
[columns.illness]
role = "sensitive"
[privacy]
sensitive-values = ["HIV"]
{promise}
[algorithm]
name = "{algorithm}"
"#
    )
}

fn project(algorithm: &str, promise: &str) -> TestProject {
    let project = TestProject::new();
    project.write("places.csv", PLACES);
    project.write("years.csv", YEARS);
    project.write("policy.toml", policy(algorithm, promise));
    project
}

/// Patients with one to three visits; some values are rare.
fn visits(seed: u64, patients: usize) -> String {
    let mut dice = Dice::new(seed);
    let mut text = "patient,visit,place,year,illness\n".to_owned();
    for patient in 0..patients {
        for visit in 0..=dice.below(3) {
            let place = ["Bonn", "Bonn", "Bonn", "Köln", "Köln", "Kiel", "Kiel", "Husum"][dice.below(8)];
            let year = ["2019", "2020", "2020", "2021", "2021", "2022"][dice.below(6)];
            let illness = if dice.below(7) == 0 { "HIV" } else { "flu" };
            text.push_str(&format!("P{patient},{visit},{place},{year},{illness}\n"));
        }
    }
    text
}

/// A published person: place and year of each event, and whether HIV is among the illnesses.
#[derive(Debug)]
struct Person {
    events: Vec<[String; 2]>,
    has_it: bool,
}

fn people(published: &str) -> Vec<Person> {
    let (header, rows) = csv(published);
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (id, place, year, illness) = (at("patient"), at("place"), at("year"), at("illness"));
    let mut people: Vec<(String, Person)> = Vec::new();
    for row in rows {
        if people.last().is_none_or(|(last, _)| *last != row[id]) {
            people.push((row[id].clone(), Person { events: Vec::new(), has_it: false }));
        }
        let (_, person) = people.last_mut().unwrap();
        person.events.push([row[place].clone(), row[year].clone()]);
        person.has_it |= row[illness] == "HIV";
    }
    people.into_iter().map(|(_, person)| person).collect()
}

/// What is known of one event: a place, a year, or both.
type Known = [Option<String>; 2];

/// Every node of a tree but the top, a value outside it, and nothing.
fn knowable(tree: &str) -> Vec<Option<String>> {
    let nodes: BTreeSet<&str> =
        tree.split(['\n', ';']).filter(|node| !node.is_empty() && *node != "*").collect();
    let nodes = nodes.into_iter().chain(["elsewhere"]).map(|node| Some(node.to_owned()));
    nodes.chain([None]).collect()
}

fn events() -> Vec<Known> {
    let years = knowable(YEARS);
    let places = knowable(PLACES).into_iter();
    let all = places
        .flat_map(|place| years.iter().map(move |year| [place.clone(), year.clone()]).collect::<Vec<_>>());
    all.filter(|event| items(event) > 0).collect()
}

fn items(event: &Known) -> usize {
    event.iter().flatten().count()
}

/// Whether a cell lies at, below or above what is known.
fn may_be(tree: &str, cell: &str, known: &str) -> bool {
    let is_above = |above: &str, below: &str| {
        let mut lines = tree.lines().map(|line| line.split(';').collect::<Vec<_>>());
        lines.any(|line| {
            let at = |node: &str| line.iter().position(|other| *other == node);
            matches!((at(above), at(below)), (Some(above), Some(below)) if above >= below)
        })
    };
    cell == "*" || cell == known || is_above(cell, known) || is_above(known, cell)
}

fn fits(person: &[[String; 2]], known: &[Known]) -> bool {
    let Some((first, rest)) = known.split_first() else { return true };
    (0..person.len()).any(|at| {
        let cell = |(tree, (cell, known)): (&str, (&String, &Option<String>))| {
            known.as_ref().is_none_or(|known| may_be(tree, cell, known))
        };
        [PLACES, YEARS].into_iter().zip(person[at].iter().zip(first)).all(cell)
            && fits(&person[at + 1..], rest)
    })
}

/// Something known of up to `length` values whose crowd is smaller than k, or in which HIV is too frequent.
fn attack(people: &[Person], k: usize, length: usize, allowed: f64) -> Option<(Vec<Known>, usize)> {
    let everybody: Vec<usize> = (0..people.len()).collect();
    extend(people, &everybody, &events(), &mut Vec::new(), (k, length, allowed))
}

fn extend(
    people: &[Person],
    among: &[usize],
    events: &[Known],
    known: &mut Vec<Known>,
    promise: (usize, usize, f64),
) -> Option<(Vec<Known>, usize)> {
    let (k, left, allowed) = promise;
    for event in events.iter().filter(|event| items(event) <= left) {
        known.push(event.clone());
        let crowd: Vec<usize> =
            among.iter().copied().filter(|&person| fits(&people[person].events, known)).collect();
        if !crowd.is_empty() {
            let having = crowd.iter().filter(|&&person| people[person].has_it).count();
            if crowd.len() < k || having as f64 / crowd.len() as f64 > allowed + 1e-9 {
                return Some((known.clone(), crowd.len()));
            }
            let found = extend(people, &crowd, events, known, (k, left - items(event), allowed));
            if found.is_some() {
                return found;
            }
        }
        known.pop();
    }
    None
}

#[test]
fn nobody_is_found_by_up_to_three_values_however_they_are_known() {
    for algorithm in ["fcla", "fcla-base1", "halt"] {
        for (seed, promise) in [
            (1, "k = 4\nlength = 3\nc = 0.4"),
            (2, "k = 3\nlength = 2\nbeta = 1.0"),
            (3, "k = 5\nlength = 1\nc = 0.3"),
        ] {
            let project = project(algorithm, promise);
            project.write("visits.csv", visits(seed, 60));
            // Of sixty people halt leaves nothing but `*`, which must hide them as well.
            project.shoal(&["run", "policy.toml", "-o", "out.csv", "--allow-total-loss"]).ended_with(0);
            let people = people(&project.read("out.csv"));
            let p = people.iter().filter(|person| person.has_it).count() as f64 / people.len() as f64;
            let (k, length, allowed) = match seed {
                1 => (4, 3, 0.4),
                2 => (3, 2, if p > 0.0 { (1.0 + f64::min(1.0, -p.ln())) * p } else { 0.0 }),
                _ => (5, 1, 0.3),
            };
            assert!(people.len() > 30, "{algorithm}: {} of 60 are published", people.len());
            assert_eq!(attack(&people, k, length, allowed), None, "{algorithm} {promise}");
        }
    }
}

#[test]
fn the_papers_count_is_broken_by_the_same_attack_and_says_so() {
    let project = project("fcla", "k = 4\nlength = 2\nc = 0.4\nsupport = \"paper\"");
    project.write("visits.csv", visits(4, 60));
    let said = project.shoal(&["run", "policy.toml", "-o", "out.csv", "--report", "report"]).ended_with(0);
    let (k, length, allowed) = (4, 2, 0.4);
    assert!(
        attack(&people(&project.read("out.csv")), k, length, allowed).is_some(),
        "the attack does not bite"
    );
    assert!(said.stdout.contains("paper") || said.stderr.contains("paper"), "{}{}", said.stdout, said.stderr);
    assert!(project.read("report/report.json").contains("paper-support"));
    let plan = project.shoal(&["check", "policy.toml"]).ended_with(0);
    assert!(plan.stdout.contains("at or below"), "{}", plan.stdout);
}

#[test]
fn one_star_among_twenty_is_no_crowd() {
    let mut published = "patient,place,year,illness\n".to_owned();
    for person in 1..=20 {
        published.push_str(&format!("{person},Bonn,2019,flu\n"));
    }
    published.push_str("21,*,2019,HIV\n");
    for (support, code) in [("", 1), ("support = \"compatible\"", 1), ("support = \"paper\"", 0)] {
        let project = project("fcla", &format!("k = 2\nlength = 1\nc = 0.5\n{support}"));
        project.write("out.csv", &published);
        let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]).ended_with(code);
        assert!(code == 0 || said.stdout.contains("crowds of 1 person"), "{}", said.stdout);
    }
}

#[test]
fn real_names_are_no_pseudonyms() {
    for (ids, is_good) in [
        (["1", "1", "2", "3"], true),
        (["Ann", "Ann", "Bea", "Cem"], false),
        (["2", "2", "1", "3"], false),
        (["1", "2", "1", "3"], false),
        (["1", "1", "2", "4"], false),
        (["1", "1", "02", "3"], false),
    ] {
        let project = project("fcla", "k = 2\nlength = 1\nc = 1.0");
        let rows = ids.map(|id| format!("{id},Bonn,2019,flu\n")).concat();
        project.write("out.csv", format!("patient,place,year,illness\n{rows}"));
        let said = project.shoal(&["verify", "out.csv", "--policy", "policy.toml"]);
        let words = format!("{}{}", said.stdout, said.stderr);
        assert_eq!(said.code == 0, is_good, "{ids:?}: {words}");
        assert!(is_good || words.contains("1 to n"), "{ids:?}: {words}");
    }
}
