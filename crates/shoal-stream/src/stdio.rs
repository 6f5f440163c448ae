//! Standard input and output.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use shoal_io::stream::{LINE_LIMIT, Split, Splitter};

use crate::connector::BATCH_BYTES;
use crate::{Batch, ConnectorError, Frontier, Mark, Message, Record, Sink, Source};

/// How much is read at a time.
const CHUNK: usize = 1 << 16;
/// How many chunks may wait; a reader that is ahead of this waits itself, and so does who feeds it.
const CHUNKS: usize = 4;

/// Lines of standard input, or of any reader. A thread of its own reads, so that a stop is not held up by a reader
/// that waits.
pub struct StdinSource {
    chunks: Receiver<io::Result<Vec<u8>>>,
    splitter: Splitter,
    next: u64,
    ended: bool,
}

impl StdinSource {
    /// Lines of a reader; CSV rows may hold line ends in quotes.
    pub fn new(mut input: impl Read + Send + 'static, csv: bool) -> StdinSource {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS);
        thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let read = match input.read(&mut chunk) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(0) => return,
                    Ok(length) => {
                        chunk.truncate(length);
                        Ok(chunk)
                    }
                    Err(error) => Err(error),
                };
                let failed = read.is_err();
                if sender.send(read).is_err() || failed {
                    return;
                }
            }
        });
        StdinSource { chunks, splitter: Splitter::new(csv, LINE_LIMIT), next: 0, ended: false }
    }

    /// Cuts what is there into lines until there are enough of them, or enough bytes of them.
    fn split(&mut self, max: usize, bytes: &mut usize, records: &mut Vec<Record>) {
        while records.len() < max
            && *bytes < BATCH_BYTES
            && let Some(split) = self.splitter.next(self.ended)
        {
            let (Split::Line(line) | Split::TooLong(line)) = split;
            *bytes += line.len();
            records.push(Record { partition: 0, offset: self.next, bytes: line.to_vec() });
            self.next += 1;
        }
    }
}

impl Source for StdinSource {
    fn replays(&self) -> bool {
        false
    }

    fn has_header(&self) -> bool {
        true
    }

    /// Positions in a pipe are no places in a topic.
    fn identity(&mut self) -> Result<Option<String>, ConnectorError> {
        Ok(Some("standard input".to_owned()))
    }

    /// What is read now comes after what was read before: a pipe does not go back.
    fn seek(&mut self, frontier: &Frontier) -> Result<(), ConnectorError> {
        self.next = frontier.next(0).unwrap_or(0);
        Ok(())
    }

    fn fetch(&mut self, max: usize, wait: Duration) -> Result<Batch, ConnectorError> {
        let (mut records, mut bytes) = (Vec::new(), 0);
        self.split(max, &mut bytes, &mut records);
        let mut wait = wait;
        while records.len() < max && bytes < BATCH_BYTES && !self.ended {
            match self.chunks.recv_timeout(wait) {
                Ok(Ok(chunk)) => self.splitter.feed(&chunk),
                Ok(Err(source)) => return Err(ConnectorError::Standard { which: "input", source }),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => self.ended = true,
            }
            self.split(max, &mut bytes, &mut records);
            // What is there is taken along; what is not there is not waited for once there is something.
            wait = if records.is_empty() { wait } else { Duration::ZERO };
        }
        let ended = self.ended && records.is_empty();
        Ok(Batch { records, ended })
    }

    fn acknowledge(&mut self, _frontier: &Frontier) -> Result<(), ConnectorError> {
        Ok(())
    }
}

/// Standard output, or any writer.
pub struct StdoutSink<W> {
    output: W,
    buffer: Vec<u8>,
}

impl<W: Write> StdoutSink<W> {
    /// Writes to `output`, after `header`.
    pub fn new(output: W, header: Option<Vec<u8>>) -> StdoutSink<W> {
        StdoutSink { output, buffer: header.unwrap_or_default() }
    }
}

impl<W: Write> Sink for StdoutSink<W> {
    fn last(&mut self) -> Result<Option<Mark>, ConnectorError> {
        Ok(None)
    }

    fn publish(&mut self, messages: &[Message<'_>]) -> Result<(), ConnectorError> {
        for message in messages {
            self.buffer.extend_from_slice(message.lines.bytes());
        }
        let written = self.output.write_all(&self.buffer).and_then(|()| self.output.flush());
        self.buffer.clear();
        written.map_err(|source| ConnectorError::Standard { which: "output", source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(source: &mut StdinSource, max: usize) -> Vec<(u64, String)> {
        let mut lines = Vec::new();
        loop {
            let batch = source.fetch(max, Duration::from_secs(5)).unwrap();
            assert!(batch.records.len() <= max);
            let text = |record: Record| (record.offset, String::from_utf8(record.bytes).unwrap());
            lines.extend(batch.records.into_iter().map(text));
            if batch.ended {
                return lines;
            }
        }
    }

    #[test]
    fn lines_come_with_their_numbers_whatever_the_size_of_a_batch() {
        let text = (0..10_000).map(|n| format!("line {n}\n")).collect::<String>() + "the last";
        for max in [1, 7, 1000, 100_000] {
            let mut source = StdinSource::new(io::Cursor::new(text.clone()), false);
            source.seek(&"0:5".parse().unwrap()).unwrap();
            let lines = all(&mut source, max);
            assert_eq!(lines.len(), 10_001);
            assert_eq!(lines[0], (5, "line 0".to_owned()));
            assert_eq!(lines[10_000], (10_005, "the last".to_owned()));
        }
    }

    #[test]
    fn a_reader_that_waits_does_not_hold_up_a_fetch() {
        let (reader, mut writer) = io::pipe().unwrap();
        let mut source = StdinSource::new(reader, false);
        assert_eq!(source.fetch(9, Duration::from_millis(1)).unwrap(), Batch::default());
        writer.write_all(b"one\ntw").unwrap();
        let batch = source.fetch(9, Duration::from_secs(5)).unwrap();
        assert_eq!(batch.records.len(), 1);
        writer.write_all(b"o\n").unwrap();
        drop(writer);
        assert_eq!(all(&mut source, 9), [(1, "two".to_owned())]);
    }
}
