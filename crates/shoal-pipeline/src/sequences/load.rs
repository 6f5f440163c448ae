//! From a source in long form, a row an event, to sequences.

use shoal_core::{Column, Progress, RawColumn, RawTable, Sequences, Table};
use shoal_privacy::KnownAs;

use super::people::{People, ids_of_people, people};
use super::ties::Ties;
use crate::columns::{Bound, bind, check_columns, reordered, with_plain_values};
use crate::{PipelineError, ReleaseKey, Request, Source, WantedColumns, table};

/// What was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The people and their events, with the policy's hierarchies and no others. The id is not among the
    /// columns: nothing after this point knows it.
    pub data: Sequences,
    /// The events as they were read, in the order of `data`.
    pub raw: RawTable,
    /// The events that the policy leaves out because a value is missing, ascending.
    pub incomplete: Vec<u32>,
    /// The first row of each person in the source, for `output.keep-order`.
    pub source_place: Vec<u32>,
    /// By what the people are recognized in a later release.
    pub known_as: KnownAs,
    /// The events that keep the order of the source, because the policy's columns do not tell them apart.
    pub ties: Ties,
    /// The columns of the source, all of them.
    pub header: Vec<String>,
    /// SHA-256 of the stored bytes.
    pub sha256: String,
}

/// Reads a source. One without records is an error.
pub(crate) fn load(
    request: &Request,
    key: &ReleaseKey,
    source: &mut dyn Source,
    progress: &dyn Progress,
) -> Result<Loaded, PipelineError> {
    let wanted = WantedColumns { keep: &|name| request.is_read(name), list: None };
    let read = source.read_table(&wanted, progress)?;
    check_columns(request, &read.header, &source.name())?;
    if read.table.rows == 0 {
        return Err(PipelineError::NoRecords { source_name: source.name() });
    }
    let mut raw = read.table;
    with_plain_values(request.policy(), &mut raw);
    // The policy's check asks for an id, and `check_columns` has found every column of the policy.
    let place = raw.columns.iter().position(|c| Some(&c.name) == request.policy().data.id.as_ref());
    let ids = raw.columns.remove(place.unwrap_or_default());
    let ids = ids_of_people(request, &raw, &ids)?;
    let Bound { table, incomplete, .. } = bind(request, &raw)?;
    let People { rows, starts, source_place, ties } = people(request, key, &raw, &ids, &table)?;

    let known_as = known_as(ids, &source_place);
    let columns: Vec<RawColumn> = raw.columns.iter().map(|column| reordered(column, &rows)).collect();
    let mut moved = vec![0; rows.len()];
    rows.iter().enumerate().for_each(|(event, &row)| moved[row as usize] = event as u32);
    let mut incomplete: Vec<u32> = incomplete.into_iter().map(|row| moved[row as usize]).collect();
    incomplete.sort_unstable();
    Ok(Loaded {
        data: Sequences::new(table.select(&rows), starts).expect("everybody has the row of their id"),
        raw: RawTable { columns, rows: raw.rows, files: raw.files },
        incomplete,
        source_place,
        known_as,
        ties,
        header: read.header,
        sha256: read.sha256,
    })
}

/// What people are called, by a row of each.
fn known_as(ids: RawColumn, row_of: &[u32]) -> KnownAs {
    let columns = vec![ids.name.clone()];
    let table = RawTable { rows: ids.codes.len(), columns: vec![ids], files: Vec::new() };
    let (texts, person_of) = table::people(&table, &columns).unwrap_or_default();
    let texts = row_of.iter().map(|&row| texts.get(person_of[row as usize]).to_owned()).collect();
    KnownAs { columns, texts }
}

/// The people who have a complete event, with those events only.
#[derive(Debug)]
pub(crate) struct Complete {
    /// The people and events.
    pub data: Sequences,
    /// For each of the events its number among all.
    pub events: Vec<u32>,
    /// For each of the people their number among all.
    pub persons: Vec<u32>,
}

impl Loaded {
    /// What is left when incomplete events are left out. `events` are those of `data`, perhaps with more
    /// hierarchies.
    pub(crate) fn complete(&self, events: &Table) -> Complete {
        let mut keep = vec![true; events.rows];
        self.incomplete.iter().for_each(|&event| keep[event as usize] = false);
        let mut complete = Vec::with_capacity(events.rows);
        let (mut persons, mut starts) = (Vec::new(), vec![0]);
        for (person, range) in self.data.iter().enumerate() {
            let before = complete.len();
            complete.extend(range.filter(|&event| keep[event]).map(|event| event as u32));
            if complete.len() > before {
                persons.push(person as u32);
                starts.push(complete.len() as u32);
            }
        }
        let data =
            Sequences::new(events.select(&complete), starts).expect("only people with events are kept");
        Complete { data, events: complete, persons }
    }

    /// The column of this name, if it is among those that are read.
    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.data.events().columns.iter().find(|column| column.name == name)
    }
}
