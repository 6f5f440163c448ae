//! Counting in castle's rows: the value is exact, and a condition on a generalized cell is true with the share of what
//! the cell covers, all of it alike and cells independent. A row counts with the product p of those shares, and adds
//! p·(1 − p) to the variance. Of a suppressed row nothing is known, and it is not counted.

use shoal_core::parse_range;
use shoal_core::stream::StreamLine;

use super::count::{Ask, Sums};
use super::{Condition, StreamMeasureError, WindowCounts, Windows};

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
        let mut sums = Sums::new(asked.len());
        for (number, (line, content)) in lines.enumerate() {
            let StreamLine::Row { cells, value } = content else {
                return Err(StreamMeasureError::Alien { line });
            };
            if value == "*" && cells.iter().all(|cell| cell == "*") {
                continue;
            }
            let chance = self.ask.chance(&cells);
            if chance == 0.0 {
                continue;
            }
            for (window, share) in self.windows(number as u64, &cells) {
                let chance = chance * share;
                let sums = sums.add(window, chance);
                if let Some(at) = asked.iter().position(|asked| *asked == value) {
                    sums[at].count += chance;
                    sums[at].variance += chance * (1.0 - chance);
                }
            }
        }
        Ok(sums.finish())
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
