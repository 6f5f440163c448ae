use shoal_core::{looks_grouped, split_items};

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

/// Whether an original item would be taken for a published group, or for the beginning of one.
pub(super) fn is_group_like(item: &str, separator: char) -> bool {
    item.starts_with(['(', '"']) && (looks_grouped(item) || !item_reads_back(item, separator))
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
        for item in ["", " a", "a ", "a b", "(a", "\"a", "a\nb", "a\r", "\t", "()b c"] {
            assert!(!item_reads_back(item, ' '), "{item:?}");
        }
        assert!(item_reads_back("a b", ','));
        assert!(item_reads_back("a", 'x'));
        assert!(!item_reads_back("a,b", ','));
    }

    #[test]
    fn originals_that_look_published() {
        for item in ["(a,b)", "()", "(a)", "(a", "\"a"] {
            assert!(is_group_like(item, ' '), "{item}");
        }
        for item in ["a", "a)", "f(x)", "\"a\"", "(a)b"] {
            assert!(!is_group_like(item, ' '), "{item}");
        }
    }
}
