//! What published sequences give away.

use std::collections::BTreeMap;

use shoal_core::{RawTable, Role};
use shoal_measure::leaks::{folded, guesses, unique_records};
use shoal_privacy::Classes;

use super::table::in_classes;
use super::{Leak, LeakKind, Unit, columns};
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

    let mut leaks: Vec<Leak> = columns::says_nothing(request, published, Unit::Events).into_iter().collect();
    if let Some(length) = request.policy().privacy.length {
        let numbers: Vec<usize> = rows_of.iter().map(Vec::len).collect();
        leaks.extend(unique_sequences(classes, length));
        leaks.extend(rare_numbers(&numbers, request.policy().privacy.k.unwrap_or_default()));
    }
    for name in request.policy().columns_of(Role::Sensitive) {
        let Some(column) = published.column(name) else { continue };
        let values = folded(column, &request.policy().data.missing_texts());
        let of_people: Vec<Vec<u32>> =
            rows_of.iter().map(|rows| rows.iter().filter_map(|&row| values[row]).collect()).collect();
        let found = guesses(classes, |person| of_people[person].clone());
        leaks.extend(in_classes(name, &found, classes.len(), Unit::People));
    }
    leaks.extend(columns::of_untouched(request, published));
    leaks
}

/// Against limited knowledge whole sequences need not be alike.
fn unique_sequences(classes: &Classes, length: usize) -> Option<Leak> {
    let (count, of) = (unique_records(classes.class_of.iter().copied()), classes.class_of.len());
    (count > 0).then(|| LeakKind::UniqueSequences { count, of, length }.into())
}

/// How many events there were is no value, and the promise is about values: nobody has to share the number of theirs.
fn rare_numbers(numbers: &[usize], k: usize) -> Option<Leak> {
    let mut people: BTreeMap<usize, usize> = BTreeMap::new();
    numbers.iter().for_each(|&events| *people.entry(events).or_default() += 1);
    let count: usize = people.into_values().filter(|&sharing| sharing < k).sum();
    (count > 0).then(|| LeakKind::RareNumbers { count, of: numbers.len(), k }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_k_share_are_not_rare() {
        assert_eq!(rare_numbers(&[1, 2, 2, 1, 3, 9, 1], 2).unwrap().kind.count(), Some(2));
        assert_eq!(rare_numbers(&[1, 2, 2, 1], 2), None);
    }
}
