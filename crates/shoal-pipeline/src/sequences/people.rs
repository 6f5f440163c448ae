//! Whose event is it, and which came first? From rows in any order to people with ordered events.

use std::cmp::Ordering;

use shoal_core::{Domain, RawColumn, RawTable, Table};

use super::ties::Ties;
use crate::columns::with_one_name_each;
use crate::{PipelineError, ReleaseKey, Request, ValueAt};

/// The rows of a source, person by person, in the order of the events.
#[derive(Debug)]
pub(crate) struct People {
    /// The row of each event.
    pub rows: Vec<u32>,
    /// Where each person's events start, and at the end the number of events.
    pub starts: Vec<u32>,
    /// The first row of each person in the source, for `output.keep-order`.
    pub source_place: Vec<u32>,
    /// The events that keep the order of the source, because the policy's columns do not tell them apart.
    pub ties: Ties,
}

/// Whose each event is: one id for all texts that likely name the same person, as in tables. An event that names nobody is an error.
pub(crate) fn ids_of_people(
    request: &Request,
    raw: &RawTable,
    ids: &RawColumn,
) -> Result<RawColumn, PipelineError> {
    let missing = request.policy().data.missing_texts();
    // Before texts become one, which might hide the one that stands for nobody.
    match (0..ids.labels.len() as u32).find(|&code| missing.has_code(ids, code)) {
        Some(code) => Err(PipelineError::NoId { at: Box::new(ValueAt::first(raw, ids, code)) }),
        None => Ok(with_one_name_each(ids)),
    }
}

/// Sorts the rows; `ids` has one text for each person. People are put into an order made from what their events say; the column of ids has no part in it, nor
/// has any other identifier.
pub(crate) fn people(
    request: &Request,
    key: &ReleaseKey,
    raw: &RawTable,
    ids: &RawColumn,
    events: &Table,
) -> Result<People, PipelineError> {
    let keys = order_keys(request, raw, ids, events)?;
    let last = request.policy().data.ties_column();
    let last = last.and_then(|name| events.columns.iter().find(|column| column.name == *name));
    let last_codes = last.map(|column| column.codes.as_slice());
    let mut ties = Ties::new(request.policy().data.order.join(", "));
    let mut rows_of: Vec<Vec<u32>> = vec![Vec::new(); ids.labels.len()];
    for (row, &id) in ids.codes.iter().enumerate() {
        rows_of[id as usize].push(row as u32);
    }
    for (id, rows) in rows_of.iter_mut().enumerate() {
        // The codes of a column are in the order of its values, text by its bytes. What is equal here too keeps its place,
        // since the sort is stable and the rows come in the order of the file.
        let compare = |a: u32, b: u32| {
            compare(&keys, a, b)
                .then_with(|| last_codes.map_or(Ordering::Equal, |c| c[a as usize].cmp(&c[b as usize])))
        };
        rows.sort_by(|&a, &b| compare(a, b));
        let equal = rows.windows(2).filter(|pair| compare(pair[0], pair[1]).is_eq());
        ties.add(ids.labels.get(id as u32), equal.map(|pair| [pair[0], pair[1]]));
    }
    if ties.events > 0 && !request.policy().data.ties_keep_file_order() {
        if let Some(column) = last {
            ties.columns.push_str(&format!(", {}", column.name));
        }
        return Err(PipelineError::SameOrder(Box::new(ties)));
    }
    rows_of.retain(|rows| !rows.is_empty());
    let mut people =
        People { rows: Vec::with_capacity(raw.rows), starts: vec![0], source_place: Vec::new(), ties };
    for person in request.content_order(key).people(raw, &rows_of) {
        let rows = &rows_of[person as usize];
        people.rows.extend(rows);
        people.starts.push(people.rows.len() as u32);
        people.source_place.push(rows.iter().copied().min().unwrap_or_default());
    }
    Ok(people)
}

/// The position of each event in each of the columns that order it.
struct Key<'a> {
    codes: &'a [u32],
    domain: &'a Domain,
}

fn order_keys<'a>(
    request: &Request,
    raw: &RawTable,
    ids: &RawColumn,
    events: &'a Table,
) -> Result<Vec<Key<'a>>, PipelineError> {
    let order = request.policy().data.order.iter();
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
