//! All rows of a person together, where no machine holds the whole release: some of its cells are
//! judged by themselves.

use serde::Serialize;
use shoal_core::{Progress, RawColumn, Role};
use shoal_privacy::refinement::table::{Seen, cells_of, findings};
use shoal_privacy::{BrokenPromise, Finding, PersonalK, Refusal};

use super::models::models_of_records;
use super::person::persons;
use crate::columns::read_published;
use crate::{PipelineError, Request, Source};

/// What was found in cells of people: people whose rows are in the same classes.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct JudgedCells {
    /// How many rows there are.
    pub rows: usize,
    /// How many people they belong to.
    pub people: usize,
    /// What was promised of each cell.
    pub promises: Vec<Finding>,
    /// What of it is broken.
    pub broken: Vec<BrokenPromise>,
}

/// Judges rows of a published table. The column `person` says whose each is; all rows of these
/// people must be there, and all people of their cells. `personal_k` is a column of what each row's
/// person asks for.
pub fn judge_cells(
    request: &Request,
    rows: &mut dyn Source,
    person: &str,
    personal_k: Option<&str>,
    progress: &dyn Progress,
) -> Result<JudgedCells, PipelineError> {
    let name = rows.name();
    let table = read_published(request, rows, progress)?.table;
    let column = |wanted: &str| -> Result<&RawColumn, PipelineError> {
        let lacking = || PipelineError::PublishedColumn { file: name.clone(), column: wanted.to_owned() };
        table.column(wanted).ok_or_else(lacking)
    };
    let person_of = persons(column(person)?);
    let people = person_of.iter().max().map_or(0, |&last| last as usize + 1);
    let mut models = models_of_records(request)?;
    let mut asked = None;
    if let Some(name) = personal_k {
        models.extend(PersonalK::of([name].into_iter()).map(|model| Box::new(model) as _));
        asked = Some(asked_by_people(column(name)?, &person_of, people));
    }
    let quasi = request.policy().columns_of(Role::QuasiIdentifier);
    let missing = request.policy().data.missing_texts();
    let seen =
        Seen::new(&table, &quasi, &missing, person_of, &models, asked).map_err(Refusal::Unverifiable)?;
    let found = findings(&seen, &cells_of(std::slice::from_ref(&seen), people));
    let (promises, broken) = found.map_err(Refusal::Unverifiable)?;
    Ok(JudgedCells { rows: table.rows, people, promises, broken })
}

/// For each row the greatest k that its person asks for in any row. A text that is not a number asks
/// for more than there is.
fn asked_by_people(column: &RawColumn, person_of: &[u32], people: usize) -> Vec<u32> {
    let asked = |text: &str| if text.is_empty() { 1 } else { text.parse().unwrap_or(u32::MAX) };
    let of_code: Vec<u32> = column.labels.iter().map(asked).collect();
    let mut most = vec![1; people];
    for (&person, &code) in person_of.iter().zip(&column.codes) {
        let k = if column.null == Some(code) { 1 } else { of_code[code as usize] };
        most[person as usize] = k.max(most[person as usize]);
    }
    person_of.iter().map(|&person| most[person as usize]).collect()
}
