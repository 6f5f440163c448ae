use std::io::{self, Read};
use std::ops::Range;

use crate::encoding::{TextEncoding, likely};
use crate::window::{LineEnd, Window};

/// The lines of a text, one at a time, in a buffer that never grows far beyond the longest line allowed.
pub(crate) struct Lines<R> {
    window: Window<R>,
    /// How many bytes a line may have.
    limit: usize,
    /// How many lines have been handed out.
    count: u64,
    /// Where in the buffer the last of them stands.
    last: Range<usize>,
}

/// One line without its end.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) text: &'a str,
}

/// Why there is no next line.
#[derive(Debug)]
pub(crate) enum LineError {
    Io(io::Error),
    TooLong {
        line: u64,
    },
    /// `offset` bytes of the text come before the one that is not UTF-8.
    NotUtf8 {
        line: u64,
        offset: u64,
        likely: Option<TextEncoding>,
    },
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(input: R, limit: usize) -> Self {
        Self::with_capacity(input, limit, 1 << 18)
    }

    fn with_capacity(input: R, limit: usize, capacity: usize) -> Self {
        Lines { window: Window::new(input, capacity), limit, count: 0, last: 0..0 }
    }

    /// The next line; `None` at the end. A line ends with `\n`, `\r\n` or `\r`, and the last one may go
    /// without.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, LineError> {
        if self.count == 0 {
            self.window.open().map_err(LineError::Io)?;
        }
        let (end, next) = match self.window.line_end(self.limit).map_err(LineError::Io)? {
            LineEnd::At { end, next } => (end, next),
            LineEnd::OfText => return Ok(None),
            LineEnd::TooFar => return Err(LineError::TooLong { line: self.count + 1 }),
        };
        let from = self.window.held.start;
        self.window.held.start = next;
        self.count += 1;
        self.last = from..end;
        let number = self.count;
        match std::str::from_utf8(&self.window.buffer[from..end]) {
            Ok(text) => Ok(Some(Line { number, text })),
            Err(error) => {
                let offset = self.window.offset + (from + error.valid_up_to()) as u64;
                // The line alone may be too short to tell.
                let seen = &self.window.buffer[from..self.window.held.end.max(end)];
                let likely = likely(&seen[..seen.len().min(1 << 16)]);
                Err(LineError::NotUtf8 { line: number, offset, likely })
            }
        }
    }
}

impl<R> Lines<R> {
    /// The line that was handed out last.
    pub(crate) fn current(&self) -> &str {
        std::str::from_utf8(&self.window.buffer[self.last.clone()]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], limit: usize, capacity: usize) -> Result<Vec<String>, LineError> {
        let mut lines = Lines::with_capacity(text, limit, capacity);
        let mut texts = Vec::new();
        while let Some(line) = lines.next()? {
            texts.push(line.text.to_owned());
            assert_eq!(line.number, texts.len() as u64);
        }
        Ok(texts)
    }

    #[test]
    fn every_buffer_size_gives_the_same_lines() {
        let text = "\u{feff}a b\r\n\r\nüü\r\n\nc\rd\r\r\nlast line";
        let expected = ["a b", "", "üü", "", "c", "d", "", "last line"];
        for capacity in 1..40 {
            assert_eq!(all(text.as_bytes(), 9, capacity).unwrap(), expected, "{capacity}");
        }
    }

    #[test]
    fn a_final_line_end_makes_no_line() {
        for (text, expected) in [
            ("", &[][..]),
            ("\u{feff}", &[]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\r\n", &["a"]),
            ("a\n\n", &["a", ""]),
        ] {
            assert_eq!(all(text.as_bytes(), 9, 4).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_read_to_its_end() {
        for capacity in [1, 8, 64] {
            assert_eq!(all(b"1234\n12345\n", 5, capacity).unwrap(), ["1234", "12345"]);
            for text in [&b"1234\n123456\n"[..], b"1234\r123456", b"1234\n123456\r\n7"] {
                assert!(matches!(all(text, 5, capacity), Err(LineError::TooLong { line: 2 })));
            }
        }
        let mut endless = Lines::new(io::repeat(b'x'), 1 << 20);
        assert!(matches!(endless.next(), Err(LineError::TooLong { line: 1 })));
        assert!(endless.window.buffer.len() <= 1 << 21);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_found() {
        for capacity in [1, 8, 64] {
            let error = all(b"\xef\xbb\xbfa b\nc d\xfc e\n", 99, capacity).unwrap_err();
            assert!(matches!(error, LineError::NotUtf8 { line: 2, offset: 10, .. }), "{error:?}");
        }
    }
}
