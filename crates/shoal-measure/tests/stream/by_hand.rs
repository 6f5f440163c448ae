use shoal_core::Kind;
use shoal_core::stream::SetDesign;
use shoal_measure::stream::{
    Condition, CountEstimator, Estimate, Method, Predicate, Question, StreamLoss, StreamMeasureError,
    WindowCounts, Windows, count, monitor,
};
use shoal_privacy::stream::GateColumn;

use super::support::{Line, column, extents, member, row, set, slot, tuple};

const TOWNS: [[&str; 3]; 3] = [["Bonn", "West", "*"], ["Köln", "West", "*"], ["Jena", "East", "*"]];

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

/// Age, sex, town and day.
fn columns() -> Vec<GateColumn> {
    vec![
        column("age", Kind::Integer, None),
        column("sex", Kind::Text, None),
        column("town", Kind::Text, Some(&TOWNS)),
        column("day", Kind::Date, None),
    ]
}

const PEOPLE: [&[&str]; 3] = [
    &["20", "m", "Bonn", "2020-01-01"],
    &["60", "f", "Jena", "2020-01-31"],
    &["30", "d", "Köln", "2020-01-02"],
];

fn loss(lines: Vec<Line>) -> StreamLoss {
    StreamLoss::of(&columns(), &extents(&columns(), &PEOPLE), lines.into_iter()).unwrap()
}

#[test]
fn the_second_example_of_the_paper_loses_a_sixth() {
    let columns = [column("age", Kind::Integer, None), column("sex", Kind::Text, None)];
    let lines = vec![slot(1, "Diag.A", 1), slot(1, "Diag.B", 1), member(1, &["24", "male"])];
    let extents = extents(&columns, &[&["24", "male"], &["40", "female"]]);
    let loss = StreamLoss::of(&columns, &extents, lines.into_iter()).unwrap();
    close(loss.il, 1.0 / 6.0);
    assert_eq!((loss.il_quasi, loss.sau, loss.slots, loss.tuples), (0.0, Some(0.5), 2, 1));
}

#[test]
fn sets_lose_by_their_size_alone_and_rows_by_their_cells() {
    let sets = loss(vec![set(PEOPLE[0], &["a", "b", "c", "d"])]);
    close(sets.il, 0.75 / 5.0);
    assert_eq!((sets.il_quasi, sets.sau), (0.0, None));
    let rows = loss(vec![
        row(&["[20, 30]", "{f, m}", "West", "[2020-01-01, 2020-01-16]"], "flu"),
        row(&["*"; 4], "*"),
        row(&["25", "m", "Jena", "2020-01-02"], "flu"),
    ]);
    // 10 of 40 years, 2 of 3 sexes, 2 of 3 towns, 15 of 30 days.
    let first = (0.25 + 0.5 + 0.5 + 0.5) / 4.0;
    close(rows.il_quasi, (first + 1.0) / 3.0);
    close(rows.il, (first * 4.0 / 5.0 + 1.0) / 3.0);
    assert_eq!((rows.tuples, rows.suppressed), (3, 1));
}

fn ask(values: &[&str], predicates: Vec<Predicate>, windows: Windows) -> Question {
    Question { values: values.iter().map(|value| (*value).to_owned()).collect(), predicates, windows }
}

fn is(column: usize, texts: &[&str]) -> Predicate {
    Predicate { column, condition: Condition::OneOf(texts.iter().map(|text| (*text).to_owned()).collect()) }
}

fn between(column: usize, lo: f64, hi: f64) -> Predicate {
    Predicate { column, condition: Condition::Between { lo, hi } }
}

fn rows(question: &Question, lines: Vec<Line>) -> Vec<WindowCounts> {
    let extents = extents(&columns(), &PEOPLE);
    count(Method::Rows, &columns(), &extents, question, lines.into_iter()).unwrap()
}

/// The chance that a predicate is true of one row.
fn chance(predicate: Predicate, cells: [&str; 4]) -> f64 {
    let answer = rows(&ask(&["flu"], vec![predicate], Windows::One), vec![row(&cells, "flu")]);
    answer.first().map_or(0.0, |window| window.counts[0].count)
}

#[test]
fn what_a_generalized_cell_may_be_is_all_alike() {
    let cells = ["[20, 29]", "{f, m}", "West", "[2020-01-01, 2020-01-10]"];
    close(chance(between(0, 25.0, 40.0), cells), 0.5);
    close(chance(is(0, &["20", "21", "30"]), cells), 0.2);
    close(chance(is(1, &["f"]), cells), 0.5);
    close(chance(is(1, &["d"]), cells), 0.0);
    close(chance(is(2, &["Bonn"]), cells), 0.5);
    close(chance(is(2, &["West"]), cells), 1.0);
    close(chance(is(2, &["East"]), cells), 0.0);
    // 2020-01-01 is day 18262.
    close(chance(is(3, &["2020-01-05"]), cells), 0.1);
    close(chance(between(3, 18262.0, 18266.0), cells), 0.5);
    let stars = ["*", "*", "*", "2020-01-05"];
    close(chance(between(0, 20.0, 40.0), stars), 21.0 / 41.0);
    close(chance(is(1, &["f", "d"]), stars), 2.0 / 3.0);
    close(chance(is(2, &["West"]), stars), 2.0 / 3.0);
    let exact = ["25", "f", "Jena", "2020-01-05"];
    close(chance(between(0, 25.0, 25.0), exact), 1.0);
    close(chance(is(2, &["East"]), exact), 1.0);
    close(chance(is(3, &["2020-01-06"]), exact), 0.0);
}

#[test]
fn rows_count_with_the_product_of_their_chances() {
    let question = ask(&["flu", "cold"], vec![is(1, &["f"]), between(0, 25.0, 40.0)], Windows::One);
    let lines = vec![
        row(&["[20, 29]", "{f, m}", "*", "*"], "flu"),
        row(&["[20, 29]", "f", "*", "*"], "flu"),
        row(&["[20, 29]", "m", "*", "*"], "flu"),
        row(&["30", "f", "*", "*"], "cold"),
        row(&["*"; 4], "*"),
    ];
    let answer = rows(&question, lines);
    close(answer[0].tuples, 1.75);
    // Of flu none must be counted and two may be, or three with the suppressed row; of cold one, or two with it.
    let half = |farthest: f64| (farthest / 2.0) * (farthest / 2.0);
    assert_eq!(answer[0].counts, [Estimate::new(0.75, half(2.25)), Estimate::new(1.0, half(1.0))]);
}

/// Ages crowd at the lower end of their ranges, as they do: the count is off by far more than a variance of even
/// spreading would say, and the error covers it all the same.
#[test]
fn the_truth_lies_within_two_errors_however_values_lie_in_their_ranges() {
    let mut covered_by_even_spreading = 0;
    for lo in (0..40).step_by(4) {
        let ages: Vec<usize> = (0..30).map(|n| n * n / 90 + lo).collect();
        let lines = ages.iter().map(|_| row(&[&format!("[{lo}, {}]", lo + 9), "f", "*", "*"], "flu"));
        for wanted in [lo + 2, lo + 5, lo + 8] {
            let question = ask(&["flu"], vec![between(0, lo as f64, wanted as f64)], Windows::One);
            let truth = ages.iter().filter(|age| **age <= wanted).count() as f64;
            let estimate = rows(&question, lines.clone().collect())[0].counts[0];
            assert!((estimate.count - truth).abs() <= 2.0 * estimate.standard_error, "{estimate:?} {truth}");
            let share = estimate.count / 30.0;
            let even = (30.0 * share * (1.0 - share)).sqrt();
            covered_by_even_spreading += usize::from((estimate.count - truth).abs() <= 2.0 * even);
        }
    }
    assert!(covered_by_even_spreading < 30, "the test must be of a biased count");
}

#[test]
fn windows_are_cut_by_tuples_or_by_a_column() {
    let lines = || {
        vec![
            row(&["20", "f", "Bonn", "2020-01-01"], "flu"),
            row(&["39", "f", "Bonn", "2020-01-08"], "cold"),
            row(&["[38, 41]", "f", "Bonn", "2020-01-09"], "flu"),
        ]
    };
    let numbers = |answer: &[WindowCounts]| -> Vec<(i64, f64)> {
        answer.iter().map(|window| (window.window, window.counts[0].count)).collect()
    };
    let by_two = rows(&ask(&["flu"], vec![], Windows::Tuples(2)), lines());
    assert_eq!(numbers(&by_two), [(0, 1.0), (1, 1.0)]);
    let by_age = rows(&ask(&["flu"], vec![], Windows::Width { column: 0, width: 20.0 }), lines());
    assert_eq!(numbers(&by_age), [(1, 1.5), (2, 0.5)]);
    // 18262 = 7 · 2608 + 6: the first day is the last of its week.
    let by_week = rows(&ask(&["flu"], vec![], Windows::Width { column: 3, width: 7.0 }), lines());
    assert_eq!(numbers(&by_week), [(2608, 1.0), (2609, 0.0), (2610, 1.0)]);
}

#[test]
fn monitoring_compares_window_by_window() {
    let design = SetDesign::uniform(3, 2).unwrap();
    let estimator = CountEstimator::new(&design).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    let columns = [column("sex", Kind::Text, None)];
    let tuples = [tuple(0, &["f"], "a"), tuple(1, &["f"], "b"), tuple(2, &["m"], "a"), tuple(3, &["f"], "c")];
    let lines = vec![
        set(&["f"], &["a", "b"]),
        set(&["f"], &["a", "b"]),
        set(&["m"], &["a", "c"]),
        set(&["f"], &["b", "c"]),
    ];
    let question = ask(&["b", "a"], vec![is(0, &["f"])], Windows::Tuples(2));
    let method = Method::Sets { estimator: &estimator, values: &names };
    let extents = extents(&columns, &[]);
    let found = monitor(method, &columns, &extents, &question, &tuples, lines.into_iter()).unwrap();
    assert_eq!(found.len(), 2);
    let found = found[1];
    // q = 1/2: a set with `a` scores 1, one without −1. So 2 for 1, and −1 for 0.
    assert_eq!((found.windows, found.mean_count, found.mean_absolute_error), (2, 0.5, 1.0));
    close(found.mean_standard_error, 2.0_f64.sqrt() / 2.0);
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let ask_rows = |question: Question, line: Line| {
        let extents = extents(&columns(), &PEOPLE);
        count(Method::Rows, &columns(), &extents, &question, std::iter::once(line)).unwrap_err()
    };
    let sound = || row(PEOPLE[0], "flu");
    let all = |windows| ask(&["flu"], vec![], windows);
    use StreamMeasureError as E;
    assert_eq!(ask_rows(all(Windows::Tuples(0)), sound()), E::NoWidth { width: "0".into() });
    let nan = Windows::Width { column: 0, width: f64::NAN };
    assert_eq!(ask_rows(all(nan), sound()), E::NoWidth { width: "NaN".into() });
    let wide = Windows::Width { column: 4, width: 1.0 };
    assert_eq!(ask_rows(all(wide), sound()), E::NoSuchCell { column: 5, cells: 4 });
    assert_eq!(ask_rows(all(Windows::One), slot(1, "a", 1)), E::Alien { line: 1 });
    let twice = ask(&["flu", "flu"], vec![], Windows::One);
    assert_eq!(ask_rows(twice, sound()), E::AskedTwice { value: "flu".into() });

    let columns = [column("sex", Kind::Text, None)];
    let extents = extents(&columns, &[]);
    let estimator = CountEstimator::new(&SetDesign::uniform(3, 2).unwrap()).unwrap();
    let names = ["a", "b", "c"].map(String::from);
    let method = Method::Sets { estimator: &estimator, values: &names };
    let ask_sets = |value: &str, line: Line| {
        count(method, &columns, &extents, &ask(&[value], vec![], Windows::One), std::iter::once(line))
            .unwrap_err()
    };
    assert_eq!(ask_sets("x", set(&["f"], &["a", "b"])), E::Unasked { value: "x".into() });
    assert_eq!(ask_sets("a", set(&["f"], &["a", "x"])), E::UnknownValue { line: 1, value: "x".into() });
    let question = ask(&["a"], vec![], Windows::One);
    let orphan = count(Method::Groups, &columns, &extents, &question, std::iter::once(member(7, &["f"])));
    assert_eq!(orphan.unwrap_err(), E::UnknownGroup { line: 1, group: 7 });
}
