//! Generalized items as a reader of the file sees them: `a` for one item, `(a,b)` for "a, or b, or both". An item that is itself
//! written `(a,b)` or `"a"` is published in quotes, `"(a,b)"`.
//!
//! A release with a dictionary of groups ([`Groups`](crate::Groups)) has the number of a group instead of its members: `(12,)`. This needs no
//! quotes of its own. To a reader of groups `(12,)` is the item `12` and an empty one, so that an item of this name has always been published
//! in quotes, and an empty item inside a group is written `""`: no release that was ever written has this text for anything else.

use crate::quote::{quote, unquote};

/// The text of a generalized item that stands for these items.
pub fn render_item<S: AsRef<str>>(members: &[S]) -> String {
    match members {
        [one] => {
            let item = one.as_ref();
            // A reader would take it for a group, for another item in quotes, or for no item.
            let mistaken = item.is_empty() || parse_group(item).is_some() || unquote_item(item).is_some();
            if mistaken { quote_item(item) } else { item.to_owned() }
        }
        _ => {
            let quoted: Vec<_> = members.iter().map(|m| quote(m.as_ref(), &[',', '(', ')'])).collect();
            format!("({})", quoted.join(","))
        }
    }
}

/// The items that a published text stands for, where it is written as a group; `None` for a plain text.
pub fn parse_group(text: &str) -> Option<Vec<String>> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut members = Vec::new();
    for member in split_outside(inside, ',') {
        members.push(match member.strip_prefix('"') {
            // Nothing may follow the closing quote, or the text is not one that we wrote.
            Some(quoted) => match unquote(quoted) {
                (text, Some("")) => text,
                _ => return None,
            },
            None => member.to_owned(),
        });
    }
    (members.len() > 1).then_some(members)
}

/// The text of a group that a dictionary holds under this number.
pub fn render_group_number(number: u32) -> String {
    format!("({number},)")
}

/// The digits of a text that is written as the number of a group. Whether a dictionary has this number, written in this way, is for the
/// caller to ask: `(007,)` is a number that no dictionary has.
pub fn parse_group_number(text: &str) -> Option<&str> {
    let digits = text.strip_prefix('(')?.strip_suffix(",)")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// One item in quotes, as it is published where a reader would take it for something else.
pub fn quote_item(item: &str) -> String {
    format!("\"{}\"", item.replace('"', "\"\""))
}

/// The item that a published text in quotes stands for; `None` for a text that is not in quotes from its first character to
/// its last.
pub fn unquote_item(text: &str) -> Option<String> {
    match unquote(text.strip_prefix('"')?) {
        (item, Some("")) => Some(item),
        _ => None,
    }
}

/// The published items of a separated list: cut at separators outside groups and quotes.
pub fn split_items(line: &str, separator: char) -> impl Iterator<Item = &str> {
    split_outside(line, separator)
}

/// Cuts at a separator outside quotes and parentheses. Both open only at the start of a piece, since an item
/// such as `f(x` or `5"` is an item like any other.
fn split_outside(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        // Quotes and parentheses inside a plain item mean nothing.
        let grouped = text.starts_with('(');
        // In a piece that begins with a quote every quote counts: `"a"" b"` closes, opens again at once, and goes on.
        let quotes_count = grouped || text.starts_with('"');
        let (mut depth, mut quoted) = (0_usize, false);
        for (at, c) in text.char_indices() {
            match c {
                '"' if quotes_count => quoted = !quoted,
                '(' if grouped && !quoted => depth += 1,
                ')' if !quoted => depth = depth.saturating_sub(1),
                c if c == separator && depth == 0 && !quoted => {
                    rest = Some(&text[at + c.len_utf8()..]);
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        rest = None;
        Some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_survive_items_that_look_like_syntax() {
        let items = ["a", "b,c", "say \"x\"", "\",\" y", "", " d", "(e", "f)"];
        let text = render_item(&items);
        assert_eq!(parse_group(&text).unwrap(), items);
        assert_eq!(render_item(&["a", "b"]), "(a,b)");
        assert_eq!(render_item(&["a"]), "a");
        assert_eq!(parse_group("a"), None);
        assert_eq!(parse_group("(a)"), None);
    }

    #[test]
    fn an_item_that_looks_like_syntax_is_published_in_quotes() {
        for (item, text) in [
            ("(a,b)", "\"(a,b)\""),
            ("\"a\"", "\"\"\"a\"\"\""),
            ("", "\"\""),
            ("(a)", "(a)"),
            ("(a", "(a"),
            ("5\"", "5\""),
            ("a b", "a b"),
        ] {
            assert_eq!(render_item(&[item]), text);
            assert_eq!(parse_group(text), None);
            assert_eq!(unquote_item(text).unwrap_or(text.to_owned()), item);
        }
        assert_eq!(render_item(&["(a,b)", "c"]), "(\"(a,b)\",c)");
    }

    #[test]
    fn an_item_that_looks_like_the_number_of_a_group_is_published_in_quotes() {
        assert_eq!(parse_group_number(&render_group_number(12)), Some("12"));
        assert_eq!(parse_group_number("(007,)"), Some("007"));
        for item in ["(12,)", "(0,)", "(99999999999999999999,)", "\"(12,)\""] {
            let alone = render_item(&[item]);
            assert_eq!(parse_group_number(&alone), None, "{alone}");
            assert_eq!(unquote_item(&alone).as_deref(), Some(item));
        }
        // Neither is a group, whatever its members are.
        for members in [["12", ""], ["", "12"], ["(12,)", "a"], ["12", ")"], ["12,", ""]] {
            let group = render_item(&members);
            assert_eq!(parse_group_number(&group), None, "{group}");
            assert_eq!(parse_group(&group).unwrap(), members);
        }
        for text in ["12", "(12)", "(,)", "(a,)", "(-1,)", "(1,2)", "( 1,)", "(1,) ", "(1,,)", "(\u{664},)"] {
            assert_eq!(parse_group_number(text), None, "{text}");
        }
    }

    #[test]
    fn lists_are_cut_outside_groups() {
        for separator in [' ', ',', ';'] {
            let items = [render_item(&["a", "b"]), "c".to_owned(), render_item(&["d e", "f;g", "h,i"])];
            let line = items.join(&separator.to_string());
            assert_eq!(split_items(&line, separator).collect::<Vec<_>>(), items, "{line}");
        }
        assert_eq!(split_items("f(x y", ' ').collect::<Vec<_>>(), ["f(x", "y"]);
        assert_eq!(split_items("", ' ').collect::<Vec<_>>(), [""]);
    }
}
