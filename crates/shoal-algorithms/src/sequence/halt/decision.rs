//! What is published: one level for each quasi-identifier, and items that are suppressed wherever they stand.

use hashbrown::HashMap;
use shoal_core::{Cell, Class, NodeId, Recoding, SequenceRecoding};

use super::items::Items;

/// A value of which nothing can be known: suppressed, or published as a root.
pub(super) const NOTHING: u32 = u32::MAX;

/// What is published of all events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// The level of each quasi-identifier; 0 are the values themselves.
    pub(super) levels: Vec<usize>,
    /// For each code whether what is published as it, or as something below it, is suppressed.
    pub(super) suppressed: Vec<bool>,
}

impl Decision {
    /// Everything as it is.
    pub(super) fn finest(items: &Items<'_>) -> Decision {
        Decision::at(vec![0; items.quasi()], items)
    }

    /// A level for each quasi-identifier, and nothing suppressed.
    pub(super) fn at(levels: Vec<usize>, items: &Items<'_>) -> Decision {
        Decision { levels, suppressed: vec![false; items.len()] }
    }

    /// Whether an item can no longer be known.
    pub(super) fn hides(&self, code: u32, items: &Items<'_>) -> bool {
        items.top(code) < self.levels[items.quasi_of(code)] || self.suppresses(code, items)
    }

    /// Whether what is published as this code is suppressed.
    pub(super) fn suppresses(&self, code: u32, items: &Items<'_>) -> bool {
        items.upwards(code).any(|above| self.suppressed[above as usize])
    }

    /// For each leaf of a quasi-identifier the item that it is published as, or [`NOTHING`].
    pub(super) fn published(&self, quasi: usize, items: &Items<'_>) -> Vec<u32> {
        let root = items.codes(quasi).start;
        let known = |code: u32| if code == root || self.suppresses(code, items) { NOTHING } else { code };
        items.published(quasi, self.levels[quasi]).map(known).collect()
    }

    /// How many published items are suppressed.
    pub(super) fn suppressed_items(&self, items: &Items<'_>) -> usize {
        let of_quasi = |quasi: usize| {
            let mut codes: Vec<u32> = items.published(quasi, self.levels[quasi]).collect();
            codes.sort_unstable();
            codes.dedup();
            codes.into_iter().filter(|&code| self.suppresses(code, items)).count()
        };
        (0..items.quasi()).map(of_quasi).sum()
    }

    /// For each event and quasi-identifier the node that is published, or nothing where that is suppressed.
    pub(super) fn nodes(&self, items: &Items<'_>) -> Vec<Option<NodeId>> {
        let node = |code: u32| (!self.suppresses(code, items)).then(|| items.node(code));
        let of: Vec<Vec<Option<NodeId>>> = (0..items.quasi())
            .map(|quasi| items.published(quasi, self.levels[quasi]).map(node).collect())
            .collect();
        let cell = |event: usize, quasi: usize| of[quasi][items.leaf(event, quasi) as usize];
        (0..items.events())
            .flat_map(|event| (0..items.quasi()).map(move |quasi| (event, quasi)))
            .map(|(event, quasi)| cell(event, quasi))
            .collect()
    }

    /// The same for every event. All people are one cluster.
    pub(super) fn recoding(&self, items: &Items<'_>, persons: usize) -> SequenceRecoding {
        let cell = |code: u32| {
            if self.suppresses(code, items) { Cell::Suppressed } else { Cell::Node(items.node(code)) }
        };
        let cells: Vec<Vec<Cell>> = (0..items.quasi())
            .map(|quasi| items.published(quasi, self.levels[quasi]).map(cell).collect())
            .collect();
        let mut classes: Vec<Class> = Vec::new();
        let mut numbers: HashMap<Vec<Cell>, u32, foldhash::fast::FixedState> = HashMap::default();
        let class_of = (0..items.events()).map(|event| {
            let own: Vec<Cell> = cells
                .iter()
                .enumerate()
                .map(|(quasi, of)| of[items.leaf(event, quasi) as usize].clone())
                .collect();
            *numbers.entry(own).or_insert_with_key(|cells| {
                classes.push(Class { cells: cells.clone() });
                classes.len() as u32 - 1
            })
        });
        let class_of = class_of.collect();
        SequenceRecoding { cluster_of: vec![0; persons], events: Recoding { class_of, classes } }
    }
}
