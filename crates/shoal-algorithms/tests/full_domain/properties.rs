//! What must hold on any table.

use std::collections::HashSet;

use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::{Choice, IncognitoParams, ValidIncognitoParams};
use shoal_algorithms::table::{TableAlgorithm, star_suppression};
use shoal_core::{PublishedValue, Silent, Table, TablePromise, TableRecoding};

use crate::tables::any_table;
use crate::{published, twin};

fn incognito(k: usize, share: f64) -> ValidIncognitoParams {
    IncognitoParams { max_suppressed: share, ..IncognitoParams::new(k) }.check().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn incognito_finds_the_minimal_nodes_of_the_slow_twin(
        table in any_table(), k in 2usize..6, share in prop::sample::select(vec![0.0, 0.1, 0.3])
    ) {
        let found = incognito(k, share).minimal_nodes(&table, &Silent).unwrap();
        let mut levels: Vec<Vec<usize>> = found.nodes.iter().map(|node| node.levels.clone()).collect();
        levels.sort();
        prop_assert_eq!(levels, twin::minimal_nodes(&table, k, share));
        for node in &found.nodes {
            prop_assert_eq!(node.suppressed, twin::standing_out(&table, &node.levels, k));
            prop_assert!((node.ncp - twin::ncp(&table, &node.levels, k)).abs() < 1e-9);
        }
    }

    #[test]
    fn incognito_loses_no_more_than_any_minimal_node(table in any_table(), k in 2usize..6) {
        let best = incognito(k, 0.0).minimal_nodes(&table, &Silent).unwrap().nodes.remove(0);
        for other in twin::minimal_nodes(&table, k, 0.0) {
            prop_assert!(best.ncp <= twin::ncp(&table, &other, k) + 1e-9);
        }
        let low = IncognitoParams { choose: Choice::Height, ..IncognitoParams::new(k) };
        let low = low.check().unwrap().minimal_nodes(&table, &Silent).unwrap().nodes.remove(0);
        prop_assert!(low.height() <= best.height());
    }

    #[test]
    fn incognito_keeps_its_promise(
        table in any_table(), k in 2usize..6, share in prop::sample::select(vec![0.0, 0.2])
    ) {
        let recoding = incognito(k, share).anonymize(&table, &Silent).unwrap().recoding;
        prop_assert!(recoding.suppressed() as f64 <= share * table.rows as f64);
        check(&table, &recoding, k)?;
    }

    #[test]
    fn datafly_ends_where_its_slow_twin_does(table in any_table(), k in 2usize..6) {
        let levels = DataflyParams::new(k).check().unwrap().levels(&table, &Silent).unwrap();
        prop_assert_eq!(levels, twin::datafly(&table, k));
    }

    #[test]
    fn datafly_keeps_its_promise(table in any_table(), k in 2usize..6) {
        let recoding = DataflyParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        prop_assert!(recoding.suppressed() <= k);
        check(&table, &recoding, k)?;
    }

    #[test]
    fn starred_records_are_a_crowd_or_none(table in any_table(), k in 2usize..6) {
        let mut recoding = DataflyParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        let before = recoding.suppressed();
        star_suppression(&mut recoding, &table, &TablePromise::crowds(k)).unwrap();
        prop_assert!(!(1..k).contains(&recoding.suppressed()));
        prop_assert_eq!(before == 0, recoding.suppressed() == 0);
        check(&table, &recoding, k)?;
    }

    #[test]
    fn any_number_of_threads_decides_the_same(table in any_table(), k in 2usize..6) {
        let run = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let minimal = incognito(k, 0.1).minimal_nodes(&table, &Silent).unwrap();
                let datafly = DataflyParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
                (minimal, incognito(k, 0.1).anonymize(&table, &Silent).unwrap().recoding, datafly)
            })
        };
        let one = run(1);
        prop_assert_eq!(&one, &run(2));
        prop_assert_eq!(&one, &run(4));
    }
}

/// Every class is a crowd that no other class looks like, and every published text is true of its record.
fn check(table: &Table, recoding: &TableRecoding, k: usize) -> Result<(), TestCaseError> {
    prop_assert_eq!(recoding.class_of.len(), table.rows);
    prop_assert!(recoding.sizes().into_iter().all(|size| size >= k), "{:?}", recoding.sizes());
    let rows = published(table, recoding);
    let looks: HashSet<_> = rows.iter().flatten().collect();
    prop_assert_eq!(looks.len(), recoding.classes.len());
    for (at, row) in rows.iter().enumerate() {
        for (column, text) in table.quasi_identifiers().into_iter().zip(row.iter().flatten()) {
            let bound = column.hierarchy.as_ref();
            let value = PublishedValue::parse(text, &column.domain, bound).unwrap();
            prop_assert!(value.covers(column.codes[at], &column.domain, bound), "{} in row {}", text, at);
        }
    }
    Ok(())
}
