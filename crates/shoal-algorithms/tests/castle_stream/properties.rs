//! What is promised, checked from the releases alone.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_algorithms::stream::castle::{Castle, CastleRelease, CastleRules, CastleValue};

use crate::support::{Tuple, castle, covers, hierarchy, is_crowd, push, run, streams};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn every_tuple_leaves_once_and_in_time((params, tuples) in streams()) {
        let steps = run(&mut castle(params), &tuples);
        let mut left: BTreeMap<u64, usize> = BTreeMap::new();
        for (step, releases) in steps.iter().enumerate() {
            prop_assert!(releases.windows(2).all(|pair| pair[0].position < pair[1].position));
            for release in releases {
                prop_assert_eq!(left.insert(release.position, step), None);
            }
        }
        prop_assert_eq!(left.len(), tuples.len());
        for tuple in &tuples {
            let due = tuples.iter().position(|other| other.position >= tuple.position + params.delta);
            prop_assert!(left[&tuple.position] <= due.unwrap_or(tuples.len()));
        }
    }

    /// Time passes between tuples; nobody waits longer than the clock allows, and what is promised holds all the same.
    #[test]
    fn every_tuple_leaves_in_time_by_the_clock(
        (mut params, tuples) in streams(), limit in 1_u64..40, passes in prop::collection::vec(0_u64..12, 90),
    ) {
        params.max_wait = Some(limit);
        let mut castle = castle(params);
        let (mut now, mut waiting) = (0, BTreeMap::new());
        let mut classes: BTreeMap<String, Vec<Tuple>> = BTreeMap::new();
        for (tuple, passes) in tuples.iter().zip(passes) {
            now += passes;
            let due = waiting.values().any(|since| now - since >= limit);
            prop_assert_eq!(castle.is_due(now), due);
            let mut out = Vec::new();
            castle.advance(now, &mut out);
            prop_assert!(due || out.is_empty());
            prop_assert!(out.windows(2).all(|pair| pair[0].position < pair[1].position));
            // A clock that goes back stands still.
            castle.advance(now / 2, &mut out);
            waiting.insert(tuple.position, now);
            castle.push(tuple.position, tuple.person, &tuple.quasi, tuple.value, &mut out).unwrap();
            for release in &out {
                prop_assert!(waiting.remove(&release.position).is_some());
                if !release.suppressed {
                    classes.entry(format!("{:?}", release.cells)).or_default().push(find(&tuples, release));
                }
            }
            prop_assert!(classes.values().all(|class| is_crowd(class.iter(), &params)));
            prop_assert!(waiting.values().all(|since| now - since < limit));
        }
    }

    /// Where nothing more comes, all that wait leave; with our rules as crowds, if all together are one.
    #[test]
    fn a_pause_lets_everybody_out((mut params, tuples) in streams()) {
        (params.max_wait, params.delta, params.max_reusable) = (Some(1000), 1000, 0);
        let mut castle = castle(params);
        let mut out: Vec<CastleRelease> = tuples.iter().flat_map(|tuple| push(&mut castle, tuple)).collect();
        castle.advance(999, &mut out);
        prop_assert!(out.is_empty() && !castle.is_due(999));
        castle.advance(1000, &mut out);
        prop_assert_eq!((out.len(), castle.waiting()), (tuples.len(), 0));
        let suppressed = out.iter().filter(|release| release.suppressed).count();
        if !is_crowd(tuples.iter(), &params) {
            prop_assert_eq!(suppressed, tuples.len());
        } else if params.rules == CastleRules::Nearest {
            prop_assert_eq!(suppressed, 0);
        }
    }

    #[test]
    fn every_class_is_a_crowd_at_every_moment((params, tuples) in streams()) {
        let mut classes: BTreeMap<String, Vec<Tuple>> = BTreeMap::new();
        for releases in run(&mut castle(params), &tuples) {
            for release in releases.iter().filter(|release| !release.suppressed) {
                classes.entry(format!("{:?}", release.cells)).or_default().push(find(&tuples, release));
            }
            for (cells, class) in &classes {
                prop_assert!(is_crowd(class.iter(), &params), "{}", cells);
            }
        }
    }

    #[test]
    fn what_is_published_is_true((params, tuples) in streams()) {
        let tree = hierarchy();
        for release in run(&mut castle(params), &tuples).concat() {
            let tuple = find(&tuples, &release);
            prop_assert_eq!(release.cells.len(), if release.suppressed { 0 } else { 3 });
            for (cell, value) in release.cells.iter().zip(tuple.quasi) {
                prop_assert!(covers(cell, value, &tree), "{:?} {:?}", cell, value);
            }
        }
    }

    /// With our rules. Those who stay and those who are suppressed were all inside when one was suppressed.
    #[test]
    fn nobody_is_suppressed_beside_a_crowd((mut params, tuples) in streams()) {
        params.rules = CastleRules::Nearest;
        let steps = run(&mut castle(params), &tuples);
        let mut inside: Vec<Tuple> = Vec::new();
        for (step, releases) in steps.iter().enumerate() {
            inside.extend(tuples.get(step));
            inside.retain(|tuple| releases.iter().all(|r| r.suppressed || r.position != tuple.position));
            if releases.iter().any(|release| release.suppressed) {
                prop_assert!(!is_crowd(inside.iter(), &params));
            }
            inside.retain(|tuple| releases.iter().all(|r| r.position != tuple.position));
        }
        prop_assert!(inside.is_empty());
    }

    #[test]
    fn a_state_that_was_written_down_goes_on_as_before((params, tuples) in streams(), at in any::<prop::sample::Index>()) {
        let mut whole = castle(params);
        let expected = run(&mut whole, &tuples);
        let at = at.index(tuples.len() + 1);
        let mut first = castle(params);
        let mut steps: Vec<Vec<CastleRelease>> = tuples[..at].iter().map(|t| push(&mut first, t)).collect();
        let text = serde_json::to_string(&first).unwrap();
        let mut second: Castle = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&second, &first);
        steps.extend(run(&mut second, &tuples[at..]));
        prop_assert_eq!(steps, expected);
        prop_assert_eq!(second, whole);
    }

    #[test]
    fn memory_is_bounded_and_a_flush_empties_it((params, tuples) in streams()) {
        let mut castle = castle(params);
        for tuple in &tuples {
            push(&mut castle, tuple);
            prop_assert!(castle.waiting() <= params.delta);
            prop_assert!(castle.reusable() <= params.max_reusable);
        }
        let mut out = Vec::new();
        castle.flush(&mut out);
        prop_assert_eq!(castle.waiting(), 0);
        let figures = castle.figures();
        prop_assert_eq!((figures.tuples, figures.released), (tuples.len() as u64, tuples.len() as u64));
        out.clear();
        castle.flush(&mut out);
        prop_assert!(out.is_empty());
    }

    #[test]
    fn a_tuple_that_is_refused_changes_nothing((params, tuples) in streams()) {
        let mut castle = castle(params);
        for tuple in &tuples {
            push(&mut castle, tuple);
            let before = castle.clone();
            let [number, code, leaf] = tuple.quasi;
            let next = tuple.position + 1;
            let mut out = Vec::new();
            let mut refuse = |position, quasi: &[CastleValue]| {
                castle.push(position, 0, quasi, 0, &mut out).is_err() && castle == before
            };
            prop_assert!(refuse(tuple.position, &tuple.quasi));
            prop_assert!(refuse(next, &[number, code]));
            prop_assert!(refuse(next, &[code, code, leaf]));
            prop_assert!(refuse(next, &[number, code, CastleValue::Code(6)]));
            prop_assert!(refuse(next, &[number, CastleValue::Missing, leaf]));
            prop_assert!(refuse(next, &[CastleValue::Number(f64::NAN), code, leaf]));
            prop_assert!(refuse(next, &[CastleValue::Number(f64::NEG_INFINITY), code, leaf]));
            prop_assert!(out.is_empty());
        }
    }
}

fn find(tuples: &[Tuple], release: &CastleRelease) -> Tuple {
    *tuples.iter().find(|tuple| tuple.position == release.position).unwrap()
}
