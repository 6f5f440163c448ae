//! Sequences and what may be published of them.

use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::{Cell, Column, Hierarchy, Kind, NodeId, RawTable, Role, Sequences, Table};
use shoal_measure::{SequencesMeasures, SequencesOptions, measure_sequences};

const NAMES: [&str; 4] = ["age", "sex", "city", "illness"];

/// `d` is a leaf that nobody has.
const CITIES: [[&str; 3]; 4] = [["a", "A", "*"], ["b", "A", "*"], ["c", "C", "*"], ["d", "C", "*"]];

pub(crate) const OPTIONS: SequencesOptions = SequencesOptions { k: Some(2), queries: 6, seed: 11 };

#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) original: Sequences,
    /// For each person the cells of each event; none where it is suppressed.
    pub(crate) cells: Vec<Vec<Option<Vec<Cell>>>>,
    pub(crate) published: RawTable,
}

impl Release {
    pub(crate) fn measure(&self, options: &SequencesOptions) -> SequencesMeasures {
        measure_sequences(&self.original, &self.published, "person", options, &shoal_core::Silent).unwrap()
    }

    pub(crate) fn quasi(&self) -> Vec<&Column> {
        self.original.events().quasi_identifiers()
    }
}

pub(crate) fn releases() -> impl Strategy<Value = Release> {
    let value = (0..4_usize, 0..3_usize, 0..4_usize);
    let choice = prop::array::uniform3((0..9_u8, any::<u8>(), any::<u8>()));
    let event = (value, prop::option::weighted(0.8, choice));
    let people = prop::collection::vec(prop::collection::vec(event, 1..4), 1..6);
    let weights = prop::array::uniform3(prop::sample::select(vec![1.0, 0.5, 3.0]));
    (people, weights).prop_map(|(people, weights)| {
        let texts = |(age, sex, city): (usize, usize, usize)| {
            [["1", "4", "9", "?"][age], ["f", "m", "?"][sex], ["a", "b", "c", "?"][city], "flu"].to_vec()
        };
        let events: Vec<Vec<&str>> = people.iter().flatten().map(|(value, _)| texts(*value)).collect();
        let lengths: Vec<usize> = people.iter().map(Vec::len).collect();
        let original = sequences(&events, &lengths, weights);
        let quasi = original.events().quasi_identifiers();
        let cells = people.iter().map(|events| {
            let choose = |choices: [(u8, u8, u8); 3]| {
                quasi.iter().zip(choices).map(|(column, choice)| cell(column, choice)).collect()
            };
            events.iter().map(|(_, choices)| choices.map(choose)).collect()
        });
        release(&original, cells.collect())
    })
}

/// Any cell that the column allows. Losses do not care whether it is true of the event.
fn cell(column: &Column, (what, one, two): (u8, u8, u8)) -> Cell {
    let domain = &column.domain;
    let pick = |of: usize, choice: u8| (choice as usize % of) as u32;
    let (a, b) = (pick(domain.len(), one), pick(domain.len(), two));
    match (what, &column.hierarchy) {
        (0, _) => Cell::Suppressed,
        (1..=3, Some(bound)) => Cell::Node(NodeId(pick(bound.tree().node_count(), one))),
        (1..=3, None) if !domain.positions().is_empty() => {
            let (a, b) = (pick(domain.positions().len(), one), pick(domain.positions().len(), two));
            Cell::Range { lo: a.min(b), hi: a.max(b) }
        }
        (4..=6, _) if a != b => Cell::Set(vec![a.min(b), a.max(b)]),
        _ => Cell::Exact(a),
    }
}

pub(crate) fn sequences(events: &[Vec<&str>], lengths: &[usize], weights: [f64; 3]) -> Sequences {
    let raw = RawTable::from_rows(&NAMES, events);
    let cities = Arc::new(Hierarchy::from_rows(&CITIES.map(|line| line.to_vec())).unwrap());
    let columns = raw.columns.iter().enumerate().map(|(at, column)| {
        let kind = if at == 0 { Kind::Integer } else { Kind::Text };
        let role = if at < 3 { Role::QuasiIdentifier } else { Role::Sensitive };
        let weight = weights.get(at).copied().unwrap_or(1.0);
        let column = Column::encode(column, role, kind, &["?".to_owned()]).unwrap().with_weight(weight);
        if at == 2 { column.with_hierarchy(&cities).unwrap() } else { column }
    });
    let table = Table { columns: columns.collect(), rows: raw.rows };
    let ends = lengths.iter().scan(0, |end, length| {
        *end += *length as u32;
        Some(*end)
    });
    Sequences::new(table, std::iter::once(0).chain(ends).collect()).unwrap()
}

/// Writes the cells as a file, with fresh numbers for the people who are left.
pub(crate) fn release(original: &Sequences, cells: Vec<Vec<Option<Vec<Cell>>>>) -> Release {
    let quasi = original.events().quasi_identifiers();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (person, events) in cells.iter().filter(|events| events.iter().any(Option::is_some)).enumerate() {
        for cells in events.iter().flatten() {
            let texts = quasi.iter().zip(cells).map(|(column, cell)| column.render(cell));
            rows.push(std::iter::once((person + 1).to_string()).chain(texts).collect());
        }
    }
    let published = RawTable::from_rows(&["person", "age", "sex", "city"], &rows);
    Release { original: original.clone(), cells, published }
}

/// Every event as it was.
pub(crate) fn unchanged(original: &Sequences) -> Release {
    let quasi = original.events().quasi_identifiers();
    let exact = |event: usize| quasi.iter().map(|column| Cell::Exact(column.codes[event])).collect();
    let cells = original.iter().map(|events| events.map(|event| Some(exact(event))).collect()).collect();
    release(original, cells)
}

pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9
}
