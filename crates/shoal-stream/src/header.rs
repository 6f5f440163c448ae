//! The first line of a CSV stream, which says in what order its columns come. It is forgotten with the stream, while rows
//! may be remembered longer: so rows go on in the order of the policy.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shoal_io::stream::StreamLayout;

use crate::runner::WAIT;
use crate::{Batch, ConnectorError, Frontier, Source, StreamError};

/// A source whose rows come in the order of the policy, whatever the order of its header.
pub(crate) struct Headed {
    source: Box<dyn Source>,
    /// The layout of the header, once it has been read.
    header: Option<StreamLayout>,
}

impl Headed {
    pub(crate) fn new(source: Box<dyn Source>) -> Headed {
        Headed { source, header: None }
    }

    /// Goes to where the frontier ends, and behind the header, where the policy says that there is one and the source may
    /// have one: a broker's messages are rows only.
    pub(crate) fn start(
        &mut self,
        frontier: &Frontier,
        header: bool,
        layout: &StreamLayout,
        stop: &AtomicBool,
    ) -> Result<(), StreamError> {
        self.source.seek(frontier)?;
        if !layout.is_csv() || !header || !self.source.has_header() {
            return Ok(());
        }
        while !stop.load(Ordering::Relaxed) {
            let batch = self.source.fetch(1, WAIT)?;
            if let Some(line) = batch.records.first() {
                let mut header = layout.clone();
                header.read_header(&line.bytes).map_err(|error| StreamError::Header { error })?;
                self.header = Some(header);
                break;
            }
            if batch.ended {
                break;
            }
        }
        Ok(())
    }

    /// See [`Source::replays`].
    pub(crate) fn replays(&self) -> bool {
        self.source.replays()
    }

    /// See [`Source::fetch`].
    pub(crate) fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        let mut batch = self.source.fetch(max, wait)?;
        if let Some(header) = &self.header {
            for record in &mut batch.records {
                if let Cow::Owned(row) = header.in_policy_order(&record.bytes) {
                    record.bytes = row;
                }
            }
        }
        Ok(batch)
    }

    /// See [`Source::identity`].
    pub(crate) fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        self.source.identity()
    }

    /// See [`Source::acknowledge`].
    pub(crate) fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        self.source.acknowledge(frontier)
    }

    /// See [`Source::lag`].
    pub(crate) fn lag(&mut self) -> Option<u64> {
        self.source.lag()
    }
}
