//! A release that keeps every promise by saying nothing.

use shoal_core::{RawColumn, RawTable, Transactions};

use super::{Leak, LeakKind, Unit};
use crate::Request;
use crate::columns::quasi_columns;

/// Whether every quasi-identifier of a table, or of a file of events, is `*` in all of its rows, or what stands above all others
/// in its hierarchy. A file without rows says nothing either, which is said elsewhere.
pub(super) fn of_columns(request: &Request, published: &RawTable, unit: Unit) -> Option<Leak> {
    let quasi = quasi_columns(request, published);
    let says_nothing = |column: &&RawColumn| {
        let hierarchy = request.policy().columns[&column.name].hierarchy.as_ref();
        let tree = hierarchy.map(|name| request.hierarchy(name).content);
        let is_root = |label: &str| tree.is_some_and(|tree| tree.label(tree.root()) == label);
        column.labels.iter().all(|label| label == "*" || is_root(label))
    };
    let worthless = published.rows > 0 && !quasi.is_empty() && quasi.iter().all(says_nothing);
    worthless.then(|| LeakKind::SaysNothing { count: published.rows, unit }.into())
}

/// Whether no transaction has an item any more.
pub(super) fn of_items(published: &Transactions) -> Option<Leak> {
    let worthless = !published.is_empty() && published.iter().all(<[u32]>::is_empty);
    let unit = Unit::Transactions;
    worthless.then(|| LeakKind::SaysNothing { count: published.len(), unit }.into())
}
