//! What releases publish of events, and what two published events say of each other.

use std::collections::BTreeMap;

use shoal_core::{Hierarchy, NodeId, RawColumn, SameValue};

use super::{EventColumns, EventRelease};
use crate::Unverifiable;

/// The lists of events of a release, person by person.
#[derive(Debug, Default)]
pub struct Lists(BTreeMap<u32, Vec<Event>>);

impl Lists {
    /// Reads a release.
    pub fn read(release: EventRelease<'_>, columns: EventColumns<'_>) -> Result<Lists, Unverifiable> {
        let EventRelease { published, persons } = release;
        let column = |name: &str| {
            published.column(name).ok_or_else(|| Unverifiable::Lacking { column: name.to_owned() })
        };
        let quasi = columns.quasi.iter().map(|(name, _)| column(name));
        let quasi: Vec<&RawColumn> = quasi.collect::<Result<_, _>>()?;
        let unchanged = columns.unchanged.iter().map(|name| column(name));
        let unchanged: Vec<&RawColumn> = unchanged.collect::<Result<_, _>>()?;
        let ids = column(columns.id)?;
        let mut place: Vec<Option<usize>> = vec![None; ids.labels.len()];
        let mut lists: Vec<Vec<Event>> = Vec::new();
        for (row, &code) in ids.codes.iter().enumerate() {
            let place = *place[code as usize].get_or_insert(lists.len());
            if place == lists.len() {
                lists.push(Vec::new());
            }
            lists[place].push(Event::read(row, &quasi, &unchanged));
        }
        Ok(Lists(persons.iter().copied().zip(lists).collect()))
    }

    /// Who is in the release.
    pub fn people(&self) -> impl Iterator<Item = u32> {
        self.0.keys().copied()
    }

    /// What is published of each event of somebody, by the quasi-identifiers and the unchanged columns.
    pub fn events_of(&self, person: u32) -> impl Iterator<Item = (&[Option<String>], &[Option<String>])> {
        self.of(person).iter().map(|event| (event.quasi.as_slice(), event.unchanged.as_slice()))
    }

    pub(super) fn has(&self, person: u32) -> bool {
        self.0.contains_key(&person)
    }

    pub(super) fn of(&self, person: u32) -> &[Event] {
        self.0.get(&person).map(Vec::as_slice).unwrap_or_default()
    }
}

/// What is published of an event: a null has no text.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    pub quasi: Vec<Option<String>>,
    pub unchanged: Vec<Option<String>>,
    /// What `unchanged` looks like.
    same: Vec<Option<SameValue>>,
}

impl Event {
    fn read(row: usize, quasi: &[&RawColumn], unchanged: &[&RawColumn]) -> Event {
        let text = |column: &&RawColumn| {
            (column.null != Some(column.codes[row])).then(|| column.text(row).to_owned())
        };
        Event::new(quasi.iter().map(text).collect(), unchanged.iter().map(text).collect())
    }

    pub(super) fn new(quasi: Vec<Option<String>>, unchanged: Vec<Option<String>>) -> Event {
        let same = unchanged.iter().map(|text| text.as_deref().map(SameValue::from_text)).collect();
        Event { quasi, unchanged, same }
    }

    /// The same event with other cells.
    pub(super) fn with(&self, quasi: Vec<Option<String>>) -> Event {
        Event { quasi, ..self.clone() }
    }

    /// Whether everything that is published unchanged looks the same.
    pub(super) fn agrees(&self, other: &Event) -> bool {
        self.same == other.same
    }
}

/// A column of quasi-identifiers, with the hierarchy where there is one.
pub(super) type Quasi<'a> = (&'a str, Option<&'a Hierarchy>);

/// Whether an event that fits the first cells certainly fits the second ones.
pub(super) fn is_within(one: &Event, other: &Event, quasi: &[Quasi<'_>]) -> bool {
    let mut cells = one.quasi.iter().zip(&other.quasi).zip(quasi);
    cells.all(|((a, b), (_, tree))| is_cell_within(a, b, *tree))
}

/// Whether cells of two releases may be of one event.
pub(super) fn may_be_one(one: &Event, other: &Event, quasi: &[Quasi<'_>]) -> bool {
    let mut cells = one.quasi.iter().zip(&other.quasi).zip(quasi);
    cells.all(|((a, b), (_, tree))| {
        is_cell_within(a, b, *tree) || is_cell_within(b, a, *tree) || !are_apart(a, b, *tree)
    })
}

/// The lower cells of both, where in each column one lies at or above the other.
pub(super) fn lower(one: &Event, other: &Event, quasi: &[Quasi<'_>]) -> Option<Vec<Option<String>>> {
    let cells = one.quasi.iter().zip(&other.quasi).zip(quasi);
    let lower = |((a, b), (_, tree)): ((&Option<String>, &Option<String>), &Quasi<'_>)| match () {
        () if is_cell_within(a, b, *tree) => Some(a.clone()),
        () if is_cell_within(b, a, *tree) => Some(b.clone()),
        () => None,
    };
    cells.map(lower).collect()
}

fn is_cell_within(lower: &Option<String>, upper: &Option<String>, tree: Option<&Hierarchy>) -> bool {
    if lower == upper || upper.as_deref() == Some("*") {
        return true;
    }
    let Some((tree, [lower, upper])) = nodes([lower, upper], tree) else { return false };
    std::iter::successors(Some(lower), |node| tree.parent(*node)).any(|node| node == upper)
}

/// Whether no value fits both of two cells, neither of which lies within the other. Sets and ranges are not taken apart.
fn are_apart(one: &Option<String>, other: &Option<String>, tree: Option<&Hierarchy>) -> bool {
    let is_one_value =
        |cell: &Option<String>| cell.as_deref().is_none_or(|text| !text.starts_with(['[', '{']));
    let look = |cell: &Option<String>| cell.as_deref().map(SameValue::from_text);
    match tree {
        Some(_) => nodes([one, other], tree).is_some(),
        None => is_one_value(one) && is_one_value(other) && look(one) != look(other),
    }
}

fn nodes<'t>(
    cells: [&Option<String>; 2],
    tree: Option<&'t Hierarchy>,
) -> Option<(&'t Hierarchy, [NodeId; 2])> {
    let tree = tree?;
    let [one, other] = cells.map(|cell| tree.node(cell.as_deref()?));
    Some((tree, [one?, other?]))
}
