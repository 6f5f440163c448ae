//! Incognito and Datafly: the papers' tables, a slow twin, properties, and the Adult data.

mod papers;
mod properties;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod twin;

use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::IncognitoParams;
use shoal_algorithms::table::{ParamsError, TableAlgorithm, TableError};
use shoal_core::{SUPPRESSED, Silent, Table, TableRecoding};

/// What a reader of the published file sees, a text per quasi-identifier; suppressed records are `None`.
fn published(table: &Table, recoding: &TableRecoding) -> Vec<Option<Vec<String>>> {
    let columns = table.quasi_identifiers();
    let row = |&class: &u32| {
        (class != SUPPRESSED).then(|| {
            let cells = &recoding.classes[class as usize].cells;
            columns.iter().zip(cells).map(|(column, cell)| column.render(cell)).collect()
        })
    };
    recoding.class_of.iter().map(row).collect()
}

#[test]
fn wrong_parameters_are_refused() {
    assert_eq!(DataflyParams::new(0).check().unwrap_err(), ParamsError::KTooSmall { k: 0 });
    assert_eq!(IncognitoParams::new(1).check().unwrap_err(), ParamsError::KTooSmall { k: 1 });
    for share in [-0.1, 1.1, f64::NAN] {
        let params = IncognitoParams { max_suppressed: share, ..IncognitoParams::new(2) };
        assert!(matches!(params.check(), Err(ParamsError::NotAShare { name: "max-suppressed", .. })));
    }
}

#[test]
fn tables_that_cannot_be_generalized_are_refused() {
    let incognito = IncognitoParams::new(3).check().unwrap();
    let refused = |table: &Table| incognito.anonymize(table, &Silent).unwrap_err();

    let small = tables::table(&["a"], &[vec!["x"], vec!["y"]], &["x;* y;*"]);
    assert_eq!(refused(&small), TableError::TooFewRecords { k: 3, records: 2 });
    assert_eq!(refused(&Table { columns: vec![], rows: 9 }), TableError::NoQuasiIdentifiers);

    let mut bare = tables::table(&["a"], &[vec!["x"], vec!["y"], vec!["y"]], &["x;* y;*"]);
    bare.columns[0].hierarchy = None;
    let why = TableError::NoHierarchy { column: "a".into(), algorithm: "incognito" };
    assert_eq!(refused(&bare), why);
}

#[test]
fn a_lattice_beyond_any_search_is_refused() {
    let names: Vec<String> = (0..20).map(|c| format!("c{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = [vec!["x"; 20], vec!["y"; 20]];
    let wide = tables::table(&names, &rows, &["x;* y;*"; 20]);
    let refused = IncognitoParams::new(2).check().unwrap().anonymize(&wide, &Silent);
    assert!(matches!(refused, Err(TableError::LatticeTooLarge { nodes: 3_486_784_401, .. })), "{refused:?}");
}

#[test]
fn columns_beyond_64_bits_of_combinations_stay_apart() {
    // 16^19 · 2 combinations; pairs of records that only the last column tells from another pair.
    let texts: Vec<String> = (0..16).map(|v| v.to_string()).collect();
    let row =
        |i: usize| (0..19).map(|c| &texts[(i / 4 + c) % 16][..]).chain([["x", "y"][i / 2 % 2]]).collect();
    let rows: Vec<Vec<&str>> = (0..64).map(row).collect();
    let flat = texts.iter().map(|v| format!("{v};*")).collect::<Vec<_>>().join(" ");
    let mut hierarchies = vec![&flat[..]; 19];
    hierarchies.push("x;* y;*");
    let names: Vec<String> = (0..20).map(|c| format!("c{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = tables::table(&names, &rows, &hierarchies);
    let recoding = DataflyParams::new(2).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
    assert_eq!(recoding.sizes(), [2; 32]);
}

#[test]
#[ignore = "needs SHOAL_DATA"]
fn adult_minimal_nodes_are_minimal() {
    let table = tables::adult();
    for (k, share) in [(50, 0.0), (10, 0.01)] {
        let params = IncognitoParams { max_suppressed: share, ..IncognitoParams::new(k) };
        let found = params.check().unwrap().minimal_nodes(&table, &Silent).unwrap();
        let keeps = |node: &[usize]| twin::standing_out(&table, node, k) as f64 / 30_162.0 <= share;
        // The best, the worst and some in between; each costs ten passes over the records.
        for node in found.nodes.iter().step_by(found.nodes.len().div_ceil(4)) {
            assert!(keeps(&node.levels), "{node:?}");
            assert!(twin::below(&node.levels).iter().all(|lower| !keeps(lower)), "{node:?}");
            assert_eq!(node.suppressed, twin::standing_out(&table, &node.levels, k));
            assert!((node.ncp - twin::ncp(&table, &node.levels, k)).abs() < 1e-12);
        }
        assert_eq!(found.lattice, 12_960);
        // All subsets together have 207,360 nodes; most must never be looked at.
        assert!(found.checked < 20_000, "{} nodes checked", found.checked);
    }
}
