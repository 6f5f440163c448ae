//! What holds for every result, on tables that are too large to go through all worlds.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_algorithms::table::transparent::{Secret, TransparentParams};
use shoal_algorithms::table::{TableAlgorithm, TableError};
use shoal_core::{Condition, Rule, Silent, Table, TablePromise, TableRecoding};

use crate::worlds::{EMPTY, Known, distinct};

fn run(table: &Table, promise: &TablePromise, key: u8) -> Result<TableRecoding, TableError> {
    let params = TransparentParams { promise: promise.clone(), seed: 1, key: Secret([key; 32]) };
    params.check().unwrap().anonymize(table, &Silent).map(|anonymized| anonymized.recoding)
}

/// For each class how often each value of the column stands in it.
fn counts(table: &Table, recoding: &TableRecoding, column: &str) -> Vec<BTreeMap<u32, usize>> {
    let codes = &table.columns.iter().find(|c| c.name == column).unwrap().codes;
    let mut counts = vec![BTreeMap::new(); recoding.classes.len()];
    for (&class, &code) in recoding.class_of.iter().zip(codes) {
        *counts[class as usize].entry(code).or_default() += 1;
    }
    counts
}

fn any_known() -> impl Strategy<Value = (Known, Vec<u32>)> {
    let value = prop_oneof![6 => 0_u32..7, 1 => Just(EMPTY)];
    let person = (0_u32..12, 0_u32..4, value);
    prop::collection::vec(person, 4..200).prop_map(|people| {
        let quasi = people.iter().map(|&(a, b, _)| vec![a * a, b]).collect();
        (Known { quasi, counts: Vec::new() }, people.iter().map(|person| person.2).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn crowds_are_large_enough_and_no_value_is_more_frequent_than_one_in_l(
        (known, world) in any_known(), k in 2_usize..9, l in 2_usize..5,
    ) {
        let table = known.table(&world);
        let valued = world.iter().filter(|&&v| v != EMPTY).count();
        let most = (0..7).map(|value| world.iter().filter(|&&v| v == value).count()).max().unwrap();
        let recoding = match run(&table, &distinct(k, l), 1) {
            Err(TableError::TooFrequent { .. }) => { prop_assert!(most * l > valued); return Ok(()) }
            Err(TableError::TooFewRecords { .. }) => { prop_assert!(world.len() < k); return Ok(()) }
            other => other.unwrap(),
        };
        prop_assert!(most * l <= valued);
        let missing = table.columns.last().unwrap().domain.missing();
        prop_assert_eq!(recoding.suppressed(), 0);
        for mut class in counts(&table, &recoding, "ill") {
            prop_assert!(class.values().sum::<usize>() >= k);
            // A class in which nobody has a value keeps every rule.
            missing.iter().for_each(|code| { class.remove(code); });
            let valued: usize = class.values().sum();
            prop_assert!(class.is_empty() || class.len() >= l);
            prop_assert!(class.values().all(|&count| count * l <= valued), "{:?}", class);
        }
        for (dim, column) in table.quasi_identifiers().iter().enumerate() {
            for (&class, &code) in recoding.class_of.iter().zip(&column.codes) {
                let covered = match recoding.classes[class as usize].cells[dim] {
                    shoal_core::Cell::Exact(only) => only == code,
                    shoal_core::Cell::Range { lo, hi } => (lo..=hi).contains(&code),
                    ref other => panic!("{other:?} for a number"),
                };
                prop_assert!(covered);
            }
        }
    }
}

fn patterned(rows: u32) -> (Known, Vec<u32>) {
    let quasi = (0..rows).map(|n| vec![n * 7919 % 97, n * 104_729 % 13]).collect();
    (Known { quasi, counts: Vec::new() }, (0..rows).map(|n| n * 31 % 11 * (n % 3) % 9).collect())
}

#[test]
fn threads_change_nothing_and_the_order_of_the_records_changes_no_class() {
    let (known, world) = patterned(4000);
    let table = known.table(&world);
    let with = |table: &Table, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(table, &distinct(5, 2), 3).unwrap())
    };
    let one = with(&table, 1);
    assert_eq!(one, with(&table, 2));
    let turned: Vec<u32> = (0..4000).rev().collect();
    assert_eq!(with(&table.select(&turned), 2).classes, one.classes);
}

#[test]
fn another_key_makes_other_classes_and_the_same_key_the_same() {
    let (known, world) = patterned(600);
    let table = known.table(&world);
    let [one, again, other] = [1, 1, 2].map(|key| run(&table, &distinct(5, 2), key).unwrap());
    assert_eq!(one, again);
    assert_ne!(one.class_of, other.class_of);
}

#[test]
fn a_key_is_not_printed() {
    let params = TransparentParams { promise: distinct(2, 2), seed: 0, key: Secret([171; 32]) };
    let printed = format!("{params:?}");
    assert!(!printed.contains("171") && printed.contains("Secret(…)"), "{printed}");
}

/// Two sensitive columns: records of one crowd row differ in both, so that both promises hold.
#[test]
fn several_columns_are_kept_together() {
    let (known, _) = patterned(900);
    // Every ninetieth has no illness, and every seventh below no wage.
    let world: Vec<u32> = (0..900).map(|n| if n % 90 == 0 { EMPTY } else { n * 31 % 11 % 9 }).collect();
    let mut table = known.table(&world);
    let mut other = table.columns.last().unwrap().clone();
    other.name = "wage".into();
    let missing = other.domain.missing().unwrap();
    other.codes = (0..900).map(|n: u32| if n.is_multiple_of(7) { missing } else { n * 17 % 7 }).collect();
    table.columns.push(other);
    let about = |column: &str, l| Condition { column: column.into(), rule: Rule::Frequency { l } };
    let promise =
        TablePromise { conditions: vec![about("ill", 2), about("wage", 3)], ..TablePromise::crowds(6) };
    let recoding = run(&table, &promise, 4).unwrap();
    assert!(recoding.classes.len() > 20, "{}", recoding.classes.len());
    for (column, l) in [("ill", 3), ("wage", 3)] {
        for mut class in counts(&table, &recoding, column) {
            assert!(class.values().sum::<usize>() >= 6);
            class.remove(&missing);
            let valued: usize = class.values().sum();
            assert!(class.values().all(|&count| count * l <= valued), "{column}: {class:?}");
        }
    }
}

#[test]
fn what_cannot_be_transparent_is_refused() {
    for rule in [Rule::Entropy { l: 2.0 }, Rule::Recursive { l: 2, c: 1.0 }] {
        let promise = TablePromise {
            conditions: vec![Condition { column: "ill".into(), rule }],
            ..TablePromise::crowds(2)
        };
        assert!(TransparentParams { promise, seed: 0, key: Secret([1; 32]) }.check().is_err());
    }
    let people = TablePromise { person: Some("who".into()), ..distinct(2, 2) };
    assert!(TransparentParams { promise: people, seed: 0, key: Secret([1; 32]) }.check().is_err());
    let crowds = TablePromise::crowds(3);
    assert!(TransparentParams { promise: crowds, seed: 0, key: Secret([1; 32]) }.check().is_err());
}
