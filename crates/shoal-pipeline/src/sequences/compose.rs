//! The published events: what they say, in the order in which they are written, under fresh pseudonyms.

use std::ops::Range;

use rayon::prelude::*;
use shoal_core::{Place, Policy, RawColumnBuilder, RawTable, SUPPRESSED, Table, TableRecoding};

use super::load::Loaded;
use crate::columns::{Composed, published_columns};
use crate::order::PublishedPlaces;

/// Puts the surviving events together, person by person, in the order of what is published about people. `table` holds
/// the events with the hierarchies that the recoding refers to.
pub(crate) fn compose(
    policy: &Policy,
    id: &str,
    loaded: &Loaded,
    table: &Table,
    recoding: &TableRecoding,
) -> Composed {
    let (people, raw) = (&loaded.data, &loaded.raw);
    let survives = |event: &u32| recoding.class_of[*event as usize] != SUPPRESSED;
    let events: Vec<u32> = (0..raw.rows as u32).filter(survives).collect();
    // Somebody of whom nothing is published takes no number: gaps would show how many are left out.
    let mut published: Vec<(u32, Range<usize>)> = Vec::with_capacity(people.persons());
    let mut start = 0;
    for (person, own) in people.iter().enumerate() {
        let end = start + events[start..].partition_point(|&event| (event as usize) < own.end);
        if end > start {
            published.push((person as u32, start..end));
        }
        start = end;
    }
    if policy.output.keep_order {
        published.sort_unstable_by_key(|(person, _)| loaded.source_place[*person as usize]);
    } else {
        let columns = published_columns(policy, raw, table, recoding, &events);
        let places = PublishedPlaces::of(&RawTable { columns, rows: events.len(), files: Vec::new() });
        published.par_sort_unstable_by(|(a_person, a), (b_person, b)| {
            let differing = a.clone().zip(b.clone()).map(|(a, b)| places.compare(a, b)).find(|o| o.is_ne());
            differing.unwrap_or_else(|| a.len().cmp(&b.len())).then(a_person.cmp(b_person))
        });
    }

    let mut ids = RawColumnBuilder::new(id.to_owned());
    let mut origin = Vec::with_capacity(events.len());
    for (number, (_, own)) in published.into_iter().enumerate() {
        let pseudonym = (number + 1).to_string();
        own.clone().for_each(|_| ids.push(&pseudonym, Place::default()));
        origin.extend_from_slice(&events[own]);
    }
    let mut columns = vec![ids.finish()];
    columns.extend(published_columns(policy, raw, table, recoding, &origin));
    let published = RawTable { columns, rows: origin.len(), files: Vec::new() };
    Composed { published, origin }
}
