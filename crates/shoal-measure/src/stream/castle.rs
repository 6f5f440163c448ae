//! Counting in castle's rows: the value is exact, and a condition on a generalized cell is true with the share of what
//! the cell covers, all of it alike and cells independent. A row counts with the product p of those shares.
//!
//! Values inside a cell are not alike, so such a count is biased and no variance says by how much: p·(1 − p) a row, added
//! up, gave errors of which two covered the truth in 49 of 100 counts. What is certain are bounds: every row that must be
//! counted is, and no more than may be, a suppressed row among them. The error that is given is half the way from the
//! count to the farther bound, so that the truth always lies within two of them. It is 0 where nothing is generalized.

use std::collections::BTreeMap;

use shoal_core::parse_range;
use shoal_core::stream::StreamLine;

use super::count::Ask;
use super::{Condition, Estimate, StreamMeasureError, WindowCounts, Windows};

/// A row that is spread over more windows than that is not looked at: who asks for such narrow windows of such wide
/// ranges learns nothing.
const MOST_WINDOWS: i64 = 10_000;

/// Counts in a stream of generalized rows.
pub(super) struct RowCounts<'q> {
    ask: &'q Ask<'q>,
}

impl<'q> RowCounts<'q> {
    pub(super) fn new(ask: &'q Ask<'q>) -> RowCounts<'q> {
        RowCounts { ask }
    }

    pub(super) fn count<'l>(
        &self,
        lines: impl Iterator<Item = (u64, StreamLine<'l>)>,
    ) -> Result<Vec<WindowCounts>, StreamMeasureError> {
        let asked = &self.ask.question.values;
        let mut windows: BTreeMap<i64, (f64, Vec<Bounds>)> = BTreeMap::new();
        let mut suppressed = 0.0;
        for (number, (line, content)) in lines.enumerate() {
            let StreamLine::Row { cells, value } = content else {
                return Err(StreamMeasureError::Alien { line });
            };
            if value == "*" && cells.iter().all(|cell| cell == "*") {
                suppressed += 1.0;
                continue;
            }
            let chance = self.ask.chance(&cells);
            if chance == 0.0 {
                continue;
            }
            let at = asked.iter().position(|asked| *asked == value);
            for (window, share) in self.windows(number as u64, &cells) {
                let chance = chance * share;
                let (tuples, bounds) =
                    windows.entry(window).or_insert_with(|| (0.0, vec![Bounds::default(); asked.len()]));
                *tuples += chance;
                if let Some(at) = at {
                    bounds[at].add(chance);
                }
            }
        }
        let answer = |(window, (tuples, bounds)): (i64, (f64, Vec<Bounds>))| WindowCounts {
            window,
            tuples,
            counts: bounds.into_iter().map(|bounds| bounds.estimate(suppressed)).collect(),
        };
        Ok(windows.into_iter().map(answer).collect())
    }

    /// The windows that a row may be in, each with its share.
    fn windows<C: AsRef<str>>(&self, number: u64, cells: &[C]) -> Vec<(i64, f64)> {
        let Windows::Width { column, width } = self.ask.question.windows else {
            let window = self.ask.question.windows.of(number, cells, self.ask.columns);
            return window.map(|window| (window, 1.0)).into_iter().collect();
        };
        let (of, extent) = (&self.ask.columns[column], &self.ask.extents[column]);
        let text = cells.get(column).map_or("", AsRef::as_ref);
        let exact = of.parser.position(text).map(|at| (at, at));
        let Some((lo, hi)) = exact.or_else(|| parse_range(text, &of.parser)) else { return Vec::new() };
        let (first, last) = ((lo / width).floor() as i64, (hi / width).floor() as i64);
        if last.saturating_sub(first) >= MOST_WINDOWS {
            return Vec::new();
        }
        let share = |window: i64| {
            let start = window as f64 * width;
            // A window ends right before the next one starts.
            let inside = Condition::Between { lo: start, hi: (start + width).next_down() };
            (window, inside.chance(text, of, extent))
        };
        (first..=last).map(share).filter(|(_, share)| *share > 0.0).collect()
    }
}

/// A count, and between what the truth lies.
#[derive(Clone, Copy, Default)]
struct Bounds {
    count: f64,
    least: f64,
    most: f64,
}

impl Bounds {
    fn add(&mut self, chance: f64) {
        self.count += chance;
        // A product of shares may miss 1 by a rounding; such a row is certain all the same.
        self.least += if chance > 1.0 - 1e-9 { 1.0 } else { 0.0 };
        self.most += 1.0;
    }

    /// A suppressed row may be anything, so it may be one of those that are counted.
    fn estimate(self, suppressed: f64) -> Estimate {
        let farthest = (self.count - self.least).max(self.most + suppressed - self.count);
        Estimate::new(self.count, (farthest / 2.0).powi(2))
    }
}
