//! The loop: fetch, decide, admit, write down, publish, acknowledge. In this order, so that whatever happens between
//! two of these steps is repaired by the next start.

mod progress;
mod recover;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use shoal_privacy::stream::Admitted;

pub(crate) use progress::Progress;

use crate::dead_letters::DeadLetters;
use crate::drift::DriftWatch;
use crate::engine::{Engine, Unreleasable};
#[cfg(feature = "kafka")]
use crate::figures::Times;
use crate::gated::{Decision, GatedEngine};
use crate::header::Headed;
use crate::journal::{Entry, Journal};
use crate::metrics::Shared;
use crate::{Figures, Mark, Message, Record, Sink, StreamError, StreamOptions, Watcher};

/// Records that are fetched at a time.
pub(crate) const BATCH: usize = 1024;
/// How long a fetch waits: a stop is noticed within this time.
pub(crate) const WAIT: Duration = Duration::from_millis(100);
/// How often the lag is asked for where no status is reported.
const LAG_EVERY: Duration = Duration::from_secs(10);
/// Steps between two snapshots: as many are replayed at most after a crash.
const SNAPSHOT_EVERY: u64 = 65_536;

/// A stream that runs.
pub(crate) struct Runner<'r> {
    pub gated: GatedEngine,
    /// hardened: notices when values are no longer those that the design was made for.
    pub drift: Option<DriftWatch>,
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

/// What one record came to.
struct Step<'b> {
    mark: Mark,
    decision: Decision<'b>,
    /// How long the engine took.
    decided: Duration,
}

impl Runner<'_> {
    /// What time it is, in milliseconds, where anything depends on it.
    fn now(&self) -> u64 {
        if !self.gated.engine().has_clock() {
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
            self.let_time_pass()?;
            if batch.ended || self.options.idle_exit.is_some_and(|limit| busy.elapsed() >= limit) {
                break;
            }
            if reported.elapsed() >= self.options.status_every.unwrap_or(LAG_EVERY) {
                self.ask_lag();
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

    /// Lets those out whose time is up, whether tuples come or not.
    pub(crate) fn let_time_pass(&mut self) -> Result<(), StreamError> {
        let time = self.now();
        if self.gated.engine().is_due(time) {
            self.tick(time, true)?;
            self.shared.set(self.figures());
        }
        Ok(())
    }

    /// One batch, from its records to the acknowledgement.
    pub(crate) fn take(&mut self, records: &[Record]) -> Result<(), StreamError> {
        self.process(records, self.now(), true)?;
        self.source.acknowledge(&self.progress.mark.frontier)?;
        if self.progress.mark.step - self.progress.snapshot >= SNAPSHOT_EVERY {
            self.write_snapshot()?;
        }
        self.shared.set(self.figures());
        Ok(())
    }

    /// Writes down where the stream is, so that another process goes on from here; what waits keeps waiting.
    #[cfg(feature = "kafka")]
    pub(crate) fn hand_over(&mut self) -> Result<(), StreamError> {
        self.write_snapshot()
    }

    /// Lets out what waits, and sees to it that nothing is left.
    pub(crate) fn finish(&mut self) -> Result<Figures, StreamError> {
        if self.gated.engine().has_state() {
            self.flush(true)?;
            self.gated.finish()?;
            self.source.acknowledge(&self.progress.mark.frontier)?;
            self.write_snapshot()?;
        } else {
            // A stream without a tuple still has its header.
            self.sink.publish(&[])?;
        }
        self.ask_lag();
        let figures = self.figures();
        self.shared.set(figures.clone());
        Ok(figures)
    }

    /// Records in, messages out. In a replay nothing is written down a second time.
    fn process(&mut self, records: &[Record], time: u64, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let mut steps: Vec<Step<'_>> = Vec::with_capacity(records.len());
        let mut entries = Vec::new();
        let first_step = self.progress.mark.step + 1;
        for record in records {
            let frontier = &mut self.progress.mark.frontier;
            if frontier.covers(record.partition, record.offset) {
                continue;
            }
            frontier.pass(record.partition, record.offset);
            match self.decide(record, time, &mut bytes) {
                Ok(step) => steps.push(step),
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
        if let (Some(watch), Engine::Hardened(engine)) = (&mut self.drift, self.gated.engine_mut()) {
            watch.write_down(engine, &self.progress.mark.frontier)?;
            if let Some(text) = watch.notice(engine) {
                self.watcher.notice(&text);
            }
        }
        self.dead_letters.settle()?;
        let mut messages = Vec::with_capacity(steps.len());
        self.gated.advance(time);
        for step in &steps {
            let began = Instant::now();
            let lines = self.gated.admit(&step.decision, &bytes)?;
            messages.extend(message(&step.mark, lines, self.progress.published));
            self.progress.times.add(step.decided + began.elapsed());
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
        match (&self.drift, self.gated.engine()) {
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
        let began = Instant::now();
        let origin = (record.partition, record.offset);
        let decision = self.gated.decide(&record.bytes, origin, time, bytes)?;
        self.progress.mark.step += 1;
        self.progress.figures.tuples_now += 1;
        Ok(Step { mark: self.progress.mark.clone(), decision, decided: began.elapsed() })
    }

    /// Lets everything out.
    fn flush(&mut self, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let decision = self.gated.flush(&mut bytes);
        self.leave_alone(&decision, &bytes, first_time.then_some(Entry::Flush))
    }

    /// Lets those out who have waited too long.
    fn tick(&mut self, time: u64, first_time: bool) -> Result<(), StreamError> {
        let mut bytes = Vec::new();
        let decision = self.gated.tick(time, &mut bytes);
        self.gated.advance(time);
        self.leave_alone(&decision, &bytes, first_time.then_some(Entry::Tick { time }))
    }

    /// A step without a tuple of its own.
    fn leave_alone(
        &mut self,
        decision: &Decision<'_>,
        bytes: &[u8],
        entry: Option<Entry>,
    ) -> Result<(), StreamError> {
        self.progress.mark.step += 1;
        let lines = self.gated.admit(decision, bytes)?;
        let message = message(&self.progress.mark, lines, self.progress.published);
        let messages: Vec<Message<'_>> = message.into_iter().collect();
        if let (Some(journal), Some(entry)) = (&self.journal, entry) {
            journal.append(self.progress.mark.step, &[entry], self.progress.left())?;
        }
        self.sink.publish(&messages)?;
        self.progress.have_left(&messages);
        Ok(())
    }

    /// Asks the source how much waits there.
    pub(crate) fn ask_lag(&mut self) {
        self.progress.figures.lag = self.source.lag();
    }

    /// How long tuples took.
    #[cfg(feature = "kafka")]
    pub(crate) fn times(&self) -> &Times {
        &self.progress.times
    }

    pub(crate) fn figures(&self) -> Figures {
        let progress = &self.progress;
        Figures {
            tuples: self.gated.position(),
            seconds: progress.started.elapsed().as_secs_f64(),
            mean_seconds_per_tuple: progress.times.mean(),
            p99_seconds_per_tuple: progress.times.p99(),
            kernel: self.gated.engine().figures(self.gated.position()),
            dead_letters_by_reason: self.dead_letters.reasons().clone(),
            dead_letters_file: (progress.figures.dead_letters > 0)
                .then(|| self.dead_letters.path().to_owned()),
            ..progress.figures.clone()
        }
    }
}

/// The message of a step; none where nothing leaves, or where it is in the sink already. What is there is looked at by the
/// gate, too, but not published again.
fn message<'a>(mark: &Mark, lines: Admitted<'a>, published: u64) -> Option<Message<'a>> {
    let leaves = !lines.bytes().is_empty() && mark.step > published;
    leaves.then(|| Message { mark: mark.clone(), lines })
}
