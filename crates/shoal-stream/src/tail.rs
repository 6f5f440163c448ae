//! What both brokers' sinks ask about the last message that is there.

use std::time::Duration;

use crate::{Mark, Message};

/// After that long nothing is on its way any more from a process that is gone.
pub(crate) const QUIET: Duration = Duration::from_millis(100);

/// The mark that two headers spell.
pub(crate) fn read_mark(step: Option<&str>, frontier: Option<&str>) -> Option<Mark> {
    Some(Mark { step: step?.parse().ok()?, frontier: frontier?.parse().ok()? })
}

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
