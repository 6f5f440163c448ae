//! How numbers are written down.

use std::borrow::Cow;

use crate::hierarchy::build::Number;

/// A number without sign, zeros, point and exponent that it does not need, exactly: `+007` is `7`, `1.50` is `1.5`, `3e5` is
/// `300000`. `None` for what is no number, or has more digits than anybody reads.
///
/// ```
/// # use shoal_core::plain_number;
/// assert_eq!(plain_number("-01.50e2").as_deref(), Some("-150"));
/// assert_eq!(plain_number("n/a"), None);
/// ```
pub fn plain_number(text: &str) -> Option<String> {
    text.parse::<Number>().ok().map(|number| number.trimmed().to_string())
}

/// How the end of a range is written: as the value is, but never with an exponent, so that `3.00E+05` does not stand beside
/// `340000`. Numbers that would be too long to read keep it; every other text stays as it is.
pub fn without_exponent(text: &str) -> Cow<'_, str> {
    if !text.contains(['e', 'E']) {
        return Cow::Borrowed(text);
    }
    match text.parse::<Number>() {
        Ok(number) => Cow::Owned(number.to_string()),
        Err(_) => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_have_nothing_that_they_do_not_need() {
        for (text, plain) in [
            ("7", "7"),
            ("+007", "7"),
            ("1.50", "1.5"),
            ("1.0", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            (".5", "0.5"),
            ("5.", "5"),
            ("3.00E+05", "300000"),
            ("12e-1", "1.2"),
            ("9007199254740993", "9007199254740993"),
            ("0.1000000000000000055", "0.1000000000000000055"),
        ] {
            assert_eq!(plain_number(text).as_deref(), Some(plain), "{text}");
            assert_eq!(plain_number(plain).as_deref(), Some(plain), "{text} stays as it is");
        }
        for text in ["", "x", "1,5", "inf", "NaN", "1e99", " 5"] {
            assert_eq!(plain_number(text), None, "{text}");
        }
    }

    #[test]
    fn only_exponents_go() {
        for text in ["7", "007", "+7", "1.50", "1e99", "1e-60", "inf", "texte", ""] {
            let written = without_exponent(text);
            assert!(written == text || text == "1e-60", "{text} {written}");
        }
        for (text, written) in [("3.00E+05", "300000"), ("1.50e1", "15.0"), ("-2e-3", "-0.002"), ("0E5", "0")]
        {
            assert_eq!(without_exponent(text), written);
            assert_eq!(text.parse::<f64>().unwrap(), written.parse::<f64>().unwrap());
        }
    }
}
