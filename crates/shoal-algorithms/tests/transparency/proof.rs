//! Transparent l-diversity: the largest posterior over all worlds and all draws is 1/l.

use shoal_algorithms::stream::delay_free::Draws;
use shoal_algorithms::table::transparent::{Secret, TransparentParams, ValidTransparentParams};
use shoal_core::{Cell, Silent, TableRecoding};

use crate::every_choice::EveryChoice;
use crate::worlds::{Known, Seen, World, distinct, file};

/// More than enough for all choices among up to eight people.
const STEPS: usize = 8;

fn kernel(k: usize, l: usize) -> ValidTransparentParams {
    TransparentParams { promise: distinct(k, l), seed: 5, key: Secret([0; 32]) }.check().unwrap()
}

/// Everything that can happen.
fn seen(known: &Known, k: usize, l: usize) -> Seen {
    seen_in(known.worlds(), known, k, l)
}

fn seen_in(worlds: Vec<World>, known: &Known, k: usize, l: usize) -> Seen {
    let kernel = kernel(k, l);
    let mut seen = Seen::default();
    for world in worlds {
        let table = known.table(&world);
        EveryChoice::walk(|choices| {
            let recoding = kernel.anonymize_with(&table, choices, &Silent).unwrap();
            seen.add(file(&table, &recoding), &world, choices.weight(STEPS));
        });
    }
    seen
}

#[track_caller]
fn assert_one_in(known: &Known, k: usize, l: usize, largest: (u128, u128)) {
    let seen = seen(known, k, l);
    assert!(seen.files() > 1, "something is published besides the frequencies");
    assert_eq!(seen.largest_posterior(), largest, "k = {k}, l = {l}, {:?}", known.counts);
}

#[test]
fn two_values_of_which_one_is_as_frequent_as_it_may_be() {
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41], &[2, 2]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 42, 43], &[3, 3]), 2, 2, (1, 2));
}

#[test]
fn columns_of_several_values() {
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 42, 43], &[2, 2, 1, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 42, 43], &[3, 2, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 42, 43], &[2, 2, 2]), 2, 2, (1, 2));
}

#[test]
fn three_values_in_every_crowd() {
    assert_one_in(&Known::of_ages(&[20, 21, 30, 31, 42, 43], &[2, 2, 2]), 3, 3, (1, 3));
    assert_one_in(&Known::of_ages(&[20, 21, 30, 31, 42, 43], &[2, 2, 1, 1]), 3, 3, (1, 3));
    assert_one_in(&Known::of_ages(&[20, 21, 30, 31, 42, 43], &[2, 1, 1, 1, 1]), 3, 3, (1, 3));
}

#[test]
fn people_who_look_alike() {
    assert_one_in(&Known::of_ages(&[20, 20, 40, 40], &[2, 2]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 20, 40, 41], &[2, 1, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 20, 20, 41, 41, 42], &[2, 2, 1, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 20, 30, 30, 42, 42], &[2, 2, 2]), 2, 2, (1, 2));
}

#[test]
fn two_quasi_identifiers() {
    let quasi = [[20, 1], [21, 0], [40, 1], [41, 0], [42, 1], [20, 0]].map(Vec::from).to_vec();
    assert_one_in(&Known { quasi: quasi.clone(), counts: vec![2, 2, 1, 1] }, 2, 2, (1, 2));
    assert_one_in(&Known { quasi, counts: vec![2, 2, 2] }, 3, 3, (1, 3));
}

/// Numbers that l does not divide: a bucket of l + 1 columns or more, and nobody left over.
#[test]
fn nobody_is_left_over() {
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 60], &[2, 2, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 60, 61, 80], &[3, 3, 1]), 2, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 40, 41, 60, 61, 80], &[2, 2, 2, 1]), 3, 3, (1, 3));
    // Five of them can only be one crowd of five values.
    let five = seen(&Known::of_ages(&[20, 21, 40, 41, 60], &[1, 1, 1, 1, 1]), 3, 3);
    assert_eq!(five.largest_posterior(), (1, 5));
}

/// Whose cells are empty is known: they are no company, and others are as safe as without them.
#[test]
fn people_without_a_value() {
    for (ages, counts, empty, k, l, largest) in [
        (&[20, 21, 40, 41, 60][..], &[2, 2][..], &[2][..], 2, 2, (1, 2)),
        (&[20, 21, 40, 41, 60, 61, 80], &[2, 2, 1], &[1, 4], 2, 2, (1, 2)),
        (&[20, 20, 20, 41, 41, 42], &[2, 2], &[1, 5], 2, 2, (1, 2)),
        (&[20, 21, 30, 31, 42, 43, 60], &[1, 1, 1], &[0, 2, 4, 5], 3, 3, (1, 3)),
    ] {
        let known = Known::of_ages(ages, counts);
        let seen = seen_in(known.worlds_without(empty), &known, k, l);
        assert!(seen.files() > 1 || l == 3);
        assert_eq!(seen.largest_posterior(), largest, "{ages:?} {counts:?} {empty:?}");
    }
}

/// Crowds of more than l: whole rows of a column more, or of another bucket.
#[test]
fn k_above_l() {
    assert_one_in(&Known::of_ages(&[20, 21, 22, 40, 41, 42, 60, 61], &[4, 4]), 4, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 22, 40, 41, 42, 60, 61], &[4, 3, 1]), 4, 2, (1, 2));
    assert_one_in(&Known::of_ages(&[20, 21, 22, 40, 41, 42, 60], &[3, 2, 2]), 3, 2, (1, 2));
}

#[test]
fn eight_people() {
    let ages = [20, 21, 22, 40, 41, 42, 60, 61];
    assert_one_in(&Known::of_ages(&ages, &[3, 3, 2]), 2, 2, (1, 2));
    // Eight people in columns of two are four columns.
    assert_one_in(&Known::of_ages(&ages, &[2, 2, 2, 2]), 3, 3, (1, 4));
}

/// Whoever knows the key knows the draws, and is no longer at 1/l: it has to be secret.
#[test]
fn a_key_that_is_known_breaks_it() {
    let known = Known::of_ages(&[20, 21, 40, 41, 60], &[2, 2, 1]);
    let kernel = kernel(2, 2);
    let mut seen = Seen::default();
    for world in known.worlds() {
        let table = known.table(&world);
        let recoding = kernel.anonymize_with(&table, &mut Fixed, &Silent).unwrap();
        seen.add(file(&table, &recoding), &world, 1);
    }
    let (over, under) = seen.largest_posterior();
    assert!(over * 2 > under, "{over}/{under}");
}

/// Trying two keys and publishing what loses less is a choice that depends on values.
#[test]
fn the_better_of_two_keys_breaks_it() {
    let known = Known::of_ages(&[20, 22, 27, 41, 60, 61, 90], &[3, 2, 2]);
    let kernel = kernel(2, 2);
    let mut seen = Seen::default();
    for world in known.worlds() {
        let table = known.table(&world);
        let mut drawn = Vec::new();
        EveryChoice::walk(|choices| {
            let recoding = kernel.anonymize_with(&table, choices, &Silent).unwrap();
            drawn.push((width(&recoding), file(&table, &recoding), choices.weight(STEPS / 2)));
        });
        for (one, two) in drawn.iter().flat_map(|one| drawn.iter().map(move |two| (one, two))) {
            let better = if two.0 < one.0 { two } else { one };
            seen.add(better.1.clone(), &world, one.2 * two.2);
        }
    }
    let (over, under) = seen.largest_posterior();
    assert!(over * 2 > under, "{over}/{under}");
}

/// How wide all published ranges are, for every record.
fn width(recoding: &TableRecoding) -> u32 {
    let width = |class: &u32| match recoding.classes[*class as usize].cells[0] {
        Cell::Range { lo, hi } => hi - lo,
        _ => 0,
    };
    recoding.class_of.iter().map(width).sum()
}

/// Always the first.
struct Fixed;

impl Draws for Fixed {
    fn below(&mut self, _: u64) -> u64 {
        0
    }
}
