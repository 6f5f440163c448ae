//! Monitoring queries (§6.4 of the paper): a count asked again in every window, against the truth.

use std::collections::{BTreeMap, HashMap};

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

/// Asks a question of the original and of what is published, and compares the answers window by window: for each value
/// that is asked for, how far they were off. `tuples` are in the order in which they arrived. A window that is missing on
/// one side counts 0 there.
pub fn monitor<'l>(
    method: Method<'_>,
    columns: &[GateColumn],
    extents: &[Extent],
    question: &Question,
    tuples: &[StreamTuple<'_>],
    lines: impl Iterator<Item = StreamLine<'l>>,
) -> Result<Vec<Monitoring>, StreamMeasureError> {
    let ask = Ask::new(columns, extents, question)?;
    let places: HashMap<&str, usize> = question.values.iter().map(String::as_str).zip(0..).collect();
    let none = || vec![Compared::default(); question.values.len()];
    let mut windows: BTreeMap<i64, Vec<Compared>> = BTreeMap::new();
    for (number, tuple) in (0..).zip(tuples) {
        if let Some(window) = question.windows.of(number, &tuple.cells, columns) {
            let compared = windows.entry(window).or_insert_with(none);
            if let Some(place) = places.get(&*tuple.value) {
                compared[*place].truth += ask.chance(&tuple.cells);
            }
        }
    }
    for WindowCounts { window, counts, .. } in count(method, columns, extents, question, lines)? {
        let compared = windows.entry(window).or_insert_with(none);
        for (compared, estimate) in compared.iter_mut().zip(counts) {
            (compared.estimate, compared.error) = (estimate.count, estimate.standard_error);
        }
    }
    let monitored = |place: usize| {
        let mean = |of: fn(&Compared) -> f64| {
            windows.values().map(|window| of(&window[place])).sum::<f64>() / windows.len().max(1) as f64
        };
        Monitoring {
            windows: windows.len(),
            mean_count: mean(|compared| compared.truth),
            mean_absolute_error: mean(|compared| (compared.estimate - compared.truth).abs()),
            mean_standard_error: mean(|compared| compared.error),
        }
    };
    Ok((0..question.values.len()).map(monitored).collect())
}

/// The answers of both sides for one value in one window.
#[derive(Clone, Copy, Default)]
struct Compared {
    truth: f64,
    estimate: f64,
    error: f64,
}
