//! A broker in memory that lets a run die, and runs between its two ends.

use std::cell::{Cell, RefCell};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use shoal_core::SplitMix64;
use shoal_core::policy::{ModePolicy, StreamAlgorithmName};
use shoal_pipeline::files::Job;
use shoal_stream::{
    Batch, ConnectorError, Figures, Frontier, Mark, Message, Record, Seal, Sink, Source, StreamError,
    StreamOptions, Watcher, run_between,
};

/// A broker that outlives the process: what it was sent, what was acknowledged, and when it lets the process die.
#[derive(Default)]
pub(crate) struct Broker {
    pub(crate) records: Vec<Record>,
    pub(crate) acknowledged: Frontier,
    pub(crate) messages: Vec<(Mark, Vec<u8>)>,
    /// The last mark as the broker keeps it: closed.
    pub(crate) closed: Option<String>,
    /// What the records are in.
    pub(crate) topic: Option<&'static str>,
    /// Whether the source goes silent at its end instead of ending.
    pub(crate) pauses: bool,
    /// Things that still go well before one fails.
    pub(crate) luck: Option<usize>,
    /// Fetches that still go well before one fails.
    pub(crate) fetches: Option<usize>,
}

impl Broker {
    /// Lines in the sink.
    fn shown(&self) -> usize {
        self.messages.iter().map(|(_, bytes)| bytes.iter().filter(|byte| **byte == b'\n').count()).sum()
    }

    fn try_fetch(&mut self) -> Result<(), ConnectorError> {
        match &mut self.fetches {
            Some(0) => {
                Err(ConnectorError::Refused { url: "test".into(), why: "crash".into(), hint: String::new() })
            }
            Some(fetches) => {
                *fetches -= 1;
                Ok(())
            }
            None => self.try_luck(),
        }
    }

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

pub(crate) struct From(Rc<RefCell<Broker>>, usize);
pub(crate) struct To(Rc<RefCell<Broker>>, Option<Seal>);

impl Source for From {
    fn replays(&self) -> bool {
        true
    }

    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let broker = self.0.borrow();
        let wanted = if *frontier == Frontier::default() { &broker.acknowledged } else { frontier };
        self.1 = broker.records.iter().take_while(|r| wanted.covers(r.partition, r.offset)).count();
        Ok(())
    }

    fn fetch(&mut self, max: usize, _wait: Duration) -> Result<Batch, ConnectorError> {
        self.0.borrow_mut().try_fetch()?;
        CLOCK.set(CLOCK.get() + 10);
        let broker = self.0.borrow();
        // Batches of many sizes, so that crashes fall everywhere.
        let size = max.min(1 + (self.1 * 7) % 13);
        let records: Vec<Record> = broker.records[self.1..].iter().take(size).cloned().collect();
        self.1 += records.len();
        // Where it pauses, nothing comes and nothing ends until everything that came has left.
        let pauses = broker.pauses && broker.shown() < self.1;
        Ok(Batch { ended: records.is_empty() && !pauses, records })
    }

    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        Ok(self.0.borrow().topic.map(str::to_owned))
    }

    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        let mut broker = self.0.borrow_mut();
        broker.try_luck()?;
        broker.acknowledged = frontier.clone();
        Ok(())
    }
}

impl Sink for To {
    fn seal(&mut self, seal: Seal) {
        self.1 = Some(seal);
    }

    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        let broker = self.0.borrow();
        let Some(closed) = &broker.closed else { return Ok(None) };
        let mark = self.1.as_ref().expect("sealed first").open(closed);
        let refused =
            || ConnectorError::Refused { url: "test".into(), why: "another key".into(), hint: String::new() };
        mark.ok_or_else(refused).map(Some)
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        let mut broker = self.0.borrow_mut();
        for message in messages {
            broker.try_luck()?;
            let after = broker.messages.last().map_or(0, |(mark, _)| mark.step);
            assert!(message.mark.step > after, "published a second time, or out of order");
            broker.messages.push((message.mark.clone(), message.lines.bytes().to_vec()));
            broker.closed = self.1.as_ref().map(|seal| seal.close(&message.mark));
        }
        Ok(())
    }
}

thread_local! {
    /// What time it is here, in milliseconds: it passes with every fetch.
    pub(crate) static CLOCK: Cell<u64> = const { Cell::new(0) };
}

pub(crate) struct Silent;

impl Watcher for Silent {
    fn notice(&self, _text: &str) {}
    fn status(&self, _figures: &Figures) {}
}

pub(crate) const COLUMNS: &str = r#"
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

pub(crate) fn job(folder: &Path, mode: &str) -> Job {
    let path = folder.join("policy.toml");
    std::fs::write(&path, format!("{COLUMNS}{mode}")).unwrap();
    if !folder.join("key").exists() {
        write_key(&folder.join("key"), KEY);
    }
    Job::open(&path, &[]).unwrap()
}

pub(crate) const KEY: &str = "6a09e667f3bcc908b2fb1366ea957d3e3adec17512775099da2f590b0667322a";

/// A key that somebody has made by hand.
pub(crate) fn write_key(path: &Path, key: &str) {
    std::fs::write(path, key).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

pub(crate) const HARDENED: &str = "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nprior = \"uniform\"";
pub(crate) const PUBLISHED: &str =
    "[privacy]\nl = 3\n[algorithm]\nlearn = 40\nmode = \"paper\"\nmax-open-groups = 4";
pub(crate) const CASTLE: &str = "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\ndelta = 20";
pub(crate) const PAPER: &str =
    "[privacy]\nk = 3\nl = 2\n[algorithm]\nname = \"castle\"\nrules = \"paper\"\ndelta = 20\nbeta = 4";

/// A policy for every kind of stream. Whoever adds an algorithm or a mode adds one here: it does not compile otherwise.
pub(crate) fn modes() -> Vec<&'static str> {
    let of_mode = |mode: &ModePolicy| match mode {
        ModePolicy::Hardened => HARDENED,
        ModePolicy::Paper | ModePolicy::Published => PUBLISHED,
    };
    let of_algorithm = |name: &StreamAlgorithmName| match name {
        StreamAlgorithmName::DelayFree => {
            [ModePolicy::Hardened, ModePolicy::Paper].iter().map(of_mode).collect()
        }
        StreamAlgorithmName::Castle => vec![CASTLE, PAPER],
    };
    StreamAlgorithmName::ALL.iter().flat_map(of_algorithm).collect()
}

/// Variety without a pattern, from every seed.
pub(crate) fn scatter(n: u64) -> u64 {
    SplitMix64(n).next()
}

pub(crate) fn records(count: u64, seed: u64) -> Vec<Record> {
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

pub(crate) fn start(folder: &Path, mode: &str, broker: &Rc<RefCell<Broker>>) -> Result<Figures, StreamError> {
    let job = job(folder, mode);
    let (source, sink) = (Box::new(From(Rc::clone(broker), 0)), Box::new(To(Rc::clone(broker), None)));
    let options = StreamOptions { clock: Some(|| CLOCK.get()), ..StreamOptions::default() };
    run_between(&job, source, sink, &options, &AtomicBool::new(false), &Silent)
}

/// What is in the sink after a run that dies whenever its luck ends.
pub(crate) fn publish(mode: &str, records: &[Record], luck: &[usize]) -> Vec<(Mark, Vec<u8>)> {
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

pub(crate) fn lines(messages: &[(Mark, Vec<u8>)]) -> String {
    messages.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
}

/// Tuples that are understood, so that every one of them shows.
pub(crate) fn sound_records(count: u64, seed: u64) -> Vec<Record> {
    let all = records(3 * count, seed).into_iter().filter(|record| record.bytes != b"{broken");
    all.take(count as usize)
        .enumerate()
        .map(|(at, r)| Record { partition: 0, offset: at as u64, ..r })
        .collect()
}
