//! Small sequences: from texts, and random ones.

use std::ops::Range;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use shoal_core::{
    Bound, BoundHierarchy, Column, DateFormat, Domain, Hierarchy, Kind, Limit, RawTable, Role, Sequences,
    SequencesPromise, Support, Table, ValueParser,
};

/// A column: with lines from leaf to root it is a quasi-identifier, without them sensitive.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) tree: Option<Vec<Vec<String>>>,
}

/// People with their events, a cell per column.
pub(crate) fn sequences(shapes: &[Shape], people: &[Vec<Vec<String>>]) -> Sequences {
    let rows: Vec<Vec<String>> = people.iter().flatten().cloned().collect();
    let names: Vec<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
    let raw = RawTable::from_rows(&names, &rows);
    let column = |(shape, raw): (&Shape, &shoal_core::RawColumn)| {
        let parser = ValueParser::new(Kind::Text, DateFormat::default());
        let (domain, code_of) = Domain::of(raw, parser, &[]).unwrap();
        let bind = |lines: &Vec<Vec<String>>| {
            BoundHierarchy::new(&Arc::new(Hierarchy::from_rows(lines).unwrap()), &domain).unwrap()
        };
        Column {
            name: shape.name.clone(),
            role: if shape.tree.is_some() { Role::QuasiIdentifier } else { Role::Sensitive },
            hierarchy: shape.tree.as_ref().map(bind),
            domain,
            weight: shape.weight,
            codes: raw.codes.iter().map(|&code| code_of[code as usize]).collect(),
        }
    };
    let columns = shapes.iter().zip(&raw.columns).map(column).collect();
    let starts = people.iter().scan(0, |end, events| {
        *end += events.len() as u32;
        Some(*end)
    });
    let starts = std::iter::once(0).chain(starts).collect();
    Sequences::new(Table { columns, rows: rows.len() }, starts).unwrap()
}

/// Crowds of k, of whom a share c may have one of some values of a column.
pub(crate) fn promise(k: usize, limits: &[(&str, &[&str], f64)]) -> SequencesPromise {
    let limit = |&(column, values, c): &(&str, &[&str], f64)| Limit {
        column: column.to_owned(),
        values: Some(values.iter().map(|&value| value.to_owned()).collect()),
        bound: Bound::Share(c),
    };
    SequencesPromise { k, length: None, support: Support::Paper, limits: limits.iter().map(limit).collect() }
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
            tree: Some(tree(groups)),
        };
        let sensitive = |name: &str| Shape { name: name.to_owned(), weight: 1.0, tree: None };
        let mut shapes: Vec<Shape> = quasi.iter().enumerate().map(shape).collect();
        shapes.extend([sensitive("s0"), sensitive("s1")]);
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

/// Leaf, one of four groups (the last two under a common node), root.
fn tree(groups: &[u8]) -> Vec<Vec<String>> {
    let line = |(leaf, group): (usize, &u8)| {
        let above = if *group < 2 { format!("g{group}") } else { "high".to_owned() };
        vec![format!("v{leaf}"), format!("g{group}"), above, "*".to_owned()]
    };
    groups.iter().enumerate().map(line).collect()
}
