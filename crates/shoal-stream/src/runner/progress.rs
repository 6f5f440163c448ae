//! How far a stream has come.

use std::time::Instant;

use crate::figures::Times;
use crate::journal::Left;
use crate::{Figures, Mark, Message};

/// Steps, places and counts of a stream that runs.
pub(crate) struct Progress {
    /// The step and the frontier after the last record.
    pub(crate) mark: Mark,
    /// The last step that is in the sink.
    pub(super) published: u64,
    /// The last step of which a message is in the sink.
    pub(super) message: u64,
    /// The step of the last snapshot.
    pub(super) snapshot: u64,
    pub(crate) figures: Figures,
    pub(super) times: Times,
    pub(super) started: Instant,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress {
            mark: Mark::default(),
            published: 0,
            message: 0,
            snapshot: 0,
            figures: Figures::default(),
            times: Times::default(),
            started: Instant::now(),
        }
    }

    pub(super) fn left(&self) -> Left {
        Left { step: self.published, message: self.message }
    }

    /// All steps so far are in the sink, these messages among them.
    pub(super) fn have_left(&mut self, messages: &[Message<'_>]) {
        self.figures.messages += messages.len() as u64;
        // In a replay the sink may be ahead of the steps that are taken again.
        self.published = self.published.max(self.mark.step);
        self.message = messages.last().map_or(self.message, |message| message.mark.step);
    }
}
