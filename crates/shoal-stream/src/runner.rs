//! The loop: fetch, decide, admit, write down, publish, acknowledge. In this order, so that whatever happens between
//! two of these steps is mended by the next start.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use shoal_core::stream::{StreamPromise, StreamTuple};
use shoal_io::stream::{LINE_LIMIT, LineError, StreamLayout};
use shoal_privacy::stream::{Gate, GateColumn, GateState};

use crate::dead_letters::DeadLetters;
use crate::drift::DriftWatch;
use crate::engine::{Arrival, Engine, EngineState, Unreleasable};
use crate::figures::Times;
use crate::header::Headed;
use crate::journal::{Entry, Journal, Left};
use crate::key::Key;
use crate::metrics::Shared;
use crate::{Figures, Mark, Message, Record, Sink, StreamError, StreamOptions, Watcher};

/// Records that are fetched at a time.
pub(crate) const BATCH: usize = 1024;
/// How long a fetch waits: a stop is noticed within this time.
pub(crate) const WAIT: Duration = Duration::from_millis(100);
/// How often the lag is asked for where nobody is told.
const STATUS_UNTOLD: Duration = Duration::from_secs(10);
/// Steps between two snapshots; so many are replayed at most after a crash.
const SNAPSHOT_EVERY: u64 = 65_536;

/// A stream that runs.
pub(crate) struct Runner<'r> {
    pub layout: StreamLayout,
    pub engine: Engine,
    pub gate: Gate,
    pub promise: StreamPromise,
    pub columns: Vec<GateColumn>,
    /// hardened: notices when values are no longer those that the design was made for.
    pub drift: Option<DriftWatch>,
    /// What the gate's books are made with.
    pub gate_key: Key,
    pub source: Headed,
    pub sink: Box<dyn Sink>,
    pub journal: Option<Journal>,
    pub dead_letters: DeadLetters,
    pub stop: &'r AtomicBool,
    pub watcher: &'r dyn Watcher,
    pub options: &'r StreamOptions,
    pub shared: Shared,
    pub progress: Progress,
}

/// How far the stream has come.
pub(crate) struct Progress {
    /// The step and the frontier after the last record.
    pub mark: Mark,
    /// The number of the next tuple.
    pub position: u64,
    /// The last step that is in the sink.
    pub published: u64,
    /// The last step of which a message is in the sink.
    message: u64,
    /// The step of the last snapshot.
    snapshot: u64,
    pub figures: Figures,
    times: Times,
    started: Instant,
}

/// All that must be known to go on after a crash.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    step: u64,
    frontier: String,
    position: u64,
    gate: GateState,
    engine: EngineState,
}

/// What one record came to.
struct Step<'b> {
    mark: Mark,
    lines: Range<usize>,
    /// Whose lines they are.
    tuples: Vec<StreamTuple<'b>>,
    /// The tuple that arrived, where it does not leave at once.
    arrived: Option<StreamTuple<'b>>,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress {
            mark: Mark::default(),
            position: 0,
            published: 0,
            message: 0,
            snapshot: 0,
            figures: Figures::default(),
            times: Times::default(),
            started: Instant::now(),
        }
    }
}

impl Progress {
    fn left(&self) -> Left {
        Left { step: self.published, message: self.message }
    }

    /// All steps so far are in the sink, these messages among them.
    fn have_left(&mut self, messages: &[Message<'_>]) {
        self.figures.messages += messages.len() as u64;
        self.published = self.published.max(self.mark.step);
        self.message = messages.last().map_or(self.message, |message| message.mark.step);
    }
}

impl Runner<'_> {
    /// Takes up the state of an earlier run: the snapshot, then the steps since. What these released is published, as
    /// far as the sink lacks it.
    pub(crate) fn recover(&mut self) -> Result<(), StreamError> {
        let last = self.sink.last()?;
        let Some(journal) = &self.journal else {
            // Without a state of its own, a stream is where its sink is.
            if let Some(last) = last {
                let gate = Gate::new(self.promise, self.columns.clone()).with_key(self.gate_key);
                let gate = gate.starting_at(last.step);
                self.gate = match &self.engine {
                    Engine::Hardened(engine) => gate.for_design(Arc::clone(engine.design())),
                    Engine::Published(_) | Engine::Castle(_) => gate,
                };
                self.progress.position = last.step;
                self.progress.published = last.step;
                self.progress.mark = last;
            }
            return Ok(());
        };
        if let Some(snapshot) = journal.last_snapshot::<Snapshot>()? {
            self.take_up(snapshot)?;
        }
        let journal = self.journal.as_ref().expect("it is there, see above");
        let left = journal.left()?;
        let steps = journal.steps()?;
        if let Some(last) = last.as_ref().filter(|last| last.step < left.message) {
            // Going on would leave a gap, or fill another stream's sink.
            return Err(StreamError::SinkBehind { left: left.message, sink: last.step });
        }
        self.progress.published = last.as_ref().map_or(left.step, |last| last.step);
        self.progress.message = left.message;
        let known = steps.last().map_or(self.progress.mark.step, |(step, _)| *step);
        if self.progress.published > known {
            return Err(StreamError::StateBehind { sink: self.progress.published, state: known });
        }
        self.replay(&steps)?;
        self.progress.figures = Figures::default();
        Ok(())
    }

    /// Takes steps again that were written down, at the times that were written down with them.
    fn replay(&mut self, steps: &[(u64, Entry)]) -> Result<(), StreamError> {
        let together =
            |a: &Entry, b: &Entry| a.record().is_some() && b.record().is_some() && a.time() == b.time();
        for entries in steps.chunk_by(|(_, a), (_, b)| together(a, b)) {
            match &entries[0].1 {
                Entry::Flush => self.flush_engine(false)?,
                Entry::Tick { time } => self.tick(*time, false)?,
                Entry::Tuple { time, .. } => {
                    let records: Vec<Record> =
                        entries.iter().filter_map(|(_, entry)| entry.record()).collect();
                    for records in records.chunks(BATCH) {
                        self.process(records, *time, false)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What time it is, in milliseconds, where anything depends on it.
    fn now(&self) -> u64 {
        if !self.engine.has_clock() {
            return 0;
        }
        let clock = self.options.clock.unwrap_or(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        });
        clock()
    }

    /// Runs until the source ends, nothing comes for as long as the options say, or somebody asks to stop. `held` are
    /// records that have been fetched already.
    pub(crate) fn run(&mut self, held: &[Record]) -> Result<Figures, StreamError> {
        for records in held.chunks(BATCH) {
            self.take(records)?;
        }
        let mut reported = Instant::now();
        let mut busy = Instant::now();
        while !self.stop.load(Ordering::Relaxed) {
            let batch = self.source.fetch(BATCH, WAIT)?;
            if !batch.records.is_empty() {
                self.take(&batch.records)?;
                busy = Instant::now();
            }
            // Whether tuples come or not, time passes.
            let time = self.now();
            if self.engine.is_due(time) {
                self.tick(time, true)?;
                self.shared.set(self.figures());
            }
            if batch.ended || self.options.idle_exit.is_some_and(|limit| busy.elapsed() >= limit) {
                break;
            }
            if reported.elapsed() >= self.options.status_every.unwrap_or(STATUS_UNTOLD) {
                self.progress.figures.lag = self.source.lag();
                let figures = self.figures();
                if self.options.status_every.is_some() {
                    self.watcher.status(&figures);
                }
                self.shared.set(figures);
                reported = Instant::now();
            }
        }
        self.finish()
    }

    /// One batch, from its records to the acknowledgement.
    fn take(&mut self, records: &[Record]) -> Result<(), StreamError> {
        self.process(records, self.now(), true)?;
        self.source.acknowledge(&self.progress.mark.frontier)?;
        if self.progress.mark.step - self.progress.snapshot >= SNAPSHOT_EVERY {
            self.write_snapshot()?;
        }
        self.shared.set(self.figures());
        Ok(())
    }

    /// Lets out what waits, and sees to it that nothing is left.
    fn finish(&mut self) -> Result<Figures, StreamError> {
        if self.engine.has_state() {
            self.flush_engine(true)?;
            self.gate.finish().map_err(refused)?;
            self.source.acknowledge(&self.progress.mark.frontier)?;
            self.write_snapshot()?;
        } else {
            // A stream without a tuple still has its header.
            self.sink.publish(&[])?;
        }
        self.progress.figures.lag = self.source.lag();
        let figures = self.figures();
        self.shared.set(figures.clone());
        Ok(figures)
    }

    /// Records in, messages out. In a replay nothing is written down a second time.
    fn process(&mut self, records: &[Record], time: u64, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let mut steps: Vec<(Step<'_>, Duration)> = Vec::with_capacity(records.len());
        let mut entries = Vec::new();
        let first_step = self.progress.mark.step + 1;
        for record in records {
            let frontier = &mut self.progress.mark.frontier;
            if frontier.covers(record.partition, record.offset) {
                continue;
            }
            frontier.pass(record.partition, record.offset);
            let began = Instant::now();
            match self.decide(record, time, &mut bytes) {
                Ok(step) => steps.push((step, began.elapsed())),
                Err(why) => {
                    self.progress.figures.dead_letters += 1;
                    self.dead_letters.add(record, &why)?;
                    continue;
                }
            }
            if first_time && self.journal.is_some() {
                entries.push(Entry::of(record, time));
            }
            // What comes after is not looked at: it stays in the source.
            if self.has_drifted().is_err() {
                break;
            }
        }
        if let (Some(watch), Engine::Hardened(engine)) = (&mut self.drift, &mut self.engine) {
            watch.write_down(engine, &self.progress.mark.frontier)?;
            if let Some(text) = watch.notice(engine) {
                self.watcher.notice(&text);
            }
        }
        self.dead_letters.settle()?;
        let mut messages = Vec::with_capacity(steps.len());
        self.gate.advance(time);
        for (step, decided) in &steps {
            let began = Instant::now();
            messages.extend(admit(&mut self.gate, &self.layout, step, &bytes, self.progress.published)?);
            self.progress.times.add(*decided + began.elapsed());
        }
        if let Some(journal) = self.journal.as_ref().filter(|_| !entries.is_empty()) {
            journal.append(first_step, &entries, self.progress.left())?;
        }
        self.sink.publish(&messages)?;
        self.progress.have_left(&messages);
        self.has_drifted()
    }

    /// Whether values are still hidden as promised.
    pub(crate) fn has_drifted(&self) -> Result<(), StreamError> {
        match (&self.drift, &self.engine) {
            (Some(watch), Engine::Hardened(engine)) => watch.verdict(engine),
            _ => Ok(()),
        }
    }

    /// What becomes of one record.
    fn decide<'b>(
        &mut self,
        record: &'b Record,
        time: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<Step<'b>, Unreleasable> {
        if record.bytes.len() >= LINE_LIMIT {
            return Err(LineError::TooLong { limit: LINE_LIMIT }.into());
        }
        let position = self.progress.position;
        let tuple = self.layout.read(&record.bytes)?;
        let arrived = matches!(self.engine, Engine::Castle(_)).then(|| tuple.clone().at(position));
        let start = bytes.len();
        let origin = (record.partition, record.offset);
        let arrival = Arrival { position, time, origin, tuple, line: &record.bytes };
        let tuples = self.engine.take(&self.layout, arrival, bytes)?;
        self.progress.mark.step += 1;
        self.progress.position += 1;
        self.progress.figures.tuples_now += 1;
        Ok(Step { mark: self.progress.mark.clone(), lines: start..bytes.len(), tuples, arrived })
    }

    /// Lets everything out.
    fn flush_engine(&mut self, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let tuples = self.engine.flush(&self.layout, &mut bytes);
        self.leave_alone(tuples, &bytes, first_time.then_some(Entry::Flush))
    }

    /// Lets those out who have waited too long.
    fn tick(&mut self, time: u64, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let tuples = self.engine.tick(&self.layout, time, &mut bytes);
        self.gate.advance(time);
        self.leave_alone(tuples, &bytes, first_time.then_some(Entry::Tick { time }))
    }

    /// A step without a tuple of its own.
    fn leave_alone(
        &mut self,
        tuples: Vec<StreamTuple<'static>>,
        bytes: &[u8],
        entry: Option<Entry>,
    ) -> Result<(), StreamError> {
        self.progress.mark.step += 1;
        let mark = self.progress.mark.clone();
        let step = Step { mark, lines: 0..bytes.len(), tuples, arrived: None };
        let message = admit(&mut self.gate, &self.layout, &step, bytes, self.progress.published)?;
        let messages: Vec<Message<'_>> = message.into_iter().collect();
        if let (Some(journal), Some(entry)) = (&self.journal, entry) {
            journal.append(step.mark.step, &[entry], self.progress.left())?;
        }
        self.sink.publish(&messages)?;
        self.progress.have_left(&messages);
        Ok(())
    }

    fn write_snapshot(&mut self) -> Result<(), StreamError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let progress = &mut self.progress;
        let snapshot = Snapshot {
            step: progress.mark.step,
            frontier: progress.mark.frontier.to_string(),
            position: progress.position,
            gate: self.gate.state().clone(),
            engine: self.engine.state(),
        };
        journal.snapshot(progress.mark.step + 1, &snapshot, progress.left())?;
        progress.snapshot = progress.mark.step;
        Ok(())
    }

    fn take_up(&mut self, snapshot: Snapshot) -> Result<(), StreamError> {
        let journal = self.journal.as_ref().expect("the snapshot came from it");
        let frontier = snapshot.frontier.parse().map_err(|_| journal.damaged())?;
        let (promise, columns) = (self.promise, self.columns.clone());
        let gate = Gate::resume(promise, columns, snapshot.gate).map_err(|_| journal.damaged())?;
        self.gate = gate.with_key(self.gate_key);
        if !self.engine.resume(snapshot.engine) {
            return Err(journal.damaged());
        }
        self.progress.mark = Mark { step: snapshot.step, frontier };
        self.progress.position = snapshot.position;
        self.progress.snapshot = snapshot.step;
        Ok(())
    }

    fn figures(&self) -> Figures {
        let progress = &self.progress;
        Figures {
            tuples: progress.position,
            seconds: progress.started.elapsed().as_secs_f64(),
            mean_seconds_per_tuple: progress.times.mean(),
            p99_seconds_per_tuple: progress.times.p99(),
            kernel: self.engine.figures(progress.position),
            dead_letters_by_reason: self.dead_letters.reasons().clone(),
            dead_letters_file: (progress.figures.dead_letters > 0)
                .then(|| self.dead_letters.path().to_owned()),
            ..progress.figures.clone()
        }
    }
}

/// Reads back what would leave, as anybody would, and lets the gate look at it. What is in the sink already is looked at,
/// too, but not published again.
fn admit<'a>(
    gate: &mut Gate,
    layout: &StreamLayout,
    step: &Step<'_>,
    bytes: &'a [u8],
    published: u64,
) -> Result<Option<Message<'a>>, StreamError> {
    if let Some(tuple) = &step.arrived {
        gate.arrive(tuple).map_err(refused)?;
    }
    let bytes = &bytes[step.lines.clone()];
    let lines = layout.lines(bytes).map(|line| layout.read_published(line));
    let lines = lines.collect::<Result<Vec<_>, LineError>>().map_err(unreadable)?;
    let lines = gate.admit(bytes, &lines, &step.tuples).map_err(refused)?;
    let leaves = !bytes.is_empty() && step.mark.step > published;
    Ok(leaves.then(|| Message { mark: step.mark.clone(), lines }))
}

fn refused(violation: shoal_privacy::stream::StreamViolation) -> StreamError {
    StreamError::Refused { violation: Box::new(violation) }
}

fn unreadable(error: LineError) -> StreamError {
    StreamError::Unreadable { error }
}
