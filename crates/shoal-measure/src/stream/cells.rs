//! What a cell of a published line says: how likely a condition is true of the value behind it, and how much was lost.

use std::collections::BTreeSet;
use std::ops::Range;

use shoal_core::{Kind, parse_range, parse_set};
use shoal_privacy::stream::GateColumn;

/// Which values a column has. What `*` may stand for, and what a range is compared with.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// The least position; of a column of text none.
    lo: f64,
    /// The greatest.
    hi: f64,
    /// The texts of a column that is not ordered.
    texts: BTreeSet<String>,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { lo: f64::INFINITY, hi: f64::NEG_INFINITY, texts: BTreeSet::new() }
    }
}

impl Extent {
    /// The extents of columns from lines of their cells, original or published.
    pub fn of<'c, C: AsRef<str> + 'c>(
        columns: &[GateColumn],
        rows: impl Iterator<Item = &'c [C]>,
    ) -> Vec<Extent> {
        let mut extents = vec![Extent::default(); columns.len()];
        for cells in rows {
            for ((extent, column), cell) in extents.iter_mut().zip(columns).zip(cells) {
                extent.see(cell.as_ref(), column);
            }
        }
        extents
    }

    /// Widens the extent by what a cell says.
    pub fn see(&mut self, text: &str, column: &GateColumn) {
        match Said::by(text, column) {
            Said::Position { lo, hi } => {
                self.lo = self.lo.min(lo);
                self.hi = self.hi.max(hi);
            }
            Said::Text if !self.texts.contains(text) => {
                self.texts.insert(text.to_owned());
            }
            Said::Set(members) => members.iter().for_each(|member| self.see(member, column)),
            Said::Text | Said::Leaves(_) | Said::Anything => {}
        }
    }
}

/// What a published text says about the value behind it.
enum Said {
    /// A number or a date, or a range of them.
    Position {
        lo: f64,
        hi: f64,
    },
    /// This text.
    Text,
    /// One of these.
    Set(Vec<String>),
    /// One of the leaves of the hierarchy.
    Leaves(Range<u32>),
    Anything,
}

impl Said {
    fn by(text: &str, column: &GateColumn) -> Said {
        if let Some(tree) = &column.hierarchy
            && let Some(node) = tree.node(text)
        {
            return Said::Leaves(tree.leaves_below(node));
        }
        if text == "*" {
            return Said::Anything;
        }
        if let Some(at) = column.parser.position(text) {
            return Said::Position { lo: at, hi: at };
        }
        if let Some((lo, hi)) = parse_range(text, &column.parser) {
            return Said::Position { lo, hi };
        }
        parse_set(text).map_or(Said::Text, Said::Set)
    }
}

/// Information loss of a cell (equations 3 and 4): (U − L) of the range over that of the column, or (values − 1) over
/// (all values − 1); 0 where the column has one value, and 1 for `*`.
pub(super) fn loss(text: &str, column: &GateColumn, extent: &Extent) -> f64 {
    let share = |values: usize, all: usize| {
        if all > 1 { (values.saturating_sub(1) as f64 / (all - 1) as f64).min(1.0) } else { 0.0 }
    };
    match Said::by(text, column) {
        Said::Anything => 1.0,
        Said::Text => 0.0,
        Said::Position { lo, hi } => {
            let span = extent.hi - extent.lo;
            if span > 0.0 { ((hi.min(extent.hi) - lo.max(extent.lo)) / span).max(0.0) } else { 0.0 }
        }
        Said::Set(members) => share(members.len(), extent.texts.len()),
        Said::Leaves(leaves) => {
            let all = column.hierarchy.as_ref().map_or(0, |tree| tree.leaf_count() as usize);
            share(leaves.len(), all)
        }
    }
}

/// A condition on one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The cell, counted from 0.
    pub column: usize,
    /// What its value must be.
    pub condition: Condition,
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// One of these texts, or below one of these nodes of the column's hierarchy.
    OneOf(Vec<String>),
    /// A number, or a date in days since 1970, from `lo` to `hi`, both included.
    Between {
        /// The least.
        lo: f64,
        /// The greatest.
        hi: f64,
    },
}

impl Condition {
    /// The probability that the condition is true of the value behind a cell, when all values that the cell may stand
    /// for are alike: 1 or 0 where the cell is exact.
    pub(super) fn chance(&self, text: &str, column: &GateColumn, extent: &Extent) -> f64 {
        match Said::by(text, column) {
            Said::Position { lo, hi } => self.chance_in_range(lo, hi, column),
            Said::Text => f64::from(u8::from(self.holds_text(text, column))),
            Said::Set(members) => {
                let held = members.iter().map(|member| self.chance(member, column, extent));
                held.sum::<f64>() / members.len() as f64
            }
            Said::Leaves(leaves) => self.chance_in_leaves(&leaves, column),
            Said::Anything if column.hierarchy.is_some() => {
                let all = column.hierarchy.as_ref().map_or(0, |tree| tree.leaf_count());
                self.chance_in_leaves(&(0..all), column)
            }
            Said::Anything if column.parser.kind().is_ordered() => {
                if extent.lo <= extent.hi {
                    self.chance_in_range(extent.lo, extent.hi, column)
                } else {
                    0.0
                }
            }
            Said::Anything => {
                let held = extent.texts.iter().filter(|text| self.holds_text(text, column)).count();
                held as f64 / extent.texts.len().max(1) as f64
            }
        }
    }

    fn holds_text(&self, text: &str, column: &GateColumn) -> bool {
        match self {
            Condition::OneOf(texts) => texts.iter().any(|asked| asked == text),
            Condition::Between { lo, hi } => {
                column.parser.position(text).is_some_and(|at| *lo <= at && at <= *hi)
            }
        }
    }

    fn chance_in_range(&self, lo: f64, hi: f64, column: &GateColumn) -> f64 {
        match self {
            Condition::Between { lo: from, hi: to } => overlap((lo, hi), (*from, *to), column),
            Condition::OneOf(texts) => {
                let mut asked: Vec<f64> =
                    texts.iter().filter_map(|text| column.parser.position(text)).collect();
                asked.sort_unstable_by(f64::total_cmp);
                asked.dedup();
                asked.into_iter().map(|at| overlap((lo, hi), (at, at), column)).sum()
            }
        }
    }

    fn chance_in_leaves(&self, leaves: &Range<u32>, column: &GateColumn) -> f64 {
        let Some(tree) = &column.hierarchy else { return 0.0 };
        let asked: Vec<Range<u32>> = match self {
            Condition::OneOf(texts) => {
                texts.iter().filter_map(|text| tree.node(text)).map(|node| tree.leaves_below(node)).collect()
            }
            Condition::Between { .. } => {
                let label = |leaf: u32| tree.label(tree.leaf_node(leaf));
                leaves
                    .clone()
                    .filter(|leaf| self.holds_text(label(*leaf), column))
                    .map(|leaf| leaf..leaf + 1)
                    .collect()
            }
        };
        let held = leaves.clone().filter(|leaf| asked.iter().any(|range| range.contains(leaf))).count();
        held as f64 / leaves.len().max(1) as f64
    }
}

/// The share of a range that lies in another. Whole numbers, and dates at midnight, are counted; others are measured.
fn overlap((lo, hi): (f64, f64), (from, to): (f64, f64), column: &GateColumn) -> f64 {
    let (start, end) = (lo.max(from), hi.min(to));
    if start > end {
        return 0.0;
    }
    let is_whole = |at: f64| at.fract() == 0.0;
    let counted = match column.parser.kind() {
        Kind::Integer => true,
        Kind::Date => is_whole(lo) && is_whole(hi),
        Kind::Decimal | Kind::Text => false,
    };
    if counted {
        ((end.floor() - start.ceil() + 1.0) / (hi - lo + 1.0)).max(0.0)
    } else if hi > lo {
        (end - start) / (hi - lo)
    } else {
        1.0
    }
}
