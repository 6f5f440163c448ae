//! How wide what is published is, in the units of the column: what a person feels before they have read what NCP means.

use shoal_core::{Column, Kind, PublishedValue};

use super::Published;
use crate::QuasiColumn;

/// For each quasi-identifier of numbers or dates the mean width of what is published: 6.2 where an age is known within 6.2 years.
/// Dates in days. Suppressed records, and missing values, have no width and do not count; `*` in any other record is as wide
/// as the column. None for texts, and where no record has a value.
pub fn by_column(published: &Published<'_>) -> Vec<Option<f64>> {
    let sizes = published.starred().into_iter().zip(&published.classes.sizes);
    let starred: u64 = sizes.filter(|(starred, _)| *starred).map(|(_, size)| u64::from(*size)).sum();
    published.quasi.iter().map(|column| mean(column, starred)).collect()
}

/// `starred` records hold nothing but `*`.
fn mean(column: &QuasiColumn<'_>, starred: u64) -> Option<f64> {
    let unit = match column.original.domain.parser().kind() {
        Kind::Integer | Kind::Decimal => 1.0,
        // Positions of dates are seconds.
        Kind::Date => 24.0 * 60.0 * 60.0,
        Kind::Text => return None,
    };
    let (mut sum, mut records) = (0.0, 0);
    for (value, count) in &column.values {
        let count = if *value == PublishedValue::Suppressed { count.saturating_sub(starred) } else { *count };
        if let Some(width) = of_cell(value, column.original) {
            sum += width * count as f64;
            records += count;
        }
    }
    (records > 0).then(|| sum / records as f64 / unit)
}

fn of_cell(value: &PublishedValue, column: &Column) -> Option<f64> {
    let domain = &column.domain;
    // The missing value is the last code and has no position.
    let between = |codes: &mut dyn Iterator<Item = u32>| {
        let at: Vec<f64> = codes.filter_map(|code| domain.positions().get(code as usize).copied()).collect();
        let (lo, hi) = (at.iter().copied().reduce(f64::min)?, at.iter().copied().reduce(f64::max)?);
        Some(hi - lo)
    };
    match value {
        PublishedValue::Exact(code) => domain.positions().get(*code as usize).map(|_| 0.0),
        PublishedValue::Range { lo, hi } => match domain.positions() {
            // A range may reach beyond what occurs; nobody is there.
            [min, .., max] => Some((hi.min(*max) - lo.max(*min)).max(0.0)),
            _ => Some(0.0),
        },
        PublishedValue::Set(codes) => between(&mut codes.iter().copied()),
        PublishedValue::Node(node) => {
            let bound = column.hierarchy.as_ref()?;
            let leaves = bound.tree().leaves_below(*node);
            between(&mut (0..domain.len() as u32).filter(|&code| leaves.contains(&bound.leaf_of(code))))
        }
        PublishedValue::Suppressed => Some(domain.span()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use shoal_core::{Hierarchy, RawTable, Role};

    use super::*;

    fn column(kind: Kind, values: &[&str]) -> Column {
        let rows: Vec<Vec<&str>> = values.iter().map(|value| vec![*value]).collect();
        let raw = RawTable::from_rows(&["c"], &rows);
        Column::encode(&raw.columns[0], Role::QuasiIdentifier, kind, &["?".to_owned()]).unwrap()
    }

    #[test]
    fn a_cell_is_as_wide_as_the_values_that_it_could_stand_for() {
        let lines = [["20", "20s", "*"], ["29", "20s", "*"], ["60", "old", "*"]].map(Vec::from);
        let tree = Arc::new(Hierarchy::from_rows(&lines).unwrap());
        let ages = column(Kind::Integer, &["20", "29", "60", "?"]).with_hierarchy(&tree).unwrap();
        let width = |text: &str| {
            of_cell(&PublishedValue::parse(text, &ages.domain, ages.hierarchy.as_ref()).unwrap(), &ages)
        };
        assert_eq!(width("29"), Some(0.0));
        assert_eq!(width("20s"), Some(9.0));
        assert_eq!(width("old"), Some(0.0));
        assert_eq!(width("?"), None, "the missing value is nowhere");
        assert_eq!(
            of_cell(&PublishedValue::Range { lo: 0.0, hi: 30.0 }, &ages),
            Some(10.0),
            "nobody is below 20"
        );
        assert_eq!(of_cell(&PublishedValue::Set(vec![0, 2]), &ages), Some(40.0));
        assert_eq!(of_cell(&PublishedValue::Suppressed, &ages), Some(40.0));
    }
}
