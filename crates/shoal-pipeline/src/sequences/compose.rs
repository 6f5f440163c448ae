//! The published events: what they say, in the order in which they are written, under fresh pseudonyms.

use shoal_core::{Place, Policy, RawColumnBuilder, RawTable, Recoding, SUPPRESSED, Sequences, Table};

use crate::order::shuffled;
use crate::table::{Composed, published_columns};

/// Puts the surviving events together, person by person. `table` holds the events with the hierarchies that
/// the recoding speaks of, `raw` what was read.
pub(crate) fn compose(
    policy: &Policy,
    id: &str,
    people: &Sequences,
    raw: &RawTable,
    table: &Table,
    recoding: &Recoding,
) -> Composed {
    let mut ids = RawColumnBuilder::new(id.to_owned());
    let mut origin = Vec::with_capacity(raw.rows);
    let mut pseudonym = 0;
    for person in shuffled(policy, (0..people.persons() as u32).collect()) {
        let events = people.events_of(person as usize);
        let surviving = events.filter(|&event| recoding.class_of[event] != SUPPRESSED);
        let before = origin.len();
        origin.extend(surviving.map(|event| event as u32));
        // Somebody of whom nothing is left takes no number: a gap would count them.
        pseudonym += usize::from(origin.len() > before);
        for _ in before..origin.len() {
            ids.push(&pseudonym.to_string(), Place::default());
        }
    }
    let mut columns = vec![ids.finish()];
    columns.extend(published_columns(raw, table, recoding, &origin));
    let published = RawTable { columns, rows: origin.len(), files: Vec::new() };
    Composed { published, origin }
}
