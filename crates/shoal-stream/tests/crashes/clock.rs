//! Tuples that leave because their time is up.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use proptest::prelude::*;
use shoal_stream::Record;

use crate::broker::{Broker, CLOCK, lines, publish, sound_records, start};

const CLOCKED: &str = "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 200\nmax-wait = 0.05";

/// 60 tuples waited for ever when nothing more came: δ counts tuples, and there were none.
#[test]
fn whoever_waits_leaves_when_time_is_up_although_nothing_comes() {
    for (extra, count) in [("", 60), ("\nrules = \"paper\"", 60), ("", 2)] {
        let folder = tempfile::tempdir().unwrap();
        let records = sound_records(count, 5);
        let broker = Rc::new(RefCell::new(Broker { records, pauses: true, ..Broker::default() }));
        // It ends only because everything has left by itself.
        start(folder.path(), &format!("{CLOCKED}{extra}"), &broker).unwrap();
        let text = lines(&broker.borrow().messages);
        assert_eq!(text.lines().count() as u64, count);
        // Two people are not a crowd of three: nothing of them is shown. Sixty are, and nobody is left over.
        let hidden = text.lines().filter(|line| line.contains("\"illness\":\"*\"")).count();
        // (The paper's rules give up outliers.)
        assert!(hidden == if count == 2 { 2 } else { 0 } || !extra.is_empty(), "{extra}: {hidden}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// With a clock a run that dies decides at other times than one that does not. But what was decided is not decided
    /// otherwise by a replay: no tuple is lost, none comes twice, and the gate has admitted everything.
    #[test]
    fn a_run_with_a_clock_that_dies_loses_nothing_and_repeats_nothing(
        seed: u64, luck in prop::collection::vec(0_usize..60, 1..12),
    ) {
        let numbered: Vec<Record> = sound_records(200, seed);
        let messages = publish(CLOCKED, &numbered, &luck);
        let text = lines(&messages);
        prop_assert_eq!(text.lines().count(), 200);
        let values = |n: &str| text.matches(n).count();
        let came = |n: &str| numbered.iter().filter(|r| String::from_utf8_lossy(&r.bytes).contains(n)).count();
        let hidden = values("\"illness\":\"*\"");
        for illness in 0..6 {
            let word = format!("\"illness\":\"i{illness}\"");
            prop_assert!(values(&word) <= came(&word) && values(&word) + hidden >= came(&word));
        }
    }

    /// What a replay publishes does not depend on when it happens.
    #[test]
    fn a_replay_repeats_what_was_decided_by_the_clock(seed: u64, luck in 10_usize..40) {
        let folder = tempfile::tempdir().unwrap();
        let records = sound_records(200, seed);
        let broker = Rc::new(RefCell::new(Broker { records, luck: Some(luck), ..Broker::default() }));
        if start(folder.path(), CLOCKED, &broker).is_ok() {
            return Ok(());
        }
        let before = broker.borrow().messages.len();
        let (messages, closed) = (broker.borrow().messages.clone(), broker.borrow().closed.clone());
        let replays = [0, 1_000_000].map(|later| {
            let copy = tempfile::tempdir().unwrap();
            copy_folder(folder.path(), copy.path());
            CLOCK.set(CLOCK.get() + later);
            // It dies again at its first fetch, when all that was decided has left.
            let broker = Broker {
                messages: messages.clone(),
                closed: closed.clone(),
                fetches: Some(0),
                ..Broker::default()
            };
            let broker = Rc::new(RefCell::new(broker));
            assert!(start(copy.path(), CLOCKED, &broker).is_err());
            broker.borrow().messages[before..].to_vec()
        });
        prop_assert_eq!(&replays[0], &replays[1]);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let path = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir(&path).unwrap();
            copy_folder(&entry.path(), &path);
        } else {
            std::fs::copy(entry.path(), path).unwrap();
        }
    }
}
