//! Small random sequences, and promises about them.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use shoal_core::{Bound, Limit, Sequences, SequencesPromise, Support};

use crate::support::{Shape, four_groups, sequences};

/// Crowds of k, of whom a share c may have one of some values of a column.
pub(crate) fn promise(k: usize, limits: &[(&str, &[&str], f64)]) -> SequencesPromise {
    let limit = |&(column, values, c): &(&str, &[&str], f64)| Limit {
        column: column.to_owned(),
        values: Some(values.iter().map(|&value| value.to_owned()).collect()),
        bound: Bound::Share(c),
    };
    SequencesPromise {
        k,
        length: None,
        support: Support::Paper,
        limits: limits.iter().map(limit).collect(),
        distributions: Default::default(),
    }
}

/// Up to three quasi-identifiers of unequal weight, two sensitive columns, few values so that people are equal and
/// distances tie, and a promise with up to two limits.
pub(crate) fn any_promised(people: Range<usize>) -> impl Strategy<Value = (Sequences, SequencesPromise)> {
    let quasi = vec((1_u8..4, vec(0_u8..4, 7)), 1..=3);
    let event = (vec(0_usize..7, 3), 0_u8..10, 0_u8..10);
    let person = vec(event, 1..5);
    let shares = prop_oneof![Just(0.0), Just(0.3), Just(0.5), Just(0.7), Just(1.0)];
    let promised = (1_usize..6, vec(shares, 0..=2));
    (quasi, vec(person, people), 1_usize..8, promised).prop_map(|(quasi, people, values, (k, shares))| {
        let shape = |(q, (weight, groups)): (usize, &(u8, Vec<u8>))| Shape {
            name: format!("q{q}"),
            weight: f64::from(*weight) / 2.0,
            tree: Some(four_groups(|leaf| format!("v{leaf}"), groups)),
        };
        let mut shapes: Vec<Shape> = quasi.iter().enumerate().map(shape).collect();
        shapes.extend(["s0", "s1"].map(|name| Shape::new(name, None)));
        let cells = |(leaves, a, b): &(Vec<usize>, u8, u8)| {
            let quasi = leaves[..quasi.len()].iter().map(|leaf| format!("v{}", leaf % values));
            let highly = |level: u8, most: u8| if level < most { "high" } else { "low" }.to_owned();
            quasi.chain([highly(*a, 3), highly(*b, 1)]).collect::<Vec<String>>()
        };
        let mut people: Vec<Vec<Vec<String>>> =
            people.iter().map(|events| events.iter().map(cells).collect()).collect();
        // So that both values occur in both columns.
        for (event, value) in ["high", "low"].into_iter().enumerate() {
            people[event][0].splice(quasi.len().., [value.to_owned(), value.to_owned()]);
        }
        let limits: Vec<(&str, &[&str], f64)> = ["s0", "s1"]
            .into_iter()
            .zip(shares)
            .map(|(column, c)| (column, ["high"].as_slice(), c))
            .collect();
        (sequences(&shapes, &people), promise(k, &limits))
    })
}
