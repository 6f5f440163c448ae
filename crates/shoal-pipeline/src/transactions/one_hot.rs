//! A table with a column per item, which says of every transaction whether it holds it: 0 and 1, or other marks.

use shoal_core::{MissingTexts, RawColumn, RawTable, Role, Transactions, TransactionsBuilder};

use crate::{PipelineError, Request, ValueAt};

/// Marks of an item that is there, in lower case.
const THERE: [&str; 6] = ["1", "true", "t", "yes", "y", "x"];
/// Marks of an item that is not; so are missing values.
const NOT_THERE: [&str; 6] = ["", "0", "false", "f", "no", "n"];

/// The transactions of a table, a row each, and how many of them are empty.
pub(crate) fn read(
    table: &RawTable,
    missing: &MissingTexts,
    is_item: impl Fn(&str) -> bool,
) -> Result<(Transactions, usize), PipelineError> {
    let items: Vec<&RawColumn> = table.columns.iter().filter(|column| is_item(&column.name)).collect();
    let marks: Vec<Vec<bool>> = items
        .iter()
        .map(|column| {
            let marks = marks(column, missing);
            // A number or a name would be taken for an item that nobody has: it is likely a column about the transaction.
            marks
                .map_err(|code| PipelineError::NotAMark { at: Box::new(ValueAt::first(table, column, code)) })
        })
        .collect::<Result<_, _>>()?;
    let mut builder = TransactionsBuilder::default();
    let mut empty = 0;
    for row in 0..table.rows {
        let there = items.iter().zip(&marks).filter(|(column, marks)| marks[column.codes[row] as usize]);
        let count = there.map(|(column, _)| builder.item(&column.name)).count();
        empty += usize::from(count == 0);
        builder.end();
    }
    Ok((builder.finish().0, empty))
}

/// For each distinct value of a column whether it says that the item is there, or the first one that says neither.
pub(crate) fn marks(column: &RawColumn, missing: &MissingTexts) -> Result<Vec<bool>, u32> {
    let mark = |code: u32| {
        let text = column.labels.get(code);
        let lower = text.to_lowercase();
        if THERE.contains(&lower.as_str()) {
            Ok(true)
        } else if NOT_THERE.contains(&lower.as_str()) || missing.has_code(column, code) {
            Ok(false)
        } else {
            Err(code)
        }
    };
    (0..column.labels.len() as u32).map(mark).collect()
}

/// Columns beside the items can only be left out: there is no place for them in what is published.
pub(super) fn check_columns(request: &Request, table: &RawTable) -> Result<(), PipelineError> {
    for (name, column) in &request.policy().columns {
        if column.role != Role::Identifier {
            let message = format!(
                "`{name}` is beside the items of a table with a column per item, which publishes items only"
            );
            let hint = "make it an identifier, which is not published, or bring the items into one column:  items = \"…\"";
            return Err(request.complain(&format!("columns.{name}.role"), message, hint.to_owned()));
        }
        if table.column(name).is_none() {
            let message = format!("the source has no column `{name}`");
            return Err(request.complain("columns", message, "remove it, or correct its name".to_owned()));
        }
    }
    Ok(())
}
