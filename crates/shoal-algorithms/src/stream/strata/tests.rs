use std::sync::Arc;

use proptest::prelude::*;
use shoal_core::stream::Strata;
use shoal_core::{DateFormat, Hierarchy, Kind, ValueParser};

use super::*;

fn column(name: &str, cell: usize, kind: Kind, tree: Option<Hierarchy>) -> StrataColumn {
    let parser = ValueParser::new(kind, DateFormat::default());
    StrataColumn { name: name.to_owned(), cell, parser, hierarchy: tree.map(Arc::new) }
}

fn columns() -> Vec<StrataColumn> {
    let city = ["a x *", "b x *", "c y *", "d y *", "e y *"];
    let city: Vec<Vec<&str>> = city.iter().map(|line| line.split(' ').collect()).collect();
    vec![
        column("age", 0, Kind::Integer, None),
        column("sex", 1, Kind::Text, None),
        column("city", 2, Kind::Text, Some(Hierarchy::from_rows(&city).unwrap())),
        column("dose", 3, Kind::Decimal, None),
    ]
}

fn people() -> impl Strategy<Value = Vec<PriorRow>> {
    let person = (0..6_u32, 0..3_usize, 0..5_usize, 0..5_usize, 0..5_u32, 1..9_u64);
    let row = |(age, sex, city, dose, value, count): (u32, usize, usize, usize, u32, u64)| PriorRow {
        cells: vec![
            (20 + 7 * age).to_string(),
            ["F", "M", "x, y"][sex].to_owned(),
            ["a", "b", "c", "d", "e"][city].to_owned(),
            ["0.5", "1.25", "", "7", "9.5"][dose].to_owned(),
        ],
        value,
        count,
    };
    prop::collection::vec(person.prop_map(row), 1..60)
}

/// Counts by stratum and value.
fn counted(strata: &Strata, rows: &[PriorRow]) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0; 5]; strata.len()];
    for row in rows {
        let stratum = strata.of_tuple(&row.cells).expect("everybody of the prior is in a stratum");
        counts[stratum][row.value as usize] += row.count;
    }
    counts
}

proptest! {
    #[test]
    fn everybody_is_in_one_stratum_that_hides_values(rows in people(), l in 2_usize..4, least in 1_u64..60) {
        let texts = part_people(&columns(), &rows, 5, l, least).unwrap();
        let strata = Strata::new(columns(), texts.clone()).unwrap();
        if strata.len() > 1 {
            for counts in counted(&strata, &rows) {
                let total: u64 = counts.iter().map(|count| (*count).max(1)).sum();
                prop_assert!(counts.iter().sum::<u64>() >= least);
                prop_assert!(counts.iter().all(|count| (*count).max(1) * (l as u64) < total));
            }
        }
        // Whatever the order of the rows.
        let mut other = rows;
        other.reverse();
        let mut again = part_people(&columns(), &other, 5, l, least).unwrap();
        let mut texts = texts;
        texts.sort();
        again.sort();
        prop_assert_eq!(texts, again);
    }

    #[test]
    fn nothing_is_cut_too_little(rows in people(), l in 2_usize..4, least in 1_u64..60) {
        // One column of numbers: every band that is left is tried at every place.
        let columns = vec![column("age", 0, Kind::Integer, None)];
        let strata = Strata::new(columns.clone(), part_people(&columns, &rows, 5, l, least).unwrap()).unwrap();
        let fine = |rows: &[&PriorRow]| {
            let mut counts = [0_u64; 5];
            rows.iter().for_each(|row| counts[row.value as usize] += row.count);
            let total: u64 = counts.iter().map(|count| (*count).max(1)).sum();
            counts.iter().sum::<u64>() >= least && counts.iter().all(|count| (*count).max(1) * (l as u64) < total)
        };
        for stratum in 0..strata.len() {
            let members: Vec<&PriorRow> =
                rows.iter().filter(|row| strata.of_tuple(&row.cells) == Some(stratum)).collect();
            for age in 0..90 {
                let (left, right): (Vec<&PriorRow>, Vec<&PriorRow>) =
                    members.iter().partition(|row| row.cells[0].parse::<u32>().unwrap() < age);
                prop_assert!(!(fine(&left) && fine(&right)), "{:?} at {age}", strata.texts(stratum));
            }
        }
    }
}

#[test]
fn strata_follow_what_the_value_goes_with() {
    // The value goes with sex; age has nothing to do with it.
    let row = |sex: &str, age: u32, value: u32| PriorRow {
        cells: vec![age.to_string(), sex.to_owned(), "a".to_owned(), "1".to_owned()],
        value,
        count: 10,
    };
    let rows: Vec<PriorRow> = (20..60)
        .flat_map(|age| {
            [("F", 0), ("F", 1), ("F", 2), ("M", 2), ("M", 3), ("M", 4)].map(|(sex, v)| row(sex, age, v))
        })
        .collect();
    let texts = part_people(&columns(), &rows, 5, 2, 1000).unwrap();
    assert_eq!(texts, [["*", "M", "*", "*"], ["*", "F", "*", "*"]]);
    let wrong = [PriorRow { cells: ["1", "F", "q", "1"].map(String::from).to_vec(), value: 0, count: 1 }];
    assert!(part_people(&columns(), &wrong, 5, 2, 1).is_err());
}
