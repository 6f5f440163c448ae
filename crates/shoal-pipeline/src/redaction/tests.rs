use std::path::PathBuf;

use shoal_algorithms::sequences::SequencesError;
use shoal_algorithms::table::TableError;
use shoal_algorithms::transactions::TransactionsError;
use shoal_core::hierarchy::build::BuildError;
use shoal_core::policy::PolicyProblem;
use shoal_core::{HierarchyError, Place, PolicyError};
use shoal_io::stream::LineError;
use shoal_io::{ReadError, WriteError};
use shoal_measure::stream::StreamMeasureError;
use shoal_measure::transactions::TransactionsMeasureError;
use shoal_privacy::matching::NoOrigin;
use shoal_privacy::{Refusal, TransactionsConservationError};

use crate::sequences::Ties;
use crate::{PipelineError, ValueAt};

/// A value of the data that no quotes hold together.
const MARKER: &str = "hiv` of Zoë` (7";

fn marker() -> String {
    MARKER.to_owned()
}

fn at() -> Box<ValueAt> {
    let place = Place { file: 0, row: 4, line: Some(5) };
    Box::new(ValueAt { file: "people.csv".into(), place, column: "age".into(), value: marker() })
}

fn file() -> String {
    "people.csv".to_owned()
}

/// Every variant that may hold a text of the data, with the marker as that text.
fn with_data() -> Vec<PipelineError> {
    let unknown = || TransactionsConservationError::Unknown { row: 3, text: marker(), item: marker() };
    let mut ties = Ties::new("day".into());
    ties.add(MARKER, [[0, 1]].into_iter());
    let problem = PolicyProblem::Data { message: format!("`{MARKER}` is no count"), texts: vec![marker()] };
    let policy =
        PolicyError { problem, key: Some("privacy.population".into()), span: None, hint: Some(marker()) };
    vec![
        PipelineError::PolicyAndData { error: Box::new(policy.clone()) },
        PipelineError::Policy { path: "p.toml".into(), text: String::new(), error: Box::new(policy) },
        PipelineError::Read(Box::new(ReadError::NotJson { file: file(), line: 4, why: marker() })),
        PipelineError::Write(Box::new(WriteError::Batches { why: marker() })),
        PipelineError::WithoutReports {
            output: PathBuf::from("out.csv"),
            error: Box::new(WriteError::Batches { why: marker() }),
        },
        PipelineError::NotOfKind { at: at(), kind: "integer" },
        PipelineError::NotAMark { at: at() },
        PipelineError::TwoPeople { at: at(), id: marker() },
        PipelineError::LooksGeneralized { at: at() },
        PipelineError::PersonalK { at: at() },
        PipelineError::MissingValue { at: at() },
        PipelineError::Nobodys { at: at() },
        PipelineError::NoId { at: at() },
        PipelineError::OutsideHierarchy { at: at(), file: "ages.csv".into() },
        PipelineError::NoSuchItem { item: marker() },
        PipelineError::Question { text: marker(), columns: "age".into() },
        PipelineError::Hierarchy {
            file: "ages.csv".into(),
            column: "age".into(),
            error: Box::new(HierarchyError::Cycle { line: 2, label: marker() }),
        },
        PipelineError::Build {
            column: "age".into(),
            error: Box::new(BuildError::Digits { value: marker() }),
        },
        PipelineError::Infeasible(TableError::TooFrequent {
            column: "illness".into(),
            value: marker(),
            count: 4,
            records: 6,
            promise: "2-diversity".into(),
        }),
        PipelineError::UnknownItem { file: "sets.txt".into(), line: 2, item: marker() },
        PipelineError::BadWeight { file: "weights.txt".into(), line: 2, text: marker() },
        PipelineError::Utility {
            file: "sets.txt".into(),
            problem: format!("item `{MARKER}` is in none"),
            hint: "",
        },
        PipelineError::Unreachable { message: format!("the items {{{MARKER}}} cannot be hidden"), hint: "" },
        PipelineError::Transactions(Box::new(TransactionsError::NotInHierarchy { item: marker() })),
        PipelineError::TransactionMeasure(Box::new(TransactionsMeasureError::Unknown { text: marker() })),
        PipelineError::NoPlaceInOrder {
            file: file(),
            person: marker(),
            record: 3,
            column: "day".into(),
            rows: 2,
        },
        PipelineError::SameOrder(Box::new(ties)),
        PipelineError::Sequences(Box::new(SequencesError::UnknownValue {
            column: "illness".into(),
            value: marker(),
        })),
        PipelineError::Refused(Box::new(Refusal::TransactionsConservation(unknown()))),
        PipelineError::Untrue { file: "out.csv".into(), error: Box::new(NoOrigin::Items(unknown())) },
        PipelineError::StreamLine {
            place: "out.ndjson".into(),
            line: 3,
            error: Box::new(LineError::Kind { name: "age".into(), value: marker(), kind: "number" }),
        },
        PipelineError::StreamMeasure(Box::new(StreamMeasureError::UnknownValue { line: 3, value: marker() })),
        PipelineError::Cohort { records: "12 transactions".into(), why: marker() },
        PipelineError::Audit { path: "audit.json".into(), problem: format!("unknown variant `{MARKER}`") },
    ]
}

#[test]
fn no_error_lets_a_value_into_a_document() {
    for error in with_data() {
        let (said, hint) = (error.redacted(), error.redacted_hint().unwrap_or_default());
        for part in ["hiv", "Zoë", "(7"] {
            assert!(!said.contains(part) && !hint.contains(part), "{error:?}: {said}; {hint}");
        }
        assert!(!said.is_empty(), "{error:?}");
    }
}

#[test]
fn places_columns_and_counts_stay() {
    for (error, words) in [
        (
            PipelineError::NotOfKind { at: at(), kind: "integer" },
            "people.csv:5 (record 4): `…` in column `age` is not an integer",
        ),
        (
            PipelineError::UnknownItem { file: "sets.txt".into(), line: 2, item: marker() },
            "sets.txt:2: `…` is not an item of the data",
        ),
        (
            PipelineError::Build {
                column: "age".into(),
                error: Box::new(BuildError::Digits { value: marker() }),
            },
            "no hierarchy can be built for column `age`: `…` has too many digits to be put into intervals exactly",
        ),
    ] {
        assert_eq!(error.redacted(), words);
    }
}
