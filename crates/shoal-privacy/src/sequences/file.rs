//! Any file of events, ours or not, without its original.

use serde::Serialize;
use shoal_core::{RawTable, Role};

use super::model::verify_all;
use super::{SequenceModel, SequenceView, SequenceViolation};
use crate::{BrokenPromise, OutOfOrder, PromiseResult, Unverifiable, people_out_of_order};

/// What can be said of published sequences without their original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SequenceVerdict {
    /// People in the file.
    pub records: usize,
    /// Their events.
    pub events: usize,
    /// The classes of people whose sequences are alike.
    pub classes: usize,
    /// Every promise with what was found.
    pub promises: Vec<PromiseResult>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise<SequenceViolation>>,
    /// Columns in the file that must never be published; the column of the ids is none of them.
    pub withheld_columns: Vec<String>,
    /// The first person who is out of order, where the order of the file may carry something. It breaks no promise.
    pub out_of_order: Option<OutOfOrder>,
}

impl SequenceVerdict {
    /// Whether every promise is kept and no column is there that must not be.
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.withheld_columns.is_empty()
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
/// Whether the ids are pseudonyms cannot be seen in the file.
pub fn verify_sequences_file(
    published: &RawTable,
    id: &str,
    roles: &[(&str, Role)],
    models: &[Box<dyn SequenceModel>],
) -> Result<SequenceVerdict, Unverifiable> {
    let names = || published.columns.iter().map(|column| column.name.as_str()).filter(|name| *name != id);
    let role_of = |name: &str| roles.iter().find(|(known, _)| *known == name).map(|(_, role)| *role);
    if let Some(unknown) = names().find(|name| role_of(name).is_none()) {
        return Err(Unverifiable::Unknown { column: unknown.to_owned() });
    }
    let is_quasi = |(_, role): &&(&str, Role)| *role == Role::QuasiIdentifier;
    let quasi: Vec<&str> = roles.iter().filter(is_quasi).map(|(name, _)| *name).collect();
    let view = SequenceView::new(published, id, &quasi)?;
    let (promises, broken) = verify_all(&view, models)?;
    let is_withheld = |name: &&str| role_of(name).is_some_and(|role| !role.is_published());
    Ok(SequenceVerdict {
        records: view.people(),
        events: published.rows,
        classes: view.classes().len(),
        promises,
        broken,
        withheld_columns: names().filter(is_withheld).map(str::to_owned).collect(),
        out_of_order: people_out_of_order(published, id),
    })
}
