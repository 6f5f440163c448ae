use std::fmt;

use serde::Serialize;

use super::View;
use crate::origin::number;
use crate::promise::{Answer, ROWS_NAMED, SHOWN, settle, write_rows};
use crate::{BrokenPromise, Figure, Outcome, PromiseResult, Unverifiable, Violating, Violations};

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

impl Violation {
    /// Whether the class publishes nothing but `*`.
    pub(crate) fn says_nothing(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| cell.text == "*")
    }
}

impl Violating for Violation {
    const MANY: &'static str = "classes";
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

impl Violations<Violation> {
    /// Names classes that break a promise: `bad` holds their numbers and what was found in them, the
    /// worst first.
    pub fn name(view: &View<'_>, bad: &[(u32, Figure)]) -> Violations {
        let shown = &bad[..bad.len().min(SHOWN)];
        let classes: Vec<u32> = shown.iter().map(|(class, _)| *class).collect();
        let rows = view.classes().members(&classes, ROWS_NAMED);
        let violation = |((class, found), rows): (&(u32, Figure), Vec<u32>)| Violation {
            cells: view.cells(rows[0] as usize),
            size: view.classes().sizes[*class as usize],
            found: found.clone(),
            rows: rows.into_iter().map(|row| number(row as usize)).collect(),
        };
        Violations { total: bad.len(), worst: shown.iter().zip(rows).map(violation).collect() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the class")?;
        write_cells(f, &self.cells)?;
        write!(f, " has size {} ", self.size)?;
        write_rows(f, &self.rows, self.size)
    }
}

/// Cells with their columns, each set off from what stands before it.
pub(crate) fn write_cells(f: &mut fmt::Formatter<'_>, cells: &[PublishedCell]) -> fmt::Result {
    for (at, cell) in cells.iter().enumerate() {
        let before = if at == 0 { " " } else { ", " };
        write!(f, "{before}{} = `{}`", cell.column, cell.text)?;
    }
    Ok(())
}

/// Asks every model.
pub(super) fn verify_all(
    view: &View<'_>,
    models: &[Box<dyn Model>],
) -> Result<(Vec<PromiseResult>, Vec<BrokenPromise>), Unverifiable> {
    let ask = |model: &dyn Model| {
        let (name, asked) = (model.name().to_owned(), model.asked());
        Ok(Answer { name, asked, outcome: model.verify(view)? })
    };
    settle(models.iter().map(|model| ask(model.as_ref())).collect::<Result<_, _>>()?)
}
