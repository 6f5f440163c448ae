//! What a published stream lost, and what can be counted in it: with the original at hand against the truth, without it
//! as anybody would who has the published lines, the policy and the prior.

use std::collections::BTreeMap;

use serde::Serialize;
use shoal_core::stream::{StreamDesign, StreamLine, StreamPromise, StreamTuple};
use shoal_measure::stream::{
    Condition, CountEstimator, Extent, Guesses, Method, Monitoring, Predicate, Question, StreamLoss, Windows,
    count, monitor, sau_bound,
};
use shoal_privacy::stream::GateColumn;

use super::attack::{attack, shown};
use super::lines::{StreamText, original, published};
use super::{SensitiveValues, StreamBinding, bind};
use crate::{PipelineError, Request};

/// What is said of counts in the paper's mode.
const BIASED: &str = "counts in mode paper are biased: counterfeits that nobody has made true take from common values, \
                      and tuples of a group are not alike; the standard errors do not cover that";
/// What is said of counts in castle's rows.
const RANGES: &str = "counts in castle's ranges, sets and nodes are biased: what they cover is taken to be spread evenly, and it is \
                      not; their errors are not standard errors but half the way to the farther of two certain bounds, so \
                      the truth lies within two of them; 0 means exact";
/// What is said of counts in a hardened one.
const DIFFERENT_PEOPLE: &str =
    "counts are unbiased; the standard errors suppose that people do not return with the same value";

/// What is said where lines show strata.
const IN_STRATA: &str =
    "conditions on a part of a band, node or set suppose that people are spread evenly over it";
/// What is said where it is not known whose line is whose.
const NOT_PAIRED: &str = "the original does not belong to these lines tuple by tuple (other tuples, or dead letters between \
                          them), so it cannot be said which guesses of the adversary are right";
/// What is said of castle.
const NO_ADVERSARY: &str = "castle publishes sensitive values as they are, in crowds: there is nothing for an adversary to guess \
                            from sets of values; its promise is k, and l where it is asked for";

/// What is asked of a published stream.
#[derive(Clone, Debug, Default)]
pub struct StreamQuestion {
    /// The sensitive values to count; all where there are none.
    pub values: Vec<String>,
    /// `COLUMN=VALUE`, `COLUMN=VALUE|VALUE` or `COLUMN=LOW..HIGH`, all of which must be true.
    pub conditions: Vec<String>,
    /// Into how many windows of equally many tuples the stream is cut.
    pub windows: Option<u64>,
    /// `COLUMN=WIDTH`: windows of that width in an ordered column; days for dates.
    pub every: Option<String>,
}

/// What was measured.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamMeasured {
    /// Tuples of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuples_in: Option<usize>,
    /// Lines of the original that are not tuples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_lines: Option<u64>,
    /// What was lost.
    pub loss: StreamLoss,
    /// What no method can bring SAU below, from the shares of the original's values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sau_bound: Option<f64>,
    /// How often an adversary guesses values who has nothing but these lines and the design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adversary: Option<Guesses>,
    /// The answers, window by window.
    pub counts: Vec<WindowAnswer>,
    /// How far the answers were off, value by value, where the original is at hand.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub monitoring: BTreeMap<String, Monitoring>,
    /// What should be known about the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<&'static str>,
}

/// The answers for one window.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct WindowAnswer {
    /// The window's number; 0 where there is only one.
    pub window: i64,
    /// Tuples of which the conditions are true.
    pub tuples: f64,
    /// The estimated counts.
    pub counts: Vec<ValueCount>,
}

/// An estimated count.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ValueCount {
    /// The sensitive value.
    pub value: String,
    /// The estimate; unbiased, so it may be below 0.
    pub count: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Measures a published stream, against its original where that is at hand. `learned` is what the run has learned that
/// published it, where that is known.
pub fn measure(
    request: &Request,
    learned: Option<&SensitiveValues>,
    original_text: Option<StreamText<'_>>,
    published_text: StreamText<'_>,
    question: &StreamQuestion,
) -> Result<StreamMeasured, PipelineError> {
    let binding = bind(request);
    let lines = published(&binding.layout, published_text)?;
    let (tuples, broken_lines) = match original_text {
        Some(text) => {
            let (tuples, broken) = original(request, &binding.layout, text)?;
            (Some(tuples), Some(broken))
        }
        None => (None, None),
    };
    let extents = match &tuples {
        Some(tuples) => Extent::of(&binding.columns, tuples.iter().map(|tuple| &tuple.cells[..])),
        None => Extent::of(&binding.columns, lines.iter().filter_map(cells_of)),
    };
    let loss = StreamLoss::of(&binding.columns, &extents, lines.iter().cloned())?;
    let design = match (binding.promise, binding.values_of_design(learned)) {
        (StreamPromise::Sets { .. }, Some(values)) => Some(binding.design(request, values)?),
        (StreamPromise::Sets { .. }, None) => return Err(PipelineError::NoPrior),
        (StreamPromise::Groups { .. } | StreamPromise::Crowds { .. }, _) => None,
    };
    let estimators = match &design {
        Some(design) => design.all_sets().iter().map(CountEstimator::new).collect::<Result<Vec<_>, _>>(),
        None => Ok(Vec::new()),
    };
    let estimators = estimators.map_err(PipelineError::Estimator)?;
    let method = match (&design, binding.promise) {
        (Some(design), _) => Method::Strata { estimators: &estimators, design },
        (None, StreamPromise::Groups { .. }) => Method::Groups,
        (None, _) => Method::Rows,
    };
    let shown = tuples.as_ref().and_then(|tuples| shown(&binding, tuples, &lines, design.as_ref()));
    let adversary = attack(&binding, &lines, design.as_ref(), shown.as_deref())?;
    let asked = ask(&binding, question, &lines, design.as_ref(), loss.tuples)?;
    let counts = count(method, &binding.columns, &extents, &asked, lines.iter().cloned())?;
    let mut monitoring = BTreeMap::new();
    if let Some(tuples) = &tuples {
        // The truth about those who are published; castle's lines do not say whose they are.
        let tuples = shown.as_deref().unwrap_or(tuples);
        let found = monitor(method, &binding.columns, &extents, &asked, tuples, lines.iter().cloned())?;
        monitoring.extend(asked.values.iter().cloned().zip(found));
    }
    let answer = |window: shoal_measure::stream::WindowCounts| WindowAnswer {
        window: window.window,
        tuples: window.tuples,
        counts: asked
            .values
            .iter()
            .zip(&window.counts)
            .map(|(value, estimate)| ValueCount {
                value: value.clone(),
                count: estimate.count,
                standard_error: estimate.standard_error,
            })
            .collect(),
    };
    Ok(StreamMeasured {
        tuples_in: tuples.as_ref().map(Vec::len),
        broken_lines,
        sau_bound: match (binding.promise, &tuples) {
            (StreamPromise::Groups { l, .. }, Some(tuples)) => Some(sau_bound(l, commonest(tuples))),
            _ => None,
        },
        loss,
        counts: counts.into_iter().map(answer).collect(),
        monitoring,
        notes: {
            let mut notes = match binding.promise {
                StreamPromise::Groups { .. } => vec![BIASED],
                StreamPromise::Sets { .. } => vec![DIFFERENT_PEOPLE],
                StreamPromise::Crowds { .. } => vec![NO_ADVERSARY, RANGES],
            };
            if design.as_ref().is_some_and(StreamDesign::shows_strata) && !question.conditions.is_empty() {
                notes.push(IN_STRATA);
            }
            if adversary.is_some() && tuples.is_some() && shown.is_none() {
                notes.push(NOT_PAIRED);
            }
            notes
        },
        adversary,
    })
}

fn ask(
    binding: &StreamBinding,
    question: &StreamQuestion,
    lines: &[StreamLine<'static>],
    design: Option<&StreamDesign>,
    tuples: u64,
) -> Result<Question, PipelineError> {
    let values = match (question.values.is_empty(), design) {
        (false, _) => question.values.clone(),
        (true, Some(design)) => design.labels().to_vec(),
        (true, None) => seen(lines),
    };
    let predicates = question
        .conditions
        .iter()
        .map(|text| predicate(text, &binding.columns).ok_or_else(|| not_asked(binding, text)))
        .collect::<Result<_, _>>()?;
    let windows = match (&question.every, question.windows) {
        (Some(text), _) => width(text, &binding.columns).ok_or_else(|| not_asked(binding, text))?,
        (None, Some(windows)) => Windows::Tuples(tuples.div_ceil(windows.max(1)).max(1)),
        (None, None) => Windows::One,
    };
    Ok(Question { values, predicates, windows })
}

/// All values that the lines show.
fn seen(lines: &[StreamLine<'static>]) -> Vec<String> {
    let mut values: Vec<String> = lines
        .iter()
        .filter_map(|line| match line {
            StreamLine::Slot { value, .. } => Some(value.to_string()),
            StreamLine::Row { value, .. } if value != "*" && !value.is_empty() => Some(value.to_string()),
            _ => None,
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// `COLUMN=VALUE`, `COLUMN=VALUE|VALUE`, `COLUMN=LOW..HIGH`.
fn predicate(text: &str, columns: &[GateColumn]) -> Option<Predicate> {
    let (name, wanted) = text.split_once('=')?;
    let column = columns.iter().position(|column| column.name == name)?;
    let parser = &columns[column].parser;
    let range =
        wanted.split_once("..").and_then(|(lo, hi)| Some((parser.position(lo)?, parser.position(hi)?)));
    let condition = match range {
        Some((lo, hi)) => Condition::Between { lo, hi },
        None => Condition::OneOf(wanted.split('|').map(str::to_owned).collect()),
    };
    Some(Predicate { column, condition })
}

fn width(text: &str, columns: &[GateColumn]) -> Option<Windows> {
    let (name, width) = text.split_once('=')?;
    let column =
        columns.iter().position(|column| column.name == name && column.parser.kind().is_ordered())?;
    let width = width.parse::<f64>().ok().filter(|width| *width > 0.0 && width.is_finite())?;
    Some(Windows::Width { column, width })
}

fn not_asked(binding: &StreamBinding, text: &str) -> PipelineError {
    let names: Vec<&str> = binding.columns.iter().map(|column| column.name.as_str()).collect();
    PipelineError::Question { text: text.to_owned(), columns: names.join(", ") }
}

fn cells_of<'l>(line: &'l StreamLine<'static>) -> Option<&'l [std::borrow::Cow<'static, str>]> {
    match line {
        StreamLine::Set { cells, .. } | StreamLine::Member { cells, .. } | StreamLine::Row { cells, .. } => {
            Some(cells)
        }
        StreamLine::Slot { .. } => None,
    }
}

/// The share of the most frequent value.
fn commonest(tuples: &[StreamTuple<'_>]) -> f64 {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    tuples.iter().for_each(|tuple| *counts.entry(&tuple.value).or_default() += 1);
    counts.values().max().map_or(0.0, |most| *most as f64 / tuples.len() as f64)
}
