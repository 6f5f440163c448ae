//! The columns as the stream has shown them so far, and what a box loses in them.

use serde::{Deserialize, Serialize};
use shoal_core::Hierarchy;

use super::region::{Region, RegionView, Span};
use super::tree::Tree;
use super::{CastleCell, CastleError, CastleValue};

/// How a quasi-identifier is published.
#[derive(Clone, Debug)]
pub enum CastleColumn<'a> {
    /// Numbers (dates, too), published as ranges.
    Number,
    /// Codes without an order, published as sets.
    Set,
    /// Leaves of a hierarchy, by their number, published as nodes.
    Tree(&'a Hierarchy),
}

/// Stands for a missing number: beyond all others, so that a span that reaches it is one that mixes.
const MISSING: f64 = f64::MAX;

/// The difference of two numbers up to this one is finite.
const GREATEST: f64 = f64::MAX / 4.0;

/// The span of a column without order: it covers every code, since only the set counts.
const WHOLE: Span = Span { lo: -GREATEST, hi: GREATEST };

/// The columns. `IL` of the paper is relative to what was seen, since the domain of a stream is not known beforehand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Space {
    columns: Vec<Column>,
    /// What a unit of each column's span costs: one over the width of its domain, 0 where sets are published.
    #[serde(with = "super::bits")]
    unit: Vec<f64>,
    /// The columns without order; a box has its sets in the same order.
    set_columns: Vec<usize>,
    /// What each further code costs in these.
    #[serde(with = "super::bits")]
    set_unit: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Column {
    /// The numbers seen so far; none where the bounds are the wrong way round.
    Number(Span),
    /// The codes seen so far, ascending.
    Set(Vec<u32>),
    Tree(Tree),
}

impl Space {
    pub(super) fn new(columns: &[CastleColumn<'_>]) -> Result<Space, CastleError> {
        if columns.is_empty() {
            return Err(CastleError::NoColumns);
        }
        let new = |column: &CastleColumn<'_>| match column {
            CastleColumn::Number => Column::Number(Span { lo: f64::MAX, hi: f64::MIN }),
            CastleColumn::Set => Column::Set(Vec::new()),
            CastleColumn::Tree(tree) => Column::Tree(Tree::new(tree)),
        };
        let columns: Vec<Column> = columns.iter().map(new).collect();
        let unit = |column: &Column| match column {
            Column::Number(_) => 1.0,
            Column::Set(_) => 0.0,
            Column::Tree(tree) => 1.0 / f64::from(tree.leaves().max(2) - 1),
        };
        let set_columns: Vec<usize> =
            (0..columns.len()).filter(|at| matches!(columns[*at], Column::Set(_))).collect();
        Ok(Space {
            unit: columns.iter().map(unit).collect(),
            set_unit: vec![0.0; set_columns.len()],
            set_columns,
            columns,
        })
    }

    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// All cells as numbers: codes and leaves, too, which are exact.
    pub(super) fn encode(&self, quasi: &[CastleValue]) -> Result<Vec<f64>, CastleError> {
        if quasi.len() != self.columns.len() {
            return Err(CastleError::Width { expected: self.columns.len(), found: quasi.len() });
        }
        let cells = self.columns.iter().zip(quasi).enumerate();
        cells
            .map(|(at, (column, value))| match (column, *value) {
                (Column::Number(_), CastleValue::Missing) => Ok(MISSING),
                // Zero has one sign, so that equal boxes look equal.
                (Column::Number(_), CastleValue::Number(x)) if x.abs() <= GREATEST => Ok(x + 0.0),
                (Column::Number(_), CastleValue::Number(value)) => {
                    Err(CastleError::NoNumber { column: at, value })
                }
                (Column::Set(_), CastleValue::Code(code)) => Ok(f64::from(code)),
                (Column::Tree(tree), CastleValue::Code(leaf)) if leaf < tree.leaves() => Ok(f64::from(leaf)),
                (Column::Tree(tree), CastleValue::Code(leaf)) => {
                    Err(CastleError::NoLeaf { column: at, leaf, leaves: tree.leaves() })
                }
                _ => Err(CastleError::Kind { column: at }),
            })
            .collect()
    }

    /// Lets the domains grow.
    pub(super) fn observe(&mut self, cells: &[f64]) {
        for ((column, unit), &x) in self.columns.iter_mut().zip(&mut self.unit).zip(cells) {
            if let Column::Number(seen) = column
                && x < MISSING
                && !seen.holds(x)
            {
                *seen = seen.with(x);
                *unit = if seen.hi > seen.lo { 1.0 / (seen.hi - seen.lo) } else { 1.0 };
            }
        }
        for (&at, unit) in self.set_columns.iter().zip(&mut self.set_unit) {
            if let Column::Set(seen) = &mut self.columns[at]
                && let Err(place) = seen.binary_search(&(cells[at] as u32))
            {
                seen.insert(place, cells[at] as u32);
                *unit = 1.0 / (seen.len().max(2) - 1) as f64;
            }
        }
    }

    /// The box of one tuple.
    pub(super) fn point(&self, cells: &[f64]) -> Region {
        let span = |(column, &x): (&Column, &f64)| match column {
            Column::Set(_) => WHOLE,
            Column::Number(_) | Column::Tree(_) => Span { lo: x, hi: x },
        };
        Region {
            spans: self.columns.iter().zip(cells).map(span).collect(),
            sets: self.set_columns.iter().map(|at| vec![cells[*at] as u32]).collect(),
        }
    }

    /// Widens a box such that it covers a tuple.
    pub(super) fn include(&self, region: &mut Region, cells: &[f64]) {
        for ((column, span), &x) in self.columns.iter().zip(&mut region.spans).zip(cells) {
            *span = column.widen(span.with(x));
        }
        for (&at, set) in self.set_columns.iter().zip(&mut region.sets) {
            if let Err(place) = set.binary_search(&(cells[at] as u32)) {
                set.insert(place, cells[at] as u32);
            }
        }
    }

    /// Widens a box such that it covers another.
    pub(super) fn include_region(&self, region: &mut Region, other: RegionView<'_>) {
        for ((column, span), with) in self.columns.iter().zip(&mut region.spans).zip(other.spans) {
            *span = column.widen(span.with(with.lo).with(with.hi));
        }
        for (set, with) in region.sets.iter_mut().zip(other.sets) {
            set.extend(with);
            set.sort_unstable();
            set.dedup();
        }
    }

    /// The least box around some tuples; none around nothing.
    pub(super) fn around<'a>(&self, mut tuples: impl Iterator<Item = &'a [f64]>) -> Option<Region> {
        let mut region = self.point(tuples.next()?);
        tuples.for_each(|cells| self.include(&mut region, cells));
        Some(region)
    }

    /// Whether a tuple lies in a box.
    pub(super) fn covers(&self, region: RegionView<'_>, cells: &[f64]) -> bool {
        // All spans are looked at: that is faster than to guess where the first miss is.
        self.covers_numbers(region, cells)
            && self.set_columns.iter().zip(region.sets).all(|(at, set)| holds(set, cells[*at] as u32))
    }

    /// The same where it is known that the box holds all names of the tuple.
    pub(super) fn covers_numbers(&self, region: RegionView<'_>, cells: &[f64]) -> bool {
        region.spans.iter().zip(cells).fold(true, |inside, (span, &x)| inside & span.holds(x))
    }

    /// What a unit of each column costs. As long as these are the same, so is the loss of a box.
    pub(super) fn units(&self) -> impl Iterator<Item = f64> + '_ {
        self.unit.iter().chain(&self.set_unit).copied()
    }

    /// How many columns name values, so that there is an index of them: those without order, and hierarchies of few leaves.
    pub(super) fn named_columns(&self) -> usize {
        self.set_columns.len() + self.small_trees().count()
    }

    /// The values of a tuple in these columns.
    pub(super) fn names<'a>(&'a self, cells: &'a [f64]) -> impl Iterator<Item = u32> + 'a {
        let sets = self.set_columns.iter().copied();
        sets.chain(self.small_trees()).map(|at| cells[at] as u32)
    }

    /// One value of a box in each of these columns.
    pub(super) fn some_names<'a>(&'a self, region: RegionView<'a>) -> impl Iterator<Item = u32> + 'a {
        let sets = region.sets.iter().map(|set| set[0]);
        sets.chain(self.small_trees().map(move |at| region.spans[at].lo as u32))
    }

    /// All values of a box in these columns, each with the number of its column among them.
    pub(super) fn each_name(&self, region: RegionView<'_>, mut see: impl FnMut(usize, u32)) {
        for (column, set) in region.sets.iter().enumerate() {
            set.iter().for_each(|&code| see(column, code));
        }
        for (column, at) in (region.sets.len()..).zip(self.small_trees()) {
            let span = region.spans[at];
            (span.lo as u32..=span.hi as u32).for_each(|leaf| see(column, leaf));
        }
    }

    fn small_trees(&self) -> impl Iterator<Item = usize> + '_ {
        // A class that spans all leaves of a tree is listed at each of them.
        const FEW: u32 = 1024;
        let is_small = |at: &usize| matches!(&self.columns[*at], Column::Tree(tree) if tree.leaves() <= FEW);
        (0..self.columns.len()).filter(is_small)
    }

    /// What a box loses: the mean over the columns of the share of the domain that it spans.
    pub(super) fn loss(&self, region: RegionView<'_>) -> f64 {
        let spans = region.spans.iter().zip(&self.unit).map(|(span, unit)| span_loss(*span, *unit));
        let sets = region.sets.iter().zip(&self.set_unit).map(|(set, unit)| set_loss(set.len(), *unit));
        (spans.sum::<f64>() + sets.sum::<f64>()) / self.columns.len() as f64
    }

    /// What a box would lose with one more tuple.
    pub(super) fn loss_with(&self, region: RegionView<'_>, cells: &[f64]) -> f64 {
        self.loss_within(region, cells, f64::INFINITY).unwrap_or(f64::INFINITY)
    }

    /// The same if it is at most `most`; nothing where it is more, which a few columns often show already.
    pub(super) fn loss_within(&self, region: RegionView<'_>, cells: &[f64], most: f64) -> Option<f64> {
        let width = self.columns.len() as f64;
        let mut spans = 0.0;
        let columns = self.columns.iter().zip(&self.unit);
        for ((span, &x), (column, &unit)) in region.spans.iter().zip(cells).zip(columns) {
            // Of a column without order only the set counts.
            if unit == 0.0 {
                continue;
            }
            let with = span.with(x);
            spans += match column {
                Column::Tree(tree) if with != *span => span_loss(tree.widen(with), unit),
                _ => span_loss(with, unit),
            };
        }
        // No column loses less than nothing, so that a part of the sum is never above the whole, however it is rounded.
        let mut sets = 0.0;
        for ((set, at), unit) in region.sets.iter().zip(&self.set_columns).zip(&self.set_unit) {
            if (spans + sets) / width > most {
                return None;
            }
            let new = !holds(set, cells[*at] as u32);
            sets += set_loss(set.len() + usize::from(new), *unit);
        }
        let loss = (spans + sets) / width;
        (loss <= most).then_some(loss)
    }

    /// A box as it is published.
    pub(super) fn publish(&self, region: RegionView<'_>) -> Vec<CastleCell> {
        let mut sets = region.sets.iter();
        let columns = self.columns.iter().zip(region.spans);
        columns
            .map(|(column, span)| match column {
                Column::Number(_) if span.lo == MISSING => CastleCell::Missing,
                Column::Number(_) if span.hi == MISSING => CastleCell::Any,
                Column::Number(_) => CastleCell::Range(span.lo, span.hi),
                Column::Tree(tree) => CastleCell::Node(tree.node(*span)),
                Column::Set(_) => CastleCell::Set(sets.next().cloned().unwrap_or_default()),
            })
            .collect()
    }
}

impl Column {
    /// What is published for a span: all leaves of a node, and everything where numbers stand beside missing ones.
    fn widen(&self, span: Span) -> Span {
        match self {
            Column::Number(_) if span.hi == MISSING && span.lo < MISSING => Span { lo: f64::MIN, ..span },
            Column::Tree(tree) => tree.widen(span),
            Column::Number(_) | Column::Set(_) => span,
        }
    }
}

/// The whole domain, and no more, where a span reaches a missing number.
fn span_loss(span: Span, unit: f64) -> f64 {
    ((span.hi - span.lo) * unit).min(1.0)
}

/// Whether a set, ascending, holds a code. Most sets are small, and a few codes are compared faster than they are searched.
fn holds(set: &[u32], code: u32) -> bool {
    const FEW: usize = 16;
    if set.len() <= FEW { set.contains(&code) } else { set.binary_search(&code).is_ok() }
}

fn set_loss(size: usize, unit: f64) -> f64 {
    (size - 1) as f64 * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers seen from 0 to 10, codes 1 to 5, a hierarchy of four leaves.
    fn space() -> Space {
        let rows = [vec!["a", "A", "*"], vec!["b", "A", "*"], vec!["c", "C", "*"], vec!["d", "C", "*"]];
        let tree = Hierarchy::from_rows(&rows).unwrap();
        let columns = [CastleColumn::Number, CastleColumn::Set, CastleColumn::Tree(&tree)];
        let mut space = Space::new(&columns).unwrap();
        for cells in
            [[0.0, 1.0, 0.0], [10.0, 2.0, 0.0], [MISSING, 3.0, 0.0], [5.0, 4.0, 0.0], [5.0, 5.0, 0.0]]
        {
            space.observe(&cells);
        }
        space
    }

    #[test]
    fn losses_are_shares_of_what_was_seen() {
        let space = space();
        let mut region = space.point(&[2.0, 1.0, 0.0]);
        assert_eq!(space.loss(region.view()), 0.0);
        let expected = (0.5 + 0.25 + 1.0 / 3.0) / 3.0;
        assert!((space.loss_with(region.view(), &[7.0, 4.0, 1.0]) - expected).abs() < 1e-12);
        space.include(&mut region, &[7.0, 4.0, 1.0]);
        assert!((space.loss(region.view()) - expected).abs() < 1e-12);
        assert!(space.covers(region.view(), &[3.0, 4.0, 1.0]));
        assert!(!space.covers(region.view(), &[3.0, 3.0, 1.0]));
        assert!(!space.covers(region.view(), &[3.0, 4.0, 2.0]));
        assert!(!space.covers(region.view(), &[8.0, 4.0, 1.0]));
    }

    #[test]
    fn a_missing_number_is_at_home_among_its_kind_and_costs_all_among_numbers() {
        let space = space();
        let mut region = space.point(&[MISSING, 1.0, 0.0]);
        assert_eq!(space.publish(region.view())[0], CastleCell::Missing);
        assert_eq!(space.loss_with(region.view(), &[MISSING, 1.0, 0.0]), 0.0);
        assert_eq!(space.loss_with(region.view(), &[10.0, 1.0, 0.0]), 1.0 / 3.0);
        space.include(&mut region, &[10.0, 1.0, 0.0]);
        assert_eq!(space.publish(region.view())[0], CastleCell::Any);
        assert_eq!(space.loss(region.view()), 1.0 / 3.0);
        assert!(space.covers(region.view(), &[-4.0, 1.0, 0.0]));
    }

    #[test]
    fn the_loss_is_one_for_a_missing_number_beside_the_only_number_ever_seen() {
        let mut space = Space::new(&[CastleColumn::Number]).unwrap();
        space.observe(&[3.0]);
        assert_eq!(space.loss_with(space.point(&[3.0]).view(), &[MISSING]), 1.0);
        assert_eq!(space.loss_with(space.point(&[3.0]).view(), &[3.0]), 0.0);
        assert_eq!(Space::new(&[]), Err(CastleError::NoColumns));
    }
}
