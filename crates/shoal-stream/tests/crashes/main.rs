//! Whatever happens between two steps of the loop, the next start repairs it: a run that dies again and again publishes,
//! byte for byte, what a run publishes that does not.

mod broker;
mod clock;
mod ownership;

use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use shoal_stream::{Frontier, Record, StreamError};

use broker::{Broker, CASTLE, HARDENED, PUBLISHED, lines, modes, publish, records, sound_records, start};

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_run_that_dies_publishes_what_a_run_publishes_that_does_not(
        seed: u64, luck in prop::collection::vec(0_usize..60, 1..12),
    ) {
        let records = records(300, seed);
        for mode in modes() {
            let whole = lines(&publish(mode, &records, &[]));
            let broken = lines(&publish(mode, &records, &luck));
            // A start after the end flushes once more, which publishes nothing.
            prop_assert_eq!(broken, whole, "{}", mode);
        }
    }
}

#[test]
fn every_tuple_is_there_once_and_every_broken_line_is_kept() {
    let records = records(300, 1);
    let broken = records.iter().filter(|record| record.bytes == b"{broken").count();
    for (mode, tuple) in [(HARDENED, "values"), (PUBLISHED, "\"age\""), (CASTLE, "illness")] {
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records.clone(), ..Broker::default() }));
        let figures = start(folder.path(), mode, &broker).unwrap();
        let text = lines(&broker.borrow().messages);
        // Whoever was learned from is not published, and counted.
        let learned = if mode == CASTLE { 0 } else { 40 };
        assert_eq!(
            text.lines().filter(|line| line.contains(tuple)).count(),
            300 - broken - learned,
            "{mode}"
        );
        assert_eq!(figures.learned, learned as u64, "{mode}");
        let by_reason: u64 = figures.dead_letters_by_reason.values().map(|reason| reason.count).sum();
        assert_eq!(by_reason, broken as u64, "{mode}");
        assert_eq!(figures.dead_letters, broken as u64);
        let letters = std::fs::read_to_string(folder.path().join("state/dead-letters.ndjson")).unwrap();
        assert_eq!(letters.lines().count(), broken);
        assert!(letters.contains("not a JSON object"), "{letters}");
    }
}

#[test]
fn a_second_run_goes_on_where_the_first_one_stopped() {
    let records = records(300, 2);
    for mode in [HARDENED, PUBLISHED] {
        let whole = lines(&publish(mode, &records, &[]));
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records[..120].to_vec(), ..Broker::default() }));
        start(folder.path(), mode, &broker).unwrap();
        broker.borrow_mut().records = records.clone();
        start(folder.path(), mode, &broker).unwrap();
        assert_eq!(lines(&broker.borrow().messages), whole, "{mode}");
    }
}

/// A broker keeps the records from which was learned; not even a new sink gets them.
#[test]
fn whoever_was_learned_from_is_not_published_later() {
    let records = records(300, 5);
    for mode in [HARDENED, PUBLISHED] {
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records[..45].to_vec(), ..Broker::default() }));
        start(folder.path(), mode, &broker).unwrap();
        let first = broker.borrow().messages.len();
        assert!(first < 10, "{first}");
        // The broker forgets what was acknowledged, and nothing has been published: the records come again.
        broker.borrow_mut().messages.clear();
        broker.borrow_mut().closed = None;
        broker.borrow_mut().acknowledged = Frontier::default();
        std::fs::remove_file(folder.path().join("state/state.redb")).ok();
        start(folder.path(), mode, &broker).unwrap();
        assert_eq!(broker.borrow().messages.len(), first, "{mode}");
    }
}

#[test]
fn a_state_that_does_not_belong_to_the_sink_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let broker = Rc::new(RefCell::new(Broker { records: records(100, 3), ..Broker::default() }));
    start(folder.path(), PUBLISHED, &broker).unwrap();
    std::fs::remove_dir_all(folder.path().join("state")).unwrap();
    let error = start(folder.path(), PUBLISHED, &broker).unwrap_err();
    assert!(matches!(error, StreamError::StateBehind { .. }), "{error}");
    let other = PUBLISHED.replace("max-open-groups = 4", "max-open-groups = 5");
    let folder = tempfile::tempdir().unwrap();
    let broker = Rc::new(RefCell::new(Broker { records: records(100, 3), ..Broker::default() }));
    start(folder.path(), PUBLISHED, &broker).unwrap();
    assert!(matches!(start(folder.path(), &other, &broker).unwrap_err(), StreamError::OtherStream { .. }));
}

#[test]
fn too_few_values_are_said_before_anything_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let broker = Rc::new(RefCell::new(Broker { records: records(100, 4), ..Broker::default() }));
    for mode in [HARDENED, PUBLISHED] {
        let error = start(folder.path(), &mode.replace("l = 3", "l = 7"), &broker).unwrap_err();
        assert!(matches!(error, StreamError::NothingLearned { .. }) && error.is_broken_promise(), "{error}");
        assert!(broker.borrow().messages.is_empty());
    }
}

/// What leaves of a crowd is the same, whoever came first.
#[test]
fn the_order_of_a_crowd_does_not_tell_who_came_first() {
    let forward = sound_records(40, 6);
    let mut backward = forward.clone();
    backward.reverse();
    backward.iter_mut().enumerate().for_each(|(at, record)| record.offset = at as u64);
    // All of them leave in one step, when the stream ends.
    let mode = CASTLE.replace("delta = 20", "delta = 100");
    for messages in [publish(&mode, &forward, &[]), publish(&mode, &backward, &[])] {
        let mut text: Vec<&str> = std::str::from_utf8(&messages[0].1).unwrap().lines().collect();
        let shown = text.clone();
        text.sort_unstable();
        assert_eq!((messages.len(), shown.len()), (1, 40));
        let crowd = |line: &str| line.split("\"illness\"").next().unwrap().to_owned();
        let values: Vec<&str> = shown.iter().map(|line| line.rsplit(':').next().unwrap()).collect();
        for at in 1..40 {
            assert!(crowd(shown[at - 1]) != crowd(shown[at]) || values[at - 1] <= values[at], "{shown:#?}");
        }
    }
}

/// Seventy tuples of three people are not a crowd of four, however the people are spelt.
#[test]
fn a_person_is_one_person_in_every_spelling() {
    let tuple = |n: u64| {
        let who = ["\"7\"", "7.0", "\" 07\"", "\"Ann\"", "\"Ann \"", "\"Zo\u{eb}\"", "\"Zoe\u{308}\""]
            [n as usize % 7];
        format!(r#"{{"who":{who},"age":{},"city":"Ulm","illness":"i{}"}}"#, 20 + n % 9, n % 5)
    };
    let records: Vec<Record> =
        (0..70).map(|n| Record { partition: 0, offset: n, bytes: tuple(n).into_bytes() }).collect();
    for (k, all_hidden) in [(3, false), (4, true)] {
        let mode = CASTLE.replace("k = 3", &format!("k = {k}"));
        let text = lines(&publish(&mode, &records, &[]));
        assert_eq!(text.lines().count(), 70);
        let hidden = text.lines().filter(|line| line.contains("\"illness\":\"*\"")).count();
        assert_eq!(hidden == 70, all_hidden, "{k}: {hidden}");
    }
}

#[test]
fn a_domain_of_too_many_values_is_said_before_memory_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let tuple = |n: u64| format!(r#"{{"who":"p{n}","age":30,"city":"Ulm","illness":"i{n}"}}"#);
    let records =
        (0..100_100).map(|n| Record { partition: 0, offset: n, bytes: tuple(n).into_bytes() }).collect();
    let broker = Rc::new(RefCell::new(Broker { records, ..Broker::default() }));
    let error =
        start(folder.path(), &HARDENED.replace("learn = 40", "learn = 1000000"), &broker).unwrap_err();
    assert!(matches!(error, StreamError::TooManyValues { limit: 100_000, .. }), "{error}");
    assert!(broker.borrow().messages.is_empty());
}
