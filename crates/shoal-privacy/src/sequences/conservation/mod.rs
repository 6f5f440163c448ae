//! Conservation: published sequences against the input.
//!
//! Every published event names the input event that it comes from. That witness is checked like the one of
//! a table, column by column and cell by cell. On top of it, people are kept: all events of a pseudonym are
//! one person's, nobody has two pseudonyms, and the events stand together in the order in which they happened.
//! Pseudonyms are the numbers from 1 on in the order of the file, so they say nothing but the place in it.

mod error;

use shoal_core::{Progress, Sequences};

pub use error::SequencesConservationError;

use super::SequencesView;
use crate::origin::{check_origins, number};
use crate::table::conservation::check_columns;

/// Compares published sequences with their input.
///
/// `origin` holds, for every published event, the input event it comes from, both counted from 0; `left_out` is
/// how many input events are said not to be in the file.
pub fn check(
    original: &Sequences,
    view: &SequencesView<'_>,
    origin: &[u32],
    left_out: usize,
    progress: &dyn Progress,
) -> Result<(), SequencesConservationError> {
    let (events, published) = (original.events(), view.events().published());
    check_origins(events.rows, published.rows, origin, left_out)?;
    check_pseudonyms(view)?;
    check_people(original, view, origin)?;
    Ok(check_columns(events, published, Some(&view.ids().name), origin, progress)?)
}

/// The ids must be the numbers from 1 on, each in rows that stand together.
fn check_pseudonyms(view: &SequencesView<'_>) -> Result<(), SequencesConservationError> {
    for person in 0..view.people() {
        let rows = view.rows_of(person);
        let (first, due) = (rows[0] as usize, number(person));
        if view.ids().text(first) != due.to_string() {
            return Err(SequencesConservationError::Pseudonym { row: number(first), due });
        }
        if let Some(pair) = rows.windows(2).find(|pair| pair[1] != pair[0] + 1) {
            let (ended, row) = (number(pair[0] as usize), number(pair[1] as usize));
            return Err(SequencesConservationError::Scattered { row, person: due, ended });
        }
    }
    Ok(())
}

/// Published people must be people of the input, one to one, with their events in order. Every origin is known
/// to be an event of the input.
fn check_people(
    original: &Sequences,
    view: &SequencesView<'_>,
    origin: &[u32],
) -> Result<(), SequencesConservationError> {
    let person_of = original.person_of();
    let mut published_as: Vec<Option<u64>> = vec![None; original.persons()];
    for published in 0..view.people() {
        let (rows, person) = (view.rows_of(published), number(published));
        for pair in rows.windows(2) {
            check_next(&person_of, person, [pair[0], pair[1]], origin)?;
        }
        let from = origin[rows[0] as usize] as usize;
        if let Some(first) = published_as[person_of[from] as usize].replace(person) {
            let original_row = number(from);
            return Err(SequencesConservationError::PublishedTwice { first, second: person, original_row });
        }
    }
    Ok(())
}

/// Two events that follow each other in a published person must be one person's, the earlier one first.
fn check_next(
    person_of: &[u32],
    person: u64,
    rows: [u32; 2],
    origin: &[u32],
) -> Result<(), SequencesConservationError> {
    let [first, second] = rows.map(|row| number(row as usize));
    let from = rows.map(|row| origin[row as usize] as usize);
    let [first_original, second_original] = from.map(number);
    if person_of[from[0]] != person_of[from[1]] {
        return Err(SequencesConservationError::TwoPeople {
            person,
            first,
            second,
            first_original,
            second_original,
        });
    }
    if from[0] >= from[1] {
        return Err(SequencesConservationError::OutOfOrder {
            person,
            first,
            second,
            first_original,
            second_original,
        });
    }
    Ok(())
}
