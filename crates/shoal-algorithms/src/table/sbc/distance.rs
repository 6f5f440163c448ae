//! How far every value lies from the seed's, in whole numbers, so that equal distances are equal.

use shoal_core::Column;

use super::contingency::Contingency;
use super::similarity::SimilarityOrder;
use crate::table::points::Points;
use crate::table::recode::Line;

/// The distance 1 of a column with full share. Divisible by all numbers up to 36, so that the index
/// distances of most categories are exact fractions and ties are real ones.
const UNIT: f64 = 144_403_552_893_600.0;

/// The distances of all values to those of the current seed, column by column.
pub(super) struct Distances<'a> {
    k: usize,
    columns: Vec<Ruler<'a>>,
    /// Text columns by increasing cardinality, which is their order among all columns, too.
    categories: Vec<Category>,
}

/// The distance of each value of one column to the seed's value.
pub(super) enum Ruler<'a> {
    /// Looked up.
    Names(Vec<u64>),
    /// Along the line.
    Line { line: Line<'a>, seed: u32, unit: f64 },
}

struct Category {
    column: usize,
    context: Context,
    order: SimilarityOrder,
    counts: Vec<u32>,
    /// The distance of each index in the order of similarity.
    steps: Vec<u64>,
}

/// Where the counts of a category come from.
enum Context {
    /// At most two values: they are alike or not.
    Plain,
    /// The first category of all: its own frequencies.
    Frequency,
    /// The category before.
    Before(Contingency),
}

impl<'a> Distances<'a> {
    /// Prepares columns that are in order of increasing cardinality, over all points.
    pub(super) fn new(columns: &[&'a Column], points: &Points, k: usize, separate: bool) -> Self {
        let units = units(columns, separate);
        let texts: Vec<usize> = (0..columns.len()).filter(|&c| !columns[c].domain.is_ordered()).collect();
        let values = |c: usize| columns[c].domain.len();
        let category = |(nth, &column): (usize, &usize)| {
            let context = match nth.checked_sub(1).map(|before| texts[before]) {
                _ if values(column) <= 2 => Context::Plain,
                None => Context::Frequency,
                Some(before) => Context::Before(Contingency::count(
                    points,
                    (before, values(before)),
                    (column, values(column)),
                )),
            };
            Category::new(column, context, values(column), units[column], points)
        };
        let ruler = |(column, &unit): (&&'a Column, &f64)| match column.domain.is_ordered() {
            true => Ruler::Line { line: Line::of(&column.domain), seed: 0, unit },
            false => Ruler::Names(vec![0; column.domain.len()]),
        };
        Distances {
            k,
            columns: columns.iter().zip(&units).map(ruler).collect(),
            categories: texts.iter().enumerate().map(category).collect(),
        }
    }

    /// Measures from this seed on.
    pub(super) fn measure_from(&mut self, point: &[u32]) {
        for (ruler, &code) in self.columns.iter_mut().zip(point) {
            if let Ruler::Line { seed, .. } = ruler {
                *seed = code;
            }
        }
        // Each text column is seen where the seed's value of the text column before it is; the first has none before.
        let mut before = 0;
        for category in &mut self.categories {
            let own = point[category.column];
            if let Ruler::Names(table) = &mut self.columns[category.column] {
                category.measure(own, before, self.k, table);
            }
            before = own;
        }
    }

    /// Takes `records` of a point out of all counts.
    pub(super) fn remove(&mut self, point: &[u32], records: u32) {
        let mut before = 0;
        for category in &mut self.categories {
            let own = point[category.column];
            match &mut category.context {
                Context::Plain => {}
                Context::Frequency => category.counts[own as usize] -= records,
                Context::Before(contingency) => contingency.remove(before, own, records),
            }
            before = own;
        }
    }

    /// Every text column with the distance 1 in it and, where shares count, how often each value is observed
    /// from the current seed.
    pub(super) fn observed(&self) -> impl Iterator<Item = (usize, u64, Option<&[u32]>)> {
        self.categories.iter().map(|category| {
            let counts = match category.context {
                Context::Plain => None,
                _ => Some(category.counts.as_slice()),
            };
            (category.column, category.steps.last().copied().unwrap_or_default(), counts)
        })
    }

    /// The rulers, a column each.
    pub(super) fn rulers(&self) -> &[Ruler<'a>] {
        &self.columns
    }
}

impl Category {
    fn new(column: usize, context: Context, values: usize, unit: f64, points: &Points) -> Self {
        let mut counts = vec![0; values];
        if let Context::Frequency = context {
            for i in 0..points.len() {
                counts[points.point(i)[column] as usize] += points.weight(i);
            }
        }
        let last = values.saturating_sub(1).max(1) as u128;
        let steps = (0..values as u128).map(|index| (index * unit as u128 / last) as u64).collect();
        Category { column, context, order: SimilarityOrder::new(values), counts, steps }
    }

    fn measure(&mut self, own: u32, before: u32, k: usize, table: &mut [u64]) {
        match &self.context {
            Context::Plain => {
                let other = self.steps[self.steps.len() - 1];
                table.fill(other);
                table[own as usize] = 0;
                return;
            }
            Context::Frequency => {}
            Context::Before(contingency) => contingency.observe(before, k, &mut self.counts),
        }
        let indexes = self.order.indexes(&self.counts, own);
        for (distance, &index) in table.iter_mut().zip(indexes) {
            *distance = self.steps[index as usize];
        }
    }
}

impl Ruler<'_> {
    /// How far a value lies from the seed's.
    pub(super) fn distance(&self, code: u32) -> u64 {
        match self {
            Ruler::Names(table) => table[code as usize],
            Ruler::Line { line, seed, unit } => {
                // Rounded: a third of the line must be as far as a third of the names.
                (line.cost(code.min(*seed), code.max(*seed)) * unit + 0.5) as u64
            }
        }
    }

    /// Whether no value after `code` lies closer than it.
    pub(super) fn only_grows_after(&self, code: u32) -> bool {
        matches!(self, Ruler::Line { seed, .. } if code > *seed)
    }
}

/// The distance 1 of each column, by its share in the total. The largest share has the full unit.
fn units(columns: &[&Column], separate: bool) -> Vec<f64> {
    let group = |c: &Column| separate && c.domain.is_ordered();
    let group_weight = |of: bool| columns.iter().filter(|c| group(c) == of).map(|c| c.weight).sum::<f64>();
    let weights = [group_weight(false), group_weight(true)];
    let shares: Vec<f64> = columns.iter().map(|c| c.weight / weights[usize::from(group(c))]).collect();
    let largest = shares.iter().copied().fold(0.0, f64::max);
    shares.iter().map(|share| (UNIT * (share / largest)).round()).collect()
}
