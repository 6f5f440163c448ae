use std::io::{self, Read};

use crate::encoding::{TextEncoding, likely};
use crate::window::Window;

/// The objects of one array, one at a time, in a buffer that never grows far beyond the longest object allowed.
pub(super) struct Elements<R> {
    window: Window<R>,
    /// How many bytes an object may have.
    limit: usize,
    /// The line at which the held bytes begin.
    line: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unopened,
    Open,
    /// After an object.
    Between,
    Closed,
}

/// Why the next object cannot be had.
#[derive(Debug)]
pub(super) enum ElementError {
    Io(io::Error),
    TooLong { line: u64 },
    NotUtf8 { line: u64, offset: u64, likely: Option<TextEncoding> },
    Syntax { line: u64, why: &'static str },
}

impl<R: Read> Elements<R> {
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self::with_capacity(input, limit, 1 << 18)
    }

    fn with_capacity(input: R, limit: usize, capacity: usize) -> Self {
        Elements { window: Window::new(input, capacity), limit, line: 1, state: State::Unopened }
    }

    /// The text of the next object and the line on which it begins; `None` at the end. What is between its braces is for
    /// the caller to understand.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &str)>, ElementError> {
        if self.state == State::Unopened {
            self.window.open().map_err(ElementError::Io)?;
            if self.next_byte()? != Some(b'[') {
                return Err(self.wrong("not an array"));
            }
            self.window.held.start += 1;
            self.state = State::Open;
        }
        loop {
            match (self.state, self.next_byte()?) {
                (State::Closed, None) => return Ok(None),
                (State::Closed, Some(_)) => return Err(self.wrong("text after the end of the array")),
                (_, None) => return Err(self.wrong("the array is not closed")),
                (State::Between, Some(b',')) => {
                    self.window.held.start += 1;
                    self.state = State::Open;
                    // After a comma there is an object, so that `]` cannot follow.
                    if self.next_byte()? != Some(b'{') {
                        return Err(self.wrong("what follows the comma is no object"));
                    }
                }
                (State::Between, Some(b']')) | (State::Open, Some(b']')) => {
                    self.window.held.start += 1;
                    self.state = State::Closed;
                }
                (State::Between, Some(_)) => return Err(self.wrong("a comma is missing between two objects")),
                (_, Some(b'{')) => return self.object().map(Some),
                (_, Some(_)) => return Err(self.wrong("an element of the array is no object")),
            }
        }
    }

    /// The object that begins the held bytes.
    fn object(&mut self) -> Result<(u64, &str), ElementError> {
        let (mut at, mut depth, mut quoted, mut escaped) = (0, 0_u64, false, false);
        let length = loop {
            let held = &self.window.buffer[self.window.held.clone()];
            let Some(&byte) = held.get(at) else {
                if self.window.ended {
                    return Err(self.wrong("the object that begins here is not closed"));
                }
                self.window.fill().map_err(ElementError::Io)?;
                continue;
            };
            at += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                b'{' | b'[' if !quoted => depth += 1,
                b'}' | b']' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break at;
            }
            if at > self.limit {
                return Err(ElementError::TooLong { line: self.line });
            }
        };
        let (from, line) = (self.window.held.start, self.line);
        let raw = &self.window.buffer[from..from + length];
        let text = std::str::from_utf8(raw).map_err(|error| {
            let offset = self.window.offset + (from + error.valid_up_to()) as u64;
            ElementError::NotUtf8 { line, offset, likely: likely(raw) }
        })?;
        self.line += memchr::memchr_iter(b'\n', raw).count() as u64;
        self.window.held.start += length;
        self.state = State::Between;
        Ok((line, text))
    }

    /// The next byte that is no blank, which stays where it is.
    fn next_byte(&mut self) -> Result<Option<u8>, ElementError> {
        loop {
            let held = &self.window.buffer[self.window.held.clone()];
            let blanks = held.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.line += memchr::memchr_iter(b'\n', &held[..blanks]).count() as u64;
            let byte = held.get(blanks).copied();
            self.window.held.start += blanks;
            if byte.is_some() || self.window.ended {
                return Ok(byte);
            }
            self.window.fill().map_err(ElementError::Io)?;
        }
    }

    fn wrong(&self, why: &'static str) -> ElementError {
        ElementError::Syntax { line: self.line, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize, capacity: usize) -> Result<Vec<(u64, String)>, ElementError> {
        let mut elements = Elements::with_capacity(text.as_bytes(), limit, capacity);
        let mut found = Vec::new();
        while let Some((line, text)) = elements.next()? {
            found.push((line, text.to_owned()));
        }
        Ok(found)
    }

    #[test]
    fn every_buffer_size_gives_the_same_objects() {
        let text = "\u{feff} [\n {\"a\": \"}]\\\"{\"},\n\n{\"b\": [1, {\"c\": 2}]\n} ,{}\n]\n ";
        let expected = [(2, "{\"a\": \"}]\\\"{\"}"), (4, "{\"b\": [1, {\"c\": 2}]\n}"), (5, "{}")];
        for capacity in 1..60 {
            let found = all(text, 40, capacity).unwrap();
            let found: Vec<(u64, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "{capacity}");
        }
        assert_eq!(all("[]", 9, 4).unwrap(), []);
    }

    #[test]
    fn what_is_no_array_of_objects_is_placed() {
        for (text, at, said) in [
            ("[1]", 1, "no object"),
            ("[{},\n]", 2, "follows the comma"),
            ("[{}\n{}]", 2, "comma is missing"),
            ("[{}", 1, "not closed"),
            ("[\n{\"a\":", 2, "not closed"),
            ("[{}]\n x", 2, "after the end"),
            ("[{}}]", 1, "comma is missing"),
        ] {
            match all(text, 99, 4).unwrap_err() {
                ElementError::Syntax { line, why } => {
                    assert!(line == at && why.contains(said), "{text}: {line} {why}");
                }
                error => panic!("{text}: {error:?}"),
            }
        }
        assert!(matches!(all("[{\"a\":12345}]", 8, 4), Err(ElementError::TooLong { line: 1 })));
    }
}
