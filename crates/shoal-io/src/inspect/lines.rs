//! Lines of items: a byte order mark, line ends of several kinds, blanks and separators that no item needs, items that
//! occur twice.

use std::collections::HashSet;
use std::io::{self, Read};

use super::{Findings, LineEnds};
use crate::basket::{BasketOptions, items_of};
use crate::window::{LineEnd, Window};

/// Looks at every line.
pub(super) fn inspect(
    input: impl Read,
    options: BasketOptions,
    limit: usize,
    found: &mut Findings,
) -> io::Result<()> {
    let mut window = Window::new(input, 1 << 18);
    window.open()?;
    if window.held.start > 0 {
        found.add_bom();
    }
    let (mut ends, mut padded, mut twice) = (LineEnds::default(), Count::default(), Count::default());
    let mut seen = HashSet::new();
    while let LineEnd::At { end, next } = window.line_end(limit)? {
        let start = window.held.start;
        let offset = window.offset + start as u64;
        match &window.buffer[end..next] {
            b"\n" => ends.lf += 1,
            b"\r\n" => ends.crlf += 1,
            b"\r" => ends.cr += 1,
            _ => {}
        }
        // The reader has seen that it is UTF-8.
        let line = String::from_utf8_lossy(&window.buffer[start..end]);
        let (mut bytes, mut items) = (0, 0);
        seen.clear();
        for item in items_of(&line, options) {
            bytes += item.len();
            items += 1;
            if !seen.insert(item.to_owned()) {
                twice.add(offset, item.len());
            }
        }
        // What the writer of Shoal would write: the items and one separator between two of them.
        let needed = bytes + options.separator.len_utf8() * usize::saturating_sub(items, 1);
        if line.len() > needed {
            padded.add(offset, line.len() - needed);
        }
        window.held.start = next;
    }
    found.add_line_ends(&ends);
    padded.report("blanks and separators that separate no items", found);
    twice.report("items that occur twice in one line", found);
    Ok(())
}

#[derive(Default)]
struct Count {
    first: Option<u64>,
    lines: u64,
    bytes: u64,
}

impl Count {
    fn add(&mut self, offset: u64, bytes: usize) {
        self.first.get_or_insert(offset);
        self.lines += 1;
        self.bytes += bytes as u64;
    }

    fn report(&self, what: &str, found: &mut Findings) {
        if self.lines > 0 {
            found.add("lines", self.first, self.bytes, format!("{what}: {}", self.lines));
        }
    }
}
