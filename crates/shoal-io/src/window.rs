use std::io::{self, Read};
use std::ops::Range;

use memchr::memchr2;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// A window on a text that is read as a stream: the bytes that are loaded, refilled when they do not reach far enough.
pub(crate) struct Window<R> {
    input: R,
    pub(crate) buffer: Vec<u8>,
    /// What the buffer still holds.
    pub(crate) held: Range<usize>,
    /// Whether nothing follows what is held.
    pub(crate) ended: bool,
    /// How many bytes of the text come before the buffer.
    pub(crate) offset: u64,
}

impl<R: Read> Window<R> {
    pub(crate) fn new(input: R, capacity: usize) -> Self {
        Window { input, buffer: vec![0; capacity.max(BOM.len())], held: 0..0, ended: false, offset: 0 }
    }

    /// The first look: the byte order mark that says UTF-8 is not part of the text.
    pub(crate) fn open(&mut self) -> io::Result<()> {
        self.fill()?;
        if self.buffer[self.held.clone()].starts_with(BOM) {
            self.held.start += BOM.len();
        }
        Ok(())
    }

    /// Where the line ends that begins the held bytes, and where the next one begins; `None` at the end. A
    /// line ends with `\n`, `\r\n` or `\r`, and the last one may go without. A line of more than `limit` bytes
    /// is not read to its end.
    pub(crate) fn line_end(&mut self, limit: usize) -> io::Result<LineEnd> {
        loop {
            let Range { start, end } = self.held;
            let found = memchr2(b'\n', b'\r', &self.buffer[start..end]);
            // Before more is read, so that a line without an end never fills the memory.
            if found.unwrap_or(end - start) > limit {
                return Ok(LineEnd::TooFar);
            }
            match found.map(|length| start + length) {
                Some(at) if self.buffer[at] == b'\n' => return Ok(LineEnd::At { end: at, next: at + 1 }),
                // A `\n` may follow that is not yet read.
                Some(at) if at + 1 < end || self.ended => {
                    let pair = at + 1 < end && self.buffer[at + 1] == b'\n';
                    return Ok(LineEnd::At { end: at, next: at + 1 + usize::from(pair) });
                }
                None if self.ended && start == end => return Ok(LineEnd::OfText),
                None if self.ended => return Ok(LineEnd::At { end, next: end }),
                _ => self.fill()?,
            }
        }
    }

    /// Reads until the buffer is full. A buffer that is full of one piece is doubled, so that looking at the
    /// piece again from its start costs no more than a constant factor.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.held.clone(), 0);
        self.offset += self.held.start as u64;
        self.held = 0..self.held.len();
        if self.held.end == self.buffer.len() {
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        while self.held.end < self.buffer.len() {
            match self.input.read(&mut self.buffer[self.held.end..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(count) => self.held.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What was found when the end of a line was looked for.
pub(crate) enum LineEnd {
    /// The line ends at `end`, and another one begins at `next`.
    At { end: usize, next: usize },
    /// There is no further line.
    OfText,
    /// The line is longer than allowed.
    TooFar,
}
