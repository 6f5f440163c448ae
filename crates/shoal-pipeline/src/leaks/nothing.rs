//! A release that keeps every promise by saying nothing.

use shoal_core::{RawColumn, RawTable, Transactions};

use super::Leak;
use crate::Request;
use crate::columns::quasi_columns;

/// The kind of what is said about a worthless file.
pub(crate) const SAYS_NOTHING: &str = "says-nothing";

/// Whether every quasi-identifier of a table, or of a file of events, is `*` in all of its rows, or what stands above all others
/// in its hierarchy. A file without rows says nothing either, which is said elsewhere.
pub(super) fn of_columns(request: &Request, published: &RawTable, records: &str) -> Option<Leak> {
    let quasi = quasi_columns(request, published);
    let says_nothing = |column: &&RawColumn| {
        let hierarchy = request.policy().columns[&column.name].hierarchy.as_ref();
        let tree = hierarchy.map(|name| request.hierarchy(name).content);
        let is_root = |label: &str| tree.is_some_and(|tree| tree.label(tree.root()) == label);
        column.labels.iter().all(|label| label == "*" || is_root(label))
    };
    let worthless = published.rows > 0 && !quasi.is_empty() && quasi.iter().all(says_nothing);
    let text = format!(
        "every quasi-identifier of all {} {records} is `*`: the promise holds because the file says nothing, and for whoever \
         wants to use these columns it is worthless",
        published.rows
    );
    worthless.then(|| Leak::new(SAYS_NOTHING, text).counted(published.rows))
}

/// Whether no transaction has an item any more.
pub(super) fn of_items(published: &Transactions) -> Option<Leak> {
    let worthless = !published.is_empty() && published.iter().all(<[u32]>::is_empty);
    let text = format!(
        "none of the {} transactions has an item any more: the promise holds because the file says nothing, and it is worthless",
        published.len()
    );
    worthless.then(|| Leak::new(SAYS_NOTHING, text).counted(published.len()))
}
