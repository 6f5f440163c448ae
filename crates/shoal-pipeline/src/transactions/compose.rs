//! The published transactions, in the order and the layout in which they are written.

use shoal_core::{
    Groups, ItemCluster, Place, Policy, RawColumn, RawColumnBuilder, RawTable, Transactions,
    TransactionsBuilder, TransactionsRecoding,
};
use shoal_io::published_item;
use shoal_privacy::transactions_as_published;

use super::layout::Layout;
use super::load::Loaded;
use crate::columns::reordered;

/// The published transactions, and for each of them the original that it comes from.
pub(crate) struct Composed {
    /// What is published.
    pub published: Transactions,
    /// Its groups, which are written out in it.
    pub groups: Groups,
    /// For each published transaction its original. The verifier checks this claim, it does not trust it.
    pub origin: Vec<u32>,
}

/// Replaces every item by its image, and puts the transactions into the order of what is published about them. `as_list`: whether the items of a transaction are
/// published as a list, which needs no separator.
pub(crate) fn compose(
    policy: &Policy,
    loaded: &Loaded,
    recoding: &TransactionsRecoding,
    as_list: bool,
) -> Composed {
    let data = &loaded.data;
    // In the long form an item has a cell of its own.
    let separator = match Layout::of(&policy.data) {
        Layout::Long { .. } => None,
        Layout::Column { .. } if as_list => None,
        layout => Some(layout.list_separator()),
    };
    let texts = image_texts(data, recoding, separator);
    let mut builder = TransactionsBuilder::default();
    for transaction in data.iter() {
        for cluster in recoding.image(transaction) {
            builder.item(&texts[cluster as usize]);
        }
        builder.end();
    }
    let published = builder.finish().0;
    let mut origin: Vec<u32> = (0..data.len() as u32).collect();
    if policy.output.keep_order {
        origin.sort_unstable_by_key(|&row| loaded.source_rows[row as usize]);
    } else {
        origin = transactions_as_published(&published, loaded.rest.as_ref().map(|(rest, _)| rest));
    }
    // A node of the hierarchy has a name, which is published.
    let labels = |cluster: &ItemCluster| -> Vec<&str> { labels(data, cluster) };
    let groups = recoding.clusters.iter().filter(|cluster| cluster.name.is_none() && cluster.items.len() > 1);
    let groups = Groups::new(groups.map(labels).collect());
    Composed { published: published.select(&origin), groups, origin }
}

fn labels<'a>(data: &'a Transactions, cluster: &ItemCluster) -> Vec<&'a str> {
    cluster.items.iter().map(|&item| data.items().get(item)).collect()
}

/// The published text of each cluster.
pub(super) fn image_texts(
    data: &Transactions,
    recoding: &TransactionsRecoding,
    separator: Option<char>,
) -> Vec<String> {
    let text = |cluster: &ItemCluster| match &cluster.name {
        Some(name) => name.clone(),
        None => published_item(&labels(data, cluster), separator),
    };
    recoding.clusters.iter().map(text).collect()
}

/// The table that holds published transactions, in a layout that is one. Ids are numbered again from 1, so that none of
/// the original ones is published.
pub(crate) fn tabulate(
    layout: Layout<'_>,
    published: &Transactions,
    rest: Option<&(RawTable, usize)>,
    origin: &[u32],
) -> Option<RawTable> {
    match layout {
        Layout::Basket { .. } | Layout::OneHot { .. } => None,
        Layout::Long { id, item } => Some(long(id, item, published)),
        Layout::Column { items, separator } => {
            let (mut columns, mut place) = (Vec::new(), 0);
            if let Some((rest, at)) = rest {
                columns.extend(rest.columns.iter().map(|c| reordered(c, origin)));
                place = *at;
            }
            columns.insert(place, cells(items, separator, published));
            Some(RawTable { columns, rows: published.len(), files: Vec::new() })
        }
    }
}

fn long(id: &str, item: &str, published: &Transactions) -> RawTable {
    let mut ids = RawColumnBuilder::new(id.to_owned());
    let mut items = RawColumnBuilder::new(item.to_owned());
    let mut rows = 0;
    for (number, transaction) in published.iter().enumerate() {
        let pseudonym = (number + 1).to_string();
        let mut row = |text: &str| {
            ids.push(&pseudonym, Place::default());
            items.push(text, Place::default());
            rows += 1;
        };
        // A transaction without items keeps a row without an item, so that nobody is lost.
        if transaction.is_empty() {
            row("");
        }
        transaction.iter().for_each(|&item| row(published.items().get(item)));
    }
    RawTable { columns: vec![ids.finish(), items.finish()], rows, files: Vec::new() }
}

fn cells(items: &str, separator: char, published: &Transactions) -> RawColumn {
    let mut builder = RawColumnBuilder::new(items.to_owned());
    for transaction in published.iter() {
        let texts: Vec<&str> = transaction.iter().map(|&item| published.items().get(item)).collect();
        builder.push(&texts.join(&separator.to_string()), Place::default());
    }
    builder.finish()
}
