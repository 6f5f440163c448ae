//! Small files of which everything can be counted by hand, and files that are none.

use std::collections::BTreeSet;

use shoal_core::{RawColumnBuilder, RawTable, Sequences, Table};
use shoal_measure::sequences::queries;
use shoal_measure::{MeasureError, SequencesMeasureError, SequencesOptions, measure_sequences};

use crate::release::{OPTIONS, close, sequences};

/// Three people, of whom two look alike in the file and one is not in it.
fn three_people() -> (Sequences, Vec<Vec<&'static str>>) {
    let events = [
        ["10", "f", "a", "flu"],
        ["20", "f", "c", "flu"],
        ["10", "f", "b", "gout"],
        ["30", "f", "c", "flu"],
        ["40", "f", "a", "flu"],
    ];
    let original = sequences(&events.map(Vec::from), &[2, 2, 1], [2.0, 1.0, 1.0]);
    let published = [
        ["1", "10", "f", "A", "flu"],
        ["1", "[20, 30]", "f", "c", "flu"],
        ["2", "10", "f", "A", "gout"],
        ["2", "[20, 30]", "f", "c", "flu"],
    ];
    (original, published.map(Vec::from).to_vec())
}

fn file(rows: &[Vec<&str>]) -> RawTable {
    RawTable::from_rows(&["person", "age", "sex", "city", "illness"], rows)
}

#[test]
fn a_small_example_by_hand() {
    let (original, published) = three_people();
    let found =
        measure_sequences(&original, &file(&published), "person", &OPTIONS, &shoal_core::Silent).unwrap();
    let loss = &found.loss;
    // Two ages of four, twice; all sexes as they were; two cities of four, twice; and one event is gone.
    assert_eq!(loss.lm_by_column["age"], (2.0 * 0.25 + 1.0) / 5.0);
    assert_eq!(loss.lm_by_column["sex"], 1.0 / 5.0);
    assert_eq!(loss.lm_by_column["city"], (2.0 * 0.25 + 1.0) / 5.0);
    // Ages count double.
    assert!(close(loss.il, (2.0 * 1.5 + 1.0 + 1.5) / 3.0));
    assert!(close(loss.lm, (2.0 * 0.3 + 0.2 + 0.3) / 4.0));
    // A third of the span of ages, twice; two cities of four, twice; three cells of the event that is gone.
    assert!(close(loss.inf_loss, (2.0 / 3.0 + 2.0 * 0.5 + 3.0) / 15.0));
    assert_eq!((loss.events_in, loss.events_out, loss.events_suppressed), (5, 4, 1));
    assert_eq!((loss.persons_in, loss.persons_out), (3, 2));
    assert_eq!((loss.average_class_size, loss.normalized_average_class_size), (Some(2.0), Some(1.0)));
    assert_eq!((found.risk.before.prosecutor.highest, found.risk.after.prosecutor.highest), (1.0, 0.5));
    assert_eq!(found.risk.share_not_published, 1.0 / 3.0);
}

#[test]
fn an_error_by_hand() {
    // Everybody is first x and then y, so that there is one query only.
    let events = [["1", "x", "a", "flu"], ["1", "y", "a", "flu"]].repeat(4);
    let original = sequences(&events.into_iter().map(Vec::from).collect::<Vec<_>>(), &[2; 4], [1.0; 3]);
    let sexes = original.events().columns[1].clone();
    let original = original.with_events(Table { columns: vec![sexes], rows: 8 });
    let are = |texts: [[&str; 2]; 3]| {
        let rows = texts.iter().zip(["1", "2", "3"]);
        let rows: Vec<Vec<&str>> = rows.flat_map(|([a, b], id)| [vec![id, *a], vec![id, *b]]).collect();
        let published = RawTable::from_rows(&["person", "sex"], &rows);
        measure_sequences(&original, &published, "person", &OPTIONS, &shoal_core::Silent)
            .unwrap()
            .loss
            .are
            .unwrap()
    };
    // Of four people one is not in the file.
    assert_eq!(are([["x", "y"], ["x", "y"], ["x", "y"]]), 0.25);
    // 1, a half, and a quarter instead of 4.
    assert_eq!(are([["x", "y"], ["x", "{x, y}"], ["{x, y}", "*"]]), (4.0 - 1.75) / 4.0);
    // In the wrong order it is none.
    assert_eq!(are([["y", "x"], ["y", "y"], ["y", "*"]]), 1.0);
}

#[test]
fn threads_make_no_difference() {
    let (original, published) = three_people();
    let measured_by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let options = SequencesOptions { queries: 1000, ..OPTIONS };
        pool.install(|| {
            measure_sequences(&original, &file(&published), "person", &options, &shoal_core::Silent).unwrap()
        })
    };
    assert_eq!(measured_by(1), measured_by(4));
}

#[test]
fn the_report_has_the_names_of_the_contract() {
    let (original, published) = three_people();
    let found =
        measure_sequences(&original, &file(&published), "person", &OPTIONS, &shoal_core::Silent).unwrap();
    let json = serde_json::to_value(&found).unwrap();
    let names = |part: &str| -> Vec<String> { json[part].as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        names("loss"),
        [
            "il",
            "lm",
            "lm-by-column",
            "utility",
            "inf-loss",
            "are",
            "are-queries",
            "events-in",
            "events-out",
            "events-suppressed",
            "persons-in",
            "persons-out",
            "average-class-size",
            "normalized-average-class-size",
        ]
    );
    assert_eq!(names("risk"), ["before", "after", "share-not-published"]);
}

#[test]
fn a_null_is_the_missing_value() {
    let events = [["10", "f", "a", "flu"], ["?", "f", "a", "flu"]];
    let original = sequences(&events.map(Vec::from), &[2], [1.0; 3]);
    let mut published = file(&[["1", "10", "f", "a", "flu"], ["1", "10", "f", "a", "flu"]].map(Vec::from));
    let mut ages = RawColumnBuilder::new("age".to_owned());
    ages.push("10", Default::default());
    ages.push_null(Default::default());
    published.columns[1] = ages.finish();
    let loss =
        measure_sequences(&original, &published, "person", &OPTIONS, &shoal_core::Silent).unwrap().loss;
    assert_eq!((loss.lm, loss.are), (0.0, Some(0.0)));
}

#[test]
fn numbers_without_a_hierarchy_are_asked_for_by_tenths() {
    let ages: Vec<String> = (0..25).map(|age| age.to_string()).collect();
    let mut events: Vec<Vec<&str>> = ages.iter().map(|age| vec![age.as_str(), "f", "a", "flu"]).collect();
    events.push(vec!["?", "f", "a", "flu"]);
    let original = sequences(&events, &[26], [1.0; 3]);
    let drawn = queries::draw(&original, 2000, 3);
    let asked = drawn.iter().flat_map(|query| query.first.iter().chain(&query.later));
    let asked: BTreeSet<(u32, u32)> = asked
        .filter(|predicate| predicate.column == 0)
        .map(|predicate| (predicate.leaves.start, predicate.leaves.end))
        .collect();
    let tenths = [0, 3, 5, 8, 10, 13, 15, 18, 20, 23, 25];
    let values = (0..26).map(|age| (age, age + 1));
    assert_eq!(asked, values.chain(tenths.windows(2).map(|pair| (pair[0], pair[1]))).collect());
}

#[test]
fn what_does_not_fit_the_original_is_refused() {
    let (original, rows) = three_people();
    let refused = |published: &RawTable, id: &str| {
        let error = measure_sequences(&original, published, id, &OPTIONS, &shoal_core::Silent).unwrap_err();
        assert!(!error.hint().is_empty());
        error
    };
    let lacking =
        |column: &str| SequencesMeasureError::Column(MeasureError::Lacking { column: column.into() });
    assert_eq!(refused(&file(&rows), "patient"), lacking("patient"));
    let mut narrow = file(&rows);
    narrow.columns.remove(3);
    assert_eq!(refused(&narrow, "person"), lacking("city"));

    let more = [rows.clone(), rows.clone()].concat();
    assert_eq!(
        refused(&file(&more), "person"),
        SequencesMeasureError::MoreEvents { published: 8, original: 5 }
    );
    let mut people = rows.clone();
    (0..4).for_each(|row| people[row][0] = ["1", "2", "3", "4"][row]);
    assert_eq!(
        refused(&file(&people), "person"),
        SequencesMeasureError::MorePeople { published: 4, original: 3 }
    );
    let mut scattered = rows.clone();
    scattered.swap(1, 2);
    assert_eq!(
        refused(&file(&scattered), "person"),
        SequencesMeasureError::Scattered { column: "person".into(), row: 3, id: "1".into() }
    );
    let mut unreadable = rows.clone();
    unreadable[2][3] = "zebra";
    let error = refused(&file(&unreadable), "person");
    assert!(error.to_string().starts_with("published row 3, column `city`: `zebra`"), "{error}");
    let mut ragged = file(&rows);
    ragged.columns[0].codes.pop();
    assert!(matches!(refused(&ragged, "person"), SequencesMeasureError::Column(MeasureError::Ragged { .. })));
    let without = Table { columns: vec![], rows: original.events().rows };
    let without = original.with_events(without);
    assert_eq!(
        measure_sequences(&without, &file(&rows), "person", &OPTIONS, &shoal_core::Silent),
        Err(SequencesMeasureError::Column(MeasureError::NoQuasiIdentifier))
    );
}
