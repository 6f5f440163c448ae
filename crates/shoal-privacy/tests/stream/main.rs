//! The gate of streams: sound streams pass, every small change to one is refused, and on random streams it agrees with
//! a second verifier that shares no code with it.

mod broken;
mod design;
mod second_verifier;
mod support;
mod verdicts;

use proptest::prelude::*;
use shoal_core::stream::StreamPromise;
use shoal_privacy::stream::{Gate, GateMismatch, GateState, StreamViolation};

use support::{Event, change, columns, crowds_of, crowds_stream, groups_stream, run, sets_stream};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sound_streams_of_sets_and_groups_pass(seed: u64, l in 1_usize..4) {
        for (promise, events) in [sets_stream(seed, l), groups_stream(seed, l)] {
            prop_assert_eq!(run(promise, &events), Ok(()));
            prop_assert!(second_verifier::is_sound(promise, &events));
        }
    }

    #[test]
    fn both_verifiers_agree_on_changed_sets(seed: u64, l in 1_usize..4, changes in 1_usize..3) {
        let (promise, mut events) = sets_stream(seed, l);
        change(&mut events, seed, changes);
        prop_assert_eq!(run(promise, &events).is_ok(), second_verifier::is_sound(promise, &events));
    }

    #[test]
    fn both_verifiers_agree_on_changed_groups(seed: u64, l in 1_usize..4, changes in 1_usize..3) {
        let (promise, mut events) = groups_stream(seed, l);
        change(&mut events, seed, changes);
        let found = run(promise, &events);
        prop_assert_eq!(found.is_ok(), second_verifier::is_sound(promise, &events), "{:?} {:#?}", found, events);
    }

    #[test]
    fn both_verifiers_agree_on_crowds(seed: u64, changes in 0_usize..2) {
        let (promise, mut events) = crowds_stream(seed);
        change(&mut events, seed, changes);
        let found = run(promise, &events);
        prop_assert_eq!(found.is_ok(), second_verifier::is_sound(promise, &events), "{:?} {:#?}", found, events);
    }

    #[test]
    fn books_that_were_written_down_go_on_as_if_nothing_had_happened(seed: u64, l in 2_usize..4, at in 0_usize..30) {
        for (promise, mut events) in [sets_stream(seed, l), groups_stream(seed, l), crowds_stream(seed)] {
            change(&mut events, seed, 1);
            let whole = run(promise, &events);
            let mut gate = Gate::new(promise, columns());
            let mut found = Ok(());
            for (number, event) in events.iter().enumerate() {
                if number == at {
                    let written = serde_json::to_string(gate.state()).unwrap();
                    let state: GateState = serde_json::from_str(&written).unwrap();
                    prop_assert_eq!(&state, gate.state());
                    gate = Gate::resume(promise, columns(), state).unwrap();
                }
                found = found.and_then(|()| event.go_through(&mut gate));
            }
            prop_assert_eq!(found.and_then(|()| gate.finish()), whole);
        }
    }
}

/// The property above says nothing if all crowds pass, or none.
#[test]
fn random_crowds_are_both_sound_and_not() {
    let sound = (0..400).filter(|seed| {
        let (promise, events) = crowds_stream(*seed);
        run(promise, &events).is_ok()
    });
    let sound = sound.count();
    assert!((40..360).contains(&sound), "{sound} of 400");
}

#[test]
fn books_of_another_promise_are_not_taken_up() {
    let sets = Gate::new(StreamPromise::Sets { l: 2 }, columns());
    let crowds = crowds_of(2, 1, 5);
    assert_eq!(Gate::resume(crowds, columns(), sets.state().clone()).unwrap_err(), GateMismatch);
}

#[test]
fn damaged_books_are_not_taken_up() {
    let (promise, events) = groups_stream(4, 3);
    let mut gate = Gate::new(promise, columns());
    events[0].go_through(&mut gate).unwrap();
    let written = serde_json::to_string(gate.state()).unwrap();
    let damaged: GateState = serde_json::from_str(&written.replace("\"free\":2", "\"free\":3")).unwrap();
    assert_ne!(damaged, *gate.state());
    assert_eq!(Gate::resume(promise, columns(), damaged).unwrap_err(), GateMismatch);

    let promise = crowds_of(2, 1, 9);
    let mut gate = Gate::new(promise, columns());
    gate.arrive(&support::tuple(0, None, ["1", "Bonn", "red", "x"], "flu")).unwrap();
    let written = serde_json::to_string(gate.state()).unwrap();
    let damaged: GateState = serde_json::from_str(&written.replace("\"next\":1", "\"next\":0")).unwrap();
    assert_eq!(Gate::resume(promise, columns(), damaged).unwrap_err(), GateMismatch);
}

#[test]
fn a_stream_of_sets_can_be_taken_up_at_any_tuple() {
    let (promise, events) = sets_stream(3, 2);
    let mut gate = Gate::new(promise, columns()).starting_at(2);
    assert!(events[2..].iter().all(|event| event.go_through(&mut gate).is_ok()));
    let mut other = Gate::new(promise, columns()).starting_at(3);
    assert!(events[2].go_through(&mut other).is_err());
}

/// Group 4 is opened by the tuple at `position`.
fn opened_at(position: u64) -> Event {
    let first = support::tuple(position, None, ["30", "Bonn", "red", "x"], "flu");
    let lines = vec![support::slot(4, "cold", 1), support::slot(4, "flu", 1), support::member(4, &first)];
    Event::Admit { lines, tuples: vec![first] }
}

#[test]
fn streams_of_groups_and_crowds_can_be_taken_up_at_any_tuple() {
    let groups = |start: u64, position: u64| {
        let promise = StreamPromise::Groups { l: 2, max_open_groups: 9 };
        let mut gate = Gate::new(promise, columns()).starting_at(start);
        opened_at(position).go_through(&mut gate)
    };
    assert_eq!(groups(7, 7), Ok(()));
    assert_eq!(groups(7, 0), Err(StreamViolation::OutOfTurn { position: 0, expected: 7 }));
    let crowds = |start: u64, position: u64| {
        let mut gate = Gate::new(crowds_of(2, 1, 5), columns()).starting_at(start);
        gate.arrive(&support::tuple(position, None, ["30", "Bonn", "red", "x"], "flu"))
    };
    assert_eq!(crowds(7, 7), Ok(()));
    assert_eq!(crowds(7, 0), Err(StreamViolation::OutOfTurn { position: 0, expected: 7 }));
}

#[test]
fn books_are_made_with_the_key_and_go_on_with_it_only() {
    let tuples = [0, 1].map(|at| support::tuple(at, None, ["30", "Bonn", "red", "x"], "flu"));
    let lines = tuples.iter().map(|_| support::row(["30", "Bonn", "red", "x"], "flu")).collect();
    let leave = Event::Admit { lines, tuples: tuples.to_vec() };
    let promise = crowds_of(2, 1, 5);
    let books = |key: Option<[u8; 32]>| {
        let gate = Gate::new(promise, columns());
        let mut gate = match key {
            Some(key) => gate.with_key(key),
            None => gate,
        };
        tuples.iter().for_each(|tuple| gate.arrive(tuple).unwrap());
        gate.state().clone()
    };
    assert_ne!(books(Some([1; 32])), books(Some([2; 32])));
    assert_ne!(books(Some([1; 32])), books(None));
    let resume = |key| Gate::resume(promise, columns(), books(Some([1; 32]))).unwrap().with_key(key);
    assert_eq!(leave.go_through(&mut resume([1; 32])), Ok(()));
    let other = leave.go_through(&mut resume([2; 32]));
    assert_eq!(other, Err(StreamViolation::Swapped { line: 1, position: 0 }));
}

#[test]
fn after_a_refusal_nothing_more_leaves() {
    let (promise, events) = sets_stream(3, 2);
    let mut gate = Gate::new(promise, columns());
    assert!(matches!(&events[1], Event::Admit { .. }));
    assert!(events[1].go_through(&mut gate).is_err());
    assert_eq!(events[0].go_through(&mut gate), Err(StreamViolation::Spent));
}
