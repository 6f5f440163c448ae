//! SBC once more, literally: no folding, everything counted again for each class, a full sort, and exact
//! fractions for distances.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_core::{Class, Column, Condition, Role, Rule, SUPPRESSED, Silent, Table, TableRecoding};

use crate::slow_cover::cover;
use crate::tables::any_table;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn agrees_with_its_twin(
        (separate_normalization, table) in any::<bool>().prop_flat_map(|s| (Just(s), any_table(!s))),
        k in 2_usize..9,
        remainder in prop::sample::select(vec![Remainder::Nearest, Remainder::Last, Remainder::Suppress]),
    ) {
        prop_assume!(table.rows >= k);
        let params = SbcParams { remainder, separate_normalization, ..SbcParams::new(k) };
        let fast = params.clone().check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        prop_assert_eq!(fast, twin(&table, &params, &|_| true));
    }

    /// The last column is sensitive, and every class needs l of its values.
    #[test]
    fn agrees_with_its_twin_where_values_must_differ(
        mut table in any_table(true), k in 2_usize..6, l in 2_usize..5,
        remainder in prop::sample::select(vec![Remainder::Nearest, Remainder::Last, Remainder::Suppress]),
    ) {
        prop_assume!(table.rows >= k && table.columns.len() > 1);
        let sensitive = table.columns.len() - 1;
        table.columns[sensitive].role = Role::Sensitive;
        // The twin takes a class for good once it holds; one without values may break by one record more.
        if table.columns[sensitive].domain.missing().is_some() {
            return Ok(());
        }
        let distinct = |rows: &[usize]| values(&table.columns[sensitive], rows).len();
        prop_assume!(distinct(&(0..table.rows).collect::<Vec<_>>()) >= l);
        let mut params = SbcParams { remainder, ..SbcParams::new(k) };
        let column = table.columns[sensitive].name.clone();
        params.promise.conditions.push(Condition { column, rule: Rule::Distinct { l } });
        let fast = params.clone().check().unwrap().anonymize(&table, &Silent).unwrap().recoding;
        prop_assert_eq!(fast, twin(&table, &params, &|rows| distinct(rows) >= l));
    }
}

/// `differ` says whether some records have enough different values.
fn twin(table: &Table, params: &SbcParams, differ: &dyn Fn(&[usize]) -> bool) -> TableRecoding {
    let quasi = table.quasi_identifiers();
    let mut order: Vec<usize> = (0..quasi.len()).collect();
    order.sort_by_key(|&c| (quasi[c].domain.len(), c));
    let sorted: Vec<&Column> = order.iter().map(|&c| quasi[c]).collect();

    let mut remaining: Vec<usize> = (0..table.rows).collect();
    remaining.sort_by_key(|&row| (sorted.iter().map(|c| c.codes[row]).collect::<Vec<_>>(), row));
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut aside: Vec<usize> = Vec::new();
    let mut failures = 0;
    while remaining.len() >= params.promise.k && failures < 4 {
        let seed = remaining[0];
        let mut by_distance = remaining.clone();
        by_distance.sort_by_key(|&row| distance(&sorted, &remaining, seed, row, params));
        let mut class = by_distance[..params.promise.k].to_vec();
        assert_eq!(class[0], seed, "the seed is nearest to itself");
        for &row in &by_distance[params.promise.k..] {
            let with: Vec<usize> = class.iter().copied().chain([row]).collect();
            if !differ(&class) && has_news(table, &with) {
                class = with;
            }
        }
        if differ(&class) {
            remaining.retain(|row| !class.contains(row));
            classes.push(class);
            failures = 0;
        } else {
            aside.push(remaining.remove(0));
            failures += 1;
        }
    }
    // What was put aside stands before what was never a seed.
    remaining.splice(0..0, aside);
    if classes.is_empty() {
        classes.push(std::mem::take(&mut remaining));
    }
    for row in remaining {
        match params.remainder {
            Remainder::Suppress => {}
            Remainder::Last => classes.last_mut().unwrap().push(row),
            Remainder::Nearest => {
                let added = |class: &Vec<usize>| {
                    let with: Vec<usize> = class.iter().copied().chain([row]).collect();
                    (total_loss(&sorted, &with) - total_loss(&sorted, class)) * 2_f64.powi(32)
                };
                classes.iter_mut().min_by_key(|class| added(class).round() as i64).unwrap().push(row);
            }
        }
    }
    let mut class_of = vec![SUPPRESSED; table.rows];
    for (number, class) in classes.iter().enumerate() {
        class.iter().for_each(|&row| class_of[row] = number as u32);
    }
    let cells = |class: &Vec<usize>| quasi.iter().map(|c| cover(c, &values(c, class)).0).collect();
    TableRecoding { class_of, classes: classes.iter().map(|class| Class { cells: cells(class) }).collect() }
}

/// Whether the last of some records has a sensitive value that the others do not.
fn has_news(table: &Table, rows: &[usize]) -> bool {
    let (&last, others) = rows.split_last().unwrap();
    table.of_role(Role::Sensitive).any(|c| !values(c, others).contains(&c.codes[last]))
}

fn values(column: &Column, rows: &[usize]) -> BTreeSet<u32> {
    rows.iter().map(|&row| column.codes[row]).collect()
}

fn total_loss(columns: &[&Column], rows: &[usize]) -> f64 {
    let weights: f64 = columns.iter().map(|c| c.weight).sum();
    let loss: f64 = columns.iter().map(|c| cover(c, &values(c, rows)).1 * c.weight).sum();
    loss / weights * rows.len() as f64
}

/// The distance as a fraction over a denominator that is the same for all rows.
fn distance(columns: &[&Column], remaining: &[usize], seed: usize, row: usize, params: &SbcParams) -> u128 {
    let texts: Vec<&Column> = columns.iter().copied().filter(|c| !c.domain.is_ordered()).collect();
    let numbers: Vec<&Column> = columns.iter().copied().filter(|c| c.domain.is_ordered()).collect();
    let terms = |group: &[&Column]| -> Vec<Fraction> {
        let of = |(nth, column): (usize, &&Column)| {
            let before = nth.checked_sub(1).map(|b| group[b]);
            let weight = column.weight as u128;
            let (over, under) = match column.domain.is_ordered() {
                true => along_the_line(column, seed, row),
                false => by_similarity(before, column, remaining, seed, row, params.promise.k),
            };
            (over * weight, under)
        };
        group.iter().enumerate().map(of).collect()
    };
    let (texts, numbers) = (terms(&texts), terms(&numbers));
    let (for_text, for_number) = match params.separate_normalization {
        // Each group's mean counts the same: cross-multiplied by the other group's size.
        true => (numbers.len().max(1) as u128, texts.len().max(1) as u128),
        false => (1, 1),
    };
    let all: Vec<(Fraction, u128)> = texts
        .into_iter()
        .map(|t| (t, for_text))
        .chain(numbers.into_iter().map(|n| (n, for_number)))
        .collect();
    let common: u128 = all.iter().map(|((_, under), _)| under).product();
    all.iter().map(|((over, under), times)| over * times * (common / under)).sum()
}

type Fraction = (u128, u128);

fn along_the_line(column: &Column, seed: usize, row: usize) -> Fraction {
    let (a, b) = (column.codes[seed], column.codes[row]);
    let at = column.domain.positions();
    let under = at.last().map_or(0.0, |last| last - at[0]).max(1.0) as u128;
    if a == b {
        (0, under)
    } else if [Some(a), Some(b)].contains(&column.domain.missing()) {
        (under, under)
    } else {
        ((at[a as usize] - at[b as usize]).abs() as u128, under)
    }
}

fn by_similarity(
    before: Option<&Column>,
    column: &Column,
    remaining: &[usize],
    seed: usize,
    row: usize,
    k: usize,
) -> Fraction {
    let own = column.codes[seed];
    let card = column.domain.len() as u32;
    if card <= 2 {
        return (u128::from(own != column.codes[row]), 1);
    }
    let beside: Vec<usize> = match before {
        None => remaining.to_vec(),
        Some(before) => {
            let same = |r: &&usize| before.codes[**r] == before.codes[seed];
            remaining.iter().filter(same).copied().collect()
        }
    };
    let beside = if beside.len() < k { remaining } else { &beside };
    let count = |value: u32| beside.iter().filter(|&&r| column.codes[r] == value).count();
    let mut order: Vec<u32> = (0..card).filter(|&value| value != own).collect();
    order.sort_by_key(|&v| (count(v).abs_diff(count(own)), Reverse(count(v)), v));
    order.insert(0, own);
    let index = order.iter().position(|&v| v == column.codes[row]).unwrap();
    (index as u128, u128::from(card) - 1)
}
