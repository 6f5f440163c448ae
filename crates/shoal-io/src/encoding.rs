//! Texts in other encodings than UTF-8, decoded while they stream by.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

use encoding_rs::{Decoder, DecoderResult, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How the characters of a text are stored, by one of the labels of the WHATWG Encoding Standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEncoding(&'static encoding_rs::Encoding);

impl TextEncoding {
    /// What we write, and what a text is taken for unless it begins with another mark.
    pub const UTF_8: TextEncoding = TextEncoding(UTF_8);

    /// The encoding of a label such as `latin1`, `windows-1252` or `utf-16`; case and blanks around it do not
    /// matter. `None` for a label that the standard does not have, or that it forbids to decode.
    pub fn of_label(label: &str) -> Option<TextEncoding> {
        encoding_rs::Encoding::for_label_no_replacement(label.as_bytes()).map(TextEncoding)
    }

    /// Its label in a policy.
    pub fn label(self) -> String {
        self.0.name().to_ascii_lowercase()
    }
}

/// The encoding that the mark at the beginning of a text names.
pub(crate) fn marked(head: &[u8]) -> Option<TextEncoding> {
    encoding_rs::Encoding::for_bom(head).map(|(encoding, _)| TextEncoding(encoding))
}

/// The text that begins with `head`, as UTF-8 where it is said or marked to be something else. UTF-8 passes as it is:
/// whether it is, is for its reader to find out, who knows line and column.
pub(crate) fn decoded<'a>(
    head: &[u8],
    given: Option<TextEncoding>,
    text: Box<dyn Read + 'a>,
) -> Box<dyn Read + 'a> {
    match applied(head, given) {
        Some(encoding) => Box::new(Decoded::new(text, encoding)),
        None => text,
    }
}

/// The encoding that the text which begins with `head` is decoded from; `None` for UTF-8.
pub(crate) fn applied(head: &[u8], given: Option<TextEncoding>) -> Option<TextEncoding> {
    // Published files are said to be UTF-8 and are not decoded, whatever they begin with. Otherwise the mark knows
    // better than whoever told.
    let given_utf8 = given == Some(TextEncoding::UTF_8);
    let encoding = marked(head).filter(|_| !given_utf8).or(given);
    encoding.filter(|encoding| *encoding != TextEncoding::UTF_8)
}

/// The encoding that bytes which are not UTF-8 are most likely in; `None` where nothing is likely. A wrong answer
/// garbles letters but keeps different texts different, since each byte of Windows-1252 is another character.
pub(crate) fn likely(sample: &[u8]) -> Option<TextEncoding> {
    if let Some(encoding) = marked(sample).filter(|marked| *marked != TextEncoding::UTF_8) {
        return Some(encoding);
    }
    likely_utf16(sample).or_else(|| is_western(sample).then_some(TextEncoding(WINDOWS_1252)))
}

/// Whether three of four characters are ASCII stored in two bytes. Such a text is valid UTF-8, full of NUL characters.
pub(crate) fn likely_utf16(sample: &[u8]) -> Option<TextEncoding> {
    let pairs = sample[..sample.len().min(1 << 10)].chunks_exact(2);
    let count = pairs.len();
    let (mut first, mut second) = (0, 0);
    for pair in pairs {
        first += usize::from(pair[0] == 0);
        second += usize::from(pair[1] == 0);
    }
    match (first, second) {
        (0, second) if count > 3 && second * 4 >= count * 3 => Some(TextEncoding(UTF_16LE)),
        (first, 0) if count > 3 && first * 4 >= count * 3 => Some(TextEncoding(UTF_16BE)),
        _ => None,
    }
}

/// Whether the bytes make sense as Windows-1252: letters with accents stand alone among plain ones. In Greek, Cyrillic or
/// Japanese encodings most bytes above 127 stand next to another.
fn is_western(sample: &[u8]) -> bool {
    let undefined =
        |byte: &u8| matches!(byte, 0..9 | 11 | 12 | 14..32 | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    if sample.iter().any(undefined) {
        return false;
    }
    let high = sample.iter().filter(|byte| !byte.is_ascii()).count();
    let neighbours = sample.windows(2).filter(|pair| !pair[0].is_ascii() && !pair[1].is_ascii()).count();
    neighbours * 3 <= high
}

/// A text that is turned into UTF-8 as it is read.
struct Decoded<R> {
    input: R,
    encoding: TextEncoding,
    decoder: Decoder,
    raw: Vec<u8>,
    /// What of `raw` is not decoded yet.
    held: Range<usize>,
    text: Vec<u8>,
    /// What of `text` is not handed out yet.
    ready: Range<usize>,
    /// Whether the input has ended, and whether the decoder has been told.
    ended: bool,
    finished: bool,
    /// How many bytes have been decoded, and how many lines have ended in them.
    offset: u64,
    lines: u64,
    bad: Option<NotInEncoding>,
}

/// Bytes that mean nothing in the encoding of their text.
#[derive(Clone, Debug)]
pub(crate) struct NotInEncoding {
    pub(crate) encoding: TextEncoding,
    /// The line, from 1.
    pub(crate) line: u64,
    /// How many bytes of the text come before them.
    pub(crate) offset: u64,
}

impl fmt::Display for NotInEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: not {} (byte {} of the text)", self.line, self.encoding.0.name(), self.offset)
    }
}

impl std::error::Error for NotInEncoding {}

impl<R: Read> Decoded<R> {
    fn new(input: R, encoding: TextEncoding) -> Self {
        Decoded {
            input,
            encoding,
            decoder: encoding.0.new_decoder_with_bom_removal(),
            raw: vec![0; 1 << 16],
            held: 0..0,
            text: vec![0; 1 << 17],
            ready: 0..0,
            ended: false,
            finished: false,
            offset: 0,
            lines: 0,
            bad: None,
        }
    }

    /// Decodes until there is text, or none comes any more.
    fn decode(&mut self) -> io::Result<()> {
        while self.ready.is_empty() && !self.finished && self.bad.is_none() {
            if self.held.is_empty() && !self.ended {
                let count = self.input.read(&mut self.raw)?;
                self.held = 0..count;
                self.ended = count == 0;
            }
            let raw = &self.raw[self.held.clone()];
            let (result, read, written) =
                self.decoder.decode_to_utf8_without_replacement(raw, &mut self.text, self.ended);
            self.held.start += read;
            self.offset += read as u64;
            self.ready = 0..written;
            self.lines += memchr::memchr_iter(b'\n', &self.text[..written]).count() as u64;
            match result {
                DecoderResult::OutputFull => {}
                DecoderResult::InputEmpty => self.finished = self.ended,
                DecoderResult::Malformed(bytes, more) => {
                    let before = u64::from(bytes) + u64::from(more);
                    self.bad = Some(NotInEncoding {
                        encoding: self.encoding,
                        line: self.lines + 1,
                        offset: self.offset.saturating_sub(before),
                    });
                }
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decode()?;
        // The text before a bad byte comes first, so that an earlier mistake in it is the one that is told.
        if self.ready.is_empty()
            && let Some(bad) = &self.bad
        {
            return Err(io::Error::new(io::ErrorKind::InvalidData, bad.clone()));
        }
        let count = self.ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.text[self.ready.start..self.ready.start + count]);
        self.ready.start += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], label: Option<&str>) -> io::Result<String> {
        let given = label.map(|label| TextEncoding::of_label(label).unwrap());
        let mut text = String::new();
        decoded(bytes, given, Box::new(bytes)).read_to_string(&mut text)?;
        Ok(text)
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn marks_are_found_and_removed() {
        let words = "name,ü😀\nMüller,1\n";
        assert_eq!(text(&utf16(&format!("\u{feff}{words}"), u16::to_le_bytes), None).unwrap(), words);
        assert_eq!(text(&utf16(&format!("\u{feff}{words}"), u16::to_be_bytes), None).unwrap(), words);
        assert_eq!(text(&utf16(words, u16::to_be_bytes), Some("utf-16be")).unwrap(), words);
        // The mark knows better than whoever told.
        assert_eq!(
            text(&utf16(&format!("\u{feff}{words}"), u16::to_be_bytes), Some("latin1")).unwrap(),
            words
        );
        assert_eq!(text(b"M\xfcller \x80", Some("latin1")).unwrap(), "Müller €");
    }

    #[test]
    fn long_texts_come_whole() {
        let words = "Müller, Straße 5\n".repeat(40_000);
        assert_eq!(text(&utf16(&words, u16::to_le_bytes), Some("utf-16")).unwrap(), words);
    }

    #[test]
    fn bytes_that_mean_nothing_are_placed() {
        let mut bytes = utf16("a\nb", u16::to_le_bytes);
        bytes.extend([0x00, 0xdc, b'c', 0]);
        let error = text(&bytes, Some("utf-16")).unwrap_err();
        let bad = error.get_ref().and_then(|inner| inner.downcast_ref::<NotInEncoding>()).unwrap();
        assert_eq!((bad.line, bad.offset), (2, 6), "{error}");
        assert!(text(&bytes[..7], Some("utf-16")).is_err(), "half a character at the end");
    }

    #[test]
    fn a_likely_encoding_is_named_and_an_unlikely_one_is_not() {
        let label = |sample: &[u8]| likely(sample).map(TextEncoding::label);
        assert_eq!(label(b"name\nM\xfcller\n").as_deref(), Some("windows-1252"));
        assert_eq!(label(&utf16("name,age\nM\u{fc}ller,3", u16::to_le_bytes)).as_deref(), Some("utf-16le"));
        assert_eq!(label(&utf16("name,age\nx,3", u16::to_be_bytes)).as_deref(), Some("utf-16be"));
        // Cyrillic in Windows-1251, Japanese in Shift_JIS, a picture.
        assert_eq!(label(b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0"), None);
        assert_eq!(label(b"\x93\x8c\x8b\x9e,1"), None);
        assert_eq!(label(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), None);
    }
}
