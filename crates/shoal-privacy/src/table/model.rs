use std::fmt;

use serde::Serialize;

use super::TableView;
use crate::origin::number;
use crate::promise::{Answer, ROWS_NAMED, SHOWN, write_rows};
use crate::{Figure, Outcome, Promise, Unverifiable, Violating, Violations};

/// A promise about published data, which contains its own check.
///
/// A model looks at nothing but the [`TableView`]. Its parameters are checked when it is made.
pub trait TableModel: fmt::Debug + Send + Sync {
    /// What is promised.
    fn promise(&self) -> Promise;

    /// The sensitive column that it is about, where it is about one.
    fn column(&self) -> Option<&str> {
        None
    }

    /// The column of the original that names people, where the promise counts people and not records.
    fn person(&self) -> Option<&str> {
        None
    }

    /// Whether each row of a person is judged by itself, because an attacker is said to know one row only.
    fn by_rows(&self) -> bool {
        false
    }

    /// Whether a class that breaks the promise in its records breaks it in its people for sure.
    fn needs_as_many_records(&self) -> bool {
        false
    }

    /// Whether the file keeps the promise. An error means that the question cannot be asked of this file.
    fn verify(&self, view: &TableView<'_>) -> Result<Outcome, Unverifiable>;
}

/// A class that breaks a promise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TableViolation {
    /// What the class publishes, a cell per quasi-identifier.
    pub cells: Vec<PublishedCell>,
    /// How many records it has.
    pub size: u32,
    /// What the model found in it.
    pub found: Figure,
    /// What breaks the promise, where the class is large enough and something else does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its first few records, counted from 1.
    pub rows: Vec<u64>,
}

impl TableViolation {
    /// Whether the class publishes nothing but `*`.
    pub(crate) fn says_nothing(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| cell.text == "*")
    }
}

impl Violating for TableViolation {
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

impl Violations<TableViolation> {
    /// Names the classes `bad` that break a promise, the worst first. `describe` says of the few that are shown
    /// what was found in them and why it breaks the promise.
    pub(super) fn name(
        view: &TableView<'_>,
        bad: &[u32],
        describe: impl Fn(u32) -> (Figure, Option<String>),
    ) -> Violations {
        let shown = &bad[..bad.len().min(SHOWN)];
        let rows = view.classes().members(shown, ROWS_NAMED);
        let violation = |(&class, rows): (&u32, Vec<u32>)| {
            let (found, why) = describe(class);
            TableViolation {
                cells: view.cells(rows[0] as usize),
                size: view.classes().sizes[class as usize],
                found,
                why,
                rows: rows.into_iter().map(|row| number(row as usize)).collect(),
            }
        };
        Violations {
            total: bad.len(),
            worst: shown.iter().zip(rows).map(violation).collect(),
            all: bad.to_vec(),
        }
    }
}

impl fmt::Display for TableViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the class")?;
        write_cells(f, &self.cells)?;
        write!(f, " has size {} ", self.size)?;
        write_rows(f, &self.rows, self.size)?;
        self.why.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
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

/// Asks one model.
pub(crate) fn ask(
    view: &TableView<'_>,
    model: &dyn TableModel,
) -> Result<Answer<TableViolation>, Unverifiable> {
    view.check_wanted();
    let column = model.column().map(str::to_owned);
    Ok(Answer { promise: model.promise(), column, outcome: model.verify(view)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only then is leaving out records of stars the way out that a refusal offers.
    #[test]
    fn a_class_says_nothing_where_all_its_cells_are_stars() {
        let class = |texts: &[&str]| TableViolation {
            cells: texts
                .iter()
                .map(|text| PublishedCell { column: "q".into(), text: (*text).into() })
                .collect(),
            size: 1,
            found: Figure::Nothing,
            why: None,
            rows: vec![1],
        };
        assert!(class(&["*", "*"]).says_nothing());
        assert!(!class(&["*", "a"]).says_nothing() && !class(&["a"]).says_nothing());
        assert!(!class(&[]).says_nothing(), "without quasi-identifiers there is nothing to hide");
    }
}
