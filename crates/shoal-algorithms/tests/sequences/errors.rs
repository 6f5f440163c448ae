//! What cannot be done is said.

use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::{SequencesAlgorithm, SequencesError};
use shoal_core::{Bound, Hierarchy, Sequences, SequencesPromise, Silent};

use crate::data::promise;
use crate::support::{Shape, sequences};

/// Four people with one event each, of whom `sick` have HIV.
fn four(sick: usize) -> Sequences {
    let years = Hierarchy::from_rows(&["2007", "2008"].map(|year| vec![year, "*"])).unwrap();
    let person = |at: usize| {
        let year = if at.is_multiple_of(2) { "2007" } else { "2008" };
        vec![vec![year, if at < sick { "HIV" } else { "Flu" }]]
    };
    let shapes = [Shape::new("year", Some(years)), Shape::new("illness", None)];
    sequences(&shapes, &(0..4).map(person).collect::<Vec<_>>())
}

fn refused(data: &Sequences, promise: &SequencesPromise) -> SequencesError {
    let error = CbmsaParams::default().check().anonymize(data, promise, &Silent).unwrap_err();
    assert!(!error.hint().is_empty());
    error
}

#[test]
fn a_crowd_needs_people() {
    let error = refused(&four(1), &promise(5, &[]));
    assert_eq!(error, SequencesError::TooFewPersons { k: 5, persons: 4 });
}

#[test]
fn nothing_is_published_where_everybody_is_sensitive() {
    let error = refused(&four(4), &promise(2, &[("illness", &["HIV"], 0.0)]));
    let infeasible = SequencesError::Infeasible {
        k: 2,
        column: "illness".to_owned(),
        share: 0.0,
        sensitive: 4,
        persons: 4,
    };
    assert_eq!(error, infeasible);
    assert_eq!(
        error.to_string(),
        "no crowd of 2 keeps the limit 0 of column `illness`: 4 of 4 people have a highly sensitive value"
    );
}

#[test]
fn people_without_such_a_value_are_published_alone() {
    let data = four(2);
    let promised = promise(2, &[("illness", &["HIV"], 0.0)]);
    let result = CbmsaParams::default().check().anonymize(&data, &promised, &Silent).unwrap();
    assert_eq!(result.recoding.cluster_of, [u32::MAX, u32::MAX, 0, 0]);
}

#[test]
fn a_limit_speaks_of_what_is_there() {
    let column = "illness".to_owned();
    assert_eq!(
        refused(&four(1), &promise(2, &[("illness", &["Plague"], 0.5)])),
        SequencesError::UnknownValue { column: column.clone(), value: "Plague".to_owned() }
    );
    assert_eq!(
        refused(&four(1), &promise(2, &[("drug", &["A"], 0.5)])),
        SequencesError::UnknownColumn { column: "drug".to_owned() }
    );
    assert_eq!(
        refused(&four(1), &promise(2, &[("illness", &["HIV"], 1.5)])),
        SequencesError::NotAShare { column, share: 1.5 }
    );
}

#[test]
fn events_need_hierarchies() {
    let mut events = four(1).events().clone();
    events.columns[0].hierarchy = None;
    let error = refused(&four(1).with_events(events.clone()), &promise(2, &[]));
    assert_eq!(error, SequencesError::NoHierarchy { column: "year".to_owned() });
    events.columns.remove(0);
    assert_eq!(refused(&four(1).with_events(events), &promise(2, &[])), SequencesError::NoQuasiIdentifiers);
}

#[test]
fn other_promises_are_refused() {
    let unsupported = SequencesError::UnsupportedPromise { algorithm: "cbmsa" };
    let long = SequencesPromise { length: Some(2), ..promise(2, &[]) };
    assert_eq!(refused(&four(1), &long), unsupported);
    let mut gain = promise(2, &[("illness", &["HIV"], 0.5)]);
    gain.limits[0].bound = Bound::Gain(1.0);
    assert_eq!(refused(&four(1), &gain), unsupported);
}
