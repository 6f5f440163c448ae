//! The fold of a text that is not a number.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Unicode's `Default_Ignorable_Code_Point`. The property is stable: new characters are assigned
/// inside these ranges.
pub(super) const IGNORABLE: [(char, char); 17] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// A text without differences of case, width, composition, white space and invisible characters.
pub(super) fn folded(text: &str) -> Cow<'_, str> {
    if !is_plain(text) {
        return Cow::Owned(stable(text, |text| seen(text).nfkd().flat_map(caseless).collect()));
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

/// The same with case as it is: what a date's notation is compared with.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(stable(text, |text| seen(text).nfkd().collect()))
    }
}

/// ASCII without control characters and needless blanks: at most its case has to change, so nearly
/// no text costs more than one pass over its bytes.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|byte| (b' '..=b'~').contains(byte))
        && bytes.first() != Some(&b' ')
        && bytes.last() != Some(&b' ')
        && !bytes.windows(2).any(|pair| pair == b"  ")
}

/// One step may make room for the next: what is left when a character is dropped may compose, and
/// some characters are decomposed to a blank. So the steps are repeated until nothing changes.
fn stable(text: &str, decomposed: impl Fn(&str) -> String) -> String {
    let mut text = text.to_owned();
    loop {
        let composed = seen(&decomposed(&text)).nfkc().collect::<String>();
        let words: Vec<&str> = composed.split_whitespace().collect();
        let next = words.join(" ");
        if next == text {
            return next;
        }
        text = next;
    }
}

/// Upper case first: `ß` and `SS`, and both of the Greek small sigmas, meet there. Repeated, this
/// takes for one whatever Unicode's full case folding does (a test holds it against that), and `ı`
/// and `i` as well, by the tables of the standard library.
fn caseless(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

/// What is seen of a text. It comes first: marks are put into their order only where nothing is
/// between them.
fn seen(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter_map(visible)
}

/// White space as a blank, and nothing instead of what is not seen.
fn visible(c: char) -> Option<char> {
    if c.is_whitespace() {
        return Some(' ');
    }
    let after = IGNORABLE.partition_point(|&(first, _)| first <= c);
    let is_ignorable = after > 0 && c <= IGNORABLE[after - 1].1;
    (!is_ignorable && !c.is_control()).then_some(c)
}
