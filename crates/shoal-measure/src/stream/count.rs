//! How many tuples have a value: the same question for the three kinds of published streams.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::stream::{StreamDesign, StreamLine};
use shoal_privacy::stream::GateColumn;

use super::castle::RowCounts;
use super::groups::GroupCounts;
use super::sets::SetCounts;
use super::{CountEstimator, Estimate, Extent, Predicate, StreamMeasureError, Windows};

/// How counts are read from lines.
#[derive(Clone, Copy, Debug)]
pub enum Method<'m> {
    /// delay-free, hardened: unbiased, see [`CountEstimator`].
    Sets {
        /// Knows the design.
        estimator: &'m CountEstimator,
        /// The texts of the design's values, by code.
        values: &'m [String],
    },
    /// delay-free, hardened, with strata: each line by the design of its stratum.
    Strata {
        /// Know the designs of the strata.
        estimators: &'m [CountEstimator],
        /// Knows the strata.
        design: &'m StreamDesign,
    },
    /// delay-free, paper: a member has each value of its group with the share of its count.
    Groups,
    /// castle: values are exact, cells are generalized.
    Rows,
}

/// What is asked of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The values to count, each by itself.
    pub values: Vec<String>,
    /// What must be true of a tuple to be counted; everything where there are none.
    pub predicates: Vec<Predicate>,
    /// How the stream is cut.
    pub windows: Windows,
}

/// The answer for one window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCounts {
    /// The window's number.
    pub window: i64,
    /// How many tuples are in it of which the predicates are true; estimated only where cells are generalized.
    pub tuples: f64,
    /// The count of each value that was asked for.
    pub counts: Vec<Estimate>,
}

/// Counts values in a published stream, window by window in ascending order; windows without a tuple of which the
/// predicates may be true are left out.
pub fn count<'l>(
    method: Method<'_>,
    columns: &[GateColumn],
    extents: &[Extent],
    question: &Question,
    lines: impl Iterator<Item = StreamLine<'l>>,
) -> Result<Vec<WindowCounts>, StreamMeasureError> {
    let ask = Ask::new(columns, extents, question)?;
    let numbered = (1..).zip(lines);
    match method {
        Method::Sets { estimator, values } => {
            SetCounts::new(std::slice::from_ref(estimator), values, None, &ask)?.count(numbered)
        }
        Method::Strata { estimators, design } => {
            SetCounts::new(estimators, design.labels(), Some(design), &ask)?.count(numbered)
        }
        Method::Groups => GroupCounts::new(&ask).count(numbered),
        Method::Rows => RowCounts::new(&ask).count(numbered),
    }
}

/// A question that can be asked of these columns.
pub(super) struct Ask<'q> {
    pub(super) columns: &'q [GateColumn],
    pub(super) extents: &'q [Extent],
    pub(super) question: &'q Question,
}

impl<'q> Ask<'q> {
    pub(super) fn new(
        columns: &'q [GateColumn],
        extents: &'q [Extent],
        question: &'q Question,
    ) -> Result<Ask<'q>, StreamMeasureError> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = question.values.iter().find(|value| !seen.insert(value.as_str())) {
            return Err(StreamMeasureError::AskedTwice { value: twice.clone() });
        }
        let width = match question.windows {
            Windows::Tuples(0) => Some("0".to_owned()),
            Windows::Width { width, .. } if !(width > 0.0 && width.is_finite()) => Some(width.to_string()),
            _ => None,
        };
        if let Some(width) = width {
            return Err(StreamMeasureError::NoWidth { width });
        }
        let by = match question.windows {
            Windows::Width { column, .. } => Some(column),
            _ => None,
        };
        let cells = columns.len().min(extents.len());
        match question.predicates.iter().map(|p| p.column).chain(by).find(|column| *column >= cells) {
            Some(column) => Err(StreamMeasureError::NoSuchCell { column: column + 1, cells }),
            None => Ok(Ask { columns, extents, question }),
        }
    }

    /// The probability that all predicates are true of a tuple with these cells.
    pub(super) fn chance<C: AsRef<str>>(&self, cells: &[C]) -> f64 {
        let chance = |predicate: &Predicate| {
            let column = predicate.column;
            let text = cells.get(column).map_or("", AsRef::as_ref);
            predicate.condition.chance(text, &self.columns[column], &self.extents[column])
        };
        self.question.predicates.iter().map(chance).product()
    }

    /// The window of a tuple with exact cells of which the predicates are true.
    pub(super) fn window<C: AsRef<str>>(&self, number: u64, cells: &[C]) -> Option<i64> {
        let window = self.question.windows.of(number, cells, self.columns)?;
        (self.chance(cells) > 0.0).then_some(window)
    }
}

/// Sums by window.
pub(super) struct Sums {
    asked: usize,
    windows: BTreeMap<i64, (f64, Vec<Sum>)>,
}

/// A count and its variance while they are added up.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) count: f64,
    pub(super) variance: f64,
}

impl Sums {
    pub(super) fn new(asked: usize) -> Sums {
        Sums { asked, windows: BTreeMap::new() }
    }

    /// Adds tuples to a window; what they add to each value is for the caller to say.
    pub(super) fn add(&mut self, window: i64, tuples: f64) -> &mut [Sum] {
        let (all, sums) =
            self.windows.entry(window).or_insert_with(|| (0.0, vec![Sum::default(); self.asked]));
        *all += tuples;
        sums
    }

    pub(super) fn finish(self) -> Vec<WindowCounts> {
        let estimate = |sum: Sum| Estimate::new(sum.count, sum.variance);
        let each = self.windows.into_iter().map(|(window, (tuples, sums))| WindowCounts {
            window,
            tuples,
            counts: sums.into_iter().map(estimate).collect(),
        });
        each.collect()
    }
}
