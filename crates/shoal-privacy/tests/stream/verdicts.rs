//! What can be said of a published stream later: from its lines alone, and beside the tuples it shows.

use proptest::prelude::*;
use shoal_core::stream::{StreamLine, StreamPromise};
use shoal_privacy::stream::{StreamVerdict, StreamViolation, conserved, verify_stream};
use shoal_privacy::{Figure, Promise};

use super::support::{
    Event, Line, Tuple, change, columns, crowds_stream, groups_stream, member, row, run, set, sets_stream,
    slot, tuple,
};

const QUASI: [bool; 4] = [true, true, true, false];

fn verify(promise: StreamPromise, lines: Vec<Line>) -> StreamVerdict {
    verify_stream(promise, &QUASI, None, lines.into_iter())
}

fn published(events: &[Event]) -> (Vec<Tuple>, Vec<Line>) {
    let mut all = (Vec::new(), Vec::new());
    for event in events {
        if let Event::Admit { lines, tuples } = event {
            all.0.extend(tuples.iter().cloned());
            all.1.extend(lines.iter().cloned());
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Later, less is known than at the gate; so whatever the gate admits is still found to be sound.
    #[test]
    fn what_the_gate_admits_is_verified_later(seed: u64, l in 1_usize..4, changes in 0_usize..2) {
        for (promise, mut events) in [sets_stream(seed, l), groups_stream(seed, l), crowds_stream(seed)] {
            change(&mut events, seed, changes);
            if run(promise, &events).is_ok() {
                let (mut tuples, lines) = published(&events);
                prop_assert!(verify(promise, lines.clone()).holds());
                tuples.sort_by_key(|tuple| tuple.position);
                prop_assert_eq!(conserved(&columns(), &tuples, &lines), Ok(()));
            }
        }
    }
}

#[test]
fn lines_with_too_few_values_or_in_another_order_are_named() {
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "flu");
    let promise = StreamPromise::Sets { l: 3 };
    let sound = vec![set(&ann, &["a", "b", "c"]), set(&ann, &["a", "b", "c", "d"])];
    let verdict = verify(promise, sound.clone());
    assert!(verdict.holds() && !verdict.is_vacuous());
    assert_eq!((verdict.lines, verdict.tuples, verdict.suppressed), (2, 2, 0));
    let names: Vec<_> = verdict.promises.iter().map(|finding| finding.promise.name()).collect();
    assert_eq!(names, ["well-formed lines", "l-diversity", "order of values"]);
    assert_eq!(
        (&verdict.promises[1].promise, &verdict.promises[1].found),
        (&Promise::LDiversity { l: 3 }, &Figure::Count(3))
    );

    let broken = [sound, vec![set(&ann, &["a", "b", "b"]), member(1, &ann), set(&ann, &["c", "b", "a"])]];
    let verdict = verify(promise, broken.concat());
    let said: Vec<String> = verdict.broken.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "well-formed lines does not hold: asked all, found all but 1, violating lines: 1; \
             line 4: a line of another kind of stream",
            "l-diversity does not hold: asked 3, found 2, violating lines: 1; line 3: 2 distinct values",
            "order of values does not hold: asked ascending, found ascending but for 2 lines, \
             violating lines: 2; line 3: `b` comes after `b`",
        ]
    );
    assert!(verify(promise, vec![]).is_vacuous());
}

#[test]
fn groups_are_diverse_at_every_moment_and_hold_nobody_twice() {
    let [ann, bob] =
        [["30", "Bonn", "red", "x"], ["31", "Jena", "red", "y"]].map(|c| tuple(0, None, c, "flu"));
    let promise = StreamPromise::Groups { l: 2, max_open_groups: 9 };
    let (cold, flu) = (slot(1, "cold", 1), slot(1, "flu", 1));
    let broken_by = |lines: Vec<Line>| -> Vec<String> {
        let verdict = verify(promise, lines);
        verdict
            .broken
            .iter()
            .map(|broken| format!("{} {}", broken.finding.promise.name(), broken.violations.worst[0]))
            .collect()
    };
    assert_eq!(broken_by(vec![cold.clone(), flu.clone(), member(1, &ann), member(1, &bob)]), [""; 0]);
    // Values without a member, as where a stream breaks off, say nothing.
    assert_eq!(broken_by(vec![cold.clone()]), [""; 0]);
    assert_eq!(
        broken_by(vec![cold.clone(), member(1, &ann), flu.clone()]),
        ["l-diversity line 2: group 1 has 1 values, the commonest with 1 of 1 counts"]
    );
    assert_eq!(
        broken_by(vec![member(1, &ann), cold.clone(), flu.clone()])[0],
        "l-diversity line 1: group 1 has 0 values, the commonest with 0 of 0 counts"
    );
    assert_eq!(
        broken_by(vec![cold.clone(), flu.clone(), member(1, &ann), slot(1, "flu", 1)]),
        [
            "l-diversity line 4: group 1 has 2 values, the commonest with 2 of 3 counts",
            "order of values line 4: `flu` comes too late in group 1"
        ]
    );
    assert_eq!(
        broken_by(vec![cold.clone(), flu.clone(), member(1, &ann), member(1, &ann)]),
        ["quasi-identifiers twice in a group line 4: the same quasi-identifiers again in group 1"]
    );
    let third = tuple(0, None, ["50", "Jena", "red", "y"], "flu");
    assert_eq!(
        broken_by(vec![cold, flu, member(1, &ann), member(1, &bob), member(1, &third)]),
        ["members without a place line 5: 3 members in the 2 places of group 1"]
    );
    assert_eq!(
        broken_by(vec![slot(2, "flu", 1), slot(2, "cold", 1), member(2, &ann)]),
        ["order of values line 2: `cold` comes too late in group 2"]
    );
    let skewed = verify(promise, vec![slot(1, "a", 3), slot(1, "b", 2), slot(1, "c", 2), member(1, &ann)]);
    assert_eq!(skewed.promises[1].found, Figure::Number(7.0 / 3.0));
}

#[test]
fn classes_of_rows_have_k_rows_and_l_values() {
    let promise = StreamPromise::Crowds { k: 2, l: 2, delta: 5, max_wait: None, reuse: true };
    let lines = vec![
        row(["[1, 2]", "*", "red", "x"], "flu"),
        row(["*"; 4], "*"),
        row(["[3, 4]", "*", "red", "x"], "flu"),
        row(["[1, 2]", "*", "red", "y"], "cold"),
        row(["[3, 4]", "*", "red", "x"], "flu"),
        row(["7", "*", "red", "x"], "flu"),
    ];
    let verdict = verify(promise, lines);
    assert_eq!((verdict.tuples, verdict.suppressed), (6, 1));
    let said: Vec<String> = verdict.broken.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "k-anonymity does not hold: asked 2, found 1, violating lines: 1; line 6: the class (7; *; red) has 1 rows",
            "l-diversity does not hold: asked 2, found 1, violating lines: 2; \
             line 3: the class ([3, 4]; *; red) has 1 sensitive values",
        ]
    );
}

#[test]
fn rows_without_tuples_of_which_they_are_true_are_found() {
    let tuples = [
        tuple(0, None, ["1", "Bonn", "red", "x"], "flu"),
        tuple(1, None, ["2", "Bonn", "red", "x"], "flu"),
        tuple(2, None, ["3", "Jena", "red", "x"], "flu"),
    ];
    let wide = || row(["[1, 2]", "*", "red", "x"], "flu");
    let check = |lines: Vec<StreamLine<'_>>| conserved(&columns(), &tuples, &lines);
    assert_eq!(check(vec![wide(), row(["*"; 4], "*"), wide()]), Ok(()));
    assert_eq!(
        check(vec![row(["*"; 4], "*"), wide(), wide()]).and_then(|()| check(vec![wide(), wide(), wide()])),
        Err(StreamViolation::Untrue { line: 1, rows: 3, tuples: 2 })
    );
    assert_eq!(
        check(vec![wide(), wide(), row(["3", "East", "red", "x"], "cold")]),
        Err(StreamViolation::Untrue { line: 3, rows: 1, tuples: 0 })
    );
    assert_eq!(check(vec![wide()]), Err(StreamViolation::Unpaired { lines: 1, tuples: 3 }));
}

#[test]
fn delay_free_lines_are_compared_one_by_one() {
    let tuples =
        [tuple(0, None, ["1", "Bonn", "red", "x"], "flu"), tuple(1, None, ["2", "Bonn", "red", "x"], "flu")];
    let [first, second] = &tuples;
    let check = |lines: Vec<StreamLine<'_>>| conserved(&columns(), &tuples, &lines);
    assert_eq!(check(vec![set(first, &["flu"]), set(second, &["cold", "flu"])]), Ok(()));
    assert_eq!(
        check(vec![set(first, &["flu"]), set(second, &["cold"])]),
        Err(StreamViolation::NotInSet { line: 2, position: 1 })
    );
    assert!(matches!(
        check(vec![set(second, &["flu"]), set(first, &["flu"])]),
        Err(StreamViolation::Changed { line: 1, position: 0, .. })
    ));
    assert_eq!(
        check(vec![slot(1, "flu", 1), member(1, first), member(1, second)]),
        Err(StreamViolation::NoFreeSlot { line: 3, position: 1, group: 1 })
    );
}

#[test]
fn a_group_with_more_values_than_it_needs_is_sound_and_every_line_counts() {
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "a");
    let promise = StreamPromise::Groups { l: 2, max_open_groups: 9 };
    let sound = vec![slot(1, "a", 1), slot(1, "b", 1), slot(1, "c", 1), member(1, &ann)];
    let verdict = verify(promise, sound.clone());
    assert!(verdict.holds());
    assert_eq!((verdict.lines, verdict.tuples), (4, 1));
    let none = Figure::Words("none".to_owned());
    assert_eq!((&verdict.promises[2].found, &verdict.promises[3].found), (&none, &none));
    let twice = verify(promise, [sound, vec![member(1, &ann)]].concat());
    assert_eq!(twice.promises[3].found, Figure::Words("1 members".to_owned()));
}

/// A value that nobody can have hides nobody.
#[test]
fn values_without_a_place_are_none() {
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "a");
    let promise = StreamPromise::Groups { l: 2, max_open_groups: 9 };
    let verdict = verify(promise, vec![slot(1, "a", 0), slot(1, "b", 0), member(1, &ann)]);
    let broken: Vec<String> = verdict.broken.iter().map(|broken| broken.finding.promise.name()).collect();
    assert_eq!(broken, ["l-diversity", "members without a place"]);
}

#[test]
fn rows_are_counted_and_one_value_is_no_diversity_to_speak_of() {
    let promise = StreamPromise::Crowds { k: 2, l: 1, delta: 5, max_wait: None, reuse: true };
    let line = || row(["[1, 2]", "*", "red", "x"], "flu");
    let verdict = verify(promise, vec![line(), line(), row(["*"; 4], "*")]);
    assert_eq!((verdict.lines, verdict.tuples, verdict.suppressed), (3, 3, 1));
    let names: Vec<_> = verdict.promises.iter().map(|finding| finding.promise.name()).collect();
    assert_eq!(names, ["well-formed lines", "k-anonymity"]);
}

#[test]
fn of_many_broken_lines_ten_are_shown_and_all_are_counted() {
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "a");
    let verdict = verify(StreamPromise::Sets { l: 2 }, vec![set(&ann, &["a"]); 12]);
    let violations = &verdict.broken[0].violations;
    assert_eq!((violations.total, violations.worst.len()), (12, 10));
}

#[test]
fn a_row_that_lacks_a_cell_is_named_by_its_place() {
    let tuples = [0, 1, 2].map(|at| tuple(at, None, ["1", "Bonn", "red", "x"], "flu"));
    let mut lines = vec![row(["1", "Bonn", "red", "x"], "flu"); 3];
    if let StreamLine::Row { cells, .. } = &mut lines[2] {
        cells.pop();
    }
    let ragged = StreamViolation::Ragged { line: 3, position: 2, cells: 3, columns: 4 };
    assert_eq!(conserved(&columns(), &tuples, &lines), Err(ragged));
}
