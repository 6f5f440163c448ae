//! Whatever happens between two steps of the loop, the next start mends it: a run that dies again and again publishes,
//! byte for byte, what a run publishes that does not.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;
use shoal_pipeline::Job;
use shoal_stream::{
    Batch, ConnectorError, Figures, Frontier, Mark, Message, Record, Sink, Source, StreamError,
    StreamOptions, Watcher, run_between,
};

/// A broker that outlives the process: what it was sent, what it was told, and when it lets the process die.
#[derive(Default)]
struct Broker {
    records: Vec<Record>,
    acknowledged: Frontier,
    messages: Vec<(Mark, Vec<u8>)>,
    /// Things that still go well before one fails.
    luck: Option<usize>,
}

impl Broker {
    fn try_luck(&mut self) -> Result<(), ConnectorError> {
        match &mut self.luck {
            Some(0) => {
                Err(ConnectorError::Refused { url: "test".into(), why: "crash".into(), hint: String::new() })
            }
            Some(luck) => {
                *luck -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

struct From(Rc<RefCell<Broker>>, usize);
struct To(Rc<RefCell<Broker>>);

impl Source for From {
    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let broker = self.0.borrow();
        let wanted = if *frontier == Frontier::default() { &broker.acknowledged } else { frontier };
        self.1 = broker.records.iter().take_while(|r| wanted.covers(r.partition, r.offset)).count();
        Ok(())
    }

    fn fetch(&mut self, max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        self.0.borrow_mut().try_luck()?;
        let broker = self.0.borrow();
        // Batches of many sizes, so that crashes fall everywhere.
        let size = max.min(1 + (self.1 * 7) % 13);
        let records: Vec<Record> = broker.records[self.1..].iter().take(size).cloned().collect();
        self.1 += records.len();
        Ok(Batch { ended: records.is_empty(), records })
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let mut broker = self.0.borrow_mut();
        broker.try_luck()?;
        broker.acknowledged = frontier.clone();
        Ok(())
    }
}

impl Sink for To {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(self.0.borrow().messages.last().map(|(mark, _)| mark.clone()))
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        let mut broker = self.0.borrow_mut();
        for message in messages {
            broker.try_luck()?;
            let after = broker.messages.last().map_or(0, |(mark, _)| mark.step);
            assert!(message.mark.step > after, "published a second time, or out of order");
            broker.messages.push((message.mark.clone(), message.lines.bytes().to_vec()));
        }
        Ok(())
    }
}

struct Silent;

impl Watcher for Silent {
    fn notice(&self, _text: &str) {}
    fn status(&self, _figures: &Figures) {}
}

const COLUMNS: &str = r#"
version = 1
[data]
shape = "stream"
source = "nats://nowhere/IN"
person = "who"
[columns.who]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.city]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"
[state]
dir = "state"
key-file = "key"
"#;

fn job(folder: &Path, mode: &str) -> Job {
    let path = folder.join("policy.toml");
    std::fs::write(&path, format!("{COLUMNS}{mode}")).unwrap();
    std::fs::write(folder.join("key"), "0123456789abcdef".repeat(4)).unwrap();
    Job::open(&path, &[]).unwrap()
}

const HARDENED: &str = "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nprior = \"uniform\"";
const PUBLISHED: &str = "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"paper\"\nmax-open-groups = 4";
const CASTLE: &str = "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 20";
const PAPER: &str =
    "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\nrules = \"paper\"\ndelta = 20\nbeta = 4";

/// The mixing of SplitMix64: variety without a pattern, from every seed.
fn scatter(n: u64) -> u64 {
    let z = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn records(count: u64, seed: u64) -> Vec<Record> {
    let tuple = |n: u64| {
        let r = scatter(n ^ scatter(seed));
        if r.is_multiple_of(23) {
            return "{broken".to_owned();
        }
        let (who, age, city, illness) =
            (r % 57, 20 + r % 50, ["Ulm", "Bonn", "Kiel"][(r % 3) as usize], r / 7 % 6);
        format!(r#"{{"who":"p{who}","age":{age},"city":"{city}","illness":"i{illness}"}}"#)
    };
    let two_partitions =
        |n: u64| Record { partition: (n % 2) as u32, offset: n / 2, bytes: tuple(n).into_bytes() };
    (0..count).map(two_partitions).collect()
}

fn start(folder: &Path, mode: &str, broker: &Rc<RefCell<Broker>>) -> Result<Figures, StreamError> {
    let job = job(folder, mode);
    let (source, sink) = (Box::new(From(Rc::clone(broker), 0)), Box::new(To(Rc::clone(broker))));
    run_between(&job, source, sink, &StreamOptions::default(), &AtomicBool::new(false), &Silent)
}

/// What is in the sink after a run that dies whenever its luck ends.
fn publish(mode: &str, records: &[Record], luck: &[usize]) -> Vec<(Mark, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let broker = Rc::new(RefCell::new(Broker { records: records.to_vec(), ..Broker::default() }));
    for luck in luck {
        broker.borrow_mut().luck = Some(*luck);
        if start(folder.path(), mode, &broker).is_ok() {
            break;
        }
    }
    broker.borrow_mut().luck = None;
    start(folder.path(), mode, &broker).unwrap();
    std::mem::take(&mut broker.borrow_mut().messages)
}

fn lines(messages: &[(Mark, Vec<u8>)]) -> String {
    messages.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_run_that_dies_publishes_what_a_run_publishes_that_does_not(
        seed: u64, luck in prop::collection::vec(0_usize..60, 1..12),
    ) {
        let records = records(300, seed);
        for mode in [HARDENED, PUBLISHED, CASTLE, PAPER] {
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
        assert_eq!(figures.dead_letters, broken as u64);
        let letters = std::fs::read_to_string(folder.path().join("state/dead-letters.ndjson")).unwrap();
        assert_eq!(letters.lines().count(), broken);
        assert!(letters.contains("no JSON object"), "{letters}");
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
