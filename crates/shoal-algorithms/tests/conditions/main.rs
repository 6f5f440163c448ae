//! Every table algorithm under every promise: what it publishes is judged by a slow reading of the promise that
//! shares nothing with how it is kept.

mod keeps;
mod lattice;
mod people;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
mod tables;

use proptest::prelude::*;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::IncognitoParams;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::{Outliers, RibbonParams};
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_algorithms::table::{TableAlgorithm, TableError, check_suppressed, star_suppression};
use shoal_core::policy::TableAlgorithmName;
use shoal_core::{
    Condition, Distance, Kind, Likeness, Role, Rule, Silent, Table, TablePromise, TableRecoding,
};

use keeps::{keeps, may_be_class};
use tables::{any_promise, any_table, column};

fn sbc(promise: &TablePromise, remainder: Remainder) -> Box<dyn TableAlgorithm> {
    Box::new(SbcParams { promise: promise.clone(), remainder, ..SbcParams::new(2) }.check().unwrap())
}

fn incognito(promise: &TablePromise, max_suppressed: f64) -> Box<dyn TableAlgorithm> {
    Box::new(
        IncognitoParams { promise: promise.clone(), max_suppressed, ..IncognitoParams::new(2) }
            .check()
            .unwrap(),
    )
}

fn datafly(promise: &TablePromise, max_suppressed: Option<f64>) -> Box<dyn TableAlgorithm> {
    Box::new(DataflyParams { promise: promise.clone(), max_suppressed }.check().unwrap())
}

fn ribbon(promise: &TablePromise, outliers: Outliers) -> Box<dyn TableAlgorithm> {
    let params = RibbonParams { promise: promise.clone(), outliers, rounds: Some(2), ..RibbonParams::new(2) };
    Box::new(params.check().unwrap())
}

/// Every algorithm that can keep every promise, in every way, with the share of records that it may leave out.
fn algorithms(promise: &TablePromise) -> Vec<(Box<dyn TableAlgorithm>, f64)> {
    TableAlgorithmName::ALL.iter().flat_map(|&name| variants(name, promise)).collect()
}

/// An algorithm with each of its options that matters for what it keeps.
fn variants(name: TableAlgorithmName, promise: &TablePromise) -> Vec<(Box<dyn TableAlgorithm>, f64)> {
    match name {
        TableAlgorithmName::Ribbon => vec![
            (ribbon(promise, Outliers::Keep), 0.0),
            (ribbon(promise, Outliers::Suppress { max_share: 0.3 }), 0.3),
        ],
        TableAlgorithmName::Mondrian => {
            vec![(Box::new(MondrianParams { promise: promise.clone() }.check().unwrap()), 0.0)]
        }
        TableAlgorithmName::Sbc => vec![
            (sbc(promise, Remainder::Nearest), 0.0),
            (sbc(promise, Remainder::Last), 0.0),
            (sbc(promise, Remainder::Suppress), 1.0),
        ],
        TableAlgorithmName::Incognito => vec![(incognito(promise, 0.0), 0.0), (incognito(promise, 0.2), 0.2)],
        TableAlgorithmName::Datafly => {
            vec![(datafly(promise, None), 1.0), (datafly(promise, Some(0.1)), 0.1)]
        }
        // Refuses most promises, and tables on which others succeed; `tests/transparency` is about it.
        TableAlgorithmName::Transparent => Vec::new(),
    }
}

fn one_class(table: &Table, promise: &TablePromise) -> bool {
    let all: Vec<usize> = (0..table.rows).collect();
    may_be_class(table, &all, &all, promise)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// An algorithm fails if and only if all records together do not keep the promise. Otherwise every class
    /// does, also where records are left out, and also where these stay in the file.
    #[test]
    fn every_promise_is_kept_by_every_algorithm(table in any_table(2..40), promise in any_promise()) {
        let feasible = one_class(&table, &promise);
        for (algorithm, limit) in algorithms(&promise) {
            let mut recoding = match algorithm.anonymize(&table, &Silent) {
                Ok(anonymized) => anonymized.recoding,
                Err(error) => {
                    prop_assert!(!feasible, "{}: {}", algorithm.name(), error);
                    continue;
                }
            };
            prop_assert!(feasible, "{}", algorithm.name());
            prop_assert!(keeps(&table, &recoding, &promise, false), "{}", algorithm.name());
            prop_assert!(check_suppressed(&recoding, Some(limit)).is_ok(), "{}", algorithm.name());
            star_suppression(&mut recoding, &table, &promise).unwrap();
            prop_assert!(keeps(&table, &recoding, &promise, true), "{} with stars", algorithm.name());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// By trying all partitions: where all records together do not keep a promise, no classes do.
    #[test]
    fn what_is_refused_is_impossible(table in any_table(2..8), promise in any_promise()) {
        let all: Vec<usize> = (0..table.rows).collect();
        let feasible = one_class(&table, &promise);
        let mut class_of = vec![0; table.rows];
        loop {
            let classes = class_of.iter().max().map_or(0, |most| most + 1);
            let kept = (0..classes).all(|class| {
                let members: Vec<usize> = all.iter().copied().filter(|&row| class_of[row] == class).collect();
                may_be_class(&table, &members, &all, &promise)
            });
            prop_assert!(!kept || feasible, "{class_of:?}");
            // The next restricted growth string.
            let grows = |at: usize| class_of[at] <= class_of[..at].iter().copied().max().unwrap_or(0);
            let Some(at) = (1..table.rows).rev().find(|&at| grows(at)) else { break };
            class_of[at] += 1;
            class_of[at + 1..].fill(0);
        }
    }
}

/// 3,000 records from a fixed pattern: three quasi-identifiers of eight values, six sensitive ones that go with
/// the first.
fn patterned(rows: usize) -> Table {
    let mix = |row: usize, salt: u64| (shoal_core::mix(row as u64 * 16 + salt) >> 33) as usize;
    let texts = |of: &dyn Fn(usize) -> usize| (0..rows).map(|row| of(row).to_string()).collect::<Vec<_>>();
    let quasi = |c: u64| {
        let values = texts(&|row| mix(row, c) % 8);
        column(&format!("q{c}"), Role::QuasiIdentifier, Kind::Integer, &values, true)
    };
    let sensitive = texts(&|row| (mix(row, 0) % 8 + mix(row, 9) % 5) / 2);
    let mut columns: Vec<_> = (0..3).map(quasi).collect();
    columns.push(column("s", Role::Sensitive, Kind::Text, &sensitive, true));
    let asked = texts(&|row| if mix(row, 5).is_multiple_of(50) { 20 } else { 1 });
    columns.push(column("own", Role::PersonalK, Kind::Integer, &asked, false));
    Table { columns, rows }
}

fn about_s(k: usize, rules: &[Rule]) -> TablePromise {
    let condition = |&rule: &Rule| Condition { column: "s".into(), rule };
    TablePromise { conditions: rules.iter().map(condition).collect(), ..TablePromise::crowds(k) }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let table = patterned(3000);
    let distance = Distance::Hierarchical;
    for rules in [
        vec![Rule::Close { t: 0.2, distance }],
        vec![Rule::Distinct { l: 3 }, Rule::Alike(Likeness::Basic(3.0))],
    ] {
        let promise = about_s(5, &rules);
        for (algorithm, _) in algorithms(&promise) {
            let with = |threads: usize| -> TableRecoding {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| algorithm.anonymize(&table, &Silent).unwrap().recoding)
            };
            let one = with(1);
            assert!(keeps(&table, &one, &promise, false), "{}", algorithm.name());
            assert!(one == with(2) && one == with(4), "{}", algorithm.name());
        }
    }
}

/// Local recoding leaves more than one class where there is room for more.
#[test]
fn promises_do_not_end_in_one_class() {
    let table = patterned(3000);
    let rules = [
        Rule::Distinct { l: 3 },
        Rule::Frequency { l: 2 },
        Rule::Entropy { l: 3.0 },
        Rule::Recursive { l: 2, c: 2.0 },
        Rule::Close { t: 0.2, distance: Distance::Hierarchical },
        Rule::Close { t: 0.3, distance: Distance::Equal },
        Rule::Alike(Likeness::Enhanced(2.0)),
    ];
    for rule in rules {
        let promise = about_s(5, &[rule]);
        let mondrian = MondrianParams { promise: promise.clone() }.check().unwrap();
        let classes = mondrian.anonymize(&table, &Silent).unwrap().recoding.classes.len();
        assert!(classes > 20, "mondrian, {rule:?}: {classes}");
        let classes =
            sbc(&promise, Remainder::Nearest).anonymize(&table, &Silent).unwrap().recoding.classes.len();
        assert!(classes > 20, "sbc, {rule:?}: {classes}");
    }
}

#[test]
fn more_than_may_be_left_out_is_an_error() {
    // The only two b go with one class of a each, so that three a are left.
    let texts = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let table = Table {
        columns: vec![
            column("q", Role::QuasiIdentifier, Kind::Integer, &texts("0123456"), false),
            column("s", Role::Sensitive, Kind::Text, &texts("aabaaba"), false),
        ],
        rows: 7,
    };
    let promise = about_s(2, &[Rule::Distinct { l: 2 }]);
    let run = |max_suppressed: Option<f64>| {
        let params = SbcParams { promise: promise.clone(), max_suppressed, ..SbcParams::new(2) };
        SbcParams { remainder: Remainder::Suppress, ..params }.check().unwrap().anonymize(&table, &Silent)
    };
    let left_out = run(None).unwrap().recoding.suppressed();
    assert!(left_out > 0);
    let limit = 0.1;
    assert_eq!(
        run(Some(limit)),
        Err(TableError::TooManySuppressed { suppressed: left_out, records: 7, limit })
    );
    assert!(run(Some(left_out as f64 / 7.0)).is_ok());
}
