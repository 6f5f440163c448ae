//! Messages without values of data, for documents and logs that others read.

use std::fmt::{Debug, Display};

/// What stands for a hidden text.
const HIDDEN: &str = "…";

/// The message of an error with every text hidden that the error holds, whether quoted or not; numbers and the
/// sentence itself stay. `kept` are texts that may be shown, such as the name of a file.
///
/// The texts are taken from the error's `Debug`, so a variant that is new, or deep inside another error, is
/// covered without being named here.
pub fn without_texts(error: &(impl Display + Debug), kept: &[&str]) -> String {
    let mut texts = strings_of(&format!("{error:?}"));
    texts.retain(|text| !kept.contains(&text.as_str()));
    without_quotes(&hide_all(error.to_string(), texts), kept)
}

/// A message with these texts hidden where they stand by themselves.
pub(crate) fn hide_all(message: String, mut texts: Vec<String>) -> String {
    // A text may hold another one: the longest goes first.
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.iter().filter(|text| !text.is_empty()).fold(message, |message, text| hide(&message, text))
}

/// Values that were escaped or changed before they were quoted are not found as they are: what quotes still hold goes too.
fn without_quotes(message: &str, kept: &[&str]) -> String {
    let mut parts = message.split('`');
    let mut hidden = parts.next().unwrap_or_default().to_owned();
    while let Some(quoted) = parts.next() {
        let shown = if kept.contains(&quoted) { quoted } else { HIDDEN };
        hidden.push_str(&format!("`{shown}`{}", parts.next().unwrap_or_default()));
    }
    hidden
}

/// Hides a text where it stands by itself; a value `a` is not every `a` of a sentence.
fn hide(message: &str, text: &str) -> String {
    let joins = |inside: Option<char>, outside: Option<char>| {
        inside.is_some_and(char::is_alphanumeric) && outside.is_some_and(char::is_alphanumeric)
    };
    let mut hidden = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(text) {
        let (before, found) = rest.split_at(at);
        let after = &found[text.len()..];
        hidden.push_str(before);
        let last = hidden.chars().next_back();
        let is_part =
            joins(text.chars().next(), last) || joins(text.chars().next_back(), after.chars().next());
        if is_part {
            let first = found.chars().next().expect("a text that is not empty").len_utf8();
            hidden.push_str(&found[..first]);
            rest = &found[first..];
        } else {
            hidden.push_str(HIDDEN);
            rest = after;
        }
    }
    hidden + rest
}

/// The string literals of a `Debug` output, without their escapes.
fn strings_of(debug: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut chars = debug.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => strings.push(literal(&mut chars)),
            // A character: '"' opens no text.
            '\'' if chars.next() == Some('\\') => {
                chars.next();
            }
            _ => {}
        }
    }
    strings
}

/// The rest of a literal up to its closing quote.
fn literal(chars: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => text.extend(escaped(chars)),
            c => text.push(c),
        }
    }
    text
}

fn escaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '0' => Some('\0'),
        'u' => {
            let digits: String = chars.by_ref().take_while(|c| *c != '}').filter(|c| *c != '{').collect();
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)
        }
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Wrong {
        #[error("row {row}: `{value}` of column `{column}` is a {kind}")]
        Value { row: usize, value: String, column: String, kind: &'static str },
        #[error("in the stratum ({cells}): {}", .rest.join(" and "))]
        Unquoted { cells: String, rest: Vec<String> },
        #[error("'{mark}' before {text}, shown as `{}`", text.escape_default())]
        Escaped { mark: char, text: String },
    }

    fn value(value: &str) -> Wrong {
        Wrong::Value { row: 3, value: value.to_owned(), column: "illness".to_owned(), kind: "text" }
    }

    #[test]
    fn every_text_goes_and_the_sentence_stays() {
        assert_eq!(without_texts(&value("HIV"), &[]), "row 3: `…` of column `…` is a …");
        assert_eq!(without_texts(&value("HIV"), &["illness"]), "row 3: `…` of column `illness` is a …");
        let unquoted =
            Wrong::Unquoted { cells: "HIV, 30".to_owned(), rest: vec!["HIV".into(), "flu".into()] };
        assert_eq!(without_texts(&unquoted, &[]), "in the stratum (…): … and …");
    }

    #[test]
    fn a_value_that_looks_like_the_sentence_or_its_quotes_is_hidden_as_well() {
        for odd in
            ["a", "x` HIV `y", "`", "\"HIV\"", "HIV\n\"", "\\", "ro", "", " HIV", "'", "𝄞\u{200b}HIV", "…"]
        {
            let said = without_texts(&value(odd), &["illness", "text"]);
            assert!(said.starts_with("row 3: ") && said.contains('…'), "{odd:?}: {said}");
            assert!(!said.contains("HIV"), "{odd:?}: {said}");
        }
        let escaped = Wrong::Escaped { mark: '"', text: "HIV\t1".to_owned() };
        assert_eq!(without_texts(&escaped, &[]), "'\"' before …, shown as `…`");
    }
}
