//! Small data sets.

use std::ops::Range;

use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::{Bound, Limit, Sequences, SequencesPromise, Support};

use crate::fixture::{Shape, sequences};

/// Visits from texts: the first cell is the person, then one quasi-identifier per hierarchy (a file, lines parted by
/// blanks), and the last is the sensitive value.
pub(super) fn visits(rows: &[Vec<String>], hierarchies: &[String]) -> Sequences {
    let quasi = |(q, file): (usize, &String)| {
        Shape::new(&format!("q{q}"), Some(from_text(&file.replace(' ', "\n")).unwrap()))
    };
    let shapes: Vec<Shape> =
        hierarchies.iter().enumerate().map(quasi).chain([Shape::new("s", None)]).collect();
    let events = |rows: &[Vec<String>]| rows.iter().map(|row| row[1..].to_vec()).collect();
    let people: Vec<Vec<Vec<String>>> = rows.chunk_by(|a, b| a[0] == b[0]).map(events).collect();
    sequences(&shapes, &people)
}

/// Rows of a text, cells parted by blanks.
pub(super) fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    text.lines().filter(|line| !line.trim().is_empty()).map(cells).collect()
}

/// A promise about the sensitive column.
pub(super) fn promise(k: usize, length: usize, values: Option<&[&str]>, bound: Bound) -> SequencesPromise {
    let values = values.map(|values| values.iter().map(|&value| value.to_owned()).collect());
    let limit = Limit { column: "s".to_owned(), values, bound };
    SequencesPromise {
        k,
        length: Some(length),
        support: Support::Paper,
        limits: vec![limit],
        distributions: Default::default(),
    }
}

/// Even and ragged hierarchies of up to six values.
const HIERARCHIES: [&str; 3] = [
    "v0;a;A;* v1;a;A;* v2;b;A;* v3;b;A;* v4;c;B;* v5;c;B;*",
    "v0;a;* v1;* v2;b;b2;* v3;b;b2;* v4;* v5;c;*",
    "v0;* v1;* v2;* v3;* v4;* v5;*",
];

/// A few people with a few events of one to three quasi-identifiers.
pub(super) fn any_visits(people: Range<usize>, most: usize) -> impl Strategy<Value = Sequences> {
    let shape = (1..=3_usize, 2..=6_u32, 2..=4_u32);
    (shape, people).prop_flat_map(move |((quasi, values, sensitive), people)| {
        let event = (prop::collection::vec(0..values, quasi), 0..sensitive);
        let person = prop::collection::vec(event, 1..=most);
        prop::collection::vec(person, people).prop_map(move |people| {
            let mut rows = Vec::new();
            for (person, events) in people.iter().enumerate() {
                for (own, sensitive) in events {
                    let mut row = vec![person.to_string()];
                    row.extend(own.iter().map(|value| format!("v{value}")));
                    row.push(format!("s{sensitive}"));
                    rows.push(row);
                }
            }
            visits(&rows, &HIERARCHIES[..quasi].iter().map(|&file| file.to_owned()).collect::<Vec<_>>())
        })
    })
}
