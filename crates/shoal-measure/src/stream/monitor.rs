//! Monitoring queries (§6.4 of the paper): a count asked again in every window, against the truth.

use std::collections::BTreeMap;

use serde::Serialize;
use shoal_core::stream::{StreamLine, StreamTuple};
use shoal_privacy::stream::GateColumn;

use super::count::Ask;
use super::{Extent, Method, Question, StreamMeasureError, WindowCounts, count};

/// How far the answers of one query were off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Monitoring {
    /// Windows, of the original or of what is published.
    pub windows: usize,
    /// The mean of the true counts.
    pub mean_count: f64,
    /// The mean of |estimate − truth|.
    pub mean_absolute_error: f64,
    /// The mean of the estimated standard errors.
    pub mean_standard_error: f64,
}

/// Asks a question about its first value, of the original and of what is published, and compares the answers window by
/// window. `tuples` are in the order in which they arrived. A window that is missing on one side counts 0 there.
pub fn monitor<'l>(
    method: Method<'_>,
    columns: &[GateColumn],
    extents: &[Extent],
    question: &Question,
    tuples: &[StreamTuple<'_>],
    lines: impl Iterator<Item = StreamLine<'l>>,
) -> Result<Monitoring, StreamMeasureError> {
    let ask = Ask::new(columns, extents, question)?;
    let mut both: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
    for (number, tuple) in (0..).zip(tuples) {
        if let Some(window) = question.windows.of(number, &tuple.cells, columns) {
            let is_counted = question.values.first().is_some_and(|value| *value == tuple.value);
            let counted = if is_counted { ask.chance(&tuple.cells) } else { 0.0 };
            both.entry(window).or_default().0 += counted;
        }
    }
    for WindowCounts { window, counts, .. } in count(method, columns, extents, question, lines)? {
        let (_, estimate, error) = both.entry(window).or_default();
        if let Some(first) = counts.first() {
            (*estimate, *error) = (first.count, first.standard_error);
        }
    }
    let mean =
        |of: fn(&(f64, f64, f64)) -> f64| both.values().map(of).sum::<f64>() / both.len().max(1) as f64;
    Ok(Monitoring {
        windows: both.len(),
        mean_count: mean(|(truth, _, _)| *truth),
        mean_absolute_error: mean(|(truth, estimate, _)| (estimate - truth).abs()),
        mean_standard_error: mean(|(_, _, error)| *error),
    })
}
