use shoal_core::{BoundHierarchy, Column, NodeId, PublishedValue};

use super::SequencesTarget;
use super::forms::Forms;

/// What can be known of a cell, column by column, and which published texts fit it.
///
/// A known thing is a value of the column, or a node above it other than the root. Values come first, then nodes.
pub(super) struct Knowable {
    columns: Vec<KnowableColumn>,
}

struct KnowableColumn {
    /// Place among the quasi-identifiers of the original.
    quasi: usize,
    /// For each value the things that are true of it: the value itself, and the nodes above it from below.
    above: Vec<Vec<u32>>,
    /// By text and known thing.
    fits: Vec<Vec<bool>>,
}

/// A known event: columns with what is known there.
pub(super) type KnownEvent = Vec<(usize, u32)>;

impl Knowable {
    pub(super) fn of(target: &SequencesTarget<'_>, forms: &Forms) -> Knowable {
        let quasi = target.original.events().quasi_identifiers();
        let published =
            quasi.iter().enumerate().filter(|(_, column)| target.published.column(&column.name).is_some());
        let columns = published.zip(&forms.cells).map(|((quasi, column), cells)| {
            let values = column.domain.len() as u32;
            let above: Vec<Vec<u32>> = (0..values).map(|value| above(column, value, values)).collect();
            let things =
                values + column.hierarchy.as_ref().map_or(0, |bound| bound.tree().node_count() as u32);
            let fits = cells
                .iter()
                .map(|cell| (0..things).map(|thing| fits(column, cell.as_ref(), thing)).collect());
            KnowableColumn { quasi, above, fits: fits.collect() }
        });
        Knowable { columns: columns.collect() }
    }

    /// How many columns somebody may know something in.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// What can be known of an event in a column, the exact value first.
    pub(super) fn things(&self, target: &SequencesTarget<'_>, event: usize, column: usize) -> &[u32] {
        let KnowableColumn { quasi, above, .. } = &self.columns[column];
        let codes = &target.original.events().quasi_identifiers()[*quasi].codes;
        &above[codes[event] as usize]
    }

    /// Whether a form has, in order, distinct events that fit the known ones. The earliest one that fits is as good as any.
    pub(super) fn fit(&self, form: &[Vec<u32>], known: &[KnownEvent]) -> bool {
        let mut left = form.iter();
        known.iter().all(|event| {
            left.any(|cells| {
                event
                    .iter()
                    .all(|&(column, thing)| self.columns[column].fits[cells[column] as usize][thing as usize])
            })
        })
    }
}

fn above(column: &Column, value: u32, values: u32) -> Vec<u32> {
    let mut things = vec![value];
    if let Some(bound) = &column.hierarchy {
        let tree = bound.tree();
        let mut node = tree.parent(tree.leaf_node(bound.leaf_of(value)));
        while let Some(above) = node.filter(|node| *node != tree.root()) {
            things.push(values + above.0);
            node = tree.parent(above);
        }
    }
    things
}

/// Whether a cell lies at, below or above what is known: then its person may be the one.
fn fits(column: &Column, cell: Option<&PublishedValue>, thing: u32) -> bool {
    let Some(cell) = cell else { return false };
    let values = column.domain.len() as u32;
    if thing < values {
        return cell.covers(thing, &column.domain, column.hierarchy.as_ref());
    }
    let Some(bound) = &column.hierarchy else { return false };
    let known = bound.tree().leaves_below(NodeId(thing - values));
    let holds = |code: u32, bound: &BoundHierarchy| known.contains(&bound.leaf_of(code));
    match cell {
        PublishedValue::Suppressed => true,
        PublishedValue::Exact(code) => holds(*code, bound),
        PublishedValue::Node(node) => {
            // Two nodes of a tree are one above the other, or have nothing in common.
            let cell = bound.tree().leaves_below(*node);
            cell.start < known.end && known.start < cell.end
        }
        // Neither is in the tree; whoever may have one of the known values may be the one.
        PublishedValue::Range { .. } | PublishedValue::Set(_) => {
            (0..values).any(|code| holds(code, bound) && cell.covers(code, &column.domain, Some(bound)))
        }
    }
}
