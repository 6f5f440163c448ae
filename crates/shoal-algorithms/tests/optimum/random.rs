//! Small random tables, always the same ones.

use shoal_core::{Hierarchy, Kind, SplitMix64, Table, mix};

use crate::tables::{Shape, table};

/// A source of numbers.
pub(crate) struct Draws(SplitMix64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        // Far apart, or neighbouring seeds would draw the same numbers, shifted by one.
        Draws(SplitMix64(mix(seed)))
    }

    /// A number from `lo` to `hi`.
    pub(crate) fn within(&mut self, lo: u64, hi: u64) -> u64 {
        lo + self.0.below(hi - lo + 1)
    }
}

/// Up to four columns of numbers or names, a third of them with a hierarchy, some values missing, of unequal weight.
pub(crate) fn random_table(seed: u64, rows: usize) -> Table {
    let mut draws = Draws::new(seed);
    let columns = draws.within(1, 4) as usize;
    let shapes: Vec<(Shape, u64)> = (0..columns).map(|_| column(&mut draws)).collect();
    let mut cell = |values: u64| match draws.within(0, 29) {
        0 => "?".to_owned(),
        _ => number(draws.within(0, values - 1)).to_string(),
    };
    let cells: Vec<Vec<String>> =
        (0..rows).map(|_| shapes.iter().map(|(_, values)| cell(*values)).collect()).collect();
    let shapes: Vec<Shape> = shapes.into_iter().map(|(shape, _)| shape).collect();
    table(&shapes, &cells)
}

/// A column and how many values it may have.
fn column(draws: &mut Draws) -> (Shape, u64) {
    let values = draws.within(2, 16);
    let kind = if draws.within(0, 1) == 0 { Kind::Integer } else { Kind::Text };
    let weight = draws.within(1, 3) as f64;
    let tree = (draws.within(0, 2) == 0).then(|| {
        let groups = draws.within(1, 4);
        let mut leaf = |value: u64| {
            let group = draws.within(0, groups - 1);
            let above = if group < 2 { "low" } else { "high" };
            vec![number(value).to_string(), format!("g{group}"), above.to_owned(), "*".to_owned()]
        };
        Hierarchy::from_rows(&(0..values).map(&mut leaf).collect::<Vec<_>>()).unwrap()
    });
    (Shape { kind, weight, tree }, values)
}

/// Numbers of unequal distance.
fn number(value: u64) -> u64 {
    value * value
}
