//! What published sequences give away.

use std::collections::BTreeMap;

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
    if let Some(length) = request.policy().privacy.length {
        let numbers: Vec<usize> = rows_of.iter().map(Vec::len).collect();
        leaks.extend(unique_sequences(classes, length));
        leaks.extend(rare_numbers(&numbers, request.policy().privacy.k.unwrap_or_default()));
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

/// Against limited knowledge whole sequences need not be alike.
fn unique_sequences(classes: &Classes, length: usize) -> Option<Leak> {
    let alone = unique_records(&classes.class_of);
    let what = format!(
        "{alone} of {} people publish a sequence that nobody else does: whoever knows more than {length} of somebody's values, or how many events there were, may find \
         them, and all that is published about them",
        classes.class_of.len()
    );
    (alone > 0).then(|| Leak::new("unique-sequences", what).counted(alone))
}

/// How many events there were is no value, and the promise is about values: nobody has to share the number of theirs.
fn rare_numbers(numbers: &[usize], k: usize) -> Option<Leak> {
    let mut people: BTreeMap<usize, usize> = BTreeMap::new();
    numbers.iter().for_each(|&events| *people.entry(events).or_default() += 1);
    let rare: usize = people.into_values().filter(|&sharing| sharing < k).sum();
    let what = format!(
        "how many events somebody has is not covered by the promise: {rare} of {} people publish a number of events that fewer than k = {k} people publish, and whoever knows \
         somebody's number may find them by it",
        numbers.len()
    );
    (rare > 0).then(|| Leak::new("rare-numbers", what).counted(rare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_k_share_are_not_rare() {
        assert_eq!(rare_numbers(&[1, 2, 2, 1, 3, 9, 1], 2).unwrap().count, Some(2));
        assert_eq!(rare_numbers(&[1, 2, 2, 1], 2), None);
    }
}
