//! What every shape says about a promise: what was asked, what was found, and where it is broken.

use std::fmt;

use serde::Serialize;

use crate::{TableViolation, Unverifiable};

/// How many violations are shown; the rest is counted.
pub(crate) const SHOWN: usize = 10;

/// How many records of a violation are named.
pub(crate) const ROWS_NAMED: usize = 5;

/// A parameter or a finding of a model, a plain value in reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// There is none, e.g. no smallest class in an empty file.
    Nothing,
    /// A count.
    Count(u64),
    /// A number.
    Number(f64),
    /// Several parameters in words.
    Words(String),
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Nothing => f.write_str("nothing"),
            Figure::Count(count) => count.fmt(f),
            // Six places are enough for a person; the machine form has them all.
            Figure::Number(number) => ((number * 1e6).round() / 1e6).fmt(f),
            Figure::Words(words) => f.write_str(words),
        }
    }
}

/// What a model found. `V` is what can break a promise in the shape at hand; a class of records in tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<V = TableViolation> {
    /// The worst that was found, to be compared with what is asked.
    pub found: Figure,
    /// Whether the promise is kept.
    pub holds: bool,
    /// Where it is not.
    pub violations: Violations<V>,
}

/// A promise and whether it is kept, as reports print it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PromiseResult {
    /// The model.
    pub name: String,
    /// The sensitive column that it is about, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// What was promised.
    pub asked: Figure,
    /// What was found.
    pub found: Figure,
    /// Whether the promise is kept.
    pub holds: bool,
}

/// A promise that is not kept, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BrokenPromise<V = TableViolation> {
    /// The promise.
    pub promise: PromiseResult,
    /// Where it is broken.
    pub violations: Violations<V>,
}

/// All that breaks a promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Violations<V = TableViolation> {
    /// How many there are.
    pub total: usize,
    /// The worst of them, worst first.
    pub worst: Vec<V>,
}

/// Something that can break a promise.
pub trait Violating: fmt::Display {
    /// What several of them are called.
    const MANY: &'static str;
}

impl<V: Violating> fmt::Display for BrokenPromise<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PromiseResult { name, column, asked, found, .. } = &self.promise;
        f.write_str(name)?;
        column.as_ref().map_or(Ok(()), |column| write!(f, " of `{column}`"))?;
        write!(f, " does not hold: asked {asked}, found {found}")?;
        // A promise that is not decided is broken nowhere.
        if self.violations.total > 0 {
            write!(f, ", violating {}: {}", V::MANY, self.violations.total)?;
        }
        self.violations.worst.first().map_or(Ok(()), |worst| write!(f, "; {worst}"))
    }
}

/// The first few rows of a violation in brackets, with a sign where there are more.
pub(crate) fn write_rows(f: &mut fmt::Formatter<'_>, rows: &[u64], all: u32) -> fmt::Result {
    let named: Vec<String> = rows.iter().map(u64::to_string).collect();
    let more = if rows.len() < all as usize { ", …" } else { "" };
    write!(f, "(rows: {}{more})", named.join(", "))
}

/// A k that promises nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("k = {k} promises nothing: every record is alone with itself")]
pub struct KTooSmall {
    /// The k that was asked for.
    pub k: u32,
}

impl KTooSmall {
    /// Lets every k pass that promises something.
    pub(crate) fn check(k: u32) -> Result<u32, KTooSmall> {
        if k < 2 { Err(KTooSmall { k }) } else { Ok(k) }
    }

    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        "ask for k = 2 or more; 5 to 20 are common"
    }
}

/// What a model is called, what it asked for, and what it found.
pub(crate) struct Answer<V> {
    pub(crate) name: String,
    pub(crate) column: Option<String>,
    pub(crate) asked: Figure,
    pub(crate) outcome: Outcome<V>,
}

/// Sorts answers into promises and broken ones. At least one must be given: a check that nothing can fail
/// proves nothing.
pub(crate) fn settle<V>(
    answers: Vec<Answer<V>>,
) -> Result<(Vec<PromiseResult>, Vec<BrokenPromise<V>>), Unverifiable> {
    if answers.is_empty() {
        return Err(Unverifiable::NoPromise);
    }
    let (mut promises, mut broken) = (Vec::new(), Vec::new());
    for Answer { name, column, asked, outcome: Outcome { found, holds, violations } } in answers {
        let promise = PromiseResult { name, column, asked, found, holds };
        if !holds {
            broken.push(BrokenPromise { promise: promise.clone(), violations });
        }
        promises.push(promise);
    }
    Ok((promises, broken))
}
