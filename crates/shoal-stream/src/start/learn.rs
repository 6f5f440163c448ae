//! Learning from the first tuples: what is learned is frozen in the state folder, and who it was learned from is never
//! published.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use shoal_core::stream::StreamPromise;
use shoal_pipeline::PipelineError;
use shoal_pipeline::files::{learned_prior, read_prior};
use shoal_pipeline::stream::SensitiveValues;

use super::Start;
use crate::dead_letters::DeadLetters;
use crate::engine::Unreleasable;
use crate::journal::keep_secret;
use crate::learning::Learning;
use crate::owner;
use crate::runner::{BATCH, WAIT};
use crate::{Frontier, FrontierError, Record, StreamError, StreamKey};

/// Most bytes of the tuples that are held back to learn from.
const MOST_HELD: usize = 1 << 30;

/// Who was learned from.
#[derive(Default)]
pub(super) struct Learned {
    /// Records up to here.
    pub(super) frontier: Frontier,
    /// Tuples of this run.
    pub(super) tuples: u64,
    /// Lines of this run among them that could not be read.
    pub(super) letters: Option<DeadLetters>,
    /// Whether the source is being read.
    pub(super) reading: bool,
}

impl Start<'_> {
    /// The values among which others hide: known, learned before, or learned now.
    pub(super) fn values(&mut self, key: &StreamKey) -> Result<Option<SensitiveValues>, StreamError> {
        let Some(learn) = self.binding.learn else { return Ok(self.binding.values.clone()) };
        let frozen = self.folder.as_deref().map(learned_prior);
        if let Some(file) = frozen.as_ref().filter(|file| file.exists()) {
            // A pipe goes on; a broker still has the records that were learned from.
            if self.source.replays() {
                self.learned.frontier = read_frontier(&file.with_file_name(LEARNED))?;
            }
            return Ok(Some(read_prior(self.job, file)?));
        }
        if self.in_sink > 0 {
            // What was learned then is gone; learning again would give returning people other values.
            return Err(StreamError::StateBehind { sink: self.in_sink, state: 0 });
        }
        let Some(values) = self.learn(learn)? else { return Ok(None) };
        // Only what can be hidden is frozen.
        let design = match self.binding.promise {
            StreamPromise::Sets { .. } => {
                Some(self.binding.design(&self.request, &values).map_err(|error| self.too_little(error))?)
            }
            StreamPromise::Groups { .. } | StreamPromise::Crowds { .. } => None,
        };
        self.settle_learned()?;
        if let Some(file) = frozen {
            // Before it is there: no other policy may find it in a folder that is nobody's.
            self.own_folder(key, owner::claim)?;
            // First who is not published, then what was learned from them: a crash between the two learns again.
            let frontier = self.learned.frontier.to_string();
            write_secret(&file.with_file_name(LEARNED), &frontier)?;
            write_secret(&file, &values.to_csv(design.as_ref()))?;
        }
        Ok(Some(values))
    }

    /// Reads the first tuples and counts their values, in strata where the prior asks for them.
    fn learn(&mut self, wanted: usize) -> Result<Option<SensitiveValues>, StreamError> {
        let header = self.request.policy().data.header();
        self.source.start(&Frontier::default(), header, &self.binding.layout, self.stop)?;
        self.learned.reading = true;
        let mut learning = Learning::new(&self.request, &self.binding, wanted);
        let mut held = 0;
        let mut busy = Instant::now();
        while !learning.is_complete() {
            let stop = self.stop.load(Ordering::Relaxed);
            // A broker sends again what was not acknowledged; what stood in a pipe is gone.
            if stop && self.source.replays() {
                return Ok(None);
            }
            let batch = self.source.fetch(BATCH, WAIT)?;
            for record in &batch.records {
                // No more than are wanted, however many come at once: what is learned must not depend on that.
                if learning.is_complete() {
                    break;
                }
                self.learned.frontier.pass(record.partition, record.offset);
                held += record.bytes.len();
                if let Ok(tuple) = self.binding.layout.read(&record.bytes) {
                    learning.add(&tuple)?;
                }
            }
            self.learned.tuples = learning.tuples();
            if held > MOST_HELD {
                let tuples = self.learned.tuples as usize;
                return Err(StreamError::TooMuchHeld { tuples, limit: MOST_HELD });
            }
            if !batch.records.is_empty() {
                busy = Instant::now();
            }
            self.held.extend(batch.records);
            if batch.ended || stop || self.options.idle_exit.is_some_and(|limit| busy.elapsed() >= limit) {
                break;
            }
        }
        Ok(Some(learning.values(&self.binding)))
    }

    /// Lets go of those who were learned from. Lines among them that cannot be read go to the dead letters, as
    /// everywhere.
    fn settle_learned(&mut self) -> Result<(), StreamError> {
        let mut letters = DeadLetters::new(self.dead_letters.clone());
        let frontier = &self.learned.frontier;
        let (learned, held) = std::mem::take(&mut self.held)
            .into_iter()
            .partition::<Vec<Record>, _>(|record| frontier.covers(record.partition, record.offset));
        self.held = held;
        for record in &learned {
            if let Err(error) = self.binding.layout.read(&record.bytes) {
                letters.add(record, &Unreleasable::from(error))?;
            }
        }
        letters.settle()?;
        self.learned.letters = Some(letters);
        self.watcher.notice(&format!(
            "{} tuples were learned from and are not published; {} wait to be published",
            self.learned.tuples,
            self.held.len()
        ));
        Ok(())
    }

    /// What is said when the values are too few. A broker keeps what was held back to learn from; what came through a
    /// pipe goes to the dead letters.
    pub(super) fn too_little(&self, error: PipelineError) -> StreamError {
        if self.held.is_empty() {
            return error.into();
        }
        let (message, hint) = (error.to_string(), error.hint().unwrap_or_default());
        let mut kept_by = "wait in the broker";
        if !self.source.replays() {
            let mut letters = DeadLetters::new(self.dead_letters.clone());
            let why = Unreleasable::NothingLearned { why: message.clone() };
            let added = self.held.iter().try_for_each(|record| letters.add(record, &why));
            if let Err(error) = added.and_then(|()| letters.settle()) {
                return error;
            }
            kept_by = "are among the dead letters";
        }
        StreamError::NothingLearned { message, held: self.held.len(), kept_by, hint }
    }
}

/// The file that says who was learned from.
const LEARNED: &str = "learned";

fn write_secret(file: &Path, text: &str) -> Result<(), StreamError> {
    shoal_io::write_atomically(file, text.as_bytes()).map_err(PipelineError::from)?;
    keep_secret(file)
}

/// How far was learned from. Without the file nobody could tell who must not be published.
fn read_frontier(file: &Path) -> Result<Frontier, StreamError> {
    let text = std::fs::read_to_string(file).map_err(|error| StreamError::File {
        what: "file of who was learned from",
        path: file.to_owned(),
        error,
    })?;
    text.parse()
        .map_err(|error: FrontierError| StreamError::State { path: file.to_owned(), why: error.to_string() })
}
