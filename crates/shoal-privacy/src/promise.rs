//! What every shape says about a promise: what was asked, what was found, and where it is broken.

use std::fmt;

use serde::{Serialize, Serializer};
use shoal_core::{Figure, Promise};

use crate::{TableViolation, Unverifiable};

/// How many violations are shown; the rest is counted.
pub(crate) const SHOWN: usize = 10;

/// How many records of a violation are named.
pub(crate) const ROWS_NAMED: usize = 5;

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

/// A promise and whether it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The promise.
    pub promise: Promise,
    /// The sensitive column that it is about, where it is about one.
    pub column: Option<String>,
    /// What was found, to be held against what the promise asks for.
    pub found: Figure,
    /// Whether the promise is kept.
    pub holds: bool,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        print(&self.promise, self.column.as_deref(), &self.found, Some(self.holds)).serialize(serializer)
    }
}

impl Finding {
    /// The same promise, of which the file does not show whether it is kept.
    pub(crate) fn unseen(self) -> Seen {
        Seen::NotSeen { promise: self.promise, column: self.column }
    }
}

/// A promise of a published file, as far as the file alone shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The file shows whether the promise is kept.
    Judged(Finding),
    /// Only the original shows it.
    NotSeen {
        /// The promise.
        promise: Promise,
        /// The sensitive column that it is about, where it is about one.
        column: Option<String>,
    },
}

impl Seen {
    /// The promise.
    pub fn promise(&self) -> &Promise {
        match self {
            Seen::Judged(finding) => &finding.promise,
            Seen::NotSeen { promise, .. } => promise,
        }
    }

    /// The sensitive column that it is about, where it is about one.
    pub fn column(&self) -> Option<&str> {
        match self {
            Seen::Judged(finding) => finding.column.as_deref(),
            Seen::NotSeen { column, .. } => column.as_deref(),
        }
    }

    /// What was found; nothing where the file does not show it.
    pub fn found(&self) -> &Figure {
        match self {
            Seen::Judged(finding) => &finding.found,
            Seen::NotSeen { .. } => &Figure::Nothing,
        }
    }

    /// Whether the promise is kept; none where the file does not show it.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Seen::Judged(finding) => Some(finding.holds),
            Seen::NotSeen { .. } => None,
        }
    }
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        print(self.promise(), self.column(), self.found(), self.holds()).serialize(serializer)
    }
}

/// A promise as reports print it: the name and what was asked in words, and the promise itself for programs.
fn print<'a>(
    promise: &'a Promise,
    column: Option<&'a str>,
    found: &'a Figure,
    holds: Option<bool>,
) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Printed<'a> {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        column: Option<&'a str>,
        asked: Figure,
        found: &'a Figure,
        holds: Option<bool>,
        promise: &'a Promise,
    }
    Printed { name: promise.name(), column, asked: promise.asked(), found, holds, promise }
}

/// A promise that is not kept, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BrokenPromise<V = TableViolation> {
    /// The promise and what was found.
    #[serde(rename = "promise")]
    pub finding: Finding,
    /// Where it is broken.
    pub violations: Violations<V>,
}

impl<V> BrokenPromise<V> {
    /// What was asked and found, without a value of the data.
    pub fn in_short(&self) -> String {
        let Finding { promise, column, found, .. } = &self.finding;
        let (name, asked) = (promise.name(), promise.asked());
        let column = column.as_ref().map_or_else(String::new, |column| format!(" of `{column}`"));
        format!("{name}{column} (asked {asked}, found {found}) does not hold")
    }
}

/// All that breaks a promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Violations<V = TableViolation> {
    /// How many there are.
    pub total: usize,
    /// The worst of them, worst first.
    pub worst: Vec<V>,
    /// tables: the numbers of all classes that break it.
    #[serde(skip)]
    pub(crate) all: Vec<u32>,
}

/// Something that can break a promise.
pub trait Violating: fmt::Display {
    /// What several of them are called.
    const MANY: &'static str;
}

impl<V: Violating> fmt::Display for BrokenPromise<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { promise, column, found, .. } = &self.finding;
        f.write_str(&promise.name())?;
        column.as_ref().map_or(Ok(()), |column| write!(f, " of `{column}`"))?;
        write!(f, " does not hold: asked {}, found {found}", promise.asked())?;
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

/// A promise and what a model found of it.
pub(crate) struct Answer<V> {
    pub(crate) promise: Promise,
    pub(crate) column: Option<String>,
    pub(crate) outcome: Outcome<V>,
}

/// Sorts answers into promises and broken ones. At least one must be given: a check that nothing can fail
/// proves nothing.
pub(crate) fn settle<V>(
    answers: Vec<Answer<V>>,
) -> Result<(Vec<Finding>, Vec<BrokenPromise<V>>), Unverifiable> {
    if answers.is_empty() {
        return Err(Unverifiable::NoPromise);
    }
    let (mut findings, mut broken) = (Vec::new(), Vec::new());
    for Answer { promise, column, outcome: Outcome { found, holds, violations } } in answers {
        let finding = Finding { promise, column, found, holds };
        if !holds {
            broken.push(BrokenPromise { finding: finding.clone(), violations });
        }
        findings.push(finding);
    }
    Ok((findings, broken))
}
