use std::fmt;

use serde::Serialize;

use crate::{Unverifiable, View};

/// How many violations are shown; the rest is counted.
const SHOWN: usize = 10;

/// How many records of a violating class are named.
const ROWS_NAMED: usize = 5;

/// A promise about published data, which contains its own check.
///
/// A model looks at nothing but the [`View`]. Its parameters are checked when it is made.
pub trait Model: fmt::Debug + Send + Sync {
    /// The name in reports, e.g. `k-anonymity`.
    fn name(&self) -> &'static str;

    /// What is promised, e.g. k.
    fn asked(&self) -> Figure;

    /// Whether the file keeps the promise. An error means that the question cannot be asked of this file.
    fn verify(&self, view: &View<'_>) -> Result<Outcome, Unverifiable>;
}

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
            Figure::Number(number) => number.fmt(f),
            Figure::Words(words) => f.write_str(words),
        }
    }
}

/// What a model found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The worst that was found, to be compared with what is asked.
    pub found: Figure,
    /// Whether the promise is kept.
    pub holds: bool,
    /// Where it is not.
    pub violations: Violations,
}

/// A promise and whether it is kept, as reports print it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PromiseResult {
    /// The model.
    pub name: String,
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
pub struct BrokenPromise {
    /// The promise.
    pub promise: PromiseResult,
    /// Where it is broken.
    pub violations: Violations,
}

/// The classes that break a promise.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Violations {
    /// How many there are.
    pub total: usize,
    /// The worst of them, worst first.
    pub worst: Vec<Violation>,
}

/// A class that breaks a promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Violation {
    /// What the class publishes, a cell per quasi-identifier.
    pub cells: Vec<PublishedCell>,
    /// How many records it has.
    pub size: u32,
    /// What the model found in it.
    pub found: Figure,
    /// Its first few records, counted from 1.
    pub rows: Vec<u64>,
}

/// One published cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PublishedCell {
    /// The column.
    pub column: String,
    /// The text.
    pub text: String,
}

impl Violations {
    /// Names classes that break a promise: `bad` holds their numbers and what was found in them, the
    /// worst first.
    pub fn name(view: &View<'_>, bad: &[(u32, Figure)]) -> Violations {
        let shown = &bad[..bad.len().min(SHOWN)];
        let mut rows = vec![Vec::new(); shown.len()];
        if !shown.is_empty() {
            for (row, &class) in view.classes().class_of.iter().enumerate() {
                if let Some(at) = shown.iter().position(|(shown, _)| *shown == class)
                    && rows[at].len() < ROWS_NAMED
                {
                    rows[at].push(row as u64 + 1);
                }
            }
        }
        let violation = |((class, found), rows): (&(u32, Figure), Vec<u64>)| Violation {
            cells: cells(view, rows[0] as usize - 1),
            size: view.classes().sizes[*class as usize],
            found: found.clone(),
            rows,
        };
        Violations { total: bad.len(), worst: shown.iter().zip(rows).map(violation).collect() }
    }
}

fn cells(view: &View<'_>, row: usize) -> Vec<PublishedCell> {
    let cell = |column: &&shoal_core::RawColumn| PublishedCell {
        column: column.name.clone(),
        text: column.text(row).to_owned(),
    };
    view.quasi().iter().map(cell).collect()
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the class")?;
        for (at, cell) in self.cells.iter().enumerate() {
            let before = if at == 0 { " " } else { ", " };
            write!(f, "{before}{} = `{}`", cell.column, cell.text)?;
        }
        let rows: Vec<String> = self.rows.iter().map(u64::to_string).collect();
        let more = if self.rows.len() < self.size as usize { ", …" } else { "" };
        write!(f, " has size {} (rows: {}{more})", self.size, rows.join(", "))
    }
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PromiseResult { name, asked, found, .. } = &self.promise;
        write!(f, "{name} does not hold: asked {asked}, found {found}, ")?;
        write!(f, "violating classes: {}", self.violations.total)?;
        self.violations.worst.first().map_or(Ok(()), |worst| write!(f, "; {worst}"))
    }
}

/// Asks every model. At least one must be given: a check that nothing can fail proves nothing.
pub(crate) fn verify_all(
    view: &View<'_>,
    models: &[Box<dyn Model>],
) -> Result<(Vec<PromiseResult>, Vec<BrokenPromise>), Unverifiable> {
    if models.is_empty() {
        return Err(Unverifiable::NoPromise);
    }
    let (mut promises, mut broken) = (Vec::new(), Vec::new());
    for model in models {
        let Outcome { found, holds, violations } = model.verify(view)?;
        let promise = PromiseResult { name: model.name().to_owned(), asked: model.asked(), found, holds };
        if !holds {
            broken.push(BrokenPromise { promise: promise.clone(), violations });
        }
        promises.push(promise);
    }
    Ok((promises, broken))
}
