//! The finest release of sequences.
//!
//! An attacker who has two releases, and knows whose lines are whose, lays them side by side. What that shows
//! depends on what the promise lets them know:
//!
//! - *All events* ((k,c)): people are alike where they publish the same list in each release. The finest list is
//!   the lists one after the other, each event with its release. Which event is which does not matter.
//! - *Up to L values in order* ((k,β)^L, (k,C)^L): an event that two releases show has the lower of two nodes, and an
//!   event that one release leaves out has what the other one says. Which events are one is not published, except
//!   by what they say: two events of a person may be one where, column by column, one node lies above the other
//!   and what is published unchanged is the same. As many as possible are taken for one, in order. So an event gets
//!   the lowest nodes that anything published supports. Between two events that both releases show, those of the
//!   earlier release come first; their order is not published.
//!
//! Sensitive values of all appearances count: somebody who has a value in one release has it.

use std::collections::BTreeMap;

use shoal_core::{
    Distribution, Hierarchy, Place, Progress, RawColumn, RawColumnBuilder, RawTable, SameValue,
};

use crate::sequences::verify_all;
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
    /// Columns that are published unchanged and that promises are about.
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
    /// Their finest lines: the columns of a release, and for lists that stand one after the other their release.
    pub file: RawTable,
}

/// The column that says of which release an event is.
const RELEASE: &str = "\u{1}release";

/// The lists of events of a release, person by person.
#[derive(Debug, Default)]
pub struct Lists(BTreeMap<u32, Vec<Event>>);

impl Lists {
    /// Reads a release.
    pub fn read(release: EventRelease<'_>, columns: EventColumns<'_>) -> Result<Lists, Unverifiable> {
        let events = Events::read(release.published, columns)?;
        let lists = events
            .people(columns.id)?
            .into_iter()
            .zip(release.persons)
            .map(|(rows, &person)| (person, rows.iter().map(|&row| events.event(row)).collect()));
        Ok(Lists(lists.collect()))
    }

    /// Who is in the release.
    pub fn people(&self) -> impl Iterator<Item = u32> {
        self.0.keys().copied()
    }

    /// What is published of each event of somebody, by the quasi-identifiers and the unchanged columns.
    pub fn events_of(&self, person: u32) -> impl Iterator<Item = (&[Option<String>], &[Option<String>])> {
        let list = self.0.get(&person).map(Vec::as_slice).unwrap_or_default();
        list.iter().map(|event| (event.quasi.as_slice(), event.unchanged.as_slice()))
    }
}

/// The finest release of some people, cell by cell.
pub fn refine(
    releases: &[&Lists],
    people: impl IntoIterator<Item = u32>,
    columns: EventColumns<'_>,
    known: KnownEvents,
) -> Vec<EventCell> {
    let mut cells: BTreeMap<Vec<bool>, Vec<(u32, Vec<Event>)>> = BTreeMap::new();
    for person in people {
        let lists = releases.iter().enumerate().map(|(at, lists)| {
            let list = lists.0.get(&person).cloned().unwrap_or_default();
            list.into_iter().map(|event| Event { release: at, ..event }).collect::<Vec<Event>>()
        });
        let line = match known {
            KnownEvents::All => lists.flatten().collect(),
            KnownEvents::Some => {
                lists.reduce(|line, list| merged(&line, &list, columns.quasi)).unwrap_or_default()
            }
        };
        let was_in = releases.iter().map(|lists| lists.0.contains_key(&person)).collect();
        cells.entry(was_in).or_default().push((person, line));
    }
    cells.into_iter().map(|(was_in, lines)| cell(was_in, lines, columns)).collect()
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
        known: KnownEvents,
        models: &[Box<dyn SequencesModel>],
        progress: &dyn Progress,
    ) -> Result<Vec<BrokenPromise<SequencesViolation>>, Unverifiable> {
        let mut quasi: Vec<&str> = columns.quasi.iter().map(|(name, _)| *name).collect();
        if known == KnownEvents::All {
            quasi.push(RELEASE);
        }
        let view = SequencesView::new(&self.file, columns.id, &quasi)?.with_progress(progress);
        Ok(verify_all(&view, models)?.1)
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

/// What is published of an event: a null has no text.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    release: usize,
    quasi: Vec<Option<String>>,
    unchanged: Vec<Option<String>>,
}

struct Events<'a> {
    table: &'a RawTable,
    quasi: Vec<&'a RawColumn>,
    unchanged: Vec<&'a RawColumn>,
}

impl<'a> Events<'a> {
    fn read(table: &'a RawTable, columns: EventColumns<'_>) -> Result<Events<'a>, Unverifiable> {
        let column =
            |name: &str| table.column(name).ok_or_else(|| Unverifiable::Lacking { column: name.to_owned() });
        let quasi = columns.quasi.iter().map(|(name, _)| column(name)).collect::<Result<_, _>>()?;
        let unchanged = columns.unchanged.iter().map(|name| column(name)).collect::<Result<_, _>>()?;
        Ok(Events { table, quasi, unchanged })
    }

    /// The rows of each pseudonym, in the order of the file.
    fn people(&self, id: &str) -> Result<Vec<Vec<usize>>, Unverifiable> {
        let ids = self.table.column(id).ok_or_else(|| Unverifiable::Lacking { column: id.to_owned() })?;
        let mut place: Vec<Option<usize>> = vec![None; ids.labels.len()];
        let mut people: Vec<Vec<usize>> = Vec::new();
        for (row, &code) in ids.codes.iter().enumerate() {
            let place = *place[code as usize].get_or_insert(people.len());
            if place == people.len() {
                people.push(Vec::new());
            }
            people[place].push(row);
        }
        Ok(people)
    }

    fn event(&self, row: usize) -> Event {
        let text = |column: &&RawColumn| {
            (column.null != Some(column.codes[row])).then(|| column.text(row).to_owned())
        };
        Event {
            release: 0,
            quasi: self.quasi.iter().map(text).collect(),
            unchanged: self.unchanged.iter().map(text).collect(),
        }
    }
}

type Quasi<'a> = (&'a str, Option<&'a Hierarchy>);

/// Two lists of events, those that may be one taken for one: as many as possible, in order.
fn merged(line: &[Event], list: &[Event], quasi: &[Quasi<'_>]) -> Vec<Event> {
    let (n, m) = (line.len(), list.len());
    let may_be_one: Vec<bool> =
        line.iter().flat_map(|one| list.iter().map(|other| joined(one, other, quasi).is_some())).collect();
    // How many of the events from the i-th and the j-th on can be taken for one.
    let mut most = vec![0_u32; (n + 1) * (m + 1)];
    let at = |i: usize, j: usize| i * (m + 1) + j;
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let one = if may_be_one[i * m + j] { 1 + most[at(i + 1, j + 1)] } else { 0 };
            most[at(i, j)] = one.max(most[at(i + 1, j)]).max(most[at(i, j + 1)]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut merged = Vec::with_capacity(n.max(m));
    while i < n && j < m {
        let here = most[at(i, j)];
        if may_be_one[i * m + j] && here == 1 + most[at(i + 1, j + 1)] {
            merged.extend(joined(&line[i], &list[j], quasi));
            (i, j) = (i + 1, j + 1);
        } else if here == most[at(i + 1, j)] {
            merged.push(line[i].clone());
            i += 1;
        } else {
            merged.push(list[j].clone());
            j += 1;
        }
    }
    merged.extend_from_slice(&line[i..]);
    merged.extend_from_slice(&list[j..]);
    merged
}

/// The event that both may be, with the lower node of each column.
fn joined(one: &Event, other: &Event, quasi: &[Quasi<'_>]) -> Option<Event> {
    let same = |(a, b): (&Option<String>, &Option<String>)| match (a, b) {
        (Some(a), Some(b)) => SameValue::from_text(a) == SameValue::from_text(b),
        _ => a.is_none() && b.is_none(),
    };
    if !one.unchanged.iter().zip(&other.unchanged).all(same) {
        return None;
    }
    let cells = one.quasi.iter().zip(&other.quasi).zip(quasi);
    let quasi = cells.map(|((a, b), (_, tree))| lower(a, b, *tree)).collect::<Option<_>>()?;
    Some(Event { release: one.release, quasi, unchanged: one.unchanged.clone() })
}

/// The lower one of two cells, where one lies above the other.
#[allow(clippy::option_option, reason = "a cell may be null")]
fn lower(one: &Option<String>, other: &Option<String>, tree: Option<&Hierarchy>) -> Option<Option<String>> {
    let is_top = |cell: &Option<String>| cell.as_deref() == Some("*");
    if one == other || is_top(other) {
        return Some(one.clone());
    }
    if is_top(one) {
        return Some(other.clone());
    }
    let (a, b, tree) = (one.as_deref()?, other.as_deref()?, tree?);
    let is_above = |upper: &str, lower: &str| {
        let (Some(upper), Some(lower)) = (tree.node(upper), tree.node(lower)) else { return false };
        std::iter::successors(Some(lower), |node| tree.parent(*node)).any(|node| node == upper)
    };
    if is_above(a, b) {
        return Some(other.clone());
    }
    is_above(b, a).then(|| one.clone())
}

fn cell(was_in: Vec<bool>, lines: Vec<(u32, Vec<Event>)>, columns: EventColumns<'_>) -> EventCell {
    let names = [columns.id, RELEASE].into_iter().chain(columns.quasi.iter().map(|(name, _)| *name));
    let names = names.chain(columns.unchanged.iter().copied());
    let mut builders: Vec<RawColumnBuilder> =
        names.map(|name| RawColumnBuilder::new(name.to_owned())).collect();
    let (mut people, mut rows) = (Vec::new(), 0);
    for (person, line) in lines {
        people.push(person);
        let number = people.len().to_string();
        for event in line {
            rows += 1;
            let release = (event.release + 1).to_string();
            let first = [Some(number.clone()), Some(release)].into_iter();
            let cells = first.chain(event.quasi).chain(event.unchanged);
            for (builder, cell) in builders.iter_mut().zip(cells) {
                match cell {
                    Some(text) => builder.push(&text, Place::default()),
                    None => builder.push_null(Place::default()),
                }
            }
        }
    }
    let columns = builders.into_iter().map(RawColumnBuilder::finish).collect();
    EventCell { was_in, people, file: RawTable { columns, rows, files: Vec::new() } }
}

#[cfg(test)]
mod tests;
