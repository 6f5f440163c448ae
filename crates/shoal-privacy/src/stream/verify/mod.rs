//! Any published stream, ours or not, from its lines alone.
//!
//! It has no batches and no people: a promise about crowds is checked at the end of the lines and on rows. How long a
//! tuple waited is not written there. Everything else is checked at every line, since a stream may break off after
//! any.

mod crowds;
mod groups;
mod sets;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use shoal_core::stream::{StreamDesign, StreamLine, StreamPromise};

use super::possible::PossibleSets;
use crate::promise::{Answer, SHOWN, settle};
use crate::{BrokenPromise, Figure, Finding, Outcome, Promise, Violating, Violations};

/// What can be said of a published stream without its original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StreamVerdict {
    /// Lines of the stream.
    pub lines: u64,
    /// Lines that show a tuple.
    pub tuples: u64,
    /// Tuples of which nothing but that they exist is shown.
    pub suppressed: u64,
    /// Every promise with what was found.
    pub promises: Vec<Finding>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise<LineViolation>>,
}

impl StreamVerdict {
    /// Whether every promise is kept.
    pub fn holds(&self) -> bool {
        self.broken.is_empty()
    }

    /// Whether no tuple is shown, so that every promise is kept by silence.
    pub fn is_vacuous(&self) -> bool {
        self.tuples == self.suppressed
    }
}

/// A line that breaks a promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LineViolation {
    /// The line, counted from 1; of a class its first.
    pub line: u64,
    /// What is wrong with it.
    pub what: String,
}

impl Violating for LineViolation {
    const MANY: &'static str = "lines";
}

impl fmt::Display for LineViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Checks the lines of a published stream against what is promised. `quasi` says of each cell whether it is a
/// quasi-identifier. Where the design of a stream of sets is given, every line must be one that it can draw.
pub fn verify_stream<'a>(
    promise: StreamPromise,
    quasi: &[bool],
    design: Option<&Arc<StreamDesign>>,
    lines: impl Iterator<Item = StreamLine<'a>>,
) -> StreamVerdict {
    let mut form = Form::default();
    let numbered = (1..).zip(lines);
    let answers = match promise {
        StreamPromise::Sets { l } => {
            let possible = design.map(|design| PossibleSets::of(Arc::clone(design)));
            sets::verify(&mut form, quasi, l, possible.as_ref(), numbered)
        }
        StreamPromise::Groups { l, .. } => groups::verify(&mut form, quasi, l, numbered),
        StreamPromise::Crowds { k, l, .. } => crowds::verify(&mut form, quasi, k, l, numbered),
    };
    let Form { lines, tuples, suppressed, .. } = form;
    let answers = std::iter::once(form.answer()).chain(answers).collect();
    let (promises, broken) = settle(answers).expect("there is a promise at least about the lines' form");
    StreamVerdict { lines, tuples, suppressed, promises, broken }
}

/// Whether lines are such as the stream has, and how many there are.
#[derive(Default)]
struct Form {
    lines: u64,
    tuples: u64,
    suppressed: u64,
    broken: Broken,
}

impl Form {
    /// Counts a line that shows a tuple. Whether it has a cell for each column.
    fn show(&mut self, line: u64, cells: usize, quasi: &[bool]) -> bool {
        self.tuples += 1;
        if cells != quasi.len() {
            self.broken.note(line, || format!("{cells} cells for {} columns", quasi.len()));
        }
        cells == quasi.len()
    }

    fn alien(&mut self, line: u64) {
        self.broken.note(line, || "a line of another kind of stream".to_owned());
    }

    fn answer(self) -> Answer<LineViolation> {
        let wrong = self.broken.total as u64;
        self.broken.answer(Promise::WellFormedLines, |_| match wrong {
            0 => Figure::Words("all".to_owned()),
            wrong => Figure::Words(format!("all but {wrong}")),
        })
    }
}

/// What breaks a promise: the first few lines, and how many there are.
#[derive(Default)]
struct Broken {
    total: usize,
    first: Vec<LineViolation>,
}

impl Broken {
    fn note(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.total += 1;
        if self.first.len() < SHOWN {
            self.first.push(LineViolation { line, what: what() });
        }
    }

    fn answer(self, promise: Promise, found: impl FnOnce(usize) -> Figure) -> Answer<LineViolation> {
        let found = found(self.total);
        let violations = Violations { total: self.total, worst: self.first, all: Vec::new() };
        let outcome = Outcome { found, holds: violations.total == 0, violations };
        Answer { promise, column: None, outcome }
    }
}

/// That values stand in ascending order.
fn in_order(disordered: Broken) -> Answer<LineViolation> {
    disordered.answer(Promise::OrderOfValues, |lines| match lines {
        0 => Figure::Words("ascending".to_owned()),
        lines => Figure::Words(format!("ascending but for {lines} lines")),
    })
}

/// The least of something, if there was any.
fn least(found: Option<usize>) -> Figure {
    found.map_or(Figure::Nothing, |least| Figure::Count(least as u64))
}
