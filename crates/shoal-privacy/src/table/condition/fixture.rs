//! Small files for the tests of the conditions.

use std::sync::Arc;

use shoal_core::{Condition, DateFormat, Hierarchy, Kind, MissingTexts, RawTable, Rule, ValueParser};

use super::{ConditionError, SensitiveColumn, model};
use crate::{Figure, Outcome, TableModel, TableView, Unverifiable};

/// Two branches of three leaves each.
pub(super) const ILLNESSES: [[&str; 3]; 6] = [
    ["flu", "lung", "*"],
    ["cold", "lung", "*"],
    ["asthma", "lung", "*"],
    ["ulcer", "belly", "*"],
    ["gastritis", "belly", "*"],
    ["cancer", "belly", "*"],
];

/// A rule for the column `x` of integers where they are ordered and of illnesses otherwise. `?` and the empty text
/// stand for no value.
pub(super) fn rule(rule: Rule) -> Result<Box<dyn TableModel>, ConditionError> {
    let is_ordered = matches!(rule, Rule::Close { distance: shoal_core::Distance::Ordered, .. });
    let kind = if is_ordered { Kind::Integer } else { Kind::Text };
    let tree = Hierarchy::from_rows(&ILLNESSES.map(Vec::from)).expect("a tree");
    let ground = SensitiveColumn {
        parser: ValueParser::new(kind, DateFormat::default()),
        missing: MissingTexts::new(&["?", ""]),
        hierarchy: Some(Arc::new(tree)),
    };
    model(&Condition { column: "x".to_owned(), rule }, ground)
}

/// What a rule says about classes that are given by their values.
pub(super) fn try_verify(asked: Rule, classes: &[&[&str]]) -> Result<Outcome, Unverifiable> {
    let names: Vec<String> = (1..=classes.len()).map(|class| format!("class {class}")).collect();
    let rows = names
        .iter()
        .zip(classes)
        .flat_map(|(name, values)| values.iter().map(|value| vec![name.as_str(), value]).collect::<Vec<_>>());
    let file = RawTable::from_rows(&["q", "x"], &rows.collect::<Vec<_>>());
    rule(asked).expect("a promise").verify(&TableView::new(&file, &["q"])?)
}

/// The same, where it can be asked.
pub(super) fn verify(rule: Rule, classes: &[&[&str]]) -> Outcome {
    try_verify(rule, classes).expect("a file that can be verified")
}

/// What is found, which must be a number.
pub(super) fn number(rule: Rule, classes: &[&[&str]]) -> f64 {
    match verify(rule, classes).found {
        Figure::Number(number) => number,
        other => panic!("{other} is not a number"),
    }
}
