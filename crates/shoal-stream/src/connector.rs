//! What the runner asks of a source and of a sink.

use std::time::Duration;

use shoal_privacy::stream::Admitted;

use crate::{ConnectorError, Frontier, Mark, Seal};

/// A record as it came: its place, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The partition of the source; 0 where there are none.
    pub partition: u32,
    /// Its place there; ascending.
    pub offset: u64,
    /// One tuple: a JSON object or a CSV row.
    pub bytes: Vec<u8>,
}

/// What a fetch brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The records, of each partition in ascending order.
    pub records: Vec<Record>,
    /// Whether the source has ended: nothing will ever come again.
    pub ended: bool,
}

/// Where tuples come from.
pub trait Source {
    /// Goes to the first record of each partition that the frontier does not cover. Called before the first fetch.
    /// With an empty frontier, goes to what the broker says was acknowledged, or to the beginning.
    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError>;

    /// At most `max` records; waits at most `wait` for the first one and not at all for more. Waits likewise while the
    /// broker is away: a broker that returns is not an error.
    fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError>;

    /// Whether records that were not acknowledged come again, after a restart too. What stood in a pipe is gone.
    fn replays(&self) -> bool;

    /// Whether the first record may be a line of column names. Messages of a broker are rows only.
    fn has_header(&self) -> bool {
        false
    }

    /// What positions are places in: two texts that differ are two sources, under whatever address. Nothing where that is not known: then
    /// nothing is refused for it.
    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        Ok(None)
    }

    /// Tells the broker that everything the frontier covers has been released.
    fn acknowledge(&mut self, frontier: &Frontier) -> Result<(), ConnectorError>;

    /// How many records wait in the broker, where it can be known.
    fn lag(&mut self) -> Option<u64> {
        None
    }
}

/// All lines that one step releases. They become visible together or not at all.
#[derive(Debug)]
pub struct Message<'a> {
    /// What is in the sink once this message is.
    pub mark: Mark,
    /// The lines, verified.
    pub lines: Admitted<'a>,
}

/// Most bytes of one batch, more or less: a batch ends with the record that exceeds it.
pub(crate) const BATCH_BYTES: usize = 64 << 20;

/// Where releases go.
pub trait Sink {
    /// Gives the sink what it must close marks with before anybody can see them; called before everything else. A sink
    /// that keeps no marks needs none.
    fn seal(&mut self, _seal: Seal) {}

    /// The mark of the last message in the sink. One that was closed with another key is an error.
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError>;

    /// Publishes messages in this order and returns when all of them are durable there. A message is never stored
    /// unless the one before it is, and never twice. Waits while the broker is away.
    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError>;
}
