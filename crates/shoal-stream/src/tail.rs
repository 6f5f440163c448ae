//! What the sinks of all brokers share: the last message that is there, and that nothing is published but behind it.

use std::time::Duration;

use crate::{ConnectorError, Mark, Message, Seal, Sink};

/// What a sink ends with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tail {
    /// Where that is, as the broker counts. NATS: the sequence of the last message, 0 where there is none. Kafka: the
    /// offset of the next one.
    pub(crate) place: u64,
    /// The mark of the last message.
    pub(crate) mark: Option<Mark>,
}

/// What a sink knows of its end.
#[derive(Debug, Default)]
pub(crate) struct SinkEnd {
    /// What it ends with, where that has been read and nothing has failed since.
    tail: Option<Tail>,
    /// What marks are closed with.
    seal: Option<Seal>,
}

impl SinkEnd {
    pub(crate) fn seal(&self) -> Option<&Seal> {
        self.seal.as_ref()
    }
}

/// A sink that is a broker's. All of [`Sink`] follows from this.
pub(crate) trait BrokerSink {
    /// What is known of its end.
    fn end(&mut self) -> &mut SinkEnd;

    /// Reads what it ends with.
    fn read_tail(&self) -> Result<Tail, ConnectorError>;

    /// Lets time pass. A client that has work to do meanwhile does it.
    fn pause(&self, time: Duration);

    /// Publishes behind this end, and says what the sink ends with then.
    fn publish_behind(&mut self, tail: Tail, messages: &[Message<'_>]) -> Result<Tail, ConnectorError>;

    /// Reads what it ends with once nothing is added any more: a process that was killed a moment ago may have had
    /// messages on their way.
    fn settled_tail(&self) -> Result<Tail, ConnectorError> {
        let mut tail = self.read_tail()?;
        loop {
            self.pause(QUIET);
            let now = self.read_tail()?;
            if now == tail {
                return Ok(tail);
            }
            tail = now;
        }
    }
}

impl<S: BrokerSink> Sink for S {
    fn seal(&mut self, seal: Seal) {
        // Marks that were read without it, or with another one, say nothing.
        *self.end() = SinkEnd { tail: None, seal: Some(seal) };
    }

    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        let tail = self.settled_tail()?;
        Ok(self.end().tail.insert(tail).mark.clone())
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        // Taken out: after an error it is not known, and read again.
        let tail = match self.end().tail.take() {
            Some(tail) => tail,
            None => self.settled_tail()?,
        };
        let tail = self.publish_behind(tail, messages)?;
        self.end().tail = Some(tail);
        Ok(())
    }
}

/// After that long nothing is on its way any more from a process that is gone.
const QUIET: Duration = Duration::from_millis(100);

/// The headers of a message's mark. Without a seal, as in tests of a connector alone, the mark stands there plainly.
pub(crate) struct MarkHeaders {
    /// A closed mark.
    pub(crate) mark: &'static str,
    /// The step of a plain one.
    pub(crate) step: &'static str,
    /// The frontier of a plain one.
    pub(crate) frontier: &'static str,
}

impl MarkHeaders {
    /// The names and values for a mark.
    pub(crate) fn write(&self, mark: &Mark, seal: Option<&Seal>) -> Vec<(&'static str, String)> {
        match seal {
            Some(seal) => vec![(self.mark, seal.close(mark))],
            None => vec![(self.step, mark.step.to_string()), (self.frontier, mark.frontier.to_string())],
        }
    }

    /// The mark that headers spell, or what is wrong with them, and what to do.
    pub(crate) fn read<'h>(
        &self,
        header: impl Fn(&str) -> Option<&'h str>,
        seal: Option<&Seal>,
        foreign: &'static str,
    ) -> Result<Mark, (&'static str, &'static str)> {
        match (seal, header(self.mark)) {
            (Some(seal), Some(closed)) => seal.open(closed).ok_or((OTHER_KEY, KEY_HINT)),
            (Some(_), None) if header(self.step).is_some() => Err((UNSEALED, KEY_HINT)),
            (Some(_), None) => Err((NOT_OURS, foreign)),
            (None, _) => {
                let plain = || {
                    let (step, frontier) = (header(self.step)?, header(self.frontier)?);
                    Some(Mark { step: step.parse().ok()?, frontier: frontier.parse().ok()? })
                };
                plain().ok_or((NOT_OURS, foreign))
            }
        }
    }
}

const NOT_OURS: &str = "was not written by shoal";
const UNSEALED: &str = "was written by an earlier version of shoal, whose marks everybody can read";
const OTHER_KEY: &str = "was published with another key: the state or the key is not that of this sink";
const KEY_HINT: &str = "name the state folder and the key that were used with this sink; if they are lost, publish to a new sink with a new key";

/// The messages behind the last one that is in the sink.
pub(crate) fn unpublished<'m, 'a>(messages: &'m [Message<'a>], last: Option<&Mark>) -> &'m [Message<'a>] {
    let there = last.map_or(0, |last| messages.partition_point(|message| message.mark.step <= last.step));
    &messages[there..]
}

/// Whether what is in the sink now is what was there before, followed by nothing but what we may have sent.
pub(crate) fn follows(now: Option<&Mark>, before: Option<&Mark>, sent: &[Message<'_>]) -> bool {
    now == before || sent.iter().any(|message| Some(&message.mark) == now)
}

/// A mark for people.
pub(crate) fn spoken(mark: Option<&Mark>) -> String {
    mark.map_or("nothing".to_owned(), |mark| format!("step {}", mark.step))
}
