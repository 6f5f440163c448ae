//! How a policy writes transactions down: basket lines, rows of id and item, a column of a table, or a column per item.

use shoal_core::policy::{DataFormat, DataPolicy};

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
    /// A column per item. Published as basket lines: a published item stands for several columns.
    OneHot {
        /// What separates two published items.
        separator: char,
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
            _ if data.format == Some(DataFormat::OneHot) => {
                Layout::OneHot { separator: first(data.separator()) }
            }
            _ => Layout::Basket { separator: first(data.separator()) },
        }
    }

    /// The layout in which transactions are published that were read in this one.
    pub(crate) fn published(self) -> Layout<'a> {
        match self {
            Layout::OneHot { separator } => Layout::Basket { separator },
            layout => layout,
        }
    }

    /// What separates two items in the files that list items: constraints, weights.
    pub(crate) fn list_separator(self) -> char {
        match self {
            Layout::Basket { separator }
            | Layout::OneHot { separator }
            | Layout::Column { separator, .. } => separator,
            Layout::Long { .. } => ' ',
        }
    }
}
