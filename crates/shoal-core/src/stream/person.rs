//! When two names mean one person.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The canonical form of a person's name or number: two texts are one person where their canonical forms are equal.
///
/// Blanks at the edges go, characters are composed (NFC), and a plain number is its value: `7`, `07` and `7.0` are one
/// person. Case counts, because identifiers such as tokens use it. Two people who are taken for one make a crowd look
/// smaller than it is, never larger.
///
/// ```
/// # use shoal_core::stream::canonical_person;
/// assert_eq!(canonical_person("Ann "), "Ann");
/// assert_eq!(canonical_person("7.0"), canonical_person("7"));
/// assert_ne!(canonical_person("70"), canonical_person("7"));
/// ```
pub fn canonical_person(text: &str) -> Cow<'_, str> {
    let inner = text.trim();
    if let Some(number) = number(inner) {
        return number;
    }
    if is_nfc(inner) { Cow::Borrowed(inner) } else { Cow::Owned(inner.nfc().collect()) }
}

/// A number without the signs, zeros and points that it does not need, exactly, however long it is. `None` where the text
/// is not a plain number; `1e5` is none, since codes look like that.
fn number(text: &str) -> Option<Cow<'_, str>> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let (short, rest) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if short.is_empty() { "0" } else { short };
    let sign = if negative && (whole != "0" || !rest.is_empty()) { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    let length = sign.len() + whole.len() + point.len() + rest.len();
    // Nearly every number stands as it should: nothing was left out then.
    if length == text.len() {
        Some(Cow::Borrowed(text))
    } else {
        Some(Cow::Owned(format!("{sign}{whole}{point}{rest}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_person_meet_and_people_stay_apart() {
        for (one, two) in [
            ("7", "7.0"),
            ("7", " 07\t"),
            ("7", "+7."),
            (".5", "0.50"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("Ann", "Ann "),
            ("Zo\u{eb}", "Zoe\u{308}"),
            ("100000000000000000001", "100000000000000000001.00"),
        ] {
            assert_eq!(canonical_person(one), canonical_person(two), "{one:?} {two:?}");
        }
        for (one, two) in [
            ("7", "70"),
            ("7", "-7"),
            ("7", "0.7"),
            ("Ann", "ann"),
            ("Ann", "A nn"),
            ("1e5", "100000"),
            ("", "0"),
            (".", "0"),
            ("1.2.3", "1.23"),
            ("100000000000000000001", "100000000000000000002"),
        ] {
            assert_ne!(canonical_person(one), canonical_person(two), "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_name_that_is_canonical_stays_what_it_is() {
        for name in ["p17", "70", "-3.5", "0", "0.25", "Ann", "aB9=", "Zo\u{eb}"] {
            assert_eq!(canonical_person(name), name);
            assert!(matches!(canonical_person(name), Cow::Borrowed(_)), "{name}");
        }
    }
}
