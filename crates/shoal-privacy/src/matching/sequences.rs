//! The origins of published sequences: people first, then their events.

use rayon::prelude::*;
use shoal_core::{Progress, RawTable, Role, Sequences};

use super::columns::Pairs;
use super::flow::{Demand, assign};
use super::table::no_origin;
use super::{NoOrigin, Origins};
use crate::table::Gathered;
use crate::{Classes, SequencesView, Unverifiable};

/// Finds for every published person a person of the original of their own, and for each of their events one of that
/// person's events of which it is true, in the same order. `excluded` are events that the policy leaves out.
///
/// The outer error is that of a file that cannot be read as sequences at all.
pub fn match_sequences(
    original: &Sequences,
    published: &RawTable,
    id: &str,
    excluded: &[u32],
    progress: &dyn Progress,
) -> Result<Result<Origins, NoOrigin>, Unverifiable> {
    let events = original.events();
    let quasi: Vec<&str> = events.of_role(Role::QuasiIdentifier).map(|column| column.name.as_str()).collect();
    let view = SequencesView::new(published, id, &quasi)?;
    let pairs = match Pairs::new(events, published, Some(id)) {
        Ok(pairs) => pairs,
        Err(error) => return Ok(Err(error.into())),
    };
    Ok(search(original, &view, &pairs, excluded, progress))
}

fn search(
    original: &Sequences,
    view: &SequencesView<'_>,
    pairs: &Pairs<'_>,
    excluded: &[u32],
    progress: &dyn Progress,
) -> Result<Origins, NoOrigin> {
    let events = original.events();
    let mut usable = vec![true; events.rows];
    excluded.iter().for_each(|&event| usable[event as usize] = false);

    // Events that say the same are one event, and people with the same events are one person.
    let quasi = pairs.quasi.iter().map(|column| column.to.codes.as_slice());
    let keys: Vec<&[u32]> = quasi.chain(pairs.untouched.iter().map(|column| column.to.as_slice())).collect();
    let published_events = Classes::of_codes(view.events().published().rows, &keys).class_of;
    let people: Vec<Vec<u32>> = (0..view.people())
        .map(|person| view.rows_of(person).iter().map(|&row| published_events[row as usize]).collect())
        .collect();
    let published = Classes::of_keys(people.iter());

    let quasi = pairs.quasi.iter().map(|column| column.from.codes.as_slice());
    let keys: Vec<&[u32]> =
        quasi.chain(pairs.untouched.iter().map(|column| column.from.as_slice())).collect();
    let original_events = Classes::of_codes(events.rows, &keys).class_of;
    let kept: Vec<Vec<u32>> = (0..original.persons())
        .map(|person| {
            original.events_of(person).filter(|&event| usable[event]).map(|event| event as u32).collect()
        })
        .collect();
    let people: Vec<Vec<u32>> = kept
        .iter()
        .map(|events| events.iter().map(|&event| original_events[event as usize]).collect())
        .collect();
    let originals = Classes::of_keys(people.iter());

    let is_true = |row: u32, event: u32| {
        let (row, event) = (row as usize, event as usize);
        pairs.untouched.iter().all(|column| column.to[row] == column.from[event])
            && pairs.quasi.iter().all(|column| column.is_true(column.to.codes[row], column.from.codes[event]))
    };
    let (first, first_original) = (published.first_rows(), originals.first_rows());
    let fits: Vec<Vec<u32>> = first
        .par_iter()
        .map(|&person| {
            progress.check();
            let rows = view.rows_of(person as usize);
            let fits = |group: &u32| {
                let events = &kept[first_original[*group as usize] as usize];
                events.len() >= rows.len() && places(rows, events, is_true).is_some()
            };
            (0..originals.len() as u32).filter(fits).collect()
        })
        .collect();
    let demand = Demand { published: published.sizes.clone(), originals: originals.sizes.clone(), fits };
    let people_of = published.gather();
    let taken = assign(&demand, progress)
        .map_err(|short| no_origin(&short, &first_rows(view, &people_of), "person"))?;

    let originals_of = originals.gather();
    let mut next = vec![0; demand.originals.len()];
    let mut origin = vec![0; view.events().published().rows];
    for (group, people) in people_of.iter().enumerate() {
        let mut people = people.iter();
        for (&amount, &from) in taken[group].iter().zip(&demand.fits[group]) {
            for &person in people.by_ref().take(amount as usize) {
                let events = &kept[originals_of.of(from as usize)[next[from as usize]] as usize];
                next[from as usize] += 1;
                let rows = view.rows_of(person as usize);
                // People of one group say the same, so what fits the first of them fits all.
                let places = places(rows, events, is_true).unwrap_or_default();
                rows.iter().zip(places).for_each(|(&row, place)| origin[row as usize] = events[place]);
            }
        }
    }
    Ok(Origins { left_out: events.rows - origin.len(), origin })
}

/// The first row of every person in the place of the person.
fn first_rows(view: &SequencesView<'_>, people_of: &Gathered) -> Gathered {
    people_of.map(|person| view.rows_of(person as usize)[0])
}

/// Where among a person's events each published one may stand, in order. Taking the first that fits leaves most for the
/// rest, so that this finds places wherever there are any.
fn places(rows: &[u32], events: &[u32], is_true: impl Fn(u32, u32) -> bool) -> Option<Vec<usize>> {
    let mut from = 0;
    rows.iter()
        .map(|&row| {
            let place = from + events[from..].iter().position(|&event| is_true(row, event))?;
            from = place + 1;
            Some(place)
        })
        .collect()
}
