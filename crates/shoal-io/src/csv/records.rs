use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::CsvOptions;
use super::split::{Fields, Quoted, Rules, Span, common_prefix, line_ends};
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
    fields: Fields,
    above: Above,
    limits: Limits,
}

/// The record above, for those that begin like it.
#[derive(Default)]
struct Above {
    /// How many bytes of the text come before it.
    offset: u64,
    /// Where each of its fields after the first begins. None where it goes over several lines.
    begins: Vec<usize>,
}

/// One record.
pub(super) struct Row<'a> {
    /// The line on which it begins.
    pub(super) line: u64,
    /// How many fields at its beginning are those of the record above.
    same: usize,
    /// The other fields.
    text: &'a str,
    spans: &'a [Span],
}

impl Row<'_> {
    /// How many fields there are.
    pub(super) fn len(&self) -> usize {
        self.same + self.spans.len()
    }

    /// A field; none where it is that of the record above.
    pub(super) fn get(&self, column: usize) -> Option<&str> {
        let (from, to) = self.spans[column.checked_sub(self.same)?];
        Some(&self.text[from..to])
    }

    /// The fields that are not those of the record above.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|&(from, to)| &self.text[from..to])
    }
}

/// A record that has been found in the buffer.
struct Found {
    line: u64,
    /// Where it begins in the buffer.
    start: usize,
    /// How many fields at its beginning are those of the record above.
    same: usize,
    /// The bytes of the others, the line end left out where nothing is quoted.
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
            fields: Fields::default(),
            above: Above::default(),
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

    /// The same after a record was returned, where fields at its beginning that are those of the record above need not be
    /// looked at. A release stands in the order of what it says, so that most of its records begin like the one above.
    pub(super) fn next_alike(&mut self) -> Result<Option<Row<'_>>, ScanError> {
        match self.find_alike() {
            Some(found) => self.row(&found).map(Some),
            None => self.next(),
        }
    }

    /// Moves past the next record if it begins with fields of the record above and ends inside the buffer. Nothing
    /// is moved otherwise.
    fn find_alike(&mut self) -> Option<Found> {
        let Records { window, rules, fields, above, .. } = self;
        let start = window.held.start;
        // Where the buffer has been refilled since, the record above is gone.
        let from = usize::try_from(above.offset.checked_sub(window.offset)?).ok()?;
        let shared = common_prefix(&window.buffer[from..start], &window.buffer[window.held.clone()]);
        // Up to a separator both records are the same bytes, so they are split alike, and the next field begins anew.
        let same = above.begins.partition_point(|&begin| begin <= shared);
        let rest = start + *above.begins[..same].last()?;
        let bytes = &window.buffer[rest..window.held.end];
        let mut end = memchr2(b'\n', b'\r', bytes)?;
        let quoted = memchr(b'"', &bytes[..end]).is_some();
        let next = if quoted {
            match rules.split_quoted(bytes, window.ended, &mut self.text, fields) {
                Quoted::Ends(length) => length,
                Quoted::GoesOn(_) | Quoted::TextAfterQuote(_) => return None,
            }
        } else {
            // A `\n` may follow that is not yet read.
            let pair = match bytes[end] {
                b'\r' => *bytes.get(end + 1)? == b'\n',
                _ => false,
            };
            rules.split_plain(&bytes[..end], fields);
            end + 1 + usize::from(pair)
        };
        if rest - start + next > self.limits.line {
            return None;
        }
        if quoted {
            end = next;
        }
        let line = self.line;
        self.line += if quoted { line_ends(&bytes[..next]) } else { 1 };
        above.begins.truncate(same);
        above.begins.extend(fields.begins.iter().map(|begin| rest - start + begin));
        above.set(window.offset + start as u64, self.line - line);
        window.held.start = rest + next;
        Some(Found { line, start, same, raw: rest..rest + end, quoted })
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
            self.rules.split_plain(&self.window.buffer[raw.clone()], &mut self.fields);
            // One empty field. With separators a line is a record even if all its fields are empty.
            let blank = matches!(self.fields.spans[..], [(from, to)] if from == to);
            if !blank {
                self.note_above(raw.start, line);
                return Ok(Some(Found { line, start: raw.start, same: 0, raw, quoted: false }));
            }
        }
    }

    fn find_quoted(&mut self) -> Result<Found, ScanError> {
        let line = self.line;
        loop {
            let held = &self.window.buffer[self.window.held.clone()];
            match self.rules.split_quoted(held, self.window.ended, &mut self.text, &mut self.fields) {
                // The line end does not count.
                Quoted::Ends(length) if length > self.limits.line.saturating_add(2) => {
                    return Err(ScanError::TooLong { line });
                }
                Quoted::Ends(length) => {
                    let raw = self.window.held.start..self.window.held.start + length;
                    self.line += line_ends(&held[..length]);
                    self.window.held.start += length;
                    self.note_above(raw.start, line);
                    return Ok(Found { line, start: raw.start, same: 0, raw, quoted: true });
                }
                // Before the open quote: what is too long is so wherever the text ends.
                Quoted::GoesOn(_) if held.len() > self.limits.line => {
                    return Err(ScanError::TooLong { line });
                }
                Quoted::GoesOn(from) if self.window.ended => {
                    let line = line + line_ends(&held[..from]);
                    return Err(ScanError::OpenQuote { line, column: self.fields.spans.len() });
                }
                Quoted::GoesOn(_) => self.window.fill().map_err(ScanError::Io)?,
                Quoted::TextAfterQuote(at) => {
                    let line = line + line_ends(&held[..at]);
                    return Err(ScanError::TextAfterQuote { line, column: self.fields.spans.len() - 1 });
                }
            }
        }
    }

    /// Notes the record that was found for those that begin like it. It began on this line.
    fn note_above(&mut self, start: usize, line: u64) {
        self.above.begins.clone_from(&self.fields.begins);
        self.above.set(self.window.offset + start as u64, self.line - line);
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
            if let Some(column) = self.fields.spans.iter().position(is_long) {
                return Err(ScanError::ValueTooLong { line: found.line, column: found.same + column });
            }
        }
        Ok(Row { line: found.line, same: found.same, text, spans: &self.fields.spans })
    }

    fn invalid_utf8(&self, found: &Found, at: usize) -> ScanError {
        // The column is found by splitting what comes before the invalid byte: the last field there is the one that
        // it is in.
        let before = &self.window.buffer[found.raw.start..found.raw.start + at];
        let (mut text, mut fields) = (Vec::new(), Fields::default());
        let column = match self.rules.split_quoted(before, true, &mut text, &mut fields) {
            Quoted::GoesOn(_) => fields.spans.len(),
            _ => fields.spans.len() - 1,
        };
        let column = found.same + column;
        let offset = self.window.offset + (found.raw.start + at) as u64;
        // The record alone may be too short to tell.
        let seen = &self.window.buffer[found.start..self.window.held.end.max(found.raw.end)];
        let likely = likely(&seen[..seen.len().min(1 << 16)]);
        ScanError::InvalidUtf8 { line: found.line + line_ends(before), column, offset, likely }
    }
}

impl Above {
    /// The record begins after so many bytes of the text and has so many lines.
    fn set(&mut self, offset: u64, lines: u64) {
        self.offset = offset;
        // The lines of a record that begins like this one would have to be counted.
        if lines > 1 {
            self.begins.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// The same where fields that are those of the record above are not looked at; they are filled in here.
    fn all_alike(text: &[u8], capacity: usize) -> Result<Vec<(u64, Vec<String>)>, ScanError> {
        let mut records =
            Records::with_capacity(Trickle(text), &CsvOptions::default(), Limits::default(), capacity);
        let mut rows: Vec<(u64, Vec<String>)> = Vec::new();
        loop {
            let row = if rows.is_empty() { records.next()? } else { records.next_alike()? };
            let Some(row) = row else { return Ok(rows) };
            let same = rows.last().map_or(&[][..], |(_, above)| &above[..row.same]);
            assert_eq!(row.len(), same.len() + row.iter().count());
            let fields = same.iter().cloned().chain(row.iter().map(str::to_owned)).collect();
            rows.push((row.line, fields));
        }
    }

    #[test]
    fn records_that_begin_alike_share_their_fields() {
        let text = b"a,b,c\na,b,d\n\"a\",b,\"x,y\"\n\"a\",b,\"x,z\"\na,b,d\n";
        let mut records = Records::new(&text[..], &CsvOptions::default(), Limits::default());
        let mut same = Vec::new();
        while let Some(row) = records.next_alike().unwrap() {
            same.push(row.same);
        }
        assert_eq!(same, [0, 2, 0, 2, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Whatever the bytes are, broken ones included: the same records, the same lines, the same errors.
        #[test]
        fn what_is_shared_with_the_record_above_is_what_would_be_read(
            lines in proptest::collection::vec(
                proptest::collection::vec(prop::sample::select(vec![
                    &b"a"[..], b"bb", b"ccccccccc", b"\"q,\"", b"\"\"", b" ", b"\"two\nlines\"", b"\"", b"\xc3\xa9", b"\xc3", b"\xa9",
                ]), 1..5),
                1..12,
            ),
            ends in proptest::collection::vec(prop::sample::select(vec![&b"\n"[..], b"\r\n", b"\r", b"\n\n"]), 12),
            last in any::<bool>(),
            capacity in 1_usize..80,
        ) {
            let mut text = Vec::new();
            for (fields, end) in lines.iter().zip(&ends) {
                text.extend_from_slice(&fields.join(&b','));
                text.extend_from_slice(end);
            }
            if last {
                text.truncate(text.len() - 1);
            }
            let outcome = |rows: Result<_, ScanError>| rows.map_err(|error| format!("{error:?}"));
            prop_assert_eq!(outcome(all_alike(&text, capacity)), outcome(all(&text, capacity)));
        }
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
