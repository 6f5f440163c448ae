use std::io::{self, Read};
use std::ops::Range;

use memchr::memchr;

use super::CsvOptions;
use super::split::{Quoted, Rules, Span, line_ends};
use crate::encoding::{TextEncoding, likely};
use crate::limits::Limits;
use crate::window::{LineEnd, Window};

/// Why there is no next record. Columns count from 0, lines from 1.
#[derive(Debug)]
pub(super) enum ScanError {
    Io(io::Error),
    OpenQuote { line: u64, column: usize },
    TextAfterQuote { line: u64, column: usize },
    InvalidUtf8 { line: u64, column: usize, offset: u64, likely: Option<TextEncoding> },
    TooLong { line: u64 },
    ValueTooLong { line: u64, column: usize },
}

/// The records of a text, one at a time and without a copy where nothing is quoted.
pub(super) struct Records<R> {
    window: Window<R>,
    rules: Rules,
    /// The line at which the held bytes begin.
    line: u64,
    /// The fields of a record with quotes, unquoted.
    text: Vec<u8>,
    spans: Vec<Span>,
    limits: Limits,
}

/// One record.
pub(super) struct Row<'a> {
    /// The line on which it begins.
    pub(super) line: u64,
    text: &'a str,
    spans: &'a [Span],
}

impl Row<'_> {
    /// How many fields there are.
    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// A field.
    pub(super) fn get(&self, column: usize) -> &str {
        let (from, to) = self.spans[column];
        &self.text[from..to]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|column| self.get(column))
    }
}

/// A record that has been found in the buffer.
struct Found {
    line: u64,
    /// Its bytes, the line end left out where nothing is quoted.
    raw: Range<usize>,
    quoted: bool,
}

impl<R: Read> Records<R> {
    pub(super) fn new(input: R, options: &CsvOptions, limits: Limits) -> Self {
        Self::with_capacity(input, options, limits, 1 << 18)
    }

    fn with_capacity(input: R, options: &CsvOptions, limits: Limits, capacity: usize) -> Self {
        Records {
            window: Window::new(input, capacity),
            rules: Rules { separator: options.separator, trim: options.trim },
            line: 0,
            text: Vec::new(),
            spans: Vec::new(),
            limits,
        }
    }

    /// The next record that is not a blank line; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>, ScanError> {
        if self.line == 0 {
            self.line = 1;
            self.window.open().map_err(ScanError::Io)?;
        }
        match self.find()? {
            Some(found) => self.row(&found).map(Some),
            None => Ok(None),
        }
    }

    /// Moves past the next record and notes its spans.
    fn find(&mut self) -> Result<Option<Found>, ScanError> {
        loop {
            let (end, next) = match self.window.line_end(self.limits.line).map_err(ScanError::Io)? {
                LineEnd::At { end, next } => (end, next),
                LineEnd::OfText => return Ok(None),
                LineEnd::TooFar => return Err(ScanError::TooLong { line: self.line }),
            };
            let raw = self.window.held.start..end;
            let line = self.line;
            if memchr(b'"', &self.window.buffer[raw.clone()]).is_some() {
                // The line may end inside the quotes, so the record is looked for again from its start. Nothing has
                // been moved yet.
                return self.find_quoted().map(Some);
            }
            self.window.held.start = next;
            self.line += 1;
            self.rules.split_plain(&self.window.buffer[raw.clone()], &mut self.spans);
            // One empty field. With separators a line is a record even if all its fields are empty.
            let blank = matches!(self.spans[..], [(from, to)] if from == to);
            if !blank {
                return Ok(Some(Found { line, raw, quoted: false }));
            }
        }
    }

    fn find_quoted(&mut self) -> Result<Found, ScanError> {
        let line = self.line;
        loop {
            let held = &self.window.buffer[self.window.held.clone()];
            match self.rules.split_quoted(held, self.window.ended, &mut self.text, &mut self.spans) {
                // The line end does not count.
                Quoted::Ends(length) if length > self.limits.line.saturating_add(2) => {
                    return Err(ScanError::TooLong { line });
                }
                Quoted::Ends(length) => {
                    let raw = self.window.held.start..self.window.held.start + length;
                    self.line += line_ends(&held[..length]);
                    self.window.held.start += length;
                    return Ok(Found { line, raw, quoted: true });
                }
                // Before the open quote: what is too long is so wherever the text ends.
                Quoted::GoesOn(_) if held.len() > self.limits.line => {
                    return Err(ScanError::TooLong { line });
                }
                Quoted::GoesOn(from) if self.window.ended => {
                    let line = line + line_ends(&held[..from]);
                    return Err(ScanError::OpenQuote { line, column: self.spans.len() });
                }
                Quoted::GoesOn(_) => self.window.fill().map_err(ScanError::Io)?,
                Quoted::TextAfterQuote(at) => {
                    let line = line + line_ends(&held[..at]);
                    return Err(ScanError::TextAfterQuote { line, column: self.spans.len() - 1 });
                }
            }
        }
    }

    /// The found record as text. Its raw bytes are what is checked: two halves of a character in
    /// neighbouring fields would otherwise join to a whole one.
    fn row(&self, found: &Found) -> Result<Row<'_>, ScanError> {
        let raw = &self.window.buffer[found.raw.clone()];
        let invalid = |error: std::str::Utf8Error| self.invalid_utf8(found, error.valid_up_to());
        let mut text = std::str::from_utf8(raw).map_err(invalid)?;
        if found.quoted {
            text = std::str::from_utf8(&self.text).map_err(invalid)?;
        }
        // Only a long record can have a long value.
        if text.len() > self.limits.value {
            let is_long = |&(from, to): &Span| to - from > self.limits.value;
            if let Some(column) = self.spans.iter().position(is_long) {
                return Err(ScanError::ValueTooLong { line: found.line, column });
            }
        }
        Ok(Row { line: found.line, text, spans: &self.spans })
    }

    fn invalid_utf8(&self, found: &Found, at: usize) -> ScanError {
        // The column is found by splitting what comes before the invalid byte: the last field there is the one that
        // it is in.
        let before = &self.window.buffer[found.raw.start..found.raw.start + at];
        let (mut text, mut spans) = (Vec::new(), Vec::new());
        let column = match self.rules.split_quoted(before, true, &mut text, &mut spans) {
            Quoted::GoesOn(_) => spans.len(),
            _ => spans.len() - 1,
        };
        let offset = self.window.offset + (found.raw.start + at) as u64;
        // The record alone may be too short to tell.
        let seen = &self.window.buffer[found.raw.start..self.window.held.end.max(found.raw.end)];
        let likely = likely(&seen[..seen.len().min(1 << 16)]);
        ScanError::InvalidUtf8 { line: found.line + line_ends(before), column, offset, likely }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(1);
            self.0.read(&mut buffer[..count])
        }
    }

    fn all(text: &[u8], capacity: usize) -> Result<Vec<(u64, Vec<String>)>, ScanError> {
        let mut records =
            Records::with_capacity(Trickle(text), &CsvOptions::default(), Limits::default(), capacity);
        let mut rows = Vec::new();
        while let Some(row) = records.next()? {
            rows.push((row.line, row.iter().map(str::to_owned).collect()));
        }
        Ok(rows)
    }

    fn row(line: u64, fields: &[&str]) -> (u64, Vec<String>) {
        (line, fields.iter().map(|&f| f.to_owned()).collect())
    }

    #[test]
    fn every_buffer_size_gives_the_same_records() {
        let text = "\u{feff}a,b\r\n\r\n \"x\r\ny\", ü \n\n  \n\"\",\"q\"\"\"\rlast,\"1\"";
        let expected =
            [row(1, &["a", "b"]), row(3, &["x\r\ny", "ü"]), row(7, &["", "q\""]), row(8, &["last", "1"])];
        for capacity in 1..40 {
            assert_eq!(all(text.as_bytes(), capacity).unwrap(), expected, "{capacity}");
        }
    }

    #[test]
    fn nothing_but_blank_lines_is_nothing() {
        for text in ["", "\n", "\r\n \t\r\n", "\u{feff}", "\u{feff}\n"] {
            assert_eq!(all(text.as_bytes(), 8).unwrap(), [], "{text:?}");
        }
    }

    #[test]
    fn errors_know_their_place() {
        for capacity in [1, 5, 100] {
            let open = all(b"a,b\n1,\"x\ny", capacity).unwrap_err();
            assert!(matches!(open, ScanError::OpenQuote { line: 2, column: 1 }), "{open:?}");
            let after = all(b"a,b\n\"1\n\"x,2", capacity).unwrap_err();
            assert!(matches!(after, ScanError::TextAfterQuote { line: 3, column: 0 }), "{after:?}");
            let bad = all(b"a,b\n1,x\xffy\n", capacity).unwrap_err();
            assert!(matches!(bad, ScanError::InvalidUtf8 { line: 2, column: 1, offset: 7, .. }), "{bad:?}");
            let bad = all(b"\"a\nb\",\"c\n\xff\"\n", capacity).unwrap_err();
            assert!(matches!(bad, ScanError::InvalidUtf8 { line: 3, column: 1, offset: 9, .. }), "{bad:?}");
        }
    }

    #[test]
    fn halves_of_a_character_do_not_join_over_a_separator() {
        let bad = all(b"\"\xc3\",\xa9\n", 64).unwrap_err();
        assert!(matches!(bad, ScanError::InvalidUtf8 { line: 1, column: 0, offset: 1, .. }), "{bad:?}");
    }
}
