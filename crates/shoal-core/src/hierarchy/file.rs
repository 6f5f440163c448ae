//! Hierarchy files in the layout the field already uses: one line per leaf, columns from leaf to root,
//! separated by `;` or `,`, quotes as in CSV.

use super::{Hierarchy, HierarchyError, amnesia};
use crate::quote::{quote, unquote};

/// Reads a hierarchy file: ours, which is also ARX's, or one of Amnesia, which its first lines give away. The separator is `;` where the
/// first line holds one outside quotes, else `,`.
///
/// ```
/// use shoal_core::hierarchy::from_text;
///
/// let ours = from_text("9th;low;*\nMasters;high;*\n").unwrap();
/// let amnesia = "distinct\nname education\ntype string\nheight 3\n\nlow has 9th\nhigh has Masters\n\n* has low high\n";
/// assert_eq!(from_text(amnesia).unwrap().rows(), ours.rows());
/// ```
pub fn from_text(text: &str) -> Result<Hierarchy, HierarchyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match amnesia::is_amnesia(text) {
        true => amnesia::from_amnesia(text),
        false => Hierarchy::from_lines(&rows(text, separator(text))),
    }
}

/// What a file has in the place of values, whether it is a tree or not: the first cell of every line. Says whose hierarchy a file is
/// that has to be repaired first.
pub fn values_of_text(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match amnesia::is_amnesia(text) {
        true => amnesia::values(text),
        false => {
            rows(text, separator(text)).into_iter().filter_map(|(_, row)| row.into_iter().next()).collect()
        }
    }
}

/// Writes a hierarchy file.
pub fn to_text(tree: &Hierarchy, separator: char) -> String {
    let mut text = String::new();
    for row in tree.rows() {
        let cells: Vec<_> = row.iter().map(|cell| quote(cell, SPECIAL)).collect();
        text.push_str(&cells.join(&separator.to_string()));
        text.push('\n');
    }
    text
}

/// Both separators are quoted, so that the reader cannot mistake one for the other.
const SPECIAL: &[char] = &[';', ',', '\n', '\r', '\u{feff}'];

fn separator(text: &str) -> char {
    let mut quoted = false;
    for c in text.trim_start().chars() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => return ';',
            '\n' if !quoted => break,
            _ => {}
        }
    }
    ','
}

/// The lines' cells with the lines' numbers, blanks around unquoted ones removed, blank lines left out. A quote opens only at the
/// start of a cell, as in CSV, so that `5" pipe` is a plain value, and may span lines.
fn rows(text: &str, separator: char) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let mut line = 1;
    let mut row: Vec<String> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let blank = |c: char| c.is_whitespace() && c != '\n' && c != separator;
        let (quoted, after) = match rest.trim_start_matches(blank).strip_prefix('"') {
            // A quote that is never closed takes the rest of the file.
            Some(inside) => {
                let (text, after) = unquote(inside);
                (text, after.unwrap_or_default())
            }
            None => (String::new(), rest),
        };
        // What is between a closing quote and the separator is kept, so that nothing is lost silently.
        let end = after.find([separator, '\n']).unwrap_or(after.len());
        row.push(quoted + after[..end].trim());
        let ends_line = !after[end..].starts_with(separator);
        rest = after.get(end + 1..).unwrap_or_default();
        // A separator at the very end of the file: an empty cell follows it.
        if !ends_line && rest.is_empty() {
            row.push(String::new());
        }
        if ends_line || rest.is_empty() {
            let row = std::mem::take(&mut row);
            // Line breaks inside quotes count, so that errors name the line that an editor shows.
            let breaks = row.iter().map(|cell| cell.matches('\n').count()).sum::<usize>();
            if row.iter().any(|cell| !cell.is_empty()) {
                rows.push((line, row));
            }
            line += 1 + breaks;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_separators_are_read() {
        for text in ["a;A;*\nb;A;*\n", "a,A,*\r\n\"b\",A,*", "\u{feff}a; A ;*\n\nb;A;*"] {
            let tree = from_text(text).unwrap();
            assert_eq!(tree.rows(), [["a", "A", "*"], ["b", "A", "*"]], "{text:?}");
        }
    }

    #[test]
    fn labels_with_separators_survive() {
        let rows = vec![
            vec![";a", ";*", "*"],
            vec!["x;y", "55267,55283", "*"],
            vec!["5\" pipe", "say \"so\"", "*"],
            vec!["", "g", "*"],
            vec!["two\nlines", "g", "*"],
        ];
        let tree = Hierarchy::from_rows(&rows).unwrap();
        for separator in [';', ','] {
            let read = from_text(&to_text(&tree, separator)).unwrap();
            // The tree keeps children of one parent together.
            assert_eq!(read.rows(), tree.rows(), "{separator}");
            assert_eq!(read.leaf_count(), 5);
        }
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        let text = "a;A;*\n\n\"b\nb\";A;*\na;B;*\n";
        let error = from_text(text).unwrap_err();
        assert!(matches!(error, HierarchyError::TwoParents { first_line: 1, second_line: 5, .. }), "{error}");
    }

    #[test]
    fn a_line_that_ends_with_a_separator_has_a_blank_cell() {
        assert!(matches!(from_text("a;A;*;\n"), Err(HierarchyError::Blank { line: 1, column: 4 })));
        assert!(matches!(from_text("a;A;*;"), Err(HierarchyError::Blank { line: 1, column: 4 })));
    }
}
