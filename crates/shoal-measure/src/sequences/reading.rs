use std::ops::Range;

use shoal_core::{PublishedValue, Sequences};
use shoal_privacy::Classes;

use super::fold::Folded;
use super::leaves::Leaves;
use super::{Predicate, Query};
use crate::QuasiColumn;

/// A file of sequences as somebody reads it who asks for counts. The original is read in the same way, as a
/// file in which every value stands for itself.
#[derive(Debug)]
pub(super) struct Reading {
    folded: Folded,
    columns: Vec<Texts>,
}

/// One quasi-identifier.
#[derive(Debug)]
struct Texts {
    /// What each distinct text stands for.
    leaves: Vec<Leaves>,
    /// The text of each distinct event.
    of_event: Vec<u32>,
}

impl Reading {
    /// The original.
    pub(super) fn of_original(original: &Sequences) -> Reading {
        let quasi = original.events().quasi_identifiers();
        let columns = quasi.iter().map(|column| {
            let values = (0..column.domain.len() as u32).map(PublishedValue::Exact);
            let leaves = values.map(|value| Leaves::of(&value, column)).collect();
            (column.codes.as_slice(), leaves)
        });
        Reading::of(original.events().rows, columns.collect(), original.iter())
    }

    /// A published file with the events of these people.
    pub(super) fn of_published(quasi: &[QuasiColumn<'_>], people: &[Range<usize>]) -> Reading {
        let columns = quasi.iter().map(|column| {
            let values = column.values.iter();
            let leaves = values.map(|(value, _)| Leaves::of(value, column.original)).collect();
            (column.published.codes.as_slice(), leaves)
        });
        let rows = people.last().map_or(0, |last| last.end);
        Reading::of(rows, columns.collect(), people.iter().cloned())
    }

    fn of(
        rows: usize,
        columns: Vec<(&[u32], Vec<Leaves>)>,
        people: impl Iterator<Item = Range<usize>>,
    ) -> Reading {
        let codes: Vec<&[u32]> = columns.iter().map(|(codes, _)| *codes).collect();
        let folded = Folded::of(rows, &codes, people);
        let firsts = folded.events().first_rows();
        let texts = |(codes, leaves): (&[u32], Vec<Leaves>)| {
            let of_event = firsts.iter().map(|&row| codes[row as usize]).collect();
            Texts { leaves, of_event }
        };
        Reading { columns: columns.into_iter().map(texts).collect(), folded }
    }

    /// How many events there are.
    pub(super) fn events(&self) -> usize {
        self.folded.events().class_of.len()
    }

    /// The classes of people with equal sequences.
    pub(super) fn classes(&self) -> &Classes {
        self.folded.people()
    }

    /// How many people are to be expected to have what a query asks for. A whole number in the original.
    pub(super) fn expected(&self, query: &Query) -> f64 {
        let chances: Vec<(f64, f64)> =
            self.chances(&query.first).into_iter().zip(self.chances(&query.later)).collect();
        let sequences = self.folded.sequences();
        sequences.map(|(events, people)| f64::from(people) * in_order(events, &chances)).sum()
    }

    /// For each distinct event, the probability that it is as all predicates say.
    fn chances(&self, predicates: &[Predicate]) -> Vec<f64> {
        let mut chances = vec![1.0; self.folded.events().len()];
        for predicate in predicates {
            let column = &self.columns[predicate.column];
            let of_text: Vec<f64> =
                column.leaves.iter().map(|leaves| leaves.chance(&predicate.leaves)).collect();
            for (chance, &text) in chances.iter_mut().zip(&column.of_event) {
                *chance *= of_text[text as usize];
            }
        }
        chances
    }
}

/// The probability that among these events one is the first that is asked for, and a later one the second,
/// where `chances` are those of each event to be the one and the other.
///
/// Up to some event a person has had nothing that is asked for, or the first, or both. An event leads at most one
/// step further, so it does not matter how its two probabilities depend on each other.
fn in_order(events: &[u32], chances: &[(f64, f64)]) -> f64 {
    let (mut nothing, mut first, mut both) = (1.0, 0.0, 0.0);
    for &event in events {
        let (is_first, is_second) = chances[event as usize];
        // In this order: `both` and `first` need the state before this event, so that one event is not taken for
        // both.
        both += first * is_second;
        first = first * (1.0 - is_second) + nothing * is_first;
        nothing *= 1.0 - is_first;
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_event_is_both_the_first_and_the_later_one() {
        let chances = [(1.0, 1.0), (0.5, 0.5), (0.0, 1.0), (1.0, 0.0)];
        assert_eq!(in_order(&[0], &chances), 0.0);
        assert_eq!(in_order(&[0, 0], &chances), 1.0);
        assert_eq!(in_order(&[2, 3], &chances), 0.0);
        assert_eq!(in_order(&[3, 2], &chances), 1.0);
        assert_eq!(in_order(&[1, 1], &chances), 0.25);
        // The first one is found at once and then the later one in two tries, or second and then in one.
        assert_eq!(in_order(&[1, 1, 1], &chances), 0.5 * 0.75 + 0.25 * 0.5);
        assert_eq!(in_order(&[], &chances), 0.0);
    }
}
