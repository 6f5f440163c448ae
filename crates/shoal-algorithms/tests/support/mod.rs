//! Encoded columns and sequences from texts, for the unit tests (`crate::fixture`) and the tests beside this folder.

use std::sync::Arc;

use shoal_core::{Column, Hierarchy, Kind, RawColumn, RawTable, Role, Sequences, Table};

/// A column of a table of texts; `?` is missing.
pub(crate) fn encode(raw: &RawColumn, role: Role, kind: Kind, tree: Option<Hierarchy>) -> Column {
    let column = Column::encode(raw, role, kind, &["?".to_owned()]).unwrap();
    match tree {
        Some(tree) => column.with_hierarchy(&Arc::new(tree)).unwrap(),
        None => column,
    }
}

/// A column on its own.
pub(crate) fn column<S: AsRef<str>>(
    name: &str,
    role: Role,
    kind: Kind,
    texts: &[S],
    tree: Option<Hierarchy>,
) -> Column {
    let rows: Vec<Vec<&str>> = texts.iter().map(|text| vec![text.as_ref()]).collect();
    encode(&RawTable::from_rows(&[name], &rows).columns[0], role, kind, tree)
}

/// Leaf, one of four groups (the last two under a common node), root.
pub(crate) fn four_groups(leaf: impl Fn(usize) -> String, groups: &[u8]) -> Hierarchy {
    let line = |(at, group): (usize, &u8)| {
        let above = if *group < 2 { format!("g{group}") } else { "high".to_owned() };
        vec![leaf(at), format!("g{group}"), above, "*".to_owned()]
    };
    Hierarchy::from_rows(&groups.iter().enumerate().map(line).collect::<Vec<_>>()).unwrap()
}

/// A column of sequences: with a hierarchy it is a quasi-identifier, without one sensitive.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) tree: Option<Hierarchy>,
}

impl Shape {
    pub(crate) fn new(name: &str, tree: Option<Hierarchy>) -> Self {
        Shape { name: name.to_owned(), weight: 1.0, tree }
    }
}

/// People with their events, a cell per column.
pub(crate) fn sequences<S: AsRef<str> + Clone>(shapes: &[Shape], people: &[Vec<Vec<S>>]) -> Sequences {
    let rows: Vec<Vec<S>> = people.concat();
    let names: Vec<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
    let raw = RawTable::from_rows(&names, &rows);
    let column = |(shape, raw): (&Shape, &RawColumn)| {
        let role = if shape.tree.is_some() { Role::QuasiIdentifier } else { Role::Sensitive };
        encode(raw, role, Kind::Text, shape.tree.clone()).with_weight(shape.weight)
    };
    let columns = shapes.iter().zip(&raw.columns).map(column).collect();
    let ends = people.iter().scan(0, |end, events| {
        *end += events.len() as u32;
        Some(*end)
    });
    let starts = std::iter::once(0).chain(ends).collect();
    Sequences::new(Table { columns, rows: rows.len() }, starts).unwrap()
}
