//! The columns as axes of a space: where each value lies and where the space may be cut.

use shoal_core::Column;

use crate::table::names::ranks_by_frequency;
use crate::table::recode::Scale;

/// One dimension of the space.
pub(super) struct Axis<'a> {
    scale: Scale<'a>,
    weight: f64,
    /// The place of each value, by code: its leaf in a tree, its rank by frequency among names, else its code.
    places: Vec<u32>,
    /// One more than the greatest place.
    length: u32,
    values: usize,
}

/// What a part of the space spans on one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) lo: u32,
    pub(super) hi: u32,
    /// How many different places are taken; counted only where [`Axis::needs_count`].
    pub(super) distinct: u32,
}

impl<'a> Axis<'a> {
    /// The axis of a column.
    pub(super) fn new(column: &'a Column) -> Self {
        let scale = Scale::of(column);
        let values = column.domain.len();
        let places = match scale {
            Scale::Names { .. } => ranks_by_frequency(column),
            Scale::Line(_) | Scale::Tree(_) => (0..values as u32).map(|code| scale.at(code)).collect(),
        };
        let length = places.iter().max().map_or(0, |place| place + 1);
        Axis { scale, weight: column.weight, places, length, values }
    }

    /// Where a value lies.
    pub(super) fn place(&self, code: u32) -> u32 {
        self.places[code as usize]
    }

    /// One more than the greatest place.
    pub(super) fn length(&self) -> usize {
        self.length as usize
    }

    /// How many values the column has.
    pub(super) fn values(&self) -> usize {
        self.values
    }

    /// Whether the cost depends on how many places are taken and not only on the outermost two.
    pub(super) fn needs_count(&self) -> bool {
        matches!(self.scale, Scale::Names { .. })
    }

    /// What a class with this extent loses on this axis, times the column's weight.
    pub(super) fn loss(&self, extent: Extent) -> f64 {
        let cost = match self.scale {
            Scale::Names { .. } => self.scale.set_cost(extent.distinct),
            Scale::Line(_) | Scale::Tree(_) => self.scale.span_cost(extent.lo, extent.hi),
        };
        cost * self.weight
    }

    /// Whether a part with this extent may be cut between two neighbouring places that are taken. In a tree
    /// only between the branches of the lowest node above all: any other cut leaves one side as it was.
    pub(super) fn may_cut(&self, extent: Extent, left: u32, right: u32) -> bool {
        match &self.scale {
            Scale::Tree(tree) => {
                let tree = tree.bound.tree();
                tree.lowest_common(left, right) == tree.lowest_common(extent.lo, extent.hi)
            }
            Scale::Line(_) | Scale::Names { .. } => true,
        }
    }
}
