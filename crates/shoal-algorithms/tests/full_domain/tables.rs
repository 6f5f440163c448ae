//! Tables to run on: from texts, random ones, and the Adult data.

use proptest::prelude::*;
use shoal_core::hierarchy::from_text;
use shoal_core::{Hierarchy, Kind, RawColumn, RawTable, Role, Table};
use shoal_testkit::data::public_text;

use crate::support::encode;

/// A quasi-identifier table of texts; `hierarchies` has a file per column, lines separated by blanks.
pub(crate) fn table(names: &[&str], rows: &[Vec<&str>], hierarchies: &[&str]) -> Table {
    let trees = hierarchies.iter().map(|file| from_text(&file.replace(' ', "\n")).unwrap()).collect();
    with_trees(names, rows, trees)
}

fn with_trees<S: AsRef<str>>(names: &[&str], rows: &[Vec<S>], trees: Vec<Hierarchy>) -> Table {
    let raw = RawTable::from_rows(names, rows);
    let column =
        |(raw, tree): (&RawColumn, Hierarchy)| encode(raw, Role::QuasiIdentifier, Kind::Text, Some(tree));
    Table { columns: raw.columns.iter().zip(trees).map(column).collect(), rows: raw.rows }
}

/// The 30,162 records of the cleaned Adult table, all nine columns with their hierarchy files.
pub(crate) fn adult() -> Table {
    let text = public_text("adult/adult_arx_30162.csv.gz");
    let mut lines = text.lines().map(|line| line.split(';').collect::<Vec<&str>>());
    let names = lines.next().unwrap();
    let tree = |name: &&str| from_text(&public_text(&format!("adult/adult_hierarchy_{name}.csv"))).unwrap();
    let trees = names.iter().map(tree).collect();
    with_trees(&names, &lines.collect::<Vec<_>>(), trees)
}

/// Small tables of one to four columns with even or ragged hierarchies, sometimes with missing values.
pub(crate) fn any_table() -> impl Strategy<Value = Table> {
    let shapes = prop::collection::vec((1u32..7, 2u32..4, any::<bool>(), any::<bool>()), 1..=4);
    (shapes, 0usize..40).prop_flat_map(|(shapes, rows)| {
        let row: Vec<_> = shapes.iter().map(|&(values, ..)| 0..values).collect();
        prop::collection::vec(row, rows + 5).prop_map(move |codes| random_table(&shapes, &codes))
    })
}

fn random_table(shapes: &[(u32, u32, bool, bool)], codes: &[Vec<u32>]) -> Table {
    let names = &["a", "b", "c", "d"][..shapes.len()];
    let label =
        |code: u32, missing: bool| if missing && code == 0 { "?".to_owned() } else { format!("v{code}") };
    let rows: Vec<Vec<String>> = codes
        .iter()
        .map(|row| row.iter().zip(shapes).map(|(&code, &(.., missing))| label(code, missing)).collect())
        .collect();
    let trees = shapes.iter().map(|&(values, fan, ragged, _)| random_tree(values, fan, ragged)).collect();
    with_trees(names, &rows, trees)
}

/// Groups of `fan` neighbours, level by level; where ragged, every third line goes straight to the top.
fn random_tree(values: u32, fan: u32, ragged: bool) -> Hierarchy {
    let line = |code: u32| {
        let mut line = vec![format!("v{code}")];
        let (mut group, mut groups) = (code, values);
        while groups > 1 && !(ragged && code % 3 == 2) {
            (group, groups) = (group / fan, groups.div_ceil(fan));
            line.push(format!("g{}-{group}", line.len()));
        }
        line.push("*".to_owned());
        line
    };
    Hierarchy::from_rows(&(0..values).map(line).collect::<Vec<_>>()).unwrap()
}
