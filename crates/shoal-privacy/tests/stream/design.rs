//! A stream whose design is known: what it cannot draw is refused at the gate and found later.

use std::collections::BTreeSet;
use std::sync::Arc;

use shoal_core::stream::{SetDesign, Strata, StrataColumn, StreamDesign, StreamPromise};
use shoal_core::{DateFormat, Kind, ValueParser};
use shoal_privacy::stream::{Gate, StreamViolation, verify_stream};

use super::support::{Line, Tuple, columns, set, tuple};

const QUASI: [bool; 4] = [true, true, true, false];
/// Whatever the order, the arcs of the two rarest never lie opposite each other.
const COUNTS: [u64; 5] = [8, 6, 4, 1, 1];

fn labels() -> Vec<String> {
    ["a", "b", "c", "d", "e"].map(String::from).to_vec()
}

/// Two strata by age; the second one has the counts the other way round.
fn design(shows_strata: bool) -> Arc<StreamDesign> {
    let parser = ValueParser::new(Kind::Integer, DateFormat::default());
    let age = StrataColumn { name: "age".to_owned(), cell: 0, parser, hierarchy: None };
    let strata =
        Strata::new(vec![age], vec![vec!["[0, 39]".to_owned()], vec!["[40, 99]".to_owned()]]).unwrap();
    let reversed: Vec<u64> = COUNTS.iter().rev().copied().collect();
    let counts = [COUNTS.to_vec(), reversed];
    Arc::new(StreamDesign::conditional(labels(), strata, &counts, 2, 3, shows_strata).unwrap())
}

fn admitted(design: &Arc<StreamDesign>, tuple: &Tuple, line: Line) -> Result<(), StreamViolation> {
    let mut gate = Gate::new(StreamPromise::Sets { l: 2 }, columns()).for_design(Arc::clone(design));
    gate.admit(b"x", &[line], std::slice::from_ref(tuple)).map(|_| ())
}

fn holds(design: &Arc<StreamDesign>, line: Line) -> bool {
    verify_stream(StreamPromise::Sets { l: 2 }, &QUASI, Some(design), std::iter::once(line)).holds()
}

/// The sets that points on the rings give, one by one, for a tuple of the stratum.
fn drawn(design: &StreamDesign, stratum: usize) -> BTreeSet<Vec<String>> {
    let SetDesign::Calibrated(sets) = design.sets(stratum) else { unreachable!() };
    let mut drawn = BTreeSet::new();
    for ring in 0..sets.rings().len() {
        for value in 0..5_u32 {
            for offset in 0..2 * sets.counts()[value as usize] {
                let set = sets.set_at(ring, value, offset);
                drawn.insert(set.iter().map(|code| labels()[*code as usize].clone()).collect());
            }
        }
    }
    drawn
}

#[test]
fn every_set_that_can_be_drawn_passes_and_no_other() {
    for shows_strata in [false, true] {
        let design = design(shows_strata);
        for (stratum, age, band) in [(0, "30", "[0, 39]"), (1, "40", "[40, 99]")] {
            let drawn = drawn(&design, stratum);
            assert!(drawn.len() < 10, "some pairs must be impossible");
            for one in labels() {
                for other in labels().into_iter().filter(|other| *other > one) {
                    let tuple = tuple(0, None, [age, "Bonn", "red", "x"], &one);
                    let shown = match shows_strata {
                        true => super::support::tuple(0, None, [band, "*", "*", "x"], &one),
                        false => tuple.clone(),
                    };
                    let line = || set(&shown, &[&one, &other]);
                    let possible = drawn.contains(&vec![one.clone(), other.clone()]);
                    assert_eq!(admitted(&design, &tuple, line()).is_ok(), possible, "{one} {other}");
                    assert_eq!(holds(&design, line()), possible, "{one} {other}");
                }
            }
        }
    }
}

#[test]
fn a_line_shows_its_stratum_and_nothing_finer() {
    let design = design(true);
    let first = drawn(&design, 0).into_iter().next().unwrap();
    let values: Vec<&str> = first.iter().map(String::as_str).collect();
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], values[0]);
    let shown = |cells: [&str; 4]| set(&tuple(0, None, cells, values[0]), &values);
    admitted(&design, &ann, shown(["[0, 39]", "*", "*", "x"])).unwrap();
    use StreamViolation as V;
    let refused = |cells| admitted(&design, &ann, shown(cells)).unwrap_err();
    assert!(matches!(refused(["30", "*", "*", "x"]), V::Impossible { .. }));
    assert!(matches!(refused(["[0, 30]", "*", "*", "x"]), V::Impossible { .. }));
    assert!(matches!(refused(["[40, 99]", "*", "*", "x"]), V::NotCovered { .. }));
    assert!(matches!(refused(["[0, 39]", "Bonn", "*", "x"]), V::NotWithheld { .. }));
    assert!(matches!(refused(["[0, 39]", "*", "*", "y"]), V::Changed { .. }));
    for cells in [["30", "*", "*", "x"], ["[0, 30]", "*", "*", "x"], ["[0, 39]", "Bonn", "*", "x"]] {
        assert!(!holds(&design, shown(cells)), "{cells:?}");
    }
}

#[test]
fn values_are_those_of_the_domain_and_as_many_as_are_drawn() {
    let design = Arc::new(StreamDesign::for_everybody(labels(), SetDesign::uniform(5, 2).unwrap()));
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "a");
    for (values, possible) in [(&["a", "e"][..], true), (&["a", "f"], false), (&["a", "b", "c"], false)] {
        assert_eq!(admitted(&design, &ann, set(&ann, values)).is_ok(), possible, "{values:?}");
        assert_eq!(holds(&design, set(&ann, values)), possible, "{values:?}");
    }
}

/// As many different values and as many values as the design draws: a value that stands twice is neither hidden behind
/// others nor one that is drawn.
#[test]
fn a_value_that_stands_twice_is_not_drawn() {
    let design = Arc::new(StreamDesign::for_everybody(labels(), SetDesign::uniform(5, 2).unwrap()));
    let ann = tuple(0, None, ["30", "Bonn", "red", "x"], "a");
    for values in [&["a", "a"][..], &["a", "b", "b"]] {
        let lines = std::iter::once(set(&ann, values));
        let verdict = verify_stream(StreamPromise::Sets { l: 2 }, &QUASI, Some(&design), lines);
        assert!(
            verdict.broken.iter().any(|broken| broken.finding.promise.name() == "sets of the design"),
            "{values:?}"
        );
    }
}
