use std::ops::Range;

use shoal_core::{Column, PublishedValue};

use crate::table::quasi::cardinality;

/// The leaves that a published value stands for, as ranges that do not overlap. The leaves of a column are
/// those of its hierarchy where there is one, else its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaves {
    ranges: Vec<Range<u32>>,
}

impl Leaves {
    /// What a published value covers.
    pub(super) fn of(value: &PublishedValue, column: &Column) -> Leaves {
        let one_by_one = |codes: Range<u32>| codes.map(|code| leaf(code, column)).collect();
        let ranges = match value {
            PublishedValue::Exact(code) => vec![leaf(*code, column)],
            PublishedValue::Range { lo, hi } => {
                let positions = column.domain.positions();
                let from = positions.partition_point(|at| at < lo) as u32;
                let to = positions.partition_point(|at| at <= hi) as u32;
                if column.hierarchy.is_some() {
                    one_by_one(from..to)
                } else {
                    std::iter::once(from..to).collect()
                }
            }
            PublishedValue::Set(codes) => codes.iter().map(|&code| leaf(code, column)).collect(),
            PublishedValue::Node(node) => {
                let below = column.hierarchy.as_ref().map(|bound| bound.tree().leaves_below(*node));
                below.into_iter().collect()
            }
            PublishedValue::Suppressed => std::iter::once(0..cardinality(column) as u32).collect(),
        };
        Leaves { ranges }
    }

    /// The probability that the value behind is among `asked` when all leaves are alike; 0 without a leaf.
    pub(super) fn chance(&self, asked: &Range<u32>) -> f64 {
        let shared = |range: &Range<u32>| {
            u64::from(range.end.min(asked.end).saturating_sub(range.start.max(asked.start)))
        };
        match self.ranges.iter().map(|range| range.len() as u64).sum::<u64>() {
            0 => 0.0,
            all => self.ranges.iter().map(shared).sum::<u64>() as f64 / all as f64,
        }
    }
}

/// The leaf of a value, as a range.
pub(super) fn leaf(code: u32, column: &Column) -> Range<u32> {
    let leaf = column.hierarchy.as_ref().map_or(code, |bound| bound.leaf_of(code));
    leaf..leaf + 1
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shoal_core::{Hierarchy, Kind, RawTable, Role};

    use super::*;

    #[test]
    fn a_range_covers_the_leaves_of_its_values_wherever_they_hang() {
        let raw = RawTable::from_rows(&["n"], &[["1"], ["2"], ["3"], ["4"]].map(Vec::from));
        // Leaves in the order 1, 3, 5, 2, 4; nobody has the 5.
        let lines =
            [["1", "odd", "*"], ["3", "odd", "*"], ["5", "odd", "*"], ["2", "even", "*"], ["4", "even", "*"]];
        let tree = Arc::new(Hierarchy::from_rows(&lines.map(Vec::from)).unwrap());
        let column = Column::encode(&raw.columns[0], Role::QuasiIdentifier, Kind::Integer, &[]).unwrap();
        let mut column = column.with_hierarchy(&tree).unwrap();

        let range = PublishedValue::Range { lo: 2.0, hi: 4.5 };
        assert_eq!(Leaves::of(&range, &column).ranges, [3..4, 1..2, 4..5]);
        let odd = tree.leaves_below(tree.node("odd").unwrap());
        let chance = |value: &PublishedValue| Leaves::of(value, &column).chance(&odd);
        assert_eq!(chance(&range), 1.0 / 3.0);
        assert_eq!(chance(&PublishedValue::Suppressed), 3.0 / 5.0);
        assert_eq!(chance(&PublishedValue::Set(vec![0, 1, 2])), 2.0 / 3.0);
        assert_eq!(chance(&PublishedValue::Range { lo: 7.0, hi: 9.0 }), 0.0);

        column.hierarchy = None;
        assert_eq!(Leaves::of(&range, &column).ranges, Vec::from_iter(std::iter::once(1..4)));
        assert_eq!(Leaves::of(&PublishedValue::Range { lo: 7.0, hi: 9.0 }, &column).chance(&(0..4)), 0.0);
    }
}
