//! Quotes around a text that would be misread without them, as CSV has them: a quote inside is doubled.

use std::borrow::Cow;

/// A text in quotes where it is empty, has blanks around it, or holds a quote or one of the characters that are `special` to
/// the reader; else as it is.
pub(crate) fn quote<'t>(text: &'t str, special: &[char]) -> Cow<'t, str> {
    let plain = !text.is_empty() && text.trim() == text && !text.contains('"') && !text.contains(special);
    if plain { Cow::Borrowed(text) } else { Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))) }
}

/// What is between an opening quote, which the caller has taken off, and the closing one; then what follows that. None
/// for the rest where the closing quote is not there: the text is then everything.
pub(crate) fn unquote(inside: &str) -> (String, Option<&str>) {
    let mut text = String::new();
    let mut rest = inside;
    while let Some((before, after)) = rest.split_once('"') {
        text.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                text.push('"');
                rest = next;
            }
            None => return (text, Some(after)),
        }
    }
    text.push_str(rest);
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_quoted_comes_back() {
        for text in ["", " a", "a,b", "say \"so\"", "\"", "\"\"", "a\nb", ","] {
            let quoted = quote(text, &[',', '\n']);
            let inside = quoted.strip_prefix('"').unwrap();
            assert_eq!(unquote(&format!("{inside};rest")), (text.to_owned(), Some(";rest")), "{quoted}");
        }
        assert_eq!(quote("5' 7;", &[',']), "5' 7;");
    }

    #[test]
    fn an_open_quote_takes_everything() {
        assert_eq!(unquote("a\"\"b, c"), ("a\"b, c".to_owned(), None));
    }
}
