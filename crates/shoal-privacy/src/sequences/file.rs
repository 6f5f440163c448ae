//! Any file of events, ours or not, without its original.

use serde::Serialize;
use shoal_core::{Progress, RawTable, Role};

use super::model::verify_all;
use super::{SequencesModel, SequencesView, SequencesViolation};
use crate::origin::number;
use crate::{BrokenPromise, Finding, OutOfOrder, Seen, Unverifiable, people_out_of_order};

/// What can be said of published sequences without their original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequencesVerdict {
    /// People in the file.
    pub records: usize,
    /// Their events.
    pub events: usize,
    /// The classes of people whose sequences are alike.
    pub classes: usize,
    /// Every promise with what was found.
    pub promises: Vec<Finding>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise<SequencesViolation>>,
    /// Columns in the file that must never be published; the column of the ids is none of them.
    pub withheld_columns: Vec<String>,
    /// The first person who is out of order, where the order of the file may carry something. It breaks no promise.
    pub out_of_order: Option<OutOfOrder>,
}

impl SequencesVerdict {
    /// Whether every promise is kept and no column is there that must not be.
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.withheld_columns.is_empty()
    }

    /// The promises as far as the file alone shows them.
    pub fn seen(self) -> Vec<Seen> {
        // What the search gave up is broken nowhere; what a run has found out with its groups is not known here.
        let is_undecided = |finding: &Finding| {
            self.broken.iter().any(|broken| broken.finding == *finding && broken.violations.total == 0)
        };
        let seen = |finding| if is_undecided(&finding) { finding.unseen() } else { Seen::Judged(finding) };
        self.promises.into_iter().map(seen).collect()
    }

    /// Whether the file has nobody in it, so that every promise is kept by silence.
    pub fn is_vacuous(&self) -> bool {
        self.records == 0
    }
}

/// Checks a file of events against a policy's models. `id` is the column that says whose an event is, `roles`
/// names every column of the policy. A column that the policy does not know is an error, since it may name
/// people as well as any other.
///
/// The ids must be the numbers from 1 on in the order of the file, the rows of each together: anything else may name
/// people, or say in which order they came.
///
/// ```
/// use shoal_core::{RawTable, Role, Silent};
/// use shoal_privacy::{SequenceAnonymity, SequencesModel, verify_sequences_file};
///
/// let models: Vec<Box<dyn SequencesModel>> = vec![Box::new(SequenceAnonymity::new(2)?)];
/// let verify = |rows: &[Vec<&str>]| {
///     let file = RawTable::from_rows(&["id", "town"], rows);
///     verify_sequences_file(&file, "id", &[("town", Role::QuasiIdentifier)], &models, &Silent)
/// };
/// // Two people, each first in Kiel and then in Bonn.
/// let same = verify(&[vec!["1", "Kiel"], vec!["1", "Bonn"], vec!["2", "Kiel"], vec!["2", "Bonn"]])?;
/// assert!(same.holds());
/// // The same towns in another order are another sequence.
/// let other = verify(&[vec!["1", "Bonn"], vec!["1", "Kiel"], vec!["2", "Kiel"], vec!["2", "Bonn"]])?;
/// assert!(!other.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_sequences_file(
    published: &RawTable,
    id: &str,
    roles: &[(&str, Role)],
    models: &[Box<dyn SequencesModel>],
    progress: &dyn Progress,
) -> Result<SequencesVerdict, Unverifiable> {
    let names = || published.columns.iter().map(|column| column.name.as_str()).filter(|name| *name != id);
    let role_of = |name: &str| roles.iter().find(|(known, _)| *known == name).map(|(_, role)| *role);
    if let Some(unknown) = names().find(|name| role_of(name).is_none()) {
        return Err(Unverifiable::Unknown { column: unknown.to_owned() });
    }
    let is_quasi = |(_, role): &&(&str, Role)| *role == Role::QuasiIdentifier;
    let quasi: Vec<&str> = roles.iter().filter(is_quasi).map(|(name, _)| *name).collect();
    let view = SequencesView::new(published, id, &quasi)?.with_progress(progress);
    check_numbers(&view)?;
    let (promises, broken) = verify_all(&view, models)?;
    let is_withheld = |name: &&str| role_of(name).is_some_and(|role| !role.is_published());
    Ok(SequencesVerdict {
        records: view.people(),
        events: published.rows,
        classes: view.classes().len(),
        promises,
        broken,
        withheld_columns: names().filter(is_withheld).map(str::to_owned).collect(),
        out_of_order: people_out_of_order(published, id),
    })
}

/// The first row whose id is not the number that is due there.
fn check_numbers(view: &SequencesView<'_>) -> Result<(), Unverifiable> {
    let mut next = 0;
    for person in 0..view.people() {
        for &row in view.rows_of(person) {
            let (found, due) = (view.ids().text(row as usize), number(person));
            // People are counted as they first appear, so a row that stands apart from the others breaks the order of rows.
            if row != next || found != due.to_string() {
                let (row, column) = (number(row as usize), view.ids().name.clone());
                return Err(Unverifiable::NotNumbered { row, column, found: found.to_owned(), due });
            }
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_numbers_from_one_on() {
        let check = |ids: &[&str]| {
            let rows: Vec<Vec<&str>> = ids.iter().map(|id| vec![*id, "x"]).collect();
            let file = RawTable::from_rows(&["id", "place"], &rows);
            check_numbers(&SequencesView::new(&file, "id", &["place"]).unwrap())
        };
        assert_eq!(check(&["1", "1", "2", "3", "3"]), Ok(()));
        assert_eq!(check(&[]), Ok(()));
        for (ids, bad, due) in [
            (&["Ann", "Ann"][..], 1, 1),
            (&["2", "1"], 1, 1),
            (&["1", "2", "1"], 3, 1),
            (&["1", "1", "3"], 3, 2),
            (&["1", "02"], 2, 2),
            (&["0", "1"], 1, 1),
        ] {
            let found = ids[bad - 1].to_owned();
            let expected = Unverifiable::NotNumbered { row: bad as u64, column: "id".into(), found, due };
            assert_eq!(check(ids), Err(expected), "{ids:?}");
        }
    }
}
