//! Bytes as they come, cut into lines.

use memchr::memchr;

use super::StreamLayout;

/// Cuts bytes into the lines of a stream. A CSV row may hold line ends in quotes; a JSON line may not.
#[derive(Debug)]
pub struct Splitter {
    csv: bool,
    limit: usize,
    buffer: Vec<u8>,
    /// Where the line that is being read starts.
    start: usize,
    /// Up to where no line end is left unseen.
    seen: usize,
    /// Whether a quote is open at `seen`.
    quoted: bool,
    /// Whether the rest of a line that is too long is being passed over.
    skipping: bool,
}

/// What lies at the start of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split<'a> {
    /// A whole line, without its line end.
    Line(&'a [u8]),
    /// The start of a line that is longer than the limit; the rest of it is passed over.
    TooLong(&'a [u8]),
}

impl Splitter {
    /// For CSV rows or JSON lines of at most `limit` bytes.
    pub fn new(csv: bool, limit: usize) -> Splitter {
        Splitter { csv, limit, buffer: Vec::new(), start: 0, seen: 0, quoted: false, skipping: false }
    }

    /// Adds bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next line that is whole; blank ones are passed over. `ended` says that no more bytes will come, so that the
    /// last line needs no line end.
    pub fn next(&mut self, ended: bool) -> Option<Split<'_>> {
        loop {
            let (start, end) = match self.line_end() {
                Some(at) => (self.start, at),
                None if self.buffer.len() - self.start > self.limit => match self.too_long() {
                    Some((start, end)) => return Some(Split::TooLong(&self.buffer[start..end])),
                    None => continue,
                },
                None if ended && self.start < self.buffer.len() => (self.start, self.buffer.len()),
                None => return None,
            };
            self.take_to((end + 1).min(self.buffer.len()));
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if end - start > self.limit {
                return Some(Split::TooLong(&self.buffer[start..start + self.limit]));
            }
            // Looked up twice: the borrow checker does not see that a blank line is not returned.
            if !self.buffer[start..end].trim_ascii().is_empty() {
                let line = &self.buffer[start..end];
                return Some(Split::Line(line.strip_suffix(b"\r").unwrap_or(line)));
            }
        }
    }

    /// Passes over a line without an end. A quote that is never closed would swallow all lines after it, so only the
    /// first of them is given up.
    fn too_long(&mut self) -> Option<(usize, usize)> {
        let start = self.start;
        if self.quoted
            && let Some(length) = memchr(b'\n', &self.buffer[start..])
        {
            self.take_to(start + length + 1);
            return Some((start, start + length.min(self.limit)));
        }
        self.take_to(self.buffer.len());
        let first = !std::mem::replace(&mut self.skipping, true);
        first.then_some((start, start + self.limit))
    }

    fn take_to(&mut self, at: usize) {
        self.start = at;
        self.seen = at;
        self.quoted = false;
    }

    /// The next line end outside quotes.
    fn line_end(&mut self) -> Option<usize> {
        while let Some(length) = memchr(b'\n', &self.buffer[self.seen..]) {
            let at = self.seen + length;
            self.pass_quotes(at);
            self.seen = at + 1;
            // What is passed over is not looked into: its quotes may be the trouble.
            if !self.quoted || self.skipping {
                return Some(at);
            }
        }
        self.pass_quotes(self.buffer.len());
        self.seen = self.buffer.len();
        None
    }

    fn pass_quotes(&mut self, to: usize) {
        if self.csv {
            self.quoted ^= memchr::memchr_iter(b'"', &self.buffer[self.seen..to]).count() % 2 == 1;
        }
    }
}

impl StreamLayout {
    /// The lines of some whole bytes.
    pub fn lines<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let csv = self.is_csv();
        let mut rest = bytes;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let mut quoted = false;
            let end = rest.iter().position(|byte| {
                quoted ^= csv && *byte == b'"';
                *byte == b'\n' && !quoted
            });
            let (line, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = after;
            Some(line)
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(csv: bool, limit: usize, pieces: &[&[u8]]) -> Vec<String> {
        let mut splitter = Splitter::new(csv, limit);
        let mut lines = Vec::new();
        let mut take = |splitter: &mut Splitter, ended| {
            while let Some(split) = splitter.next(ended) {
                lines.push(match split {
                    Split::Line(line) => String::from_utf8_lossy(line).into_owned(),
                    Split::TooLong(line) => format!("too long: {}", line.len()),
                });
            }
        };
        for piece in pieces {
            splitter.feed(piece);
            take(&mut splitter, false);
        }
        take(&mut splitter, true);
        lines
    }

    #[test]
    fn lines_are_cut_wherever_the_pieces_end() {
        assert_eq!(lines(false, 99, &[b"a\nb", b"c\r\n\n", b"  \nd"]), ["a", "bc", "d"]);
        assert_eq!(lines(true, 99, &[b"1,\"a\nb", b"\"\n2,c\n"]), ["1,\"a\nb\"", "2,c"]);
        assert_eq!(lines(false, 99, &[b"{\"a\": \"", b"}\n{}"]), ["{\"a\": \"}", "{}"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_one_is_read() {
        assert_eq!(lines(false, 4, &[b"aaaaaa", b"aaaaaaaaaa", b"a\nb\n"]), ["too long: 4", "b"]);
        assert_eq!(lines(false, 4, &[b"aaaaaaaaa\nb\n"]), ["too long: 4", "b"]);
    }

    #[test]
    fn a_quote_that_is_never_closed_costs_one_line() {
        let pieces: [&[u8]; 2] = [b"1,\"open\n2,c\n", b"3,d\n"];
        assert_eq!(lines(true, 14, &pieces), ["too long: 7", "2,c", "3,d"]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[a-c\"\n]{0,40}", cuts in prop::collection::vec(0_usize..41, 0..5), csv: bool) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                pieces.push(&text.as_bytes()[from..cut]);
                from = cut;
            }
            prop_assert_eq!(lines(csv, 1000, &pieces), lines(csv, 1000, &[text.as_bytes()]));
        }
    }
}
