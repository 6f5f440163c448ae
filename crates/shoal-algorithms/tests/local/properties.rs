//! What must be true of every result.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_algorithms::table::{ParamsError, TableAlgorithm, TableError};
use shoal_core::{Kind, PublishedValue, Role, SUPPRESSED, Silent, Table, TableRecoding};

use crate::slow_cover::cover;
use crate::tables::{Shape, any_table, table};

fn both(k: usize) -> [Box<dyn TableAlgorithm>; 2] {
    [Box::new(SbcParams::new(k).check().unwrap()), Box::new(MondrianParams::new(k).check().unwrap())]
}

proptest! {
    #[test]
    fn classes_are_crowds_that_cover_their_members(table in any_table(true), k in 2_usize..9) {
        prop_assume!(table.rows >= k);
        for algorithm in both(k) {
            let recoding = algorithm.anonymize(&table, &Silent).unwrap().recoding;
            prop_assert_eq!(recoding.class_of.len(), table.rows);
            prop_assert_eq!(recoding.suppressed(), 0);
            prop_assert!(recoding.sizes().iter().all(|&size| size >= k));
            for (row, &class) in recoding.class_of.iter().enumerate() {
                for (column, cell) in table.columns.iter().zip(&recoding.classes[class as usize].cells) {
                    let bound = column.hierarchy.as_ref();
                    let read = PublishedValue::parse(&column.render(cell), &column.domain, bound).unwrap();
                    prop_assert!(read.covers(column.codes[row], &column.domain, bound));
                }
            }
            prop_assert!((0.0..=1.0).contains(&loss(&table, &recoding)));
        }
    }

    #[test]
    fn mondrian_leaves_nothing_that_could_be_cut_by_one_column(table in any_table(true), k in 2_usize..9) {
        prop_assume!(table.rows >= k);
        let params = MondrianParams::new(k).check().unwrap();
        let recoding = params.anonymize(&table, &Silent).unwrap().recoding;
        for class in 0..recoding.classes.len() as u32 {
            let rows: Vec<usize> = (0..table.rows).filter(|&row| recoding.class_of[row] == class).collect();
            for column in table.columns.iter().filter(|c| c.hierarchy.is_none() && c.domain.is_ordered()) {
                let mut codes: Vec<u32> = rows.iter().map(|&row| column.codes[row]).collect();
                codes.sort_unstable();
                let cut = (k..=rows.len().saturating_sub(k)).any(|low| low > 0 && codes[low - 1] < codes[low]);
                prop_assert!(!cut);
            }
        }
    }
}

/// The mean loss of all cells, from the classes' members and not from what the algorithm says of them.
pub(crate) fn loss(table: &Table, recoding: &TableRecoding) -> f64 {
    let quasi = table.quasi_identifiers();
    let mut members: Vec<Vec<BTreeSet<u32>>> =
        vec![vec![BTreeSet::new(); quasi.len()]; recoding.classes.len()];
    for (row, &class) in recoding.class_of.iter().enumerate().filter(|(_, class)| **class != SUPPRESSED) {
        for (values, column) in members[class as usize].iter_mut().zip(&quasi) {
            values.insert(column.codes[row]);
        }
    }
    let class_loss =
        |class: &Vec<BTreeSet<u32>>| -> f64 { quasi.iter().zip(class).map(|(c, v)| cover(c, v).1).sum() };
    let kept: f64 =
        members.iter().map(class_loss).zip(recoding.sizes()).map(|(l, size)| l * size as f64).sum();
    let suppressed = (recoding.suppressed() * quasi.len()) as f64;
    (kept + suppressed) / (table.rows * quasi.len()) as f64
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // More distinct rows than one thread keeps for itself, from a fixed pattern.
    let row = |i: u64| {
        let mix = |salt: u64| i.wrapping_add(salt).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        vec![(mix(1) % 500).to_string(), (mix(2) % 40).to_string(), (mix(3) % 300).to_string()]
    };
    let rows: Vec<Vec<String>> = (0..20_011).map(row).collect();
    let table = table(&[Kind::Integer, Kind::Text, Kind::Integer].map(Shape::plain), &rows);
    for algorithm in both(7) {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| algorithm.anonymize(&table, &Silent).unwrap().recoding)
        };
        let one = with(1);
        assert!(one == with(2) && one == with(4), "{}", algorithm.name());
        assert!(one.sizes().iter().all(|&size| size >= 7));
    }
}

#[test]
fn cuts_that_each_take_off_a_little_do_not_nest_without_end() {
    // Column c is 1 for records 2c and 2c + 1 only, so that every cut takes two records off; the last column
    // tells all apart and counts for little, so that it is cut last and parts stay large.
    let columns = 300;
    let row = |i: usize| {
        let bits = (0..columns).map(|c| if i / 2 == c { "1" } else { "0" }.to_owned());
        bits.chain([i.to_string()]).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = (0..6000).map(row).collect();
    let mut shapes = vec![Shape::plain(Kind::Integer); columns + 1];
    shapes[columns].weight = 1e-9;
    let table = table(&shapes, &rows);
    let recoding = MondrianParams::new(2).check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
    for pair in 0..columns {
        let class = recoding.class_of[2 * pair];
        assert_eq!(class, recoding.class_of[2 * pair + 1]);
        assert_eq!(recoding.sizes()[class as usize], 2);
    }
}

#[test]
fn what_is_left_is_suppressed_only_if_asked() {
    let rows: Vec<Vec<String>> = (0..11).map(|i| vec![i.to_string()]).collect();
    let table = table(&[Shape::plain(Kind::Integer)], &rows);
    let run = |remainder| {
        let params = SbcParams { remainder, ..SbcParams::new(3) };
        params.check().unwrap().anonymize(&table, &Silent).unwrap().recoding
    };
    assert_eq!(run(Remainder::Suppress).sizes(), [3, 3, 3]);
    assert_eq!(run(Remainder::Suppress).class_of[9..], [SUPPRESSED; 2]);
    assert_eq!(run(Remainder::Last).sizes(), [3, 3, 5]);
    assert_eq!(run(Remainder::Nearest).sizes(), [3, 3, 5]);
}

#[test]
fn bad_requests_are_errors() {
    for k in [0, 1] {
        assert_eq!(SbcParams::new(k).check(), Err(ParamsError::KTooSmall { k }));
        assert_eq!(MondrianParams::new(k).check(), Err(ParamsError::KTooSmall { k }));
    }
    let small = table(&[Shape::plain(Kind::Text)], &[vec!["a"], vec!["b"]]);
    let empty = table::<&str>(&[Shape::plain(Kind::Text)], &[]);
    let mut open = small.clone();
    open.columns[0].role = Role::Insensitive;
    for algorithm in both(3) {
        let fails = |table: &Table| algorithm.anonymize(table, &Silent).unwrap_err();
        assert_eq!(fails(&small), TableError::TooFewRecords { k: 3, records: 2 });
        assert_eq!(fails(&empty), TableError::TooFewRecords { k: 3, records: 0 });
        assert_eq!(fails(&open), TableError::NoQuasiIdentifiers);
    }
}
