use std::borrow::Cow;

use shoal_core::{quote_item, render_item, split_items};

use super::BasketOptions;

const BLANKS: [char; 2] = [' ', '\t'];

/// The items of a line. Nothing between two separators is not an item.
pub(crate) fn items_of(line: &str, options: BasketOptions) -> impl Iterator<Item = &str> {
    let BasketOptions { separator, grouped } = options;
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        loop {
            // A group is one only at the start of a piece, which blanks must not hide.
            let text = rest?.trim_start_matches(BLANKS);
            let length = if grouped {
                split_items(text, separator).next().map(str::len)
            } else {
                text.find(separator)
            };
            let (item, after) = text.split_at(length.unwrap_or(text.len()));
            rest = after.strip_prefix(separator);
            let item = item.trim_end_matches(BLANKS);
            if !item.is_empty() {
                return Some(item);
            }
        }
    })
}

/// Whether an item, published alone and joined with others by this separator, is read back as itself.
pub fn item_reads_back(item: &str, separator: char) -> bool {
    let published = BasketOptions { separator, grouped: true };
    let other = if separator == 'x' { "y" } else { "x" };
    !item.contains(['\n', '\r'])
        && items_of(&format!("{item}{separator}{other}"), published).eq([item, other])
        && items_of(&format!("{other}{separator}{item}"), published).eq([other, item])
}

/// The text under which these items are published, in quotes where a list with this separator would otherwise be read
/// differently. Not every text can be made fit: no line holds a line end.
pub fn published_item<S: AsRef<str>>(members: &[S], separator: Option<char>) -> String {
    let text = render_item(members);
    match (members, separator) {
        ([one], Some(separator)) if !item_reads_back(&text, separator) => quote_item(one.as_ref()),
        _ => text,
    }
}

/// The items of a line of an original file: `"whole milk, fresh",bread` are two, and what is no whole item in quotes is taken as
/// it stands.
pub fn original_items(line: &str, separator: char) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        loop {
            let text = rest?.trim_start_matches(BLANKS);
            let (item, after) = match quoted(text, separator) {
                Some((item, after)) => (Cow::Owned(item), after),
                None => {
                    let (item, after) = text.split_at(text.find(separator).unwrap_or(text.len()));
                    (Cow::Borrowed(item.trim_end_matches(BLANKS)), after)
                }
            };
            rest = after.strip_prefix(separator);
            if !item.is_empty() {
                return Some(item);
            }
        }
    })
}

/// The item in quotes with which a text begins, and what follows it: a separator or nothing.
fn quoted(text: &str, separator: char) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut item = String::new();
    let mut rest = inside;
    loop {
        let (before, after) = rest.split_once('"')?;
        item.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                item.push('"');
                rest = next;
            }
            None => {
                // With a blank as separator the blanks after the item are separators themselves.
                let next = if separator == ' ' { after } else { after.trim_start_matches(BLANKS) };
                return (next.is_empty() || next.starts_with(separator)).then_some((item, next));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(line: &str, separator: char, grouped: bool) -> Vec<&str> {
        items_of(line, BasketOptions { separator, grouped }).collect()
    }

    #[test]
    fn blanks_around_items_go() {
        for grouped in [false, true] {
            assert_eq!(items("  1  20 3 ", ' ', grouped), ["1", "20", "3"]);
            assert_eq!(items("a b, c\t,,d , ", ',', grouped), ["a b", "c", "d"]);
            assert_eq!(items("a b\t\tc", '\t', grouped), ["a b", "c"]);
            assert_eq!(items("ü§x", '§', grouped), ["ü", "x"]);
            assert_eq!(items(" \t ", ' ', grouped), [""; 0]);
            assert_eq!(items("", ',', grouped), [""; 0]);
        }
    }

    #[test]
    fn groups_stay_whole_in_published_lines() {
        assert_eq!(items("(a,b),c, (d,\"e,f\")", ',', true), ["(a,b)", "c", "(d,\"e,f\")"]);
        assert_eq!(items("(a,\"b c\")  d", ' ', true), ["(a,\"b c\")", "d"]);
        assert_eq!(items("(a,b),c", ',', false), ["(a", "b)", "c"]);
    }

    #[test]
    fn some_items_cannot_be_joined() {
        for item in ["a", "(a,b)", "(a,\"b c\")", "\"a\"", "5\"", "f(x", "a)", "\u{a0}"] {
            assert!(item_reads_back(item, ' '), "{item}");
        }
        // The number of a group, also where the separator is one of its characters.
        for separator in [' ', ',', ';', '|', '1', '2', '\t', '§'] {
            assert!(item_reads_back("(12,)", separator), "{separator}");
        }
        for item in ["", " a", "a ", "a b", "(a", "\"a", "a\nb", "a\r", "\t", "()b c"] {
            assert!(!item_reads_back(item, ' '), "{item:?}");
        }
        assert!(item_reads_back("a b", ','));
        assert!(item_reads_back("a", 'x'));
        assert!(!item_reads_back("a,b", ','));
    }

    #[test]
    fn items_in_quotes_are_whole() {
        let items = |line: &'static str, separator| original_items(line, separator).collect::<Vec<_>>();
        assert_eq!(items("\"whole milk, fresh\", bread", ','), ["whole milk, fresh", "bread"]);
        assert_eq!(items("\"a b\" c", ' '), ["a b", "c"]);
        assert_eq!(items("\"a\"\"b\";5\";\"open", ';'), ["a\"b", "5\"", "\"open"]);
        assert_eq!(items("\"a\"b,c", ','), ["\"a\"b", "c"]);
        assert_eq!(items(" a  b ", ' '), ["a", "b"]);
        assert_eq!(items("(a,b),c", ','), ["(a", "b)", "c"]);
    }

    #[test]
    fn every_item_can_be_published_and_read_back() {
        for separator in [' ', ',', ';', '\t'] {
            for item in ["a", "(a,b)", "(a", "\"a\"", "\"a", "a b", "a,b", "a;b", "()", "(a)", " a "] {
                let text = published_item(&[item], Some(separator));
                assert!(item_reads_back(&text, separator), "{text}");
                assert_eq!(shoal_core::parse_group(&text), None, "{text}");
                assert_eq!(shoal_core::unquote_item(&text).unwrap_or(text), item);
            }
        }
        assert_eq!(published_item(&["a b"], Some(',')), "a b");
        assert_eq!(published_item(&["a b"], Some(' ')), "\"a b\"");
    }
}
