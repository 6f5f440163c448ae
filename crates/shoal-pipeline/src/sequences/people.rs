//! Whose event is it, and which came first? From rows in any order to people with ordered events.

use std::cmp::Ordering;

use shoal_core::{Domain, RawColumn, RawTable, Table};

use crate::{Job, PipelineError, ValueAt};

/// The rows of a source, person by person, in the order of the events.
#[derive(Debug)]
pub(crate) struct People {
    /// The row of each event.
    pub rows: Vec<u32>,
    /// Where each person's events start, and at the end the number of events.
    pub starts: Vec<u32>,
}

/// Sorts the rows. People stand in the order of their first rows.
pub(crate) fn people(
    job: &Job,
    raw: &RawTable,
    ids: &RawColumn,
    events: &Table,
) -> Result<People, PipelineError> {
    let missing = &job.policy().data.missing;
    let nameless =
        |code: u32| ids.null == Some(code) || missing.iter().any(|token| token == ids.labels.get(code));
    if let Some(code) = (0..ids.labels.len() as u32).find(|&code| nameless(code)) {
        return Err(PipelineError::NoId { at: Box::new(ValueAt::first(raw, ids, code)) });
    }
    let keys = order_keys(job, raw, ids, events)?;
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); ids.labels.len()];
    for (row, &id) in ids.codes.iter().enumerate() {
        rows_of[id as usize].push(row as u32);
    }
    // Codes of a raw column are given in the order of appearance, so people are in the order of first rows.
    let mut people = People { rows: Vec::with_capacity(raw.rows), starts: vec![0] };
    for (id, mut rows) in rows_of.into_iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        rows.sort_by(|&a, &b| compare(&keys, a, b));
        if let Some(tie) = rows.windows(2).find(|pair| compare(&keys, pair[0], pair[1]).is_eq()) {
            return Err(PipelineError::SameOrder {
                person: ids.labels.get(id as u32).to_owned(),
                first: tie[0] as usize + 1,
                second: tie[1] as usize + 1,
                columns: job.policy().data.order.join(", "),
            });
        }
        people.rows.extend(rows);
        people.starts.push(people.rows.len() as u32);
    }
    Ok(people)
}

/// Where each event stands in each of the columns that order it.
struct Key<'a> {
    codes: &'a [u32],
    domain: &'a Domain,
}

fn order_keys<'a>(
    job: &Job,
    raw: &RawTable,
    ids: &RawColumn,
    events: &'a Table,
) -> Result<Vec<Key<'a>>, PipelineError> {
    let order = job.policy().data.order.iter();
    // The policy's check has found every one of them among the columns.
    let columns = order.filter_map(|name| events.columns.iter().find(|column| column.name == *name));
    columns
        .map(|column| {
            let unplaced = column.domain.missing();
            if let Some(row) = column.codes.iter().position(|&code| Some(code) == unplaced) {
                return Err(PipelineError::NoPlaceInOrder {
                    person: ids.text(row).to_owned(),
                    record: row + 1,
                    column: column.name.clone(),
                    rows: ids.codes.iter().filter(|&&id| id == ids.codes[row]).count(),
                    file: raw.files.first().cloned().unwrap_or_default(),
                });
            }
            Ok(Key { codes: &column.codes, domain: &column.domain })
        })
        .collect()
}

/// By values and not by codes: `7` and `07` are two texts of one day.
fn compare(keys: &[Key<'_>], a: u32, b: u32) -> Ordering {
    let at = |key: &Key<'_>, row: u32| key.domain.positions()[key.codes[row as usize] as usize];
    keys.iter().map(|key| at(key, a).total_cmp(&at(key, b))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}
