//! What every broker has to stand. `Broker` says how each of them is fed, emptied and made to go away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use shoal_stream::{Address, ConnectorError, Frontier, Mark, Record, RetryPolicy, Seal, Sink, Source};

use super::releases::{Releases, line};

/// A broker with a source to read and a sink to write.
pub(crate) trait Broker {
    /// Puts records into the source.
    fn put(&self, records: &[String]);
    /// The address of the source.
    fn source_address(&self) -> Address;
    /// The address of the sink.
    fn sink_address(&self) -> Address;
    /// Connects to a source.
    fn open_source(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Source>, ConnectorError>;
    /// Connects to a sink.
    fn open_sink(address: &Address, retry: RetryPolicy) -> Result<Box<dyn Sink>, ConnectorError>;
    /// What the sink holds: steps and lines.
    fn published(&self) -> Vec<(u64, String)>;
    /// Takes it away, whatever is on its way.
    fn away(&mut self);
    /// Brings it back.
    fn back(&mut self);

    fn source(&self, retry: RetryPolicy) -> Result<Box<dyn Source>, ConnectorError> {
        Self::open_source(&self.source_address(), retry)
    }

    fn sink(&self, retry: RetryPolicy) -> Result<Box<dyn Sink>, ConnectorError> {
        Self::open_sink(&self.sink_address(), retry)
    }
}

/// The lines of a connector, and its stop.
#[derive(Clone, Default)]
pub(crate) struct Notices {
    lines: Arc<Mutex<Vec<String>>>,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Notices {
    pub(crate) fn retry(&self) -> RetryPolicy {
        let lines = Arc::clone(&self.lines);
        RetryPolicy::new(move |line| lines.lock().unwrap().push(line.to_owned()), Arc::clone(&self.stop))
    }

    pub(crate) fn says(&self, part: &str) -> bool {
        self.lines.lock().unwrap().iter().any(|line| line.contains(part))
    }

    /// Waits until a line says so, however slow the machine is; whoever asks afterwards finds out if none did in the end.
    pub(crate) fn wait_until_said(&self, part: &str) {
        for _ in 0..2400 {
            if self.says(part) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

pub(crate) fn records(range: std::ops::RangeInclusive<u64>) -> Vec<String> {
    range.map(|n| format!("record {n}")).collect()
}

/// Fetches in a row that may bring nothing, of half a second each, before a broker counts as silent. Counted instead of
/// timed, so that a slow machine does not fail a test.
const EMPTY_FETCHES: usize = 120;

/// Everything that is there, in order.
pub(crate) fn fetch(source: &mut dyn Source, count: usize) -> Vec<Record> {
    let mut empty = 0;
    fetch_counting(source, count, &mut empty)
}

/// The same; adds to `empty` how many fetches brought nothing.
fn fetch_counting(source: &mut dyn Source, count: usize, empty: &mut usize) -> Vec<Record> {
    let mut all = Vec::new();
    let before = *empty;
    while all.len() < count {
        assert!(*empty - before < EMPTY_FETCHES, "{} of {count} records came", all.len());
        let batch = source.fetch(count - all.len(), Duration::from_millis(500)).unwrap();
        assert!(!batch.ended);
        *empty += usize::from(batch.records.is_empty());
        all.extend(batch.records);
    }
    all
}

/// How many records wait; asked again where a broker has no answer.
pub(crate) fn lag(source: &mut dyn Source) -> u64 {
    for _ in 0..EMPTY_FETCHES {
        if let Some(lag) = source.lag() {
            return lag;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    panic!("nobody says how many records wait");
}

fn texts(records: &[Record]) -> Vec<String> {
    records.iter().map(|record| String::from_utf8(record.bytes.clone()).unwrap()).collect()
}

fn numbered(count: u64) -> Vec<(u64, String)> {
    (1..=count).map(|n| (n, line(&format!("record {n}")))).collect()
}

fn at(record: &Record) -> Frontier {
    let mut frontier = Frontier::default();
    frontier.pass(record.partition, record.offset);
    frontier
}

/// Records come in order and leave in order, the mark of the last one is found, and nothing waits afterwards.
pub(crate) fn round_trip(broker: &impl Broker) {
    let notices = Notices::default();
    broker.put(&records(1..=3000));
    let mut source = broker.source(notices.retry()).unwrap();
    let mut sink = broker.sink(notices.retry()).unwrap();
    assert_eq!(sink.last().unwrap(), None);
    source.seek(&Frontier::default()).unwrap();
    let (mut mark, mut empty) = (Mark::default(), 0);
    while mark.step < 3000 {
        let came = source.fetch(700, Duration::from_millis(500)).unwrap().records;
        empty += usize::from(came.is_empty());
        assert!(empty < EMPTY_FETCHES && came.len() <= 700, "{} came behind {}", came.len(), mark.step);
        sink.publish(&Releases::of(&mut mark, &came).messages()).unwrap();
        source.acknowledge(&mark.frontier).unwrap();
    }
    assert_eq!(broker.published(), numbered(3000));
    assert_eq!(sink.last().unwrap(), Some(mark));
    assert_eq!(lag(&mut *source), 0);
    broker.put(&records(3001..=3001));
    broker.put(&records(3002..=3002));
    assert_eq!(lag(&mut *source), 2);
    assert_eq!(texts(&fetch(&mut *source, 2)), records(3001..=3002));
    assert_eq!(source.fetch(10, Duration::from_millis(300)).unwrap().records, []);
}

/// A process that was killed leaves records that it had fetched and not acknowledged: the next one has them at once.
pub(crate) fn resume(broker: &impl Broker) {
    let notices = Notices::default();
    broker.put(&records(1..=300));
    let mut first = broker.source(notices.retry()).unwrap();
    first.seek(&Frontier::default()).unwrap();
    let came = fetch(&mut *first, 200);
    first.acknowledge(&at(&came[39])).unwrap();
    drop(first);

    let mut empty = 0;
    let mut acknowledged = broker.source(notices.retry()).unwrap();
    acknowledged.seek(&Frontier::default()).unwrap();
    assert_eq!(texts(&fetch_counting(&mut *acknowledged, 260, &mut empty)), records(41..=300));
    // And again, as a run does that has looked at the first records to learn from them.
    acknowledged.seek(&Frontier::default()).unwrap();
    assert_eq!(texts(&fetch_counting(&mut *acknowledged, 260, &mut empty)), records(41..=300));
    drop(acknowledged);
    for covered in [70_usize, 10, 299] {
        let mut source = broker.source(notices.retry()).unwrap();
        source.seek(&at(&came.get(covered - 1).cloned().unwrap_or_else(|| behind(&came, covered)))).unwrap();
        assert_eq!(
            texts(&fetch_counting(&mut *source, 300 - covered, &mut empty)),
            records(covered as u64 + 1..=300)
        );
    }
    // A broker that waited for the dead process's acknowledgements would bring nothing for half a minute, five times.
    assert!(empty < 90, "{empty} fetches brought nothing");

    let mut source = broker.source(notices.retry()).unwrap();
    let e = source.seek(&at(&behind(&came, 5000))).unwrap_err();
    assert!(
        matches!(&e, ConnectorError::Refused { .. }) && e.to_string().contains("has been read before"),
        "{e}"
    );
}

/// The record with that number, of a source that has no gaps.
fn behind(came: &[Record], number: usize) -> Record {
    Record { offset: came[0].offset + number as u64 - 1, ..came[0].clone() }
}

/// What is there is not published again, by the same process or by the next one.
pub(crate) fn publish_again(broker: &impl Broker) {
    let notices = Notices::default();
    let mut sink = broker.sink(notices.retry()).unwrap();
    sink.publish(&Releases::steps(1, 50).messages()).unwrap();
    sink.publish(&Releases::steps(1, 50).messages()).unwrap();
    sink.publish(&Releases::steps(31, 80).messages()).unwrap();
    drop(sink);
    let mut sink = broker.sink(notices.retry()).unwrap();
    sink.publish(&Releases::steps(1, 60).messages()).unwrap();
    sink.publish(&Releases::steps(61, 120).messages()).unwrap();
    sink.publish(&[]).unwrap();
    assert_eq!(broker.published(), numbered(120));
    assert_eq!(sink.last().unwrap().unwrap().step, 120);
}

/// What was published with one key is not gone on with under another, nor without one.
pub(crate) fn other_key(broker: &impl Broker) {
    let notices = Notices::default();
    let sink = |key: Option<u8>| {
        let mut sink = broker.sink(notices.retry()).unwrap();
        key.iter().for_each(|key| sink.seal(Seal::new(&[*key; 32])));
        sink
    };
    let mut first = sink(Some(1));
    assert_eq!(first.last().unwrap(), None);
    let releases = Releases::steps(1, 3);
    first.publish(&releases.messages()).unwrap();
    let last = releases.messages().pop().map(|message| message.mark);
    assert_eq!(sink(Some(1)).last().unwrap(), last);
    for (key, words) in [(Some(2), "another key"), (None, "not written by shoal")] {
        let e = sink(key).last().unwrap_err();
        assert!(matches!(&e, ConnectorError::Refused { .. }) && e.to_string().contains(words), "{e}");
    }
    assert!(sink(Some(2)).last().unwrap_err().hint().unwrap().contains("new sink"));
    sink(Some(1)).publish(&Releases::steps(4, 5).messages()).unwrap();
}

/// Two processes write: the second one notices.
pub(crate) fn second_writer(broker: &impl Broker) {
    let notices = Notices::default();
    let mut first = broker.sink(notices.retry()).unwrap();
    let mut second = broker.sink(notices.retry()).unwrap();
    assert_eq!((first.last().unwrap(), second.last().unwrap()), (None, None));
    first.publish(&Releases::steps(1, 3).messages()).unwrap();
    let e = second.publish(&Releases::steps(1, 3).messages()).unwrap_err();
    assert!(matches!(&e, ConnectorError::Refused { .. }) && e.to_string().contains("somebody else"), "{e}");
    assert!(e.hint().unwrap().contains("one process at a time"));
    assert_eq!(broker.published(), numbered(3));
}

/// The broker goes away for ten seconds and more: nothing is lost and nothing comes twice, and somebody is told.
pub(crate) fn outage(broker: impl Broker + Send + 'static) {
    let notices = transfer(broker, 1, |notices| {
        std::thread::sleep(Duration::from_secs(10));
        notices.wait_until_said("waiting for");
    });
    assert!(notices.says("waiting for") && notices.says("is back"), "{:?}", notices.lines.lock().unwrap());
}

/// The broker goes away again and again, only for a moment: answers are lost, and what they answered is there.
pub(crate) fn flicker(broker: impl Broker + Send + 'static) {
    transfer(broker, 8, |_| std::thread::sleep(Duration::from_millis(100)));
}

/// Sends records through while the broker goes away `times` times, in the middle of everything, for as long as `absence` takes.
fn transfer(
    mut broker: impl Broker + Send + 'static,
    times: u64,
    absence: impl Fn(&Notices) + Send + 'static,
) -> Notices {
    const COUNT: u64 = 6000;
    const BATCH: usize = 50;
    let notices = Notices::default();
    broker.put(&records(1..=COUNT));
    let mut source = broker.source(notices.retry()).unwrap();
    let mut sink = broker.sink(notices.retry()).unwrap();
    let (cut, cuts) = mpsc::channel();
    let (gone, absences) = mpsc::channel();
    let said = notices.clone();
    let cutter = std::thread::spawn(move || {
        for delay in cuts {
            std::thread::sleep(delay);
            broker.away();
            gone.send(()).unwrap();
            absence(&said);
            broker.back();
        }
        broker
    });
    source.seek(&Frontier::default()).unwrap();
    let mut mark = Mark::default();
    let (mut sent, mut begun, mut empty) = (0, 0, 0);
    while mark.step < COUNT {
        assert!(empty < EMPTY_FETCHES, "{} of {COUNT} came", mark.step);
        // However late the other thread gets its turn, something is left that has to go through the last absence.
        if begun < sent && mark.step + BATCH as u64 >= COUNT {
            absences.iter().take((sent - begun) as usize).for_each(drop);
            begun = sent;
        }
        if sent < times && mark.step >= COUNT / (times + 1) * (sent + 1) {
            sent += 1;
            cut.send(Duration::from_millis(sent * 7 % 23)).unwrap();
        }
        let came = source.fetch(BATCH, Duration::from_secs(1)).unwrap().records;
        empty += usize::from(came.is_empty());
        sink.publish(&Releases::of(&mut mark, &came).messages()).unwrap();
        source.acknowledge(&mark.frontier).unwrap();
    }
    drop(cut);
    let broker = cutter.join().unwrap();
    assert_eq!(sent, times);
    assert_eq!(broker.published(), numbered(COUNT));
    assert_eq!(source.fetch(10, Duration::from_millis(300)).unwrap().records, []);
    notices
}

/// A broker that is not there yet is waited for, by a word; a stop ends the waiting.
pub(crate) fn not_there_yet<B: Broker + Send + 'static>(mut broker: B) {
    broker.put(&records(1..=5));
    drop(broker.sink(Notices::default().retry()).unwrap());
    let (source, sink) = (broker.source_address(), broker.sink_address());
    broker.away();
    let stopped = Notices::default();
    stopped.stop.store(true, Ordering::Relaxed);
    let e = B::open_source(&source, stopped.retry()).map(drop).unwrap_err();
    assert!(matches!(e, ConnectorError::Interrupted { .. }), "{e}");
    let e = B::open_sink(&sink, stopped.retry()).map(drop).unwrap_err();
    assert!(matches!(e, ConnectorError::Interrupted { .. }), "{e}");

    let notices = Notices::default();
    let said = notices.clone();
    let returning = std::thread::spawn(move || {
        said.wait_until_said("waiting for");
        broker.back();
        broker
    });
    let mut source = B::open_source(&source, notices.retry()).unwrap();
    assert!(notices.says("waiting for") && notices.says("is back"));
    source.seek(&Frontier::default()).unwrap();
    assert_eq!(texts(&fetch(&mut *source, 5)), records(1..=5));
    drop(returning.join().unwrap());
}
