//! Messages as a run would publish them: one line each, through the gate.

use std::borrow::Cow;

use shoal_core::stream::{StreamLine, StreamPromise, StreamTuple};
use shoal_privacy::stream::Gate;
use shoal_stream::{Frontier, Mark, Message, Record};

/// The lines and marks of a run.
#[derive(Default)]
pub(crate) struct Releases {
    lines: Vec<(Mark, Vec<u8>)>,
}

impl Releases {
    /// Steps `from` to `to` of records that came one by one from partition 0.
    pub(crate) fn steps(from: u64, to: u64) -> Releases {
        let mut releases = Releases::default();
        for step in from..=to {
            let mut frontier = Frontier::default();
            frontier.pass(0, step);
            releases.lines.push((Mark { step, frontier }, line(&format!("record {step}")).into_bytes()));
        }
        releases
    }

    /// What a run behind `mark` makes of further records.
    pub(crate) fn of(mark: &mut Mark, records: &[Record]) -> Releases {
        let mut releases = Releases::default();
        for record in records {
            mark.step += 1;
            mark.frontier.pass(record.partition, record.offset);
            let text = std::str::from_utf8(&record.bytes).unwrap();
            releases.lines.push((mark.clone(), line(text).into_bytes()));
        }
        releases
    }

    pub(crate) fn messages(&self) -> Vec<Message<'_>> {
        let first = self.lines.first().map_or(0, |(mark, _)| mark.step);
        let mut gate = Gate::new(StreamPromise::Sets { l: 2 }, Vec::new()).starting_at(first);
        let mut messages = Vec::with_capacity(self.lines.len());
        for (mark, bytes) in &self.lines {
            let set =
                StreamLine::Set { cells: Vec::new(), values: vec![Cow::Borrowed("a"), Cow::Borrowed("b")] };
            let value = Cow::Borrowed("a");
            let tuple = StreamTuple { position: mark.step, person: None, cells: Vec::new(), value };
            let lines = gate.admit(bytes, &[set], &[tuple]).unwrap();
            messages.push(Message { mark: mark.clone(), lines });
        }
        messages
    }
}

/// The line of a record.
pub(crate) fn line(record: &str) -> String {
    format!("{{\"record\":\"{record}\",\"values\":[\"a\",\"b\"]}}\n")
}
