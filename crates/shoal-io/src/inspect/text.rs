//! CSV: a byte order mark, blank lines, line ends of several kinds, quotes that some records have and others do not.
//!
//! `20` and `"20"` are the same text to a reader of CSV and two different ones to `cut`, so a quote that nothing needs
//! marks a record. Where a whole column is quoted, as some programs do, the quotes say nothing.

use std::io::{self, Read};

use memchr::{memchr, memchr3};

use super::{Findings, LineEnds};
use crate::csv::common_prefix;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Looks at every field of a text.
pub(super) fn inspect(mut input: impl Read, separator: u8, found: &mut Findings) -> io::Result<()> {
    let mut scan = Scan::new(separator);
    let mut chunk = vec![0; 1 << 18];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => scan.feed(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    scan.finish(found);
    Ok(())
}

/// Where in a field the scan is.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Start,
    Plain,
    Quoted,
    /// Behind a quote that closes the field, or is the first of two.
    Closed,
}

struct Scan {
    separator: u8,
    at: At,
    offset: u64,
    /// The first bytes, as long as they may be a byte order mark.
    head: Vec<u8>,
    bom: bool,
    after_cr: bool,
    line_bytes: u64,
    rows: u64,
    column: usize,
    field: Field,
    columns: Vec<Quotes>,
    /// The record so far.
    record: Record,
    /// The last record that has ended; none where that is the header.
    above: Option<Record>,
    ends: LineEnds,
    blank_lines: u64,
    first_blank: Option<u64>,
}

/// The current field.
#[derive(Default)]
struct Field {
    start: u64,
    len: u64,
    first: u8,
    last: u8,
    /// Whether it holds something that must be quoted.
    special: bool,
}

/// A record and how its fields are written. A release stands in the order of what it says, so that most of its records begin like the
/// one above, and what was found there holds again.
#[derive(Clone, Default)]
struct Record {
    /// Where it begins.
    start: u64,
    /// For each field where the next one begins, counted from there, and how it counts.
    fields: Vec<(usize, Counts)>,
}

/// How a field counts.
#[derive(Clone, Copy)]
enum Counts {
    /// Without quotes; whether it is empty.
    Plain(bool),
    /// In quotes that it does not need; whether it is empty.
    Quoted(bool),
    Nowhere,
}

/// How the values of a column that need no quotes are written.
#[derive(Debug, Default, PartialEq)]
struct Quotes {
    /// Values with quotes and without, empty ones apart: that is how some programs distinguish the empty text from no value.
    quoted: [u64; 2],
    plain: [u64; 2],
    first_quoted: [u64; 2],
    first_plain: [u64; 2],
}

impl Scan {
    fn new(separator: u8) -> Scan {
        Scan {
            separator,
            at: At::Start,
            offset: 0,
            head: Vec::new(),
            bom: false,
            after_cr: false,
            line_bytes: 0,
            rows: 0,
            column: 0,
            field: Field::default(),
            columns: Vec::new(),
            record: Record::default(),
            above: None,
            ends: LineEnds::default(),
            blank_lines: 0,
            first_blank: None,
        }
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        // A byte order mark may be cut by the end of a chunk, so up to three bytes are held back.
        while self.head.len() < BOM.len() && self.offset == 0 {
            let Some((&byte, rest)) = bytes.split_first() else { return };
            self.head.push(byte);
            bytes = rest;
            if !BOM.starts_with(&self.head) {
                break;
            }
        }
        if self.offset == 0 {
            self.open();
        }
        self.scan(bytes);
    }

    /// What was held back in case it is a byte order mark.
    fn open(&mut self) {
        let head = std::mem::take(&mut self.head);
        self.bom = head == BOM;
        if self.bom {
            self.offset = BOM.len() as u64;
        } else {
            self.scan(&head);
        }
    }

    fn scan(&mut self, bytes: &[u8]) {
        let begin = self.offset;
        let mut from = 0;
        while from < bytes.len() {
            from += self.skip_alike(bytes, from, begin);
            // Plain stretches are most of a file.
            let rest = &bytes[from..];
            let skipped = match self.at {
                At::Plain => memchr3(self.separator, b'\n', b'\r', rest).unwrap_or(rest.len()),
                At::Quoted => self.quoted_stretch(rest),
                At::Start | At::Closed => 0,
            };
            self.field.len += skipped as u64;
            self.line_bytes += skipped as u64;
            self.offset += skipped as u64;
            from += skipped;
            if let Some(&byte) = bytes.get(from) {
                self.byte(byte);
                self.offset += 1;
                from += 1;
            }
        }
    }

    /// Moves past fields at the beginning of a record that are those of the record above. `begin` is where the bytes begin.
    fn skip_alike(&mut self, bytes: &[u8], from: usize, begin: u64) -> usize {
        if self.at != At::Start || self.line_bytes > 0 {
            return 0;
        }
        self.record.start = self.offset;
        // Behind a `\r` the rest of a line end may come.
        if self.after_cr {
            return 0;
        }
        let Some(above) = &self.above else { return 0 };
        let Some(at) = above.start.checked_sub(begin) else { return 0 };
        let shared = common_prefix(&bytes[at as usize..from], &bytes[from..]);
        let same = above.fields.partition_point(|&(next, _)| next <= shared);
        let Some(&(skipped, _)) = above.fields[..same].last() else { return 0 };
        for (quotes, &(_, counts)) in self.columns.iter_mut().zip(&above.fields[..same]) {
            // The record above was counted, so none of these is the first of its kind.
            match counts {
                Counts::Plain(empty) => quotes.plain[usize::from(empty)] += 1,
                Counts::Quoted(empty) => quotes.quoted[usize::from(empty)] += 1,
                Counts::Nowhere => {}
            }
        }
        self.record.fields.clear();
        self.record.fields.extend_from_slice(&above.fields[..same]);
        self.column = same;
        self.line_bytes += skipped as u64;
        self.offset += skipped as u64;
        skipped
    }

    /// Up to the next quote; what must be quoted is noticed on the way.
    fn quoted_stretch(&mut self, rest: &[u8]) -> usize {
        let stretch = &rest[..memchr(b'"', rest).unwrap_or(rest.len())];
        if let (Some(&first), Some(&last)) = (stretch.first(), stretch.last()) {
            self.field.special |= memchr3(self.separator, b'\n', b'\r', stretch).is_some();
            if self.field.len == 0 {
                self.field.first = first;
            }
            self.field.last = last;
        }
        stretch.len()
    }

    fn byte(&mut self, byte: u8) {
        let after_cr = std::mem::take(&mut self.after_cr);
        // The `\r` was counted as a line end of its own before its `\n` was seen.
        if after_cr && byte == b'\n' && self.at == At::Start && self.line_bytes == 0 {
            self.ends.cr -= 1;
            self.ends.crlf += 1;
            return;
        }
        match (self.at, byte) {
            (At::Quoted, b'"') => self.at = At::Closed,
            (At::Quoted, _) => unreachable!("a quoted stretch ends at a quote"),
            (At::Closed, b'"') => {
                // Two quotes are one, which must be quoted.
                self.field.special = true;
                self.field.len += 1;
                self.at = At::Quoted;
            }
            (_, byte) if byte == self.separator => self.end_field(),
            (_, b'\n' | b'\r') => self.end_line(byte),
            (At::Start, b'"') => {
                self.field.start = self.offset;
                self.at = At::Quoted;
            }
            (At::Start, _) => {
                self.field.start = self.offset;
                self.field.len = 1;
                self.at = At::Plain;
            }
            // Text behind a closing quote; the reader refuses it.
            (At::Plain | At::Closed, _) => self.field.len += 1,
        }
        if !matches!(byte, b'\n' | b'\r') || self.at == At::Quoted {
            self.line_bytes += 1;
        }
    }

    fn end_field(&mut self) {
        if self.at == At::Start {
            self.field.start = self.offset;
        }
        let mut counts = Counts::Nowhere;
        // The header is written by other rules than values.
        if self.rows > 0 {
            if self.columns.len() <= self.column {
                self.columns.resize_with(self.column + 1, Quotes::default);
            }
            let Field { start, len, first, last, special } = self.field;
            let quotes = &mut self.columns[self.column];
            let is_empty = len == 0;
            let empty = usize::from(is_empty);
            // Values in quotes that they need are not counted at all: they say nothing about what the writer usually
            // does.
            if self.at != At::Closed {
                if quotes.plain[empty] == 0 {
                    quotes.first_plain[empty] = start;
                }
                quotes.plain[empty] += 1;
                counts = Counts::Plain(is_empty);
            } else if !(special || is_edge(first) && len > 0 || is_edge(last) && len > 0) {
                if quotes.quoted[empty] == 0 {
                    quotes.first_quoted[empty] = start;
                }
                quotes.quoted[empty] += 1;
                counts = Counts::Quoted(is_empty);
            }
        }
        // The separator or line end, at which the scan is, belongs to the field.
        self.record.fields.push(((self.offset - self.record.start) as usize + 1, counts));
        self.field = Field::default();
        self.at = At::Start;
        self.column += 1;
    }

    fn end_line(&mut self, byte: u8) {
        if self.line_bytes == 0 {
            self.blank_lines += 1;
            self.first_blank.get_or_insert(self.offset);
        } else {
            self.end_field();
            self.rows += 1;
            // What follows the last field is no separator.
            self.record.fields.pop();
            let above = self.above.take().unwrap_or_default();
            let ended = std::mem::replace(&mut self.record, above);
            self.above = (self.rows > 1).then_some(ended);
        }
        self.record.fields.clear();
        self.column = 0;
        self.line_bytes = 0;
        self.at = At::Start;
        if byte == b'\r' {
            self.ends.cr += 1;
            self.after_cr = true;
        } else {
            self.ends.lf += 1;
        }
    }

    fn finish(mut self, found: &mut Findings) {
        // A text shorter than a byte order mark.
        if self.offset == 0 && !self.head.is_empty() {
            self.open();
        }
        if self.line_bytes > 0 {
            self.end_field();
        }
        if self.bom {
            found.add_bom();
        }
        if self.blank_lines > 0 {
            let what = format!("{} blank lines, which are not records", self.blank_lines);
            found.add("between records", self.first_blank, self.blank_lines, what);
        }
        found.add_line_ends(&self.ends);
        // A blank line is not a record, so in a file of one column the empty text has to be quoted.
        let alone = self.columns.len() == 1;
        for (number, quotes) in self.columns.iter().enumerate() {
            for (empty, kind) in ["values", "empty values"].into_iter().enumerate() {
                let (quoted, plain) = (quotes.quoted[empty], quotes.plain[empty]);
                if quoted == 0 || plain == 0 || (alone && empty == 1) {
                    continue;
                }
                // The rarer way of writing is the one that marks records.
                let offset = if quoted <= plain { quotes.first_quoted } else { quotes.first_plain }[empty];
                let what =
                    format!("{quoted} {kind} in quotes that need none, {plain} without, which marks them");
                found.add(format!("column {}", number + 1), Some(offset), 2 * quoted.min(plain), what);
            }
        }
    }
}

/// Blanks at the edges, and the first byte of a byte order mark, are quoted so that no reader drops them.
fn is_edge(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0xef)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is counted, with so many bytes at once. One by one, no record is in the same bytes as the one above it.
    fn counted(text: &[u8], at_once: usize) -> (Vec<Quotes>, u64, u64, Option<u64>) {
        let mut scan = Scan::new(b',');
        text.chunks(at_once).for_each(|bytes| scan.feed(bytes));
        (scan.columns, scan.rows, scan.blank_lines, scan.first_blank)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_shared_with_the_record_above_counts_again(
            lines in proptest::collection::vec(
                proptest::collection::vec(prop::sample::select(vec![
                    "a", "bb", "\"a\"", "\"q,\"", "\"\"", "", " ", "\"two\nlines\"", "\"", "\"a\"x",
                ]), 1..5),
                1..12,
            ),
            ends in proptest::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"]), 12),
            at_once in 2_usize..200,
        ) {
            let lines = lines.iter().zip(&ends).map(|(fields, end)| fields.join(",") + end);
            let text: String = std::iter::once("first,second\n".to_owned()).chain(lines).collect();
            prop_assert_eq!(counted(text.as_bytes(), at_once), counted(text.as_bytes(), 1));
        }
    }
}
