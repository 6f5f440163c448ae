//! When two texts are the same value.
//!
//! Published texts stay as they are. But where diversity is counted, `HIV`, `hiv` and `HIV ` are one illness, and 7,
//! 07 and 7.0 are one number: a class that holds all three of them says exactly one thing to its reader. What counts as
//! the same is a definition, like that of a range or a set, not an algorithm; so it is here once, and algorithms and
//! verifiers, which share no code, mean the same by it.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{Kind, ValueParser};

/// The canonical form of a value of a column: two texts are one value where their canonical forms are equal.
///
/// Numbers (in a column of numbers also with an exponent) are written without signs, zeros and points that they do
/// not need; dates by the moment that they mean; every other text as in [`canonical_text`].
pub fn canonical_value<'a>(text: &'a str, parser: &ValueParser) -> Cow<'a, str> {
    match parser.kind() {
        Kind::Text => canonical_text(text),
        Kind::Integer | Kind::Decimal => match decimal(trimmed(text), true) {
            Some(number) => Cow::Owned(number),
            None => canonical_text(text),
        },
        Kind::Date => match parser.position(trimmed(text)) {
            // No text can be taken for it: a canonical text has no capital letter.
            Some(days) => Cow::Owned(format!("DATE {days}")),
            None => canonical_text(text),
        },
    }
}

/// The canonical form of a text of which nothing else is known: blanks at its edges go, characters are composed
/// (NFC), case does not count, and a text that is a plain number is that number.
///
/// ```
/// # use shoal_core::canonical_text;
/// assert_eq!(canonical_text(" HIV"), canonical_text("hiv "));
/// assert_eq!(canonical_text("07"), canonical_text("7.0"));
/// assert_ne!(canonical_text("7"), canonical_text("70"));
/// ```
pub fn canonical_text(text: &str) -> Cow<'_, str> {
    let inner = trimmed(text);
    // Codes such as `1e5` are not numbers to their readers, so a plain text must have digits only.
    if let Some(number) = decimal(inner, false) {
        return Cow::Owned(number);
    }
    // A text of ASCII without capitals is its own canonical form, so nothing has to be allocated.
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if inner.bytes().all(is_lower) {
        return Cow::Borrowed(inner);
    }
    // Upper case first: `ß` and `SS`, and both of the Greek small sigmas, meet there.
    let folded = inner.to_uppercase().to_lowercase();
    if is_nfc(&folded) { Cow::Owned(folded) } else { Cow::Owned(folded.nfc().collect()) }
}

/// Without blanks, and characters that have no width, at the edges.
fn trimmed(text: &str) -> &str {
    const NO_WIDTH: [char; 5] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}'];
    text.trim_matches(|c: char| c.is_whitespace() || NO_WIDTH.contains(&c))
}

/// A number as its digits without leading and trailing zeros and the power of ten of the last of them, exactly,
/// however long it is. `None` where the text is not a number.
fn decimal(text: &str, exponents: bool) -> Option<String> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']).filter(|_| exponents) {
        Some(at) => (&rest[..at], rest[at + 1..].parse::<i64>().ok()?),
        None => (rest, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        // One zero, without a sign: −0 and 0 are the same number.
        return Some("0".to_owned());
    }
    // The power of ten of the last significant digit: each digit of the fraction lowers it, each zero that was cut
    // off at the end raises it.
    let behind = digits.len() - digits.trim_end_matches('0').len();
    let power = exponent.checked_sub(fraction.len() as i64)?.checked_add(behind as i64)?;
    let sign = if negative { "-" } else { "" };
    // The capital letter keeps numbers apart from texts, which have none.
    Some(if power == 0 { format!("{sign}{significant}") } else { format!("{sign}{significant}E{power}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DateFormat;

    fn same(one: &str, two: &str, kind: Kind) -> bool {
        let parser = ValueParser::new(kind, DateFormat::default());
        canonical_value(one, &parser) == canonical_value(two, &parser)
    }

    #[test]
    fn texts_that_look_alike_are_one_value() {
        for (one, two) in [
            ("HIV", "hiv"),
            ("HIV", "HIV "),
            ("HIV", "\u{a0}HIV\t"),
            ("HIV", "HIV\u{200b}"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("CAF\u{c9}", "cafe\u{301}"),
            ("Straße", "STRASSE"),
            ("\u{3a3}\u{3a3}", "\u{3c3}\u{3c2}"),
            ("7", "07"),
            ("7", "7.0"),
            ("7", "+7."),
            (".5", "0.50"),
            ("-0", "0"),
            ("1000", "1000.00"),
            ("100000000000000000001", "100000000000000000001.0"),
        ] {
            assert!(same(one, two, Kind::Text), "{one:?} {two:?}");
        }
        for (one, two) in [
            ("HIV", "HIV 2"),
            ("7", "70"),
            ("7", "-7"),
            ("1e5", "100000"),
            ("1e5", "1e05"),
            ("7", "VII"),
            ("", "0"),
            (".", ""),
            ("1.2.3", "1.23"),
            ("inf", "infinity"),
            ("100000000000000000001", "100000000000000000002"),
        ] {
            assert!(!same(one, two, Kind::Text), "{one:?} {two:?}");
        }
    }

    #[test]
    fn numbers_and_dates_are_what_they_mean() {
        for kind in [Kind::Integer, Kind::Decimal] {
            assert!(same("1e3", "1000", kind) && same("12E-1", "1.2", kind) && same("0e9", "-0.0", kind));
            assert!(!same("1e3", "1e4", kind) && !same("n/a", "na", kind) && same("N/A", "n/a ", kind));
        }
        assert!(same("2020-01-02", " 2020-1-2", Kind::Date));
        assert!(!same("2020-01-02", "2020-01-03", Kind::Date));
        assert!(same("Never", "never", Kind::Date));
        // Exponents beyond the limit are not numbers, and not a reason to panic either.
        assert!(!same("1e9223372036854775807", "10e9223372036854775807", Kind::Decimal));
        assert!(!same("1.5e-9223372036854775808", "15e-9223372036854775808", Kind::Decimal));
    }
}
