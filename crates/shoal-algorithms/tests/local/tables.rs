//! Tables to run on: from texts, random ones, and the thesis' part of the Adult data.

use proptest::prelude::*;
use shoal_core::{Hierarchy, Kind, RawTable, Role, Table};

use crate::support::{encode, four_groups};

/// What a column is like besides its values.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) weight: f64,
    pub(crate) tree: Option<Hierarchy>,
}

impl Shape {
    pub(crate) fn plain(kind: Kind) -> Self {
        Shape { kind, weight: 1.0, tree: None }
    }
}

/// A table of quasi-identifiers in which `?` is missing.
pub(crate) fn table<S: AsRef<str>>(shapes: &[Shape], rows: &[Vec<S>]) -> Table {
    let names: Vec<String> = (0..shapes.len()).map(|c| format!("c{c}")).collect();
    let raw = RawTable::from_rows(&names.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    let column = |(c, shape): (usize, &Shape)| {
        let column = encode(&raw.columns[c], Role::QuasiIdentifier, shape.kind, shape.tree.clone());
        column.with_weight(shape.weight)
    };
    Table { columns: shapes.iter().enumerate().map(column).collect(), rows: rows.len() }
}

/// One to four columns of numbers or names, some with a hierarchy, some with missing values, of unequal
/// weight if asked for. Values are few, so that rows are equal and distances tie.
pub(crate) fn any_table(weighted: bool) -> impl Strategy<Value = Table> {
    let kind = prop_oneof![Just(Kind::Integer), Just(Kind::Text)];
    let weight = if weighted { 1_u32..3 } else { 1..2 };
    let groups = prop::option::of(prop::collection::vec(0_u8..4, 12));
    let column = (kind, weight, groups, 1_u32..12, any::<bool>());
    prop::collection::vec(column, 1..=4).prop_flat_map(|columns| {
        let values: Vec<_> =
            columns.iter().map(|&(.., values, missing)| 0..values + u32::from(missing)).collect();
        prop::collection::vec(values, 2..60).prop_map(move |codes| {
            let shape = |(kind, weight, groups, _, _): &Drawn| Shape {
                kind: *kind,
                weight: f64::from(*weight),
                tree: groups.as_deref().map(tree),
            };
            let text = |(&code, &(.., values, _)): (&u32, &Drawn)| {
                if code == values { "?".to_owned() } else { number(code).to_string() }
            };
            let row = |row: &Vec<u32>| row.iter().zip(&columns).map(text).collect::<Vec<String>>();
            table(&columns.iter().map(shape).collect::<Vec<_>>(), &codes.iter().map(row).collect::<Vec<_>>())
        })
    })
}

/// Numbers of unequal distance, all at most 12 apart: SBC's unit is divisible by every such distance in every
/// share that a column can have here, so that ties are exact, as they are in the twin's fractions.
fn number(code: u32) -> u32 {
    if code == 11 { 12 } else { code }
}

/// Kind, weight, group of each leaf, number of values, whether some are missing.
type Drawn = (Kind, u32, Option<Vec<u8>>, u32, bool);

fn tree(groups: &[u8]) -> Hierarchy {
    four_groups(|leaf| number(leaf as u32).to_string(), groups)
}

/// The thesis' 5,000 tuples: the first whose country is known; age, sex, native-country.
pub(crate) fn thesis() -> Table {
    let text = shoal_testkit::data::public_text("adult/adult.data.gz");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split(", ").collect::<Vec<_>>())
        .filter(|fields| fields.len() > 13 && fields[13] != "?")
        .take(5000)
        .map(|fields| vec![fields[0], fields[9], fields[13]])
        .collect();
    table(&[Kind::Integer, Kind::Text, Kind::Text].map(Shape::plain), &rows)
}
