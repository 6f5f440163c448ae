//! Random streams, and how to run one.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::stream::castle::{
    Castle, CastleCell, CastleColumn, CastleParams, CastleRelease, CastleRules, CastleValue,
};
use shoal_core::Hierarchy;

/// A tuple: its columns are a number, a code and a leaf of [`hierarchy`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tuple {
    pub(crate) position: u64,
    pub(crate) person: u64,
    pub(crate) quasi: [CastleValue; 3],
    pub(crate) value: u32,
}

pub(crate) fn hierarchy() -> Hierarchy {
    let rows = ["a;A;AB;*", "a2;A;AB;*", "b;B;AB;*", "c;C;C;*", "c2;C;C;*", "d;*"];
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split(';').collect()).collect();
    Hierarchy::from_rows(&rows).unwrap()
}

pub(crate) fn castle(params: CastleParams) -> Castle {
    let tree = hierarchy();
    let columns = [CastleColumn::Number, CastleColumn::Set, CastleColumn::Tree(&tree)];
    Castle::new(params.check().unwrap(), &columns).unwrap()
}

/// What leaves in each push, and at last in the flush.
pub(crate) fn run(castle: &mut Castle, tuples: &[Tuple]) -> Vec<Vec<CastleRelease>> {
    let mut steps: Vec<Vec<CastleRelease>> = tuples.iter().map(|tuple| push(castle, tuple)).collect();
    let mut end = Vec::new();
    castle.flush(&mut end);
    steps.push(end);
    steps
}

pub(crate) fn push(castle: &mut Castle, tuple: &Tuple) -> Vec<CastleRelease> {
    let mut out = Vec::new();
    castle.push(tuple.position, tuple.person, &tuple.quasi, tuple.value, &mut out).unwrap();
    out
}

pub(crate) fn is_crowd<'a>(tuples: impl Iterator<Item = &'a Tuple>, params: &CastleParams) -> bool {
    let (persons, values): (BTreeSet<u64>, BTreeSet<u32>) = tuples.map(|t| (t.person, t.value)).unzip();
    persons.len() >= params.k && values.len() >= params.l
}

/// Whether a published cell is true of a value.
pub(crate) fn covers(cell: &CastleCell, value: CastleValue, tree: &Hierarchy) -> bool {
    match (cell, value) {
        (CastleCell::Range(lo, hi), CastleValue::Number(x)) => *lo <= x && x <= *hi,
        (CastleCell::Missing, CastleValue::Missing) => true,
        (CastleCell::Any, CastleValue::Missing | CastleValue::Number(_)) => true,
        (CastleCell::Set(codes), CastleValue::Code(code)) => codes.contains(&code),
        (CastleCell::Node(node), CastleValue::Code(leaf)) => tree.leaves_below(*node).contains(&leaf),
        _ => false,
    }
}

/// Parameters and a stream. Positions sometimes skip some, people and values return.
pub(crate) fn streams() -> impl Strategy<Value = (CastleParams, Vec<Tuple>)> {
    (params(), prop::collection::vec((tuple(), prop_oneof![9 => Just(1_u64), 1 => 2..5_u64]), 0..90))
        .prop_map(|(params, drawn)| {
            let mut position = 0;
            let numbered = drawn.into_iter().map(|(tuple, step)| {
                position += step;
                Tuple { position, ..tuple }
            });
            (params, numbered.collect())
        })
}

fn params() -> impl Strategy<Value = CastleParams> {
    let rules = prop_oneof![Just(CastleRules::Paper), Just(CastleRules::Nearest)];
    let counts = (1..6_usize, 1..4_usize, 0..20_u64, 1..7_usize, 1..5_usize, 0..8_usize);
    (rules, counts, any::<u64>()).prop_map(|(rules, (k, l, spare, beta, mu, max_reusable), seed)| {
        let delta = k.max(l) as u64 - 1 + spare;
        CastleParams { k, l, delta, max_wait: None, beta, mu, max_reusable, rules, seed }
    })
}

fn tuple() -> impl Strategy<Value = Tuple> {
    let number = prop_oneof![
        9 => (-3..6_i32).prop_map(|x| CastleValue::Number(f64::from(x) / 3.0)),
        1 => Just(CastleValue::Missing)
    ];
    (0..14_u64, number, 0..4_u32, 0..6_u32, 0..4_u32).prop_map(|(person, number, code, leaf, value)| Tuple {
        position: 0,
        person,
        quasi: [number, CastleValue::Code(code), CastleValue::Code(leaf)],
        value,
    })
}
