//! The gate of streams: sound streams pass, every small change to one is refused, and on random streams it agrees with
//! a second verifier that shares no code with it.

mod broken;
mod design;
mod second_verifier;
mod support;
mod verdicts;

use proptest::prelude::*;
use shoal_core::stream::StreamPromise;
use shoal_privacy::stream::{Gate, GateMismatch, GateState};

use support::{Event, change, columns, crowds_stream, groups_stream, run, sets_stream};

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
    let crowds = StreamPromise::Crowds { k: 2, l: 1, delta: 5 };
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

    let promise = StreamPromise::Crowds { k: 2, l: 1, delta: 9 };
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

#[test]
fn after_a_refusal_nothing_more_leaves() {
    let (promise, events) = sets_stream(3, 2);
    let mut gate = Gate::new(promise, columns());
    assert!(matches!(&events[1], Event::Admit { .. }));
    assert!(events[1].go_through(&mut gate).is_err());
    assert_eq!(events[0].go_through(&mut gate), Err(shoal_privacy::stream::StreamViolation::Spent));
}
