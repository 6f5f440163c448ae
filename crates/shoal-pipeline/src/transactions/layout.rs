//! How a policy writes transactions down: basket lines, rows of id and item, or a column of a table.

use shoal_core::policy::DataPolicy;

/// Where the items are in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout<'a> {
    /// A line per transaction.
    Basket {
        /// What separates two items.
        separator: char,
    },
    /// A row per item.
    Long {
        /// The column that says whose item it is.
        id: &'a str,
        /// The column of the items.
        item: &'a str,
    },
    /// A column that holds all items of a record.
    Column {
        /// The column.
        items: &'a str,
        /// What separates two items.
        separator: char,
    },
}

impl<'a> Layout<'a> {
    /// The layout that a policy describes; its check has made sure that no key is missing.
    pub(crate) fn of(data: &'a DataPolicy) -> Layout<'a> {
        let first = |text: &str| text.chars().next().unwrap_or(' ');
        match (&data.items, &data.id, &data.item) {
            (Some(items), _, _) => Layout::Column { items, separator: first(data.item_separator()) },
            (None, Some(id), Some(item)) => Layout::Long { id, item },
            _ => Layout::Basket { separator: first(data.separator()) },
        }
    }

    /// What separates two items in the files that list items: constraints, weights.
    pub(crate) fn list_separator(self) -> char {
        match self {
            Layout::Basket { separator } | Layout::Column { separator, .. } => separator,
            Layout::Long { .. } => ' ',
        }
    }
}
