//! Thesis §2.6: figure 2-10 and table 2-13.

use shoal_core::{Column, Kind, RawTable, Role, Table};
use shoal_measure::table::loss;
use shoal_measure::{LossReport, QuasiColumn, measure};
use shoal_privacy::{Classes, TableView};

const NAMES: [&str; 4] = ["Age", "Gender", "Zip Code", "Disease"];

/// The four patients. The thesis takes 10–100 for the range of ages, so the domain knows these too.
fn patients() -> Table {
    let rows = [
        ["25", "Male", "2370", "Gastritis"],
        ["35", "Male", "2370", "HIV"],
        ["40", "Female", "2370", "Cancer"],
        ["65", "Female", "5300", "Fever"],
        ["10", "Male", "2370", "Fever"],
        ["100", "Male", "2370", "Fever"],
    ];
    let raw = RawTable::from_rows(&NAMES, &rows.map(|row| row.to_vec()));
    let column = |(at, column): (usize, &shoal_core::RawColumn)| {
        let kind = if at == 0 { Kind::Integer } else { Kind::Text };
        let role = if at == 3 { Role::Sensitive } else { Role::QuasiIdentifier };
        Column::encode(column, role, kind, &[]).unwrap()
    };
    let all = Table { columns: raw.columns.iter().enumerate().map(column).collect(), rows: rows.len() };
    all.select(&[0, 1, 2, 3])
}

fn three_anonymous(star: bool) -> RawTable {
    let mut rows: Vec<Vec<&str>> = ["Gastritis", "HIV", "Cancer"]
        .iter()
        .map(|disease| vec!["[25, 40]", "{Female, Male}", "2370", disease])
        .collect();
    if star {
        rows.push(vec!["*", "*", "*", "Fever"]);
    }
    RawTable::from_rows(&NAMES, &rows)
}

fn classes(published: &RawTable) -> Classes {
    TableView::new(published, &NAMES[..3]).unwrap().classes().clone()
}

#[test]
fn table_2_13() {
    let (original, published) = (patients(), three_anonymous(true));
    let tuple = |row: usize| -> f64 {
        let column = |at: usize| QuasiColumn::read(&original.columns[at], &published.columns[at]).unwrap();
        let cell = |column: QuasiColumn<'_>| {
            let (value, _) = &column.values[column.published.codes[row] as usize];
            loss::ncp::cell(value, column.original)
        };
        (0..3).map(|at| cell(column(at))).sum()
    };
    for row in 0..3 {
        assert!((tuple(row) - 1.1667).abs() < 5e-5);
    }
    assert_eq!(tuple(3), 3.0);
}

#[test]
fn all_losses_of_figure_2_10() {
    let original = patients();
    let left_out = three_anonymous(false);
    let loss = measure(&original, &left_out, &classes(&left_out), Some(3)).unwrap().loss;
    let total = (3.0 * (15.0 / 90.0 + 1.0) + 3.0) / 12.0;
    assert!((loss.ncp - total).abs() < 1e-12 && (loss.utility - (1.0 - total)).abs() < 1e-12);
    // One class of 3; the suppressed tuple is charged with all 4.
    assert_eq!(loss.discernibility, 9 + 4);
    // Age and gender of all four, zip only of the suppressed one.
    assert_eq!(loss.minimal_distortion, 4 + 4 + 1);
    // 25, 35 and 40 of six ages; both genders; `*` leaves 5/6, 1/2 and 1/2.
    let iloss = (3.0 * (2.0 / 6.0 + 1.0 / 2.0) + 5.0 / 6.0 + 1.0 / 2.0 + 1.0 / 2.0) / 12.0;
    assert!((loss.iloss - iloss).abs() < 1e-12);
    // Three different diseases: one is the majority, two are not, one tuple is suppressed.
    assert_eq!(loss.classification_metric, Some(0.75));
    assert_eq!((loss.average_class_size, loss.normalized_average_class_size), (Some(3.0), Some(1.0)));
}

#[test]
fn a_starred_record_has_lost_as_much_as_one_left_out() {
    let original = patients();
    let of = |published: &RawTable| measure(&original, published, &classes(published), None).unwrap().loss;
    let (left_out, starred) = (of(&three_anonymous(false)), of(&three_anonymous(true)));
    // A row of stars is a row: it counts in the mean size of classes, and an analyst who counts spreads it over everything.
    let LossReport { average_class_size, are, are_largest, .. } = left_out;
    assert!(starred.are < are, "{starred:?}");
    let same_rows = LossReport { average_class_size, are, are_largest, ..starred };
    assert_eq!(left_out, same_rows);
}

#[test]
fn the_report_uses_the_words_of_the_contract() {
    let original = patients();
    let published = three_anonymous(false);
    let measures = measure(&original, &published, &classes(&published), Some(3)).unwrap();
    let json = serde_json::to_value(&measures).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&json["loss"]),
        [
            "ncp",
            "ncp-by-column",
            "mean-width-by-column",
            "utility",
            "are",
            "are-largest",
            "are-queries",
            "discernibility",
            "minimal-distortion",
            "minimal-distortion-by-column",
            "iloss",
            "classification-metric",
            "average-class-size",
            "normalized-average-class-size"
        ]
    );
    assert_eq!(keys(&json["loss"]["ncp-by-column"]), NAMES[..3]);
    assert_eq!(json["risk"]["before"]["prosecutor"]["highest"], 1.0);
    assert_eq!(json["risk"]["before"]["prosecutor"]["unique-records"], 4);
    assert_eq!(json["risk"]["after"]["prosecutor"]["highest"], 1.0 / 3.0);
    assert_eq!(json["risk"]["after"]["prosecutor"]["share-above-threshold"], 0.0);
    assert_eq!(json["risk"]["after"]["journalist"]["population"], "sample");
    assert_eq!(json["risk"]["after"]["marketer"], 1.0 / 3.0);
}
