//! The published events: what they say, in the order in which they are written, under fresh pseudonyms.

use std::ops::Range;

use shoal_core::{Place, Policy, RawColumnBuilder, RawTable, SUPPRESSED, Table, TableRecoding};
use shoal_privacy::people_as_published;

use super::load::Loaded;
use crate::columns::{Composed, published_columns};

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
    let (mut published, mut source_place): (Vec<Range<usize>>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut start = 0;
    for (person, own) in people.iter().enumerate() {
        let end = start + events[start..].partition_point(|&event| (event as usize) < own.end);
        if end > start {
            published.push(start..end);
            source_place.push(loaded.source_place[person]);
        }
        start = end;
    }
    let order = if policy.output.keep_order {
        let mut order: Vec<u32> = (0..published.len() as u32).collect();
        order.sort_unstable_by_key(|&person| source_place[person as usize]);
        order
    } else {
        let columns = published_columns(policy, raw, table, recoding, &events);
        people_as_published(&RawTable { columns, rows: events.len(), files: Vec::new() }, &published)
    };

    let mut ids = RawColumnBuilder::new(id.to_owned());
    let mut origin = Vec::with_capacity(events.len());
    for (number, person) in order.into_iter().enumerate() {
        let own = published[person as usize].clone();
        let pseudonym = (number + 1).to_string();
        own.clone().for_each(|_| ids.push(&pseudonym, Place::default()));
        origin.extend_from_slice(&events[own]);
    }
    let mut columns = vec![ids.finish()];
    columns.extend(published_columns(policy, raw, table, recoding, &origin));
    let published = RawTable { columns, rows: origin.len(), files: Vec::new() };
    Composed { published, origin }
}
