//! What a sequence has or lacks.

use crate::sequences::costs::Costs;

/// Something coarse about a sequence, at which blocks are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::sequences) enum Feature {
    /// It has at least so many events.
    Length(u32),
    /// One of its values lies at or below this node.
    Has(u32),
    /// A value of its first event does.
    First(u32),
    /// A value of its last event does.
    Last(u32),
}

/// Lengths from here on are one: cuts between them are left to the values.
pub(super) const LONGEST: u32 = 255;

impl Feature {
    /// Calls `visit` with every feature of a sequence and its charge; a node with several events below it comes with
    /// each. Roots are features of everybody and are passed over.
    pub(super) fn visit(events: &[u32], costs: &Costs, mut visit: impl FnMut(Feature, u64)) {
        let quasi = costs.quasi();
        let len = (events.len() / quasi) as u32;
        let suppressed = u64::from(costs.suppressed());
        for length in 2..=len.min(LONGEST) {
            // Each event that one has more than the other is suppressed.
            visit(Feature::Length(length), u64::from(len + 1 - length) * suppressed);
        }
        for (at, event) in events.chunks_exact(quasi).enumerate() {
            for &value in event {
                let mut node = value;
                while let Some(parent) = costs.parent(node) {
                    // A value that is published with one outside the node becomes at least the node's parent.
                    let charge = u64::from(costs.height(parent) - costs.height(node));
                    visit(Feature::Has(node), charge);
                    // Half: an alignment may pair the first event with one that is not the first.
                    if at == 0 {
                        visit(Feature::First(node), charge / 2);
                    }
                    if at + 1 == len as usize {
                        visit(Feature::Last(node), charge / 2);
                    }
                    node = parent;
                }
            }
        }
    }

    /// Whether a sequence has it.
    pub(super) fn is_in(self, events: &[u32], costs: &Costs) -> bool {
        let quasi = costs.quasi();
        let below = |node: u32, values: &[u32]| values.iter().any(|&value| costs.is_below(value, node));
        match self {
            Feature::Length(least) => events.len() / quasi >= least as usize,
            Feature::Has(node) => below(node, events),
            Feature::First(node) => below(node, &events[..quasi.min(events.len())]),
            Feature::Last(node) => below(node, &events[events.len().saturating_sub(quasi)..]),
        }
    }

    /// A place of its own in a table of all features.
    pub(super) fn place(self, nodes: usize) -> usize {
        match self {
            Feature::Length(length) => length as usize,
            Feature::Has(node) => LENGTHS + node as usize,
            Feature::First(node) => LENGTHS + nodes + node as usize,
            Feature::Last(node) => LENGTHS + 2 * nodes + node as usize,
        }
    }

    /// The feature of a place.
    pub(super) fn at(place: usize, nodes: usize) -> Feature {
        let Some(node) = place.checked_sub(LENGTHS) else { return Feature::Length(place as u32) };
        let code = (node % nodes) as u32;
        match node / nodes {
            0 => Feature::Has(code),
            1 => Feature::First(code),
            _ => Feature::Last(code),
        }
    }

    /// How many places there are.
    pub(super) fn places(nodes: usize) -> usize {
        LENGTHS + 3 * nodes
    }
}

const LENGTHS: usize = LONGEST as usize + 1;
