//! Where the fields of one record lie.

use memchr::{memchr, memchr_iter, memchr3};

/// From where to where a field goes.
pub(crate) type Span = (usize, usize);

/// Where the fields of a record lie.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) spans: Vec<Span>,
    /// Where in the bytes of the record each field after the first begins: behind a separator.
    pub(crate) begins: Vec<usize>,
}

impl Fields {
    fn clear(&mut self) {
        self.spans.clear();
        self.begins.clear();
    }
}

/// What separates fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) separator: u8,
    pub(crate) trim: bool,
}

/// How far the quoted record at the start of some bytes goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    /// To here, its line end included.
    Ends(usize),
    /// Beyond the bytes; the last field begins here.
    GoesOn(usize),
    /// A field goes on after its closing quote, here.
    TextAfterQuote(usize),
}

impl Rules {
    /// Splits a line that holds no quote.
    pub(crate) fn split_plain(self, line: &[u8], fields: &mut Fields) {
        fields.clear();
        let mut from = 0;
        for at in memchr_iter(self.separator, line) {
            fields.spans.push(self.trimmed(line, from, at));
            from = at + 1;
            fields.begins.push(from);
        }
        fields.spans.push(self.trimmed(line, from, line.len()));
    }

    /// Splits the record at the start of `bytes`, which may hold quotes and therefore line ends. The spans of
    /// its fields are those in `text`, where they are without their quotes, one after the other. `ended`
    /// says that no bytes will follow.
    pub(crate) fn split_quoted(
        self,
        bytes: &[u8],
        ended: bool,
        text: &mut Vec<u8>,
        fields: &mut Fields,
    ) -> Quoted {
        fields.clear();
        text.clear();
        let mut at = 0;
        loop {
            // `field` is where the field begins with its blanks, `start` where it begins without them, `begin` where
            // its text begins in `text`.
            let field = at;
            let start = self.after_blanks(bytes, at);
            let begin = text.len();
            if bytes.get(start) == Some(&b'"') {
                match unquote(bytes, start + 1, ended, text) {
                    Some(after) => at = self.after_blanks(bytes, after),
                    // The closing quote is not among the bytes.
                    None => return Quoted::GoesOn(start),
                }
            } else {
                at = match memchr3(self.separator, b'\n', b'\r', &bytes[field..]) {
                    Some(length) => field + length,
                    None if ended => bytes.len(),
                    None => return Quoted::GoesOn(field),
                };
                let (from, to) = self.trimmed(bytes, field, at);
                text.extend_from_slice(&bytes[from..to]);
            }
            // A field has ended only if what follows it is known: more of it may come after the last byte, and after
            // a `\r` a `\n` that belongs to the same line end.
            match bytes.get(at) {
                None if !ended => return Quoted::GoesOn(field),
                Some(b'\r') if at + 1 == bytes.len() && !ended => return Quoted::GoesOn(field),
                _ => fields.spans.push((begin, text.len())),
            }
            match bytes.get(at) {
                None => return Quoted::Ends(at),
                Some(&b) if b == self.separator => {
                    at += 1;
                    fields.begins.push(at);
                }
                Some(b'\n') => return Quoted::Ends(at + 1),
                Some(b'\r') => return Quoted::Ends(at + 1 + usize::from(bytes.get(at + 1) == Some(&b'\n'))),
                // A plain field runs up to a separator or a line end, so this one was quoted.
                Some(_) => return Quoted::TextAfterQuote(at),
            }
        }
    }

    fn trimmed(self, bytes: &[u8], mut from: usize, mut to: usize) -> Span {
        if self.trim {
            while from < to && self.is_blank(bytes[from]) {
                from += 1;
            }
            while from < to && self.is_blank(bytes[to - 1]) {
                to -= 1;
            }
        }
        (from, to)
    }

    fn after_blanks(self, bytes: &[u8], mut at: usize) -> usize {
        while self.trim && at < bytes.len() && self.is_blank(bytes[at]) {
            at += 1;
        }
        at
    }

    fn is_blank(self, byte: u8) -> bool {
        // Where tabs separate fields, they are not blanks to be trimmed: empty fields would vanish.
        (byte == b' ' || byte == b'\t') && byte != self.separator
    }
}

/// Copies a quoted field that begins at `at`. Returns where it goes on after the closing quote.
fn unquote(bytes: &[u8], mut at: usize, ended: bool, text: &mut Vec<u8>) -> Option<usize> {
    loop {
        let length = memchr(b'"', &bytes[at..])?;
        text.extend_from_slice(&bytes[at..at + length]);
        at += length + 1;
        match bytes.get(at) {
            Some(b'"') => {
                text.push(b'"');
                at += 1;
            }
            // The quote may be the first of two.
            None if !ended => return None,
            _ => return Some(at),
        }
    }
}

/// How many line ends there are: `\n`, `\r` or both together.
pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    let lone = memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n')).count();
    (memchr_iter(b'\n', bytes).count() + lone) as u64
}

/// How many bytes two texts have in common at their beginning.
pub(crate) fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const WORD: usize = size_of::<u64>();
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
    for (at, (a, b)) in a.chunks_exact(WORD).zip(b.chunks_exact(WORD)).enumerate() {
        let differing = word(a) ^ word(b);
        if differing != 0 {
            // The first byte is the lowest of the word.
            return at * WORD + differing.trailing_zeros() as usize / 8;
        }
    }
    let whole = a.len().min(b.len()) / WORD * WORD;
    whole + a[whole..].iter().zip(&b[whole..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_common_prefix_is_counted_byte_by_byte(a in "[ab]{0,40}", b in "[ab]{0,40}", same in "[ab]{0,40}") {
            let (a, b) = (format!("{same}{a}"), format!("{same}{b}"));
            let expected = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(common_prefix(a.as_bytes(), b.as_bytes()), expected);
        }
    }

    fn plain(line: &str, trim: bool) -> Vec<&str> {
        let mut fields = Fields::default();
        Rules { separator: b',', trim }.split_plain(line.as_bytes(), &mut fields);
        fields.spans.iter().map(|&(from, to)| &line[from..to]).collect()
    }

    fn quoted(bytes: &str, ended: bool) -> (Vec<String>, Quoted) {
        let (mut text, mut fields) = (Vec::new(), Fields::default());
        let rules = Rules { separator: b',', trim: true };
        let outcome = rules.split_quoted(bytes.as_bytes(), ended, &mut text, &mut fields);
        let field = |&(from, to): &Span| String::from_utf8(text[from..to].to_vec()).unwrap();
        (fields.spans.iter().map(field).collect(), outcome)
    }

    #[test]
    fn plain_lines() {
        assert_eq!(plain("a, b ,\tc,", true), ["a", "b", "c", ""]);
        assert_eq!(plain("a, b ", false), ["a", " b "]);
        assert_eq!(plain("", true), [""]);
    }

    #[test]
    fn quotes_keep_blanks_separators_line_ends_and_quotes() {
        let record = " \" a\" , \"b,\"\"\r\nc\" ,5\" pipe,\"\"\r\nnext";
        let (fields, outcome) = quoted(record, false);
        assert_eq!(fields, [" a", "b,\"\r\nc", "5\" pipe", ""]);
        assert_eq!(outcome, Quoted::Ends(record.len() - 4));
    }

    #[test]
    fn a_cut_record_goes_on() {
        let record = "\"a\"\"b\" ,c\r\n";
        for cut in 0..record.len() {
            assert!(matches!(quoted(&record[..cut], false).1, Quoted::GoesOn(_)), "{cut}");
        }
        assert_eq!(quoted(record, false).1, Quoted::Ends(record.len()));
        assert_eq!(quoted("\"a\",b", true), (vec!["a".to_owned(), "b".to_owned()], Quoted::Ends(5)));
        assert_eq!(quoted("x,\"a", true).1, Quoted::GoesOn(2));
        assert_eq!(quoted("\"a\"b,c\n", true).1, Quoted::TextAfterQuote(3));
    }

    #[test]
    fn line_ends_of_all_three_kinds() {
        assert_eq!(line_ends(b"a\nb\r\nc\rd\r\r\n"), 5);
    }
}
