//! The second verifier where everybody counts who may be the one: it tries every list of nodes of the hierarchies, and a
//! value outside them, and asks of every person whether they fit it.

use std::collections::{BTreeMap, BTreeSet};

use crate::twin::{Case, Event, Known, PLACES, STAYS, breaks};

/// A value that no hierarchy knows and no cell names, such as a missing one.
const OUTSIDE: &str = "outside";

/// One event of which up to one value per quasi-identifier is known.
type KnownEvent = Vec<(usize, &'static str)>;

/// Everything that can be known, fits somebody and breaks the promise, and the people whom it fits.
pub(crate) fn broken(case: &Case) -> BTreeMap<Known, BTreeSet<usize>> {
    let mut found = BTreeMap::new();
    extend(case, &events(), &mut Vec::new(), case.length, &mut found);
    found
}

/// The people whom something known fits.
pub(crate) fn crowd(case: &Case, known: &Known) -> BTreeSet<usize> {
    let texts: Vec<Vec<(usize, &str)>> = known
        .iter()
        .map(|event| event.iter().map(|(quasi, text)| (*quasi, text.as_str())).collect())
        .collect();
    people(case, &texts)
}

fn extend(
    case: &Case,
    events: &[KnownEvent],
    known: &mut Vec<KnownEvent>,
    left: usize,
    found: &mut BTreeMap<Known, BTreeSet<usize>>,
) {
    for event in events.iter().filter(|event| event.len() <= left) {
        known.push(event.clone());
        let crowd = people(case, known);
        // Whatever follows fits nobody either.
        if !crowd.is_empty() {
            extend(case, events, known, left - event.len(), found);
            if breaks(case, &crowd) {
                let owned =
                    |event: &KnownEvent| event.iter().map(|&(q, text)| (q, text.to_owned())).collect();
                found.insert(known.iter().map(owned).collect(), crowd);
            }
        }
        known.pop();
    }
}

/// All that can be known of one event.
fn events() -> Vec<KnownEvent> {
    let nodes = |lines: &[&[&'static str]]| {
        let mut nodes: BTreeSet<&str> = lines.iter().flat_map(|line| line.iter().copied()).collect();
        nodes.remove("*");
        nodes.insert(OUTSIDE);
        nodes.into_iter().map(Some).chain([None]).collect::<Vec<_>>()
    };
    let mut places = nodes(&PLACES);
    places.push(Some("zebra"));
    let mut events = Vec::new();
    for place in &places {
        for stay in nodes(&STAYS) {
            let event: KnownEvent =
                [place.map(|text| (0, text)), stay.map(|text| (1, text))].into_iter().flatten().collect();
            if !event.is_empty() {
                events.push(event);
            }
        }
    }
    events
}

fn people(case: &Case, known: &[Vec<(usize, &str)>]) -> BTreeSet<usize> {
    (0..case.people.len()).filter(|&person| fits(&case.people[person], known)).collect()
}

/// Whether the known events can be found in order, by trying all places.
fn fits(events: &[Event], known: &[Vec<(usize, &str)>]) -> bool {
    let Some((first, rest)) = known.split_first() else { return true };
    (0..events.len()).any(|at| {
        let cell = |&(quasi, text): &(usize, &str)| cell_fits(quasi, &events[at][quasi], text);
        first.iter().all(cell) && fits(&events[at + 1..], rest)
    })
}

/// Whether a cell lies at, below or above what is known.
fn cell_fits(quasi: usize, cell: &str, known: &str) -> bool {
    cell == "*" || path(quasi, cell).contains(&known) || path(quasi, known).contains(&cell)
}

/// A text and what lies above it, short of `*`.
fn path(quasi: usize, text: &str) -> Vec<&str> {
    let lines: &[&[&'static str]] = if quasi == 0 { &PLACES } else { &STAYS };
    let line = lines.iter().find_map(|line| Some(&line[line.iter().position(|node| *node == text)?..]));
    let mut path = line.map_or_else(|| vec![text], <[&str]>::to_vec);
    path.retain(|node| *node != "*");
    path
}
