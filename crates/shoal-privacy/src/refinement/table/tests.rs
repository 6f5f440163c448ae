use shoal_core::{Condition, DateFormat, Kind, MissingTexts, Rule, ValueParser};

use super::*;
use crate::table::{SensitiveColumn, model};
use crate::{KAnonymity, PersonalK};

pub(super) fn missing() -> MissingTexts {
    MissingTexts::new(&["?"])
}

pub(super) fn models(k: u32, rule: Option<Rule>) -> Vec<Box<dyn TableModel>> {
    let mut models: Vec<Box<dyn TableModel>> = vec![Box::new(KAnonymity::new(k).unwrap())];
    models.extend(rule.map(|rule| {
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let ground = SensitiveColumn { parser, missing: missing(), hierarchy: None };
        model(&Condition { column: "illness".to_owned(), rule }, ground).unwrap()
    }));
    models
}

/// A release of rows `class illness`, and whose they are.
pub(super) fn file(rows: &[(&str, u32)]) -> (RawTable, Vec<u32>) {
    let texts: Vec<Vec<&str>> = rows.iter().map(|(row, _)| row.split(' ').collect()).collect();
    (RawTable::from_rows(&["q", "illness"], &texts), rows.iter().map(|row| row.1).collect())
}

/// The releases that break together, with how many people, for k = 2 and two different illnesses.
fn broken(releases: &[(RawTable, Vec<u32>)], people: usize) -> Vec<(usize, String, Vec<u32>)> {
    let (models, missing) = (models(2, Some(Rule::Distinct { l: 2 })), missing());
    let mut seen = Vec::new();
    for (file, person_of) in releases {
        seen.push(Seen::new(file, &["q"], &missing, person_of.clone(), &models, None).unwrap());
    }
    let releases = seen;
    let found = judge(&releases, &cells_of(&releases, people), |_| true).unwrap();
    assert!(found.iter().all(|broken| !broken.promise.finding.holds));
    found
        .into_iter()
        .map(|broken| (broken.release, broken.promise.finding.promise.name(), broken.people))
        .collect()
}

#[test]
fn cells_by_hand() {
    let (first, second) = ([0, 0, 1, 1, 1], [5, 5, 5, 7]);
    // Person 0 has two rows in the first release and one in the second; person 4 is in neither.
    let releases = [
        Places { class_of: &first, person_of: &[0, 1, 0, 2, 3] },
        Places { class_of: &second, person_of: &[0, 2, 3, 1] },
    ];
    let cells = cells(&releases, 5);
    assert_eq!(cells[2], cells[3]);
    for (one, two) in [(0, 1), (0, 2), (1, 2), (4, 0), (4, 1), (4, 2)] {
        assert_ne!(cells[one], cells[two], "{one} {two}");
    }
}

#[test]
fn leavers_and_newcomers_are_cells() {
    let first = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
    let same = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
    assert!(broken(&[first.clone(), same], 4).is_empty());
    // Two have left who have two illnesses: they are a cell, and so are those who stay.
    let two_left = file(&[("b flu", 0), ("b gout", 1)]);
    assert!(broken(&[first.clone(), two_left], 4).is_empty());
    let one_left = file(&[("b flu", 0), ("b gout", 1), ("b flu", 2)]);
    let found = broken(&[first.clone(), one_left], 4);
    assert!(found.iter().all(|(release, _, people)| *release == 0 && *people == [3]), "{found:?}");
    assert_eq!(found.len(), 2);
    // Those who have left, or come, had one illness.
    let same_illness = file(&[("b gout", 1), ("b gout", 3)]);
    let found = broken(&[first.clone(), same_illness], 4);
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), [0, 1]);
    let newcomers =
        file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3), ("a hiv", 4), ("a hiv", 5)]);
    let found = broken(&[first, newcomers], 6);
    assert_eq!(found, [(1, "distinct-l-diversity".to_owned(), vec![4, 5])]);
}

#[test]
fn rows_of_a_person_in_one_release_are_a_list() {
    // Each class has two people and two illnesses; who is in which two classes tells them apart.
    let crossed =
        file(&[("a flu", 0), ("a gout", 1), ("b flu", 0), ("b gout", 2), ("c gout", 1), ("c flu", 2)]);
    assert_eq!(broken(&[crossed], 3)[0].2, [0, 1, 2]);
    let together = file(&[("a flu", 0), ("a gout", 1), ("b flu", 0), ("b gout", 1)]);
    assert!(broken(&[together], 2).is_empty());
    // A value that somebody has twice counts once, and a person in a class once.
    let twice = file(&[("a hiv", 0), ("a hiv", 0), ("a flu", 1), ("a hiv", 1)]);
    assert_eq!(broken(&[twice], 2).len(), 1);
}

#[test]
fn the_k_of_a_person_counts_in_every_release() {
    let (first, person_of) = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a gout", 3)]);
    let (second, now) = file(&[("b flu", 0), ("b gout", 1)]);
    let missing = missing();
    let models: Vec<Box<dyn TableModel>> = vec![Box::new(PersonalK::of(["own"].into_iter()).unwrap())];
    let releases = [
        Seen::new(&first, &["q"], &missing, person_of, &models, Some(vec![2, 2, 1, 1])).unwrap(),
        Seen::new(&second, &["q"], &missing, now, &models, Some(vec![2, 3])).unwrap(),
    ];
    let found = judge(&releases, &cells_of(&releases, 4), |_| true).unwrap();
    assert_eq!((found.len(), found[0].release), (1, 1));
    assert!(judge(&releases, &cells_of(&releases, 4), |person| person > 1).unwrap().is_empty());
}

/// An attacker who takes values to stay, and knows where people have one.
#[test]
fn an_empty_cell_does_not_hide_whose_value_is_gone() {
    let first = file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a hiv", 3)]);
    // Each class has two illnesses, and what is gone is the hiv.
    let lacking = file(&[("b flu", 0), ("b gout", 1), ("b flu", 2), ("b ?", 3)]);
    assert_eq!(broken(&[first.clone(), lacking], 4)[0].2, [3]);
    // Of two who lack a value one has the flu.
    let two_lacking = file(&[("b flu", 0), ("b gout", 1), ("b ?", 2), ("b ?", 3)]);
    assert!(broken(&[first, two_lacking], 4).is_empty());
    // The same in two rows of each person: only one has a value in both.
    let rows = file(&[("a hiv", 0), ("a flu", 1), ("a ?", 2), ("b hiv", 0), ("b ?", 1), ("b gout", 2)]);
    assert_eq!(broken(&[rows], 3)[0].2, [0, 1, 2]);
}

/// Those who will be gone are no cell of the earlier release, and are given as one.
#[test]
fn cells_may_be_finer_than_those_of_the_releases() {
    let (models, missing) = (models(2, Some(Rule::Distinct { l: 2 })), missing());
    let (first, person_of) =
        file(&[("a flu", 0), ("a gout", 1), ("a flu", 2), ("a flu", 3), ("a ?", 4), ("a ?", 5)]);
    let seen = [Seen::new(&first, &["q"], &missing, person_of, &models, None).unwrap()];
    assert!(judge(&seen, &[0; 6], |_| true).unwrap().is_empty());
    assert_eq!(judge(&seen, &[0, 0, 1, 1, 0, 1], |_| true).unwrap()[0].people, [2, 3]);
}
