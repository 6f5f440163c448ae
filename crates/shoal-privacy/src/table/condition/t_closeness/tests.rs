//! The vectors of the paper, and a few by hand.

use shoal_core::{Condition, DateFormat, MissingTexts, Rule};

use super::super::fixture::{number, rule, try_verify, verify};
use super::super::{SensitiveColumn, model};
use super::*;

fn close(t: f64, distance: Distance) -> Rule {
    Rule::Close { t, distance }
}

fn distance(distance: Distance, classes: &[&[&str]]) -> f64 {
    number(close(1.0, distance), classes)
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-12
}

/// The incomes of the paper's tables 3 and 5 in classes of three, and how far each class is from all nine.
#[test]
fn the_incomes_of_the_paper() {
    let (low, middle, high): (&[&str], &[&str], &[&str]) =
        (&["3000", "4000", "5000"], &["6000", "11000", "8000"], &["7000", "9000", "10000"]);
    let classes = [low, middle, high];
    let outcome = verify(close(0.1, Distance::Ordered), &classes);
    let found: Vec<(String, String)> = outcome
        .violations
        .worst
        .iter()
        .map(|worst| (worst.cells[0].text.clone(), worst.found.to_string()))
        .collect();
    let expected = [("class 1", "0.375"), ("class 3", "0.236111"), ("class 2", "0.166667")];
    assert_eq!(found, expected.map(|(class, found)| (class.to_owned(), found.to_owned())));
    assert_eq!(outcome.found, Figure::Number(0.375));
    assert!(verify(close(0.375, Distance::Ordered), &classes).holds);
    assert!(!verify(close(0.374, Distance::Ordered), &classes).holds);
}

#[test]
fn the_farthest_ends_are_one_apart_and_missing_is_nowhere() {
    assert_eq!(distance(Distance::Ordered, &[&["1", "1"], &["100", "100"]]), 0.5);
    assert_eq!(distance(Distance::Ordered, &[&["9", "10"], &["10", "9"]]), 0.0);
    let found = distance(Distance::Ordered, &[&["9", "9", "?"], &["10", "10"], &["?", ""]]);
    assert_eq!(found, 0.5);
}

#[test]
fn equal_distances_count_what_is_too_much() {
    assert_eq!(distance(Distance::Equal, &[&["a", "a"], &["b", "b"]]), 0.5);
    // Too much: a third of flu and a sixth of ulcer.
    let classes: [&[&str]; 2] = [&["flu", "flu", "ulcer"], &["cold", "asthma", "gastritis"]];
    assert!(is_near(distance(Distance::Equal, &classes), 0.5));
}

#[test]
fn a_tree_makes_siblings_nearer() {
    // All of the lung: half of the file must go to the root and back.
    let apart: [&[&str]; 2] = [&["flu", "cold", "asthma"], &["ulcer", "gastritis", "cancer"]];
    assert!(is_near(distance(Distance::Hierarchical, &apart), 0.5));
    // A third of flu goes to its siblings and a sixth of ulcer to gastritis, half as far as over the root.
    let mixed: [&[&str]; 2] = [&["flu", "flu", "ulcer"], &["cold", "asthma", "gastritis"]];
    assert!(is_near(distance(Distance::Hierarchical, &mixed), 0.25));
    // p: flu, cold, ulcer, cancer ¼ each. The class: flu ¾, ulcer ¼. A quarter goes to cold, a quarter to cancer.
    let both: [&[&str]; 2] = [
        &["flu", "flu", "flu", "ulcer"],
        &["cold", "cold", "cold", "cancer", "cancer", "cancer", "ulcer", "ulcer"],
    ];
    assert!(is_near(distance(Distance::Hierarchical, &both), 0.25 * 0.5 + 0.25));
}

#[test]
fn a_missing_value_has_no_place_in_the_tree() {
    assert_eq!(distance(Distance::Hierarchical, &[&["flu", "flu"], &["?", ""]]), 0.0);
    let mixed = distance(Distance::Hierarchical, &[&["flu", "?"], &["cold", ""]]);
    assert!(is_near(mixed, 0.25), "only flu and cold must be exchanged: {mixed}");
}

#[test]
fn what_breaks_it_is_named() {
    let outcome = verify(close(0.2, Distance::Equal), &[&["flu", "flu", "flu", "cold"], &["cold"; 4]]);
    assert_eq!(
        outcome.violations.worst[0].why.as_deref(),
        Some("distance 0.375; `flu` has 75 % of the class and 37.5 % of the file")
    );
}

#[test]
fn one_class_or_one_value_or_nothing_is_close() {
    for ground in [Distance::Ordered, Distance::Equal, Distance::Hierarchical] {
        let values: &[&str] = if ground == Distance::Ordered { &["1", "2"] } else { &["flu", "ulcer"] };
        assert_eq!(distance(ground, &[values]), 0.0);
        assert_eq!(distance(ground, &[&values[..1], &values[..1]]), 0.0);
        assert!(verify(close(0.0, ground), &[values, values]).holds);
        assert_eq!(verify(close(0.0, ground), &[]).found, Figure::Nothing);
    }
}

#[test]
fn values_without_a_place_are_errors() {
    let (column, value) = ("x".to_owned(), "lung".to_owned());
    let outside = Unverifiable::OutsideHierarchy { row: 3, column: column.clone(), value };
    let classes: [&[&str]; 2] = [&["flu", "cold"], &["lung", "lung"]];
    assert_eq!(try_verify(close(0.5, Distance::Hierarchical), &classes), Err(outside));
    let value = "1.5".to_owned();
    let not_of_kind = Unverifiable::NotOfKind { row: 2, column, value, kind: "integer" };
    assert_eq!(try_verify(close(0.5, Distance::Ordered), &[&["1", "1.5"], &["?"]]), Err(not_of_kind));
}

#[test]
fn what_promises_nothing_or_has_no_ground_is_refused() {
    for t in [-0.1, 1.1, f64::NAN] {
        let refused = rule(close(t, Distance::Equal)).map(|_| ());
        assert!(matches!(refused, Err(ConditionError::NotADistance { .. })));
    }
    let without = |distance| {
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let ground = SensitiveColumn { parser, missing: MissingTexts::default(), hierarchy: None };
        model(&Condition { column: "x".into(), rule: close(0.2, distance) }, ground).map(|_| ())
    };
    assert_eq!(without(Distance::Ordered), Err(ConditionError::NoOrder { column: "x".into() }));
    assert_eq!(without(Distance::Hierarchical), Err(ConditionError::NoHierarchy { column: "x".into() }));
    assert_eq!(without(Distance::Equal), Ok(()));
}

/// The outcome for two classes of people: for each class whose a record is, and its value.
fn of_people(t: f64, classes: [&[(u32, &str)]; 2]) -> Outcome {
    let records =
        || ["one", "two"].into_iter().zip(classes).flat_map(|(q, of)| of.iter().map(move |r| (q, r)));
    let rows: Vec<Vec<&str>> = records().map(|(q, (_, value))| vec![q, value]).collect();
    let file = shoal_core::RawTable::from_rows(&["q", "x"], &rows);
    let person_of = records().map(|(_, (person, _))| *person).collect();
    let view = TableView::new(&file, &["q"]).unwrap().with_people(person_of);
    rule(close(t, Distance::Equal)).unwrap().verify(&view).unwrap()
}

/// Whoever finds such a class learns that its people have more illnesses than others, whichever these are.
#[test]
fn people_with_more_values_each_than_everybody_are_that_much_farther() {
    // Half of the pairs are flu in both classes and in the file; but 2 values each where the file has 6 of 4 people.
    let classes: [&[(u32, &str)]; 2] =
        [&[(0, "flu"), (0, "cold"), (1, "flu"), (1, "cold")], &[(2, "flu"), (3, "cold")]];
    let outcome = of_people(0.5, classes);
    assert_eq!((outcome.holds, outcome.found), (true, Figure::Number(0.5)));
    let outcome = of_people(0.49, classes);
    assert_eq!((outcome.holds, outcome.violations.total), (false, 1));
}

#[test]
fn the_distance_of_people_is_that_of_their_pairs_times_the_pairs_of_everybody() {
    // Pairs: flu 2, cold 1 of 3 in the first class and 2, 2 of 5 in the file; 5 pairs of 4 people.
    let classes: [&[(u32, &str)]; 2] = [&[(0, "flu"), (0, "cold"), (1, "flu")], &[(2, "cold"), (3, "ulcer")]];
    let outcome = of_people(0.1, classes);
    let found = |at: usize| match outcome.violations.worst[at].found {
        Figure::Number(found) => found,
        ref other => panic!("{other} is not a number"),
    };
    // (2/3 - 2/5) · 5/4, and 3/2 - 5/4 values more each.
    assert!(is_near(found(0), 1.0 / 3.0 + 0.25), "{}", found(0));
    // (1/2 - 2/5 + 1/2 - 1/5) · 5/4; having fewer values each adds no distance.
    assert!(is_near(found(1), 0.5), "{}", found(1));
}

#[test]
fn the_value_that_is_named_is_the_one_whose_share_grows_most() {
    // flu: 60 % instead of 30 %, cold: 10 % instead of 2 %, ulcer: 30 % instead of 68 %.
    let class = [vec!["flu"; 6], vec!["cold"], vec!["ulcer"; 3]].concat();
    let rest = [vec!["flu"; 9], vec!["ulcer"; 31]].concat();
    let outcome = verify(close(0.1, Distance::Equal), &[&class, &rest]);
    let why = outcome.violations.worst[0].why.as_deref();
    assert_eq!(why, Some("distance 0.38; `flu` has 60 % of the class and 30 % of the file"));
}
