use std::fmt;

use serde::Serialize;

use super::SequencesView;
use crate::origin::number;
use crate::promise::{Answer, ROWS_NAMED, SHOWN, settle, write_rows};
use crate::table::write_cells;
use crate::{
    BrokenPromise, Figure, Finding, Outcome, Promise, PublishedCell, Unverifiable, Violating, Violations,
};

/// A promise about published sequences, which contains its own check.
///
/// A model looks at nothing but the [`SequencesView`]. Its parameters are checked when it is made.
pub trait SequencesModel: fmt::Debug + Send + Sync {
    /// What is promised.
    fn promise(&self) -> Promise;

    /// Whether the file keeps the promise. An error means that the question cannot be asked of this file.
    fn verify(&self, view: &SequencesView<'_>) -> Result<Outcome<SequencesViolation>, Unverifiable>;

    /// The same where each person has several lists, one after the other, and nobody knows which of their events are one.
    /// `view` shows the same people with as many as possible taken for one; `list_of_row` numbers the list of each row of `lists`.
    fn verify_apart(
        &self,
        view: &SequencesView<'_>,
        lists: &SequencesView<'_>,
        list_of_row: &[u32],
    ) -> Result<Outcome<SequencesViolation>, Unverifiable> {
        let _ = (view, list_of_row);
        self.verify(lists)
    }
}

/// A crowd that breaks a promise: a class of people whose sequences are alike, or all of whom something known is
/// true.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesViolation {
    /// Whether `events` are what somebody may know, and not all that a class publishes.
    pub is_known: bool,
    /// The events in order: for a class a cell per quasi-identifier, for something known the cells that are known.
    pub events: Vec<Vec<PublishedCell>>,
    /// How many people they are.
    pub size: u32,
    /// What the model found among them.
    pub found: Figure,
    /// The first rows of the first few of them, counted from 1.
    pub rows: Vec<u64>,
}

impl Violating for SequencesViolation {
    const MANY: &'static str = "crowds";
}

impl fmt::Display for SequencesViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_known {
            f.write_str("who is known by")?;
            for (at, event) in self.events.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", then" })?;
                write_cells(f, event)?;
            }
            write!(f, ", is in a crowd of {}", self.size)?;
        } else {
            let many = if self.events.len() == 1 { "event" } else { "events, the first" };
            write!(f, "the class with {} {many}", self.events.len())?;
            self.events.first().map_or(Ok(()), |first| write_cells(f, first))?;
            write!(f, ", has size {}", self.size)?;
        }
        match &self.found {
            Figure::Number(share) => write!(f, " and share {share}")?,
            Figure::Words(words) => write!(f, " and {words}")?,
            Figure::Nothing | Figure::Count(_) => {}
        }
        f.write_str(" ")?;
        write_rows(f, &self.rows, self.size)
    }
}

impl Violations<SequencesViolation> {
    /// Names classes of people that break a promise: `bad` holds their numbers and what was found in them, the
    /// worst first.
    pub fn of_people(view: &SequencesView<'_>, bad: &[(u32, Figure)]) -> Violations<SequencesViolation> {
        let shown = &bad[..bad.len().min(SHOWN)];
        let classes: Vec<u32> = shown.iter().map(|(class, _)| *class).collect();
        let people = view.classes().members(&classes, ROWS_NAMED);
        let violation = |((class, found), people): (&(u32, Figure), Vec<u32>)| {
            let rows: Vec<u32> = people.iter().map(|&person| view.rows_of(person as usize)[0]).collect();
            SequencesViolation {
                is_known: false,
                events: view
                    .rows_of(people[0] as usize)
                    .iter()
                    .map(|&row| view.events().cells(row as usize))
                    .collect(),
                size: view.classes().sizes[*class as usize],
                found: found.clone(),
                rows: rows.into_iter().map(|row| number(row as usize)).collect(),
            }
        };
        Violations {
            total: bad.len(),
            worst: shown.iter().zip(people).map(violation).collect(),
            all: Vec::new(),
        }
    }
}

/// Asks every model.
pub(crate) fn verify_all(
    view: &SequencesView<'_>,
    models: &[Box<dyn SequencesModel>],
) -> Result<(Vec<Finding>, Vec<BrokenPromise<SequencesViolation>>), Unverifiable> {
    let ask = |model: &dyn SequencesModel| {
        view.check_wanted();
        Ok(Answer { promise: model.promise(), column: None, outcome: model.verify(view)? })
    };
    settle(models.iter().map(|model| ask(model.as_ref())).collect::<Result<_, _>>()?)
}

/// Asks every model about several lists of each person; what is broken.
pub(crate) fn verify_all_apart(
    view: &SequencesView<'_>,
    lists: &SequencesView<'_>,
    list_of_row: &[u32],
    models: &[Box<dyn SequencesModel>],
) -> Result<Vec<BrokenPromise<SequencesViolation>>, Unverifiable> {
    let ask = |model: &dyn SequencesModel| {
        lists.check_wanted();
        let outcome = model.verify_apart(view, lists, list_of_row)?;
        Ok(Answer { promise: model.promise(), column: None, outcome })
    };
    Ok(settle(models.iter().map(|model| ask(model.as_ref())).collect::<Result<_, _>>()?)?.1)
}
