//! Hierarchy files in the layout the field already uses: one line per leaf, columns from leaf to root,
//! separated by `;` or `,`, quotes as in CSV.

use super::{Hierarchy, HierarchyError};

/// Reads a hierarchy file. The separator is `;` where the first line holds one outside quotes, else `,`.
pub fn from_text(text: &str) -> Result<Hierarchy, HierarchyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().next().unwrap_or_default();
    let separator = if split(first, ';').len() > 1 { ';' } else { ',' };
    let rows: Vec<Vec<String>> =
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| split(line, separator)).collect();
    Hierarchy::from_rows(&rows)
}

/// Writes a hierarchy file.
pub fn to_text(tree: &Hierarchy, separator: char) -> String {
    let mut text = String::new();
    for row in tree.rows() {
        let cells: Vec<String> = row.iter().map(|cell| quote(cell)).collect();
        text.push_str(&cells.join(&separator.to_string()));
        text.push('\n');
    }
    text
}

/// Both separators are quoted, so that the reader cannot mistake one for the other.
fn quote(cell: &str) -> String {
    let plain = !cell.contains([';', ',', '"', '\n', '\r']) && cell.trim() == cell && !cell.is_empty();
    if plain { cell.to_owned() } else { format!("\"{}\"", cell.replace('"', "\"\"")) }
}

/// One line's cells, blanks around unquoted ones removed. A quote opens only at the start of a cell, as in
/// CSV, so that `5" pipe` is a plain value.
fn split(line: &str, separator: char) -> Vec<String> {
    let mut cells = Vec::new();
    let mut rest = line.trim_end_matches('\r');
    loop {
        let trimmed = rest.trim_start();
        if let Some(quoted) = trimmed.strip_prefix('"') {
            let (cell, after) = unquote(quoted);
            cells.push(cell);
            match after.split_once(separator) {
                Some((_, next)) => rest = next,
                None => return cells,
            }
        } else if let Some((cell, next)) = rest.split_once(separator) {
            cells.push(cell.trim().to_owned());
            rest = next;
        } else {
            cells.push(rest.trim().to_owned());
            return cells;
        }
    }
}

/// The text up to the closing quote, and what follows it.
fn unquote(text: &str) -> (String, &str) {
    let mut cell = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('"') {
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return (cell, after),
        }
    }
    cell.push_str(rest);
    (cell, "")
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
        let rows =
            vec![vec!["x;y", "55267,55283", "*"], vec!["5\" pipe", "say \"so\"", "*"], vec!["", "g", "*"]];
        let tree = Hierarchy::from_rows(&rows).unwrap();
        for separator in [';', ','] {
            assert_eq!(from_text(&to_text(&tree, separator)).unwrap().rows(), rows, "{separator}");
        }
    }
}
