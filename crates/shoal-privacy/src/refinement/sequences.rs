//! The finest release of sequences.
//!
//! An attacker who has several releases, and knows whose lines are whose, lays them side by side. What that shows
//! depends on what the promise lets them know:
//!
//! - *All events* ((k,c)): people are alike where everything is that such an attacker can test: the list of each release,
//!   and which events of two releases may be one (`agreement`). The finest list is the lists one after the other, each
//!   event with its release and with those it agrees with.
//! - *Up to L values in order* ((k,β)^L, (k,C)^L): an event that two releases show has the lower of two nodes, and an
//!   event that one release leaves out has what the other one says. Which events are one is not published. So two things
//!   are asked. First, as many as possible are taken for one, in order (`merged`): an attacker may believe that nothing
//!   was left out. Then none is taken for one, and their order is open: an old event may have been left out where a new one
//!   is published ([`SequencesModel::verify_apart`]).
//!
//! Sensitive values of all appearances count: somebody who has a value in one release has it.

mod agreement;
mod events;
mod merged;

use std::collections::BTreeMap;

use shoal_core::{Distribution, Hierarchy, Place, Progress, RawColumnBuilder, RawTable, SameValue};

use self::agreement::agreements;
pub use self::events::Lists;
use self::events::{Event, Quasi};
use self::merged::merged;
use crate::sequences::{verify_all, verify_all_apart};
use crate::{BrokenPromise, SequencesModel, SequencesView, SequencesViolation, Unverifiable};

/// A release, and whose its lines are.
#[derive(Clone, Copy, Debug)]
pub struct EventRelease<'a> {
    /// The published events; the rows of a person stand together.
    pub published: &'a RawTable,
    /// The person of each published pseudonym, in the order of the file; a number is the same person in all releases.
    pub persons: &'a [u32],
}

/// How events are read.
#[derive(Clone, Copy, Debug)]
pub struct EventColumns<'a> {
    /// The pseudonyms.
    pub id: &'a str,
    /// The quasi-identifiers, with their hierarchies.
    pub quasi: &'a [(&'a str, Option<&'a Hierarchy>)],
    /// All columns that are published unchanged, whether promises are about them or not: an attacker compares what is there.
    pub unchanged: &'a [&'a str],
}

/// How much somebody may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownEvents {
    /// All events.
    All,
    /// Some values, in order.
    Some,
}

/// People who are in exactly the same releases.
#[derive(Debug)]
pub struct EventCell {
    /// In which of the releases they are.
    pub was_in: Vec<bool>,
    /// The people, in the order of the pseudonyms of `file`.
    pub people: Vec<u32>,
    /// Their finest lines: the columns of a release, and beside them the release and the agreements of each event.
    pub file: RawTable,
    known: KnownEvents,
    /// Where some values are known and there are several lists: the lists one after the other.
    apart: Option<RawTable>,
}

/// The column that says of which release an event is.
const RELEASE: &str = "\u{1}release";

/// The column that says with which events of other releases an event agrees.
const AGREES: &str = "\u{1}agrees";

/// The finest release of some people, cell by cell.
pub fn refine(
    releases: &[&Lists],
    people: impl IntoIterator<Item = u32>,
    columns: EventColumns<'_>,
    known: KnownEvents,
) -> Vec<EventCell> {
    let mut cells: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
    for person in people {
        cells.entry(releases.iter().map(|lists| lists.has(person)).collect()).or_default().push(person);
    }
    let cell = |(was_in, people): (Vec<bool>, Vec<u32>)| {
        let lists = |&person: &u32| releases.iter().map(|lists| lists.of(person)).collect::<Vec<_>>();
        let side_by_side = || people.iter().map(lists);
        let (file, apart) = match known {
            KnownEvents::All => (table(side_by_side().map(|lists| tested(&lists, columns)), columns), None),
            KnownEvents::Some => {
                let is_one = was_in.iter().filter(|was_in| **was_in).count() < 2;
                let apart = || table(side_by_side().map(|lists| one_after_the_other(&lists)), columns);
                let merged = side_by_side().map(|lists| all_merged(&lists, columns));
                (table(merged, columns), (!is_one).then(apart))
            }
        };
        EventCell { was_in, people, file, known, apart }
    };
    cells.into_iter().map(cell).collect()
}

/// An event of the finest release, with its release and agreements.
type Refined = (Event, usize, String);

fn one_after_the_other(lists: &[&[Event]]) -> Vec<Refined> {
    let of_release = |(at, list): (usize, &&[Event])| -> Vec<Refined> {
        list.iter().map(|event| (event.clone(), at, String::new())).collect()
    };
    lists.iter().enumerate().flat_map(of_release).collect()
}

fn tested(lists: &[&[Event]], columns: EventColumns<'_>) -> Vec<Refined> {
    let agreements = agreements(lists, columns.quasi).into_iter().flatten();
    let events = one_after_the_other(lists).into_iter().zip(agreements);
    events.map(|((event, at, _), agreements)| (event, at, agreements)).collect()
}

fn all_merged(lists: &[&[Event]], columns: EventColumns<'_>) -> Vec<Refined> {
    let line = lists.iter().fold(Vec::new(), |line, list| merged(&line, list, columns.quasi));
    line.into_iter().map(|event| (event, 0, String::new())).collect()
}

impl EventCell {
    /// For each row of the file whose it is, by the place in `people`.
    pub fn places(&self) -> Vec<usize> {
        let Some(ids) = self.file.columns.first() else { return Vec::new() };
        // People are numbered in order, so codes are places.
        ids.codes.iter().map(|&code| code as usize).collect()
    }

    /// Whether the people of the cell keep the promise among themselves, and what breaks it.
    pub fn judge(
        &self,
        columns: EventColumns<'_>,
        models: &[Box<dyn SequencesModel>],
        progress: &dyn Progress,
    ) -> Result<Vec<BrokenPromise<SequencesViolation>>, Unverifiable> {
        let quasi: Vec<&str> = columns.quasi.iter().map(|(name, _)| *name).collect();
        // Where lists are merged, the last two columns say nothing and have no hierarchy that could be asked.
        let tested = if self.known == KnownEvents::All { &[RELEASE, AGREES][..] } else { &[] };
        let view = SequencesView::new(&self.file, columns.id, &[&quasi[..], tested].concat())?;
        let view = view.with_progress(progress);
        let broken = verify_all(&view, models)?.1;
        let Some(apart) = self.apart.as_ref().filter(|_| broken.is_empty()) else { return Ok(broken) };
        let lists = SequencesView::new(apart, columns.id, &quasi)?.with_progress(progress);
        let release = apart.column(RELEASE).map(|column| column.codes.as_slice()).unwrap_or_default();
        verify_all_apart(&view, &lists, release, models)
    }
}

/// How many people have each value of a column, in any of their appearances; values that look alike are one.
pub fn everybody(cells: &[EventCell], id: &str, column: &str) -> Option<Distribution> {
    // By what values look like, and as they were first written.
    let mut people_with: BTreeMap<SameValue, (String, u32)> = BTreeMap::new();
    for EventCell { file, .. } in cells {
        let (ids, values) = (file.column(id)?, file.column(column)?);
        let same: Vec<SameValue> = values.labels.iter().map(SameValue::from_text).collect();
        let has = ids.codes.iter().zip(&values.codes);
        let has: BTreeMap<(u32, &SameValue), &str> =
            has.map(|(&id, &code)| ((id, &same[code as usize]), values.labels.get(code))).collect();
        for ((_, value), label) in has {
            people_with.entry(value.clone()).or_insert_with(|| (label.to_owned(), 0)).1 += 1;
        }
    }
    let people = cells.iter().map(|cell| cell.people.len() as u64).sum();
    Distribution::of_people(people_with.into_values(), people)
}

/// A file of finest lines, with people numbered in order.
fn table(lines: impl Iterator<Item = Vec<Refined>>, columns: EventColumns<'_>) -> RawTable {
    let names = [columns.id].into_iter().chain(columns.quasi.iter().map(|(name, _)| *name));
    let names = names.chain(columns.unchanged.iter().copied()).chain([RELEASE, AGREES]);
    let mut builders: Vec<RawColumnBuilder> =
        names.map(|name| RawColumnBuilder::new(name.to_owned())).collect();
    let mut rows = 0;
    for (number, line) in (1..).zip(lines) {
        rows += line.len();
        let number = number.to_string();
        for (event, release, agreements) in line {
            let cells = [Some(number.clone())].into_iter().chain(event.quasi).chain(event.unchanged);
            let cells = cells.chain([Some((release + 1).to_string()), Some(agreements)]);
            for (builder, cell) in builders.iter_mut().zip(cells) {
                match cell {
                    Some(text) => builder.push(&text, Place::default()),
                    None => builder.push_null(Place::default()),
                }
            }
        }
    }
    let columns = builders.into_iter().map(RawColumnBuilder::finish).collect();
    RawTable { columns, rows, files: Vec::new() }
}

#[cfg(test)]
mod tests;
