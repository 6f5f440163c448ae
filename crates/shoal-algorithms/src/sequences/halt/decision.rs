//! What is published: one level for each quasi-identifier, and items that are suppressed wherever they stand.
//!
//! By the papers' count a suppressed item is published as `*`, of which nothing can be known. Where everybody counts who
//! may be the one, a `*` would fit whatever is known, and so would a row of them; there the events that have a suppressed
//! item are left out, and whoever has more events than others do leaves out the last ones.

use hashbrown::HashMap;
use shoal_core::{Cell, Class, NodeId, SUPPRESSED, Sequences, SequencesRecoding, Support, TableRecoding};

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
    /// Who is in a crowd.
    pub(super) support: Support,
    /// How many events of a person are published at most.
    pub(super) most_events: usize,
}

impl Decision {
    /// Everything as it is.
    pub(super) fn finest(items: &Items<'_>, support: Support) -> Decision {
        let (levels, suppressed) = (vec![0; items.quasi()], vec![false; items.len()]);
        Decision { levels, suppressed, support, most_events: usize::MAX }
    }

    /// A level for each quasi-identifier, and nothing suppressed.
    pub(super) fn at(&self, levels: Vec<usize>) -> Decision {
        Decision { levels, suppressed: vec![false; self.suppressed.len()], ..*self }
    }

    /// For each event whether it is in the release.
    pub(super) fn kept(&self, items: &Items<'_>, data: &Sequences) -> Vec<bool> {
        if self.support == Support::Paper {
            return vec![true; items.events()];
        }
        let gone: Vec<Vec<bool>> = (0..items.quasi())
            .map(|quasi| {
                let codes = items.published(quasi, self.levels[quasi]);
                codes.map(|code| self.suppresses(code, items)).collect()
            })
            .collect();
        let is_gone = |event: usize| {
            gone.iter().enumerate().any(|(quasi, gone)| gone[items.leaf(event, quasi) as usize])
        };
        let mut kept = vec![false; items.events()];
        for events in data.iter() {
            events
                .filter(|&event| !is_gone(event))
                .take(self.most_events)
                .for_each(|event| kept[event] = true);
        }
        kept
    }

    /// Whether an item can no longer be known.
    pub(super) fn hides(&self, code: u32, items: &Items<'_>) -> bool {
        items.top(code) < self.levels[items.quasi_of(code)] || self.suppresses(code, items)
    }

    /// Whether what is published as this code is suppressed.
    pub(super) fn suppresses(&self, code: u32, items: &Items<'_>) -> bool {
        items.upwards(code).any(|above| self.suppressed[above as usize])
    }

    /// For each leaf of a quasi-identifier the item that it is published as, or [`NOTHING`]. Where everybody counts who
    /// may be the one, a root is published like any other node, and what is suppressed does not matter: its event is not kept.
    pub(super) fn published(&self, quasi: usize, items: &Items<'_>) -> Vec<u32> {
        if self.support == Support::Compatible {
            return items.published(quasi, self.levels[quasi]).collect();
        }
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

    /// For each event and quasi-identifier the node that is published, or nothing where that is suppressed or the event
    /// is left out.
    pub(super) fn nodes(&self, items: &Items<'_>, data: &Sequences) -> Vec<Option<NodeId>> {
        let kept = self.kept(items, data);
        let node = |code: u32| (!self.suppresses(code, items)).then(|| items.node(code));
        let of: Vec<Vec<Option<NodeId>>> = (0..items.quasi())
            .map(|quasi| items.published(quasi, self.levels[quasi]).map(node).collect())
            .collect();
        let cell = |event: usize, quasi: usize| of[quasi][items.leaf(event, quasi) as usize];
        (0..items.events())
            .flat_map(|event| (0..items.quasi()).map(move |quasi| (event, quasi)))
            .map(|(event, quasi)| if kept[event] { cell(event, quasi) } else { None })
            .collect()
    }

    /// The same for every event. All people of whom something is published are one cluster.
    pub(super) fn recoding(&self, items: &Items<'_>, data: &Sequences) -> SequencesRecoding {
        let kept = self.kept(items, data);
        let cell = |code: u32| {
            if self.suppresses(code, items) { Cell::Suppressed } else { Cell::Node(items.node(code)) }
        };
        let cells: Vec<Vec<Cell>> = (0..items.quasi())
            .map(|quasi| items.published(quasi, self.levels[quasi]).map(cell).collect())
            .collect();
        let mut classes: Vec<Class> = Vec::new();
        let mut numbers: HashMap<Vec<Cell>, u32, foldhash::fast::FixedState> = HashMap::default();
        let class_of = (0..items.events()).map(|event| {
            if !kept[event] {
                return SUPPRESSED;
            }
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
        let cluster = |mut events: std::ops::Range<usize>| {
            if events.any(|event| kept[event]) { 0 } else { SUPPRESSED }
        };
        let cluster_of = data.iter().map(cluster).collect();
        SequencesRecoding { cluster_of, events: TableRecoding { class_of, classes } }
    }
}
