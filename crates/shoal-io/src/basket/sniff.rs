//! What a file is that is offered as baskets: its separator, or a table that must not be read as baskets.

use std::collections::HashSet;

use crate::csv::{CsvOptions, first_records, separator_of};

/// How many lines are looked at.
const LINES: usize = 200;
/// Fewer lines than this say nothing about columns.
const FEWEST: usize = 5;

/// What a text looks like that is offered as baskets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferedBaskets {
    /// Baskets, with this character between items.
    Baskets(char),
    /// A table with these columns, and this character between them.
    Table {
        /// Their names; `column1` and so on where there is no header.
        columns: Vec<String>,
        /// What stands between two values.
        separator: char,
        /// What kind of table it is.
        kind: TableOfItems,
    },
}

/// How a table can hold items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOfItems {
    /// A row per item.
    Long,
    /// A column per item.
    OneHot,
    /// Something else with a header.
    Other,
}

/// Looks at the first lines of a text.
pub fn offered_baskets(head: &[u8]) -> OfferedBaskets {
    table(head).unwrap_or_else(|| OfferedBaskets::Baskets(basket_separator(head)))
}

/// The one of tab, `;`, `|` and `,` that stands in most lines, if it is in some of them; else a blank. Baskets have different
/// sizes, so that nothing can be said about how evenly it splits them.
fn basket_separator(head: &[u8]) -> char {
    let text = String::from_utf8_lossy(head);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    let with = |c: char| lines.iter().filter(|line| line.trim().contains(c)).count();
    // The first of equals: the rarer a character is in names, the earlier.
    let best = ['\t', ';', '|', ','].into_iter().rev().max_by_key(|&c| with(c)).unwrap_or(' ');
    if 5 * with(best) >= lines.len().max(1) { best } else { ' ' }
}

fn table(head: &[u8]) -> Option<OfferedBaskets> {
    let separator = separator_of(head)?;
    let rows = first_records(head, &CsvOptions { separator, ..CsvOptions::default() }, LINES);
    let width = rows.first()?.len();
    if width < 2 || rows.len() < FEWEST || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let has_header = is_header(&rows);
    let body = &rows[usize::from(has_header)..];
    let flags = (0..width).filter(|&at| body.iter().all(|row| is_flag(&row[at]))).count();
    let kind = if flags >= 2 && 5 * flags >= 4 * (width - 1) {
        TableOfItems::OneHot
    } else if width == 2 && is_grouped(body) {
        TableOfItems::Long
    } else if has_header {
        if width == 2 { TableOfItems::Long } else { TableOfItems::Other }
    } else {
        return None;
    };
    let columns = match has_header {
        true => rows[0].clone(),
        false => (1..=width).map(|number| format!("column{number}")).collect(),
    };
    Some(OfferedBaskets::Table { columns, separator: char::from(separator), kind })
}

/// Names that come nowhere else, above at least one column of numbers or with a word that only names of columns have.
fn is_header(rows: &[Vec<String>]) -> bool {
    let (names, body) = (&rows[0], &rows[1..]);
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let distinct: HashSet<&String> = names.iter().collect();
    if distinct.len() < names.len()
        || names.iter().any(is_number)
        || names.iter().skip(1).any(String::is_empty)
    {
        return false;
    }
    if body.iter().flatten().any(|cell| !cell.is_empty() && distinct.contains(cell)) {
        return false;
    }
    let numbers = (0..names.len()).any(|at| body.iter().all(|row| is_number(&row[at])));
    let words =
        ["id", "item", "product", "code", "name", "transaction", "basket", "customer", "patient", "order"];
    let says = |name: &String| {
        let lower = name.to_lowercase();
        lower.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word)) || lower.ends_with("id")
    };
    // Names above nothing but marks are the items themselves.
    let marks = (0..names.len()).any(|at| body.iter().all(|row| is_flag(&row[at])));
    numbers || marks || names.iter().any(says)
}

/// Whether the first of two columns holds keys, each for some rows in a row, and the second something else.
fn is_grouped(rows: &[Vec<String>]) -> bool {
    let keys: HashSet<&String> = rows.iter().map(|row| &row[0]).collect();
    let runs = rows.chunk_by(|a, b| a[0] == b[0]).count();
    let apart = rows.iter().all(|row| !keys.contains(&row[1]));
    rows.len() >= 2 * FEWEST && runs == keys.len() && 5 * keys.len() <= 4 * rows.len() && apart
}

fn is_flag(text: &str) -> bool {
    ["", "0", "1", "true", "false", "t", "f", "yes", "no", "y", "n"].contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(head: &str) -> Option<TableOfItems> {
        match offered_baskets(head.as_bytes()) {
            OfferedBaskets::Baskets(_) => None,
            OfferedBaskets::Table { kind, .. } => Some(kind),
        }
    }

    fn separator(head: &str) -> Option<char> {
        match offered_baskets(head.as_bytes()) {
            OfferedBaskets::Baskets(separator) => Some(separator),
            OfferedBaskets::Table { .. } => None,
        }
    }

    #[test]
    fn separators_of_baskets_are_found() {
        assert_eq!(separator("1 2 3\n4\n5 6\n"), Some(' '));
        assert_eq!(separator("whole milk,rolls\nsoda\nrolls,whole milk,soda\nbeer\nbutter\n"), Some(','));
        assert_eq!(separator("whole milk\trolls\nsoda\n"), Some('\t'));
        assert_eq!(separator("a, b;c\nd\n"), Some(';'));
        assert_eq!(separator("a\nb\n"), Some(' '));
        assert_eq!(separator(""), Some(' '));
        assert_eq!(separator("1,2\n3,4\n1,4\n2,3\n1,3\n2,4\n"), Some(','), "pairs");
    }

    #[test]
    fn tables_are_told_from_baskets() {
        assert_eq!(kind("id,item\n1,milk\n1,rolls\n2,milk\n3,soda\n"), Some(TableOfItems::Long));
        let long: String = (0..30).map(|i| format!("t{},item{}\n", i / 3, i % 7)).collect();
        assert_eq!(kind(&long), Some(TableOfItems::Long));
        let one_hot: String =
            (0..9).map(|i| format!("{i},{},{},{}\n", i % 2, i / 2 % 2, i / 4 % 2)).collect();
        assert_eq!(kind(&format!("id,milk,rolls,soda\n{one_hot}")), Some(TableOfItems::OneHot));
        assert_eq!(
            kind("milk,rolls,soda\nTrue,False,True\nTrue,True,True\nFalse,False,True\nTrue,True,False\n"),
            Some(TableOfItems::OneHot)
        );
        let visits: String = (0..9).map(|i| format!("{i},4{i},flu,2005\n")).collect();
        assert_eq!(kind(&format!("patient,age,disease,year\n{visits}")), Some(TableOfItems::Other));
        assert_eq!(kind("milk,rolls\nrolls,soda\nmilk,soda\nbeer,milk\nbeer,soda\n"), None);
    }
}
