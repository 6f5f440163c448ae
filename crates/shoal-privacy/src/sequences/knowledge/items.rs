//! What can be known of a cell: its own node and every node above it, short of the root.

use std::collections::HashMap;
use std::sync::Arc;

use shoal_core::{Hierarchy, NodeId, RawColumn};

/// The items that occur in a file, numbered quasi-identifier by quasi-identifier.
#[derive(Debug, Default)]
pub(super) struct Items {
    known: Vec<Item>,
    /// `own[quasi][code]`: the most special item of a published text. None for the root and for `*`.
    own: Vec<Vec<Option<u32>>>,
}

#[derive(Debug)]
struct Item {
    quasi: u32,
    text: String,
    /// The item itself and those above it.
    upwards: Vec<u32>,
}

/// What makes two items of a column one.
#[derive(PartialEq, Eq, Hash)]
enum Meaning {
    Node(NodeId),
    /// A text that the tree does not know.
    Text(u32),
}

impl Items {
    /// The items of the published columns, each with its tree.
    pub(super) fn new(columns: &[(&RawColumn, &Arc<Hierarchy>)]) -> Items {
        let mut items = Items::default();
        for (quasi, (column, tree)) in (0_u32..).zip(columns) {
            let mut numbers = HashMap::new();
            let top_is_known = says_something(column, tree);
            let mut own = |code: u32| -> Option<u32> {
                let mut above: Vec<u32> = Vec::new();
                // From the top down, so that an item knows what lies above it.
                for (meaning, text) in meanings(column, tree, code, top_is_known).into_iter().rev() {
                    let next = items.known.len() as u32;
                    let item = *numbers.entry(meaning).or_insert(next);
                    above.insert(0, item);
                    if item == next {
                        items.known.push(Item { quasi, text: text.to_owned(), upwards: above.clone() });
                    }
                }
                above.first().copied()
            };
            let own = (0..column.labels.len() as u32).map(&mut own).collect();
            items.own.push(own);
        }
        items
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// How many quasi-identifiers there are.
    pub(super) fn quasi_identifiers(&self) -> u32 {
        self.own.len() as u32
    }

    /// The quasi-identifier of an item.
    pub(super) fn quasi(&self, item: u32) -> u32 {
        self.known[item as usize].quasi
    }

    /// How an item is written.
    pub(super) fn text(&self, item: u32) -> &str {
        &self.known[item as usize].text
    }

    /// An item and all items above it.
    pub(super) fn upwards(&self, item: u32) -> &[u32] {
        &self.known[item as usize].upwards
    }

    /// What a published text says, if it says anything.
    pub(super) fn own(&self, quasi: usize, code: u32) -> Option<u32> {
        self.own[quasi][code as usize]
    }
}

/// A text and what it lies below, short of the root. A text that the tree does not know hangs directly below the
/// root; so does a null, of which the tree may know nothing but what lies above the empty text.
fn meanings<'a>(
    column: &'a RawColumn,
    tree: &'a Hierarchy,
    code: u32,
    top_is_known: bool,
) -> Vec<(Meaning, &'a str)> {
    let text = column.labels.get(code);
    let mut meanings = Vec::new();
    let mut node = tree.node(text);
    if column.null == Some(code) {
        node = node.and_then(|node| tree.parent(node));
        meanings.push((Meaning::Text(code), text));
    } else if node.is_none() && text != "*" {
        meanings.push((Meaning::Text(code), text));
    }
    while let Some(at) = node {
        if at != tree.root() || top_is_known {
            meanings.push((Meaning::Node(at), tree.label(at)));
        }
        node = tree.parent(at);
    }
    meanings
}

/// Whether the top of a tree says something: where it is not called `*` and other texts hang beside it, it says
/// that the value is none of those.
fn says_something(column: &RawColumn, tree: &Hierarchy) -> bool {
    let is_strange = |text: &str| text != "*" && tree.node(text).is_none();
    tree.label(tree.root()) != "*" && column.labels.iter().any(is_strange)
}
