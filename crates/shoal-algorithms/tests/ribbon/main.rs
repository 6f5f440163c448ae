//! The ribbon as a user meets it: what must be true of every result, and of its trace.

#[path = "../local/slow_cover.rs"]
#[allow(dead_code, reason = "shared with the other local recodings")]
mod slow_cover;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../support/mod.rs"]
mod support;
#[path = "../local/tables.rs"]
#[allow(dead_code, reason = "shared with the other local recodings")]
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::{Outliers, RibbonParams};
use shoal_algorithms::table::{ParamsError, TableAlgorithm};
use shoal_algorithms::{Anonymized, Search};
use shoal_core::{
    Condition, Distance, Likeness, Progress, PublishedValue, Role, Rule, SUPPRESSED, Silent, Table,
    TableRecoding,
};

use slow_cover::cover;
use tables::any_table;

/// Allows this number of rounds.
struct RoundLimit(AtomicU32);

impl Progress for RoundLimit {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _done: u64) {}
    fn go_on(&self) -> bool {
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }
}

fn quick(k: usize) -> RibbonParams {
    RibbonParams { rounds: Some(2), ..RibbonParams::new(k) }
}

fn run(params: &RibbonParams, table: &Table) -> (TableRecoding, Search) {
    parts(params.clone().check().unwrap().anonymize(table, &Silent).unwrap())
}

/// Ribbon always records its search.
fn parts(result: Anonymized<TableRecoding>) -> (TableRecoding, Search) {
    (result.recoding, result.trace.search.unwrap())
}

/// The rows of each class.
fn classes(recoding: &TableRecoding) -> BTreeMap<u32, Vec<usize>> {
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (row, &class) in recoding.class_of.iter().enumerate().filter(|(_, class)| **class != SUPPRESSED) {
        classes.entry(class).or_default().push(row);
    }
    classes
}

/// The loss of all cells, columns by their weight, from the members and not from what the algorithm says; whoever
/// is left out has lost everything. Checks the cells on the way.
fn loss(table: &Table, recoding: &TableRecoding) -> f64 {
    let quasi = table.quasi_identifiers();
    let weights: f64 = quasi.iter().map(|c| c.weight).sum();
    let mut sum = recoding.suppressed() as f64;
    for (class, rows) in classes(recoding) {
        for (column, cell) in quasi.iter().zip(&recoding.classes[class as usize].cells) {
            let codes: BTreeSet<u32> = rows.iter().map(|&row| column.codes[row]).collect();
            let (expected, each) = cover(column, &codes);
            assert_eq!(cell, &expected);
            sum += each * rows.len() as f64 * column.weight / weights;
        }
    }
    sum / table.rows as f64
}

/// Every round loses what the one before lost, less what its parts say that they gained; the first follows the start that won.
fn gains_add_up(search: &Search) {
    let mut before = search.constructions.iter().find(|c| c.won > 0).unwrap().loss;
    for round in &search.rounds {
        assert!(round.loss <= before + 1e-12, "{round:?} after {before}");
        let gained: f64 = round.gains.iter().map(|(_, gain)| gain).sum();
        assert!((before - round.loss - gained).abs() < 1e-9, "{round:?} after {before}");
        before = round.loss;
    }
    assert!((search.loss - before).abs() < 1e-12);
}

/// The last column becomes sensitive.
fn with_sensitive(mut table: Table) -> (Table, String) {
    let last = table.columns.last_mut().unwrap();
    last.role = Role::Sensitive;
    let name = last.name.clone();
    (table, name)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn classes_are_crowds_that_cover_their_members(table in any_table(true), k in 2_usize..9, seed in any::<u64>()) {
        prop_assume!(table.rows >= k);
        let (recoding, search) = run(&RibbonParams { seed, ..quick(k) }, &table);
        prop_assert_eq!(recoding.suppressed(), 0);
        prop_assert_eq!(classes(&recoding).len(), recoding.classes.len());
        prop_assert!(recoding.sizes().iter().all(|&size| size >= k));
        for (row, &class) in recoding.class_of.iter().enumerate() {
            for (column, cell) in table.columns.iter().zip(&recoding.classes[class as usize].cells) {
                let bound = column.hierarchy.as_ref();
                let read = PublishedValue::parse(&column.render(cell), &column.domain, bound).unwrap();
                prop_assert!(read.covers(column.codes[row], &column.domain, bound));
            }
        }
        prop_assert!((loss(&table, &recoding) - search.loss).abs() < 1e-6);
    }

    /// Mondrian's classes are one of the starts.
    #[test]
    fn never_more_loss_than_mondrian(table in any_table(true), k in 2_usize..6) {
        prop_assume!(table.rows >= k);
        let (recoding, _) = run(&quick(k), &table);
        let mondrian = MondrianParams::new(k).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        // Costs are whole numbers of 2^-26 each, rounded in every column.
        prop_assert!(loss(&table, &recoding) <= loss(&table, &mondrian) + 1e-6);
    }

    /// Small tables are improved from Mondrian's classes as well, since a start that loses less may end higher.
    #[test]
    fn never_more_loss_than_rounds_from_mondrians_classes(table in any_table(true), k in 2_usize..6, seed in any::<u64>(), rounds in 0_u32..6) {
        prop_assume!(table.rows >= k);
        let params = RibbonParams { seed, rounds: Some(rounds), ..RibbonParams::new(k) }.check().unwrap();
        let (_, alone) = parts(params.anonymize_from_mondrian(&table, &Silent).unwrap());
        let (_, ribbon) = parts(params.anonymize(&table, &Silent).unwrap());
        prop_assert!(ribbon.loss <= alone.loss);
    }

    #[test]
    fn no_start_and_no_round_is_better_than_the_end(table in any_table(true), k in 2_usize..6) {
        prop_assume!(table.rows >= k);
        let (_, search) = run(&quick(k), &table);
        let won: Vec<_> = search.constructions.iter().filter(|c| c.won > 0).collect();
        prop_assert_eq!(won.len(), 1);
        prop_assert!(search.constructions.iter().all(|c| c.loss >= search.loss - 1e-12));
        // The best start is not always the one that ends best: Mondrian's may.
        prop_assert!(won[0].name == "mondrian" || search.constructions.iter().all(|c| c.loss >= won[0].loss));
        gains_add_up(&search);
        let json = serde_json::to_value(&search).unwrap();
        prop_assert_eq!(json["rounds"].as_array().unwrap().len(), search.rounds.len());
    }

    #[test]
    fn the_same_for_any_number_of_threads(table in any_table(true), k in 2_usize..5, seed in any::<u64>()) {
        prop_assume!(table.rows >= k);
        let params = RibbonParams { seed, ..quick(k) };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        prop_assert_eq!(alone.install(|| run(&params, &table)), three.install(|| run(&params, &table)));
    }

    /// Somebody who stops the work can have the same again by asking for the rounds that there were.
    #[test]
    fn a_run_that_was_stopped_can_be_repeated(table in any_table(true), k in 2_usize..5, most in 0_u32..4) {
        prop_assume!(table.rows >= k);
        let params = RibbonParams { until_deadline: true, ..RibbonParams::new(k) };
        let limit = RoundLimit(AtomicU32::new(most));
        let stopped = parts(params.check().unwrap().anonymize(&table, &limit).unwrap());
        let rounds = stopped.1.rounds.len() as u32;
        prop_assert!(rounds <= most);
        prop_assert_eq!(run(&RibbonParams { rounds: Some(rounds), ..RibbonParams::new(k) }, &table), stopped);
    }

    #[test]
    fn more_than_size_is_kept(table in any_table(true), k in 2_usize..5, l in 1_usize..4, t in 0.2_f64..0.9, out in any::<bool>()) {
        prop_assume!(table.columns.len() > 1);
        let (table, name) = with_sensitive(table);
        let column = table.columns.last().unwrap();
        let codes = &column.codes;
        // An empty cell is nobody's secret: only records with a value count.
        let valued = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| column.domain.missing() != Some(codes[row])).collect()
        };
        let rules = [
            Rule::Distinct { l },
            Rule::Close { t, distance: Distance::Equal },
            Rule::Alike(Likeness::Basic(3.0)),
        ];
        let mut params = quick(k);
        params.promise.conditions = rules.map(|rule| Condition { column: name.clone(), rule }).to_vec();
        if out {
            params.outliers = Outliers::Suppress { max_share: 0.3 };
        }
        let values: BTreeSet<u32> = valued(&(0..table.rows).collect::<Vec<_>>()).iter().map(|&row| codes[row]).collect();
        let result = params.check().unwrap().anonymize(&table, &Silent).map(parts);
        prop_assert_eq!(result.is_ok(), table.rows >= k && (values.is_empty() || values.len() >= l));
        let Ok((recoding, search)) = result else { return Ok(()) };
        prop_assert!((loss(&table, &recoding) - search.loss).abs() < 1e-6);
        let all = classes(&recoding);
        let published = valued(&all.values().flatten().copied().collect::<Vec<_>>());
        let share = |rows: &[usize], value: u32| {
            rows.iter().filter(|&&row| codes[row] == value).count() as f64 / rows.len() as f64
        };
        for rows in all.values() {
            prop_assert!(rows.len() >= k);
            let rows = &valued(rows)[..];
            if rows.is_empty() {
                continue;
            }
            prop_assert!(rows.iter().map(|&row| codes[row]).collect::<BTreeSet<_>>().len() >= l);
            let apart: f64 = values.iter().map(|&v| (share(rows, v) - share(&published, v)).abs()).sum();
            prop_assert!(apart / 2.0 <= t + 1e-9);
            prop_assert!(values.iter().all(|&v| share(rows, v) <= 4.0 * share(&published, v) + 1e-9));
        }
    }

    #[test]
    fn personal_k_is_kept(table in any_table(true), asked in prop::collection::vec(1_u32..7, 60)) {
        prop_assume!(table.rows >= 7);
        let k_texts: Vec<Vec<String>> = asked[..table.rows.min(60)].iter().map(|k| vec![k.to_string()]).collect();
        let mut personal = tables::table(&[tables::Shape::plain(shoal_core::Kind::Integer)], &k_texts).columns.remove(0);
        personal.role = Role::PersonalK;
        personal.name = "asked".to_owned();
        let mut table = table;
        table.columns.push(personal);
        let (recoding, _) = run(&quick(2), &table);
        for rows in classes(&recoding).values() {
            prop_assert!(rows.iter().all(|&row| rows.len() >= asked[row] as usize));
        }
    }

    #[test]
    fn without_outliers_the_others_lose_less(table in any_table(true), k in 2_usize..5, share in 0.0_f64..0.5) {
        prop_assume!(table.rows >= k);
        let (_, kept) = run(&quick(k), &table);
        let params = RibbonParams { outliers: Outliers::Suppress { max_share: share }, ..quick(k) };
        let (recoding, search) = run(&params, &table);
        let price = search.outliers.unwrap();
        prop_assert_eq!(price.suppressed, recoding.suppressed());
        prop_assert!(price.suppressed as f64 <= share * table.rows as f64);
        let keeping = price.keeping.unwrap();
        prop_assert!((keeping - kept.loss).abs() < 1e-12);
        prop_assert!((price.suppressing - loss(&table, &recoding)).abs() < 1e-6);
        prop_assert!(price.published <= keeping + 1e-12);
        let published = table.rows - price.suppressed;
        let of_all = (price.published * published as f64 + price.suppressed as f64) / table.rows as f64;
        prop_assert!((of_all - price.suppressing).abs() < 1e-9);
        prop_assert!(recoding.sizes().iter().all(|&size| size >= k));
    }
}

/// The usual rounds of a small table.
const USUAL_ROUNDS: usize = 64;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Beyond the usual rounds classes are opened and records go along chains; all that is true of the usual ones is true of these.
    #[test]
    fn rounds_beyond_the_usual_keep_what_the_others_keep(table in any_table(true), k in 2_usize..9, seed in any::<u64>()) {
        prop_assume!(table.rows >= k);
        let params = RibbonParams { seed, rounds: Some(USUAL_ROUNDS as u32 + 3), ..RibbonParams::new(k) };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let (recoding, search) = three.install(|| run(&params, &table));
        prop_assert_eq!(&(recoding.clone(), search.clone()), &alone.install(|| run(&params, &table)));
        prop_assert!(recoding.suppressed() == 0 && recoding.sizes().iter().all(|&size| size >= k));
        // Checks the cells against the members, too.
        prop_assert!((loss(&table, &recoding) - search.loss).abs() < 1e-6);
        gains_add_up(&search);
        for (at, round) in search.rounds.iter().enumerate() {
            let names: Vec<&str> = round.gains.iter().map(|(name, _)| *name).collect();
            prop_assert_eq!(names.contains(&"opened") && names.contains(&"chained"), at >= USUAL_ROUNDS, "{:?}", names);
        }
        let mondrian = params.check().unwrap().anonymize_from_mondrian(&table, &Silent).unwrap();
        prop_assert!(search.loss <= parts(mondrian).1.loss);
    }
}

/// 400 people whose zip code says much about their illness; the last illness is so rare that β = 1 wants classes of 100 people with it.
fn ill_by_region(order: impl Iterator<Item = usize>) -> Table {
    let shapes =
        [tables::Shape::plain(shoal_core::Kind::Integer), tables::Shape::plain(shoal_core::Kind::Integer)];
    let illness =
        |at: usize| if at.is_multiple_of(200) { 9 } else { at / 100 + usize::from(at.is_multiple_of(3)) };
    let row = |at: usize| vec![(at / 4).to_string(), (at % 7).to_string(), illness(at).to_string()];
    let rows: Vec<Vec<String>> = order.map(row).collect();
    let quasi: Vec<Vec<String>> = rows.iter().map(|row| row[..2].to_vec()).collect();
    let mut table = tables::table(&shapes, &quasi);
    let ill: Vec<Vec<String>> = rows.iter().map(|row| row[2..].to_vec()).collect();
    let mut illness = tables::table(&shapes[..1], &ill).columns.remove(0);
    illness.role = Role::Sensitive;
    illness.name = "illness".to_owned();
    table.columns.push(illness);
    table
}

/// How often each illness is published, in each class and in all.
fn published(table: &Table, recoding: &TableRecoding) -> (Vec<Vec<f64>>, Vec<f64>) {
    let illness = &table.columns[2];
    let count = |rows: &[usize]| -> Vec<f64> {
        let mut counts = vec![0.0; illness.domain.len()];
        rows.iter().for_each(|&row| counts[illness.codes[row] as usize] += 1.0 / rows.len() as f64);
        counts
    };
    let classes: Vec<Vec<usize>> = classes(recoding).into_values().collect();
    (classes.iter().map(|rows| count(rows)).collect(), count(&classes.concat()))
}

/// Leaving records out makes their values rarer in the published file, with which classes are compared.
#[test]
fn under_likeness_those_who_make_classes_large_are_left_out_and_all_holds_among_the_others() {
    let likeness = |outliers| {
        let mut params = RibbonParams { outliers, ..quick(4) };
        let rule = Rule::Alike(Likeness::Enhanced(1.0));
        params.promise.conditions = vec![Condition { column: "illness".into(), rule }];
        params
    };
    let table = ill_by_region(0..400);
    let (kept, keeping) = run(&likeness(Outliers::Keep), &table);
    assert_eq!(kept.suppressed(), 0);
    let mut losses = vec![keeping.loss];
    for share in [0.02, 0.1, 0.3] {
        let params = likeness(Outliers::Suppress { max_share: share });
        let (recoding, search) = run(&params, &table);
        let price = search.outliers.unwrap();
        assert_eq!((price.done, price.suppressed), (true, recoding.suppressed()));
        assert!(price.suppressed > 0 && price.suppressed as f64 <= share * 400.0, "{price:?}");
        assert!((price.suppressing - loss(&table, &recoding)).abs() < 1e-6);
        assert!(recoding.sizes().iter().all(|&size| size >= 4));
        let (classes, all) = published(&table, &recoding);
        for class in classes {
            for (own, all) in class.iter().zip(&all) {
                let most = all * (1.0 + f64::min(1.0, -all.ln()));
                assert!(*own <= most * (1.0 + 1e-12), "{own} of {all}");
            }
        }
        losses.push(price.suppressing);
    }
    assert!(losses[1] < losses[0], "{losses:?}");
}

/// One record far from all others costs the class that it is in more than it is worth.
#[test]
fn a_record_far_from_all_others_is_left_out() {
    let mut rows: Vec<Vec<String>> = (0..30).map(|at| vec![(at % 3).to_string()]).collect();
    rows.push(vec!["1000".to_owned()]);
    let table = tables::table(&[tables::Shape::plain(shoal_core::Kind::Integer)], &rows);
    let keep = run(&quick(10), &table);
    let would = keep.1.outliers.unwrap();
    assert_eq!(
        (keep.0.suppressed(), would.done, would.suppressed),
        (0, false, 0),
        "1 % of 31 records is none"
    );
    let params = RibbonParams { outliers: Outliers::Suppress { max_share: 0.1 }, ..quick(10) };
    let (recoding, search) = run(&params, &table);
    let price = search.outliers.unwrap();
    assert_eq!((recoding.suppressed(), recoding.class_of[30], price.suppressed), (1, SUPPRESSED, 1));
    assert_eq!((price.keeping, price.done), (would.keeping, true));
    assert!(price.keeping.unwrap() > 0.3 && price.suppressing < 0.04 && price.published < 0.01, "{price:?}");
}

/// Sets of 70,000 names for 70,000 points have no room: Mondrian does it, and the trace says so.
#[test]
fn too_many_names_for_sets_of_them_go_to_mondrian() {
    let rows: Vec<Vec<String>> = (0..70_000).map(|at| vec![format!("n{at}")]).collect();
    let table = tables::table(&[tables::Shape::plain(shoal_core::Kind::Text)], &rows);
    let result = quick(5).check().unwrap().anonymize(&table, &Silent).unwrap();
    assert_eq!(result.trace.fallback, Some("mondrian"));
    let (recoding, search) = parts(result);
    assert!(search.rounds.is_empty());
    assert_eq!(search.constructions.iter().map(|c| c.name).collect::<Vec<_>>(), ["mondrian"]);
    assert_eq!(
        recoding,
        MondrianParams::new(5).check().unwrap().anonymize(&table, &Silent).unwrap().recoding
    );
    assert!((search.loss - loss(&table, &recoding)).abs() < 1e-12);
}

#[test]
fn params_that_make_no_sense_are_refused() {
    assert_eq!(RibbonParams::new(1).check(), Err(ParamsError::KTooSmall { k: 1 }));
    let outliers = Outliers::Suppress { max_share: 1.5 };
    let refused = RibbonParams { outliers, ..RibbonParams::new(2) }.check();
    assert_eq!(refused, Err(ParamsError::NotAShare { name: "max-share", value: 1.5 }));
    assert_eq!(RibbonParams::new(2).check().unwrap().name(), "ribbon");
}
