//! The order of a published file: does it say anything that the records do not?
//!
//! Whoever knows the order of the input, an alphabetical list for example, could find people by their place. So records
//! stand in an order that follows from what is published about them and from nothing else: row by row, column by
//! column, texts compare by their bytes. Equal records are interchangeable. A file in this order carries nothing
//! beside its records, and anybody can check that. The check here shares no code with what puts records into this order,
//! nor with the order in which they are worked on.

mod content;
mod published;

pub use content::ContentOrder;
pub use published::{people_as_published, rows_as_published, transactions_as_published};

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::Serialize;
use shoal_core::{RawColumn, RawTable, Transactions};

/// In which order the records of a release are said to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordOrder {
    /// By what is published. The verifier refuses any other.
    Published,
    /// As in the input, because the policy asks for it (`output.keep-order`). It is not checked.
    Input,
}

/// A record that stands behind one that it should precede: the order of the file may carry something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
#[error(
    "record {record} of the published file should stand before the one above it: its order may show who is who"
)]
pub struct OutOfOrder {
    /// The record, counted from 1: a row of a table, a transaction, a person.
    pub record: u64,
}

impl OutOfOrder {
    fn at(record: usize) -> OutOfOrder {
        OutOfOrder { record: record as u64 + 1 }
    }
}

/// The first row of a table that is out of order, if there is one.
pub fn rows_out_of_order(published: &RawTable) -> Option<OutOfOrder> {
    let columns: Vec<&RawColumn> = published.columns.iter().collect();
    let steps_back = |&row: &usize| compare_rows(&columns, row - 1, row).is_gt();
    (1..published.rows).into_par_iter().find_first(steps_back).map(OutOfOrder::at)
}

/// The first transaction that is out of order. Transactions compare by their items, first item first, those with equal
/// items by what `rest` says about them.
pub fn transactions_out_of_order(published: &Transactions, rest: Option<&RawTable>) -> Option<OutOfOrder> {
    let columns: Vec<&RawColumn> = rest.iter().flat_map(|table| &table.columns).collect();
    let steps_back = |&row: &usize| {
        let by_items = published.transaction(row - 1).cmp(published.transaction(row));
        by_items.then_with(|| compare_rows(&columns, row - 1, row)).is_gt()
    };
    (1..published.len()).find(steps_back).map(OutOfOrder::at)
}

/// The first person who is out of order in a file of events, where the rows of a person stand together. People compare
/// by their events, first event first; whose events are the beginning of another's stands before them.
pub fn people_out_of_order(published: &RawTable, id: &str) -> Option<OutOfOrder> {
    let ids = published.column(id)?;
    let columns: Vec<&RawColumn> = published.columns.iter().filter(|column| column.name != id).collect();
    let mut starts = vec![0];
    starts.extend((1..published.rows).filter(|&row| ids.codes[row] != ids.codes[row - 1]));
    starts.push(published.rows);
    let events = |person: usize| starts[person]..starts[person + 1];
    let steps_back = |&person: &usize| {
        let (above, below) = (events(person - 1), events(person));
        let by_length = above.len().cmp(&below.len());
        let differing = above.zip(below).map(|(a, b)| compare_rows(&columns, a, b)).find(|o| o.is_ne());
        differing.unwrap_or(by_length).is_gt()
    };
    (1..starts.len() - 1).find(steps_back).map(OutOfOrder::at)
}

/// By texts, column by column. A null is written like the empty text where a format knows no null, so nulls count only
/// where all texts are equal.
fn compare_rows(columns: &[&RawColumn], a: usize, b: usize) -> Ordering {
    let by_text = |column: &&RawColumn| match column.codes[a] == column.codes[b] {
        true => Ordering::Equal,
        false => column.text(a).cmp(column.text(b)),
    };
    let is_null = |column: &RawColumn, row: usize| column.null == Some(column.codes[row]);
    let by_null = |column: &&RawColumn| is_null(column, b).cmp(&is_null(column, a));
    let first = |compare: &dyn Fn(&&RawColumn) -> Ordering| {
        columns.iter().map(compare).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    first(&by_text).then_with(|| first(&by_null))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 2]]) -> RawTable {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
        RawTable::from_rows(&["id", "x"], &rows)
    }

    #[test]
    fn rows_compare_column_by_column_and_by_bytes() {
        assert_eq!(rows_out_of_order(&table(&[])), None);
        assert_eq!(rows_out_of_order(&table(&[["a", "b"], ["a", "b"], ["a", "c"], ["b", "a"]])), None);
        // Bytes, not numbers: anybody can check it without knowing what a column means.
        assert_eq!(rows_out_of_order(&table(&[["10", "x"], ["9", "x"]])), None);
        assert_eq!(rows_out_of_order(&table(&[["9", "x"], ["10", "x"]])), Some(OutOfOrder { record: 2 }));
        let later = table(&[["a", "a"], ["a", "c"], ["a", "b"], ["a", "a"]]);
        assert_eq!(rows_out_of_order(&later), Some(OutOfOrder { record: 3 }));
    }

    #[test]
    fn a_null_stands_before_an_empty_text_where_all_else_is_equal() {
        let mut file = table(&[["", "a"], ["", "b"], ["", "b"]]);
        let null_row = |file: &mut RawTable, row: usize| {
            file.columns[0].labels = [""; 2].into_iter().collect();
            file.columns[0].null = Some(1);
            file.columns[0].codes[row] = 1;
        };
        null_row(&mut file, 1);
        assert_eq!(rows_out_of_order(&file), None);
        let mut file = table(&[["", "a"], ["", "b"], ["", "b"]]);
        null_row(&mut file, 2);
        assert_eq!(rows_out_of_order(&file), Some(OutOfOrder { record: 3 }));
        let mut file = table(&[["", "a"], ["", "b"]]);
        null_row(&mut file, 1);
        assert_eq!(rows_out_of_order(&file), None, "texts come first: `a` stands before `b`");
    }

    #[test]
    fn transactions_compare_by_items_and_then_by_the_rest() {
        let baskets = Transactions::from_texts(&[vec![], vec!["a"], vec!["a"], vec!["a", "b"], vec!["b"]]);
        assert_eq!(transactions_out_of_order(&baskets, None), None);
        let rest = |texts: &[&str]| {
            RawTable::from_rows(&["shop"], &texts.iter().map(|text| vec![*text]).collect::<Vec<_>>())
        };
        assert_eq!(transactions_out_of_order(&baskets, Some(&rest(&["z", "s", "t", "a", "a"]))), None);
        let swapped = rest(&["z", "t", "s", "a", "a"]);
        assert_eq!(transactions_out_of_order(&baskets, Some(&swapped)), Some(OutOfOrder { record: 3 }));
        let baskets = Transactions::from_texts(&[vec!["a", "b"], vec!["a"]]);
        assert_eq!(transactions_out_of_order(&baskets, None), Some(OutOfOrder { record: 2 }));
    }

    #[test]
    fn people_compare_by_their_events() {
        let file = table(&[["1", "a"], ["2", "a"], ["2", "a"], ["3", "a"], ["3", "b"], ["4", "b"]]);
        assert_eq!(people_out_of_order(&file, "id"), None);
        let longer_first = table(&[["1", "a"], ["1", "b"], ["2", "a"]]);
        assert_eq!(people_out_of_order(&longer_first, "id"), Some(OutOfOrder { record: 2 }));
        let later_event = table(&[["1", "a"], ["1", "b"], ["2", "a"], ["2", "a"]]);
        assert_eq!(people_out_of_order(&later_event, "id"), Some(OutOfOrder { record: 2 }));
    }
}
