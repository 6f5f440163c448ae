//! CSV: a byte order mark, blank lines, line ends of several kinds, quotes that some records have and others do not.
//!
//! `20` and `"20"` are the same text to a reader of CSV and two different ones to `cut`, so a quote that nothing needs
//! marks a record. Where a whole column is quoted, as some programs do, the quotes say nothing.

use std::io::{self, Read};

use memchr::{memchr, memchr3};

use super::{Findings, LineEnds};

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

/// How the values of a column that need no quotes are written.
#[derive(Default)]
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
        let mut from = 0;
        while from < bytes.len() {
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
        // The header is written by other rules than values.
        if self.rows > 0 {
            if self.columns.len() <= self.column {
                self.columns.resize_with(self.column + 1, Quotes::default);
            }
            let Field { start, len, first, last, special } = self.field;
            let quotes = &mut self.columns[self.column];
            let empty = usize::from(len == 0);
            // Values in quotes that they need are not counted at all: they say nothing about what the writer usually
            // does.
            if self.at != At::Closed {
                if quotes.plain[empty] == 0 {
                    quotes.first_plain[empty] = start;
                }
                quotes.plain[empty] += 1;
            } else if !(special || is_edge(first) && len > 0 || is_edge(last) && len > 0) {
                if quotes.quoted[empty] == 0 {
                    quotes.first_quoted[empty] = start;
                }
                quotes.quoted[empty] += 1;
            }
        }
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
        }
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
