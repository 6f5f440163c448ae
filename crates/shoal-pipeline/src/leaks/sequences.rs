//! What published sequences give away.

use shoal_core::{RawTable, Role};
use shoal_measure::leaks::{folded, guesses, unique_records};
use shoal_privacy::Classes;

use super::table::in_classes;
use super::{Leak, columns, nothing};
use crate::Request;

/// The leaks of published sequences; `classes` are those of people whose whole sequences are alike, people in the
/// order in which they first appear.
pub(crate) fn of_sequences(
    request: &Request,
    published: &RawTable,
    id: &str,
    classes: &Classes,
) -> Vec<Leak> {
    let Some(ids) = published.column(id) else { return Vec::new() };
    let people = Classes::of(published.rows, &[ids]);
    let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); people.len()];
    people.class_of.iter().enumerate().for_each(|(row, &person)| rows_of[person as usize].push(row));

    let mut leaks: Vec<Leak> = nothing::of_columns(request, published, "events").into_iter().collect();
    let alone = unique_records(&classes.class_of);
    if let (Some(length), true) = (request.policy().privacy.length, alone > 0) {
        let what = format!(
            "{alone} of {} people publish a sequence that nobody else does: whoever knows more than {length} of somebody's \
             values may find them, and all that is published about them",
            people.len()
        );
        leaks.push(Leak::new("unique-sequences", what).counted(alone));
    }
    for name in request.policy().columns_of(Role::Sensitive) {
        let Some(column) = published.column(name) else { continue };
        let values = folded(column, &request.policy().data.missing);
        let of_people: Vec<Vec<u32>> =
            rows_of.iter().map(|rows| rows.iter().map(|&row| values[row]).collect()).collect();
        let found = guesses(classes, |person| &of_people[person]);
        leaks.extend(in_classes(name, &found, classes.len(), "people"));
    }
    leaks.extend(columns::of_untouched(request, published));
    leaks
}
