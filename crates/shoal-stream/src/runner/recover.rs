//! What survives a crash: snapshots, and the steps since the last one, which are taken again.

use serde::{Deserialize, Serialize};
use shoal_privacy::stream::GateState;

use super::{BATCH, Runner};
use crate::engine::EngineState;
use crate::journal::Entry;
use crate::{Figures, Mark, Record, StreamError};

/// All that must be known to go on after a crash.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    step: u64,
    frontier: String,
    position: u64,
    gate: GateState,
    engine: EngineState,
}

impl Runner<'_> {
    /// Takes up the state of an earlier run: the snapshot, then the steps since. What these released is published, as
    /// far as the sink lacks it.
    pub(crate) fn recover(&mut self) -> Result<(), StreamError> {
        let last = self.sink.last()?;
        let Some(journal) = &self.journal else {
            // Without a state of its own, a stream is where its sink is.
            if let Some(last) = last {
                self.gated.start_at(last.step);
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
        // Figures are those of this run, and a replay is none.
        self.progress.figures = Figures::default();
        Ok(())
    }

    /// Takes steps again that were written down, at the times that were written down with them.
    fn replay(&mut self, steps: &[(u64, Entry)]) -> Result<(), StreamError> {
        let together =
            |a: &Entry, b: &Entry| a.record().is_some() && b.record().is_some() && a.time() == b.time();
        for entries in steps.chunk_by(|(_, a), (_, b)| together(a, b)) {
            match &entries[0].1 {
                Entry::Flush => self.flush(false)?,
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

    pub(super) fn write_snapshot(&mut self) -> Result<(), StreamError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let progress = &mut self.progress;
        let (gate, engine) = self.gated.state();
        let snapshot = Snapshot {
            step: progress.mark.step,
            frontier: progress.mark.frontier.to_string(),
            position: self.gated.position(),
            gate,
            engine,
        };
        journal.snapshot(progress.mark.step + 1, &snapshot, progress.left())?;
        progress.snapshot = progress.mark.step;
        Ok(())
    }

    fn take_up(&mut self, snapshot: Snapshot) -> Result<(), StreamError> {
        let journal = self.journal.as_ref().expect("the snapshot came from it");
        let frontier = snapshot.frontier.parse().map_err(|_| journal.damaged())?;
        if !self.gated.resume(snapshot.position, snapshot.gate, snapshot.engine) {
            return Err(journal.damaged());
        }
        self.progress.mark = Mark { step: snapshot.step, frontier };
        self.progress.snapshot = snapshot.step;
        Ok(())
    }
}
