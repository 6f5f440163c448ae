//! Small data sets.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::{
    Bound, BoundHierarchy, Column, DateFormat, Domain, Kind, Limit, RawTable, Role, Sequences,
    SequencesPromise, Support, Table, ValueParser,
};

/// Visits from texts: the first cell is the person, then one quasi-identifier per hierarchy (a file, lines parted by
/// blanks), and the last is the sensitive value.
pub(super) fn visits(rows: &[Vec<String>], hierarchies: &[String]) -> Sequences {
    let names: Vec<String> =
        (0..hierarchies.len()).map(|q| format!("q{q}")).chain(["s".to_owned()]).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let raw = RawTable::from_rows(&names, &rows.iter().map(|row| row[1..].to_vec()).collect::<Vec<_>>());
    let column = |(at, raw): (usize, &shoal_core::RawColumn)| {
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let (domain, code_of) = Domain::of(raw, parser, &[]).unwrap();
        let hierarchy = hierarchies.get(at).map(|file| {
            let tree = Arc::new(from_text(&file.replace(' ', "\n")).unwrap());
            BoundHierarchy::new(&tree, &domain).unwrap()
        });
        Column {
            name: raw.name.clone(),
            role: if hierarchy.is_some() { Role::QuasiIdentifier } else { Role::Sensitive },
            hierarchy,
            domain,
            weight: 1.0,
            codes: raw.codes.iter().map(|&code| code_of[code as usize]).collect(),
        }
    };
    let columns = raw.columns.iter().enumerate().map(column).collect();
    let mut starts: Vec<u32> =
        (1..rows.len()).filter(|&at| rows[at][0] != rows[at - 1][0]).map(|at| at as u32).collect();
    starts.insert(0, 0);
    starts.push(rows.len() as u32);
    Sequences::new(Table { columns, rows: rows.len() }, starts).unwrap()
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
    SequencesPromise { k, length: Some(length), support: Support::Paper, limits: vec![limit] }
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
