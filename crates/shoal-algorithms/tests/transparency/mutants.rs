//! Assign-then-cut in a few lines, right and with one thing wrong: the enumeration must find what is wrong.

use shoal_algorithms::stream::delay_free::Draws;

use crate::every_choice::EveryChoice;
use crate::worlds::{File, Known, Seen};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// The first column chooses its partners, and which is the first depends on the value.
    FirstColumnChooses,
    /// People of one age and column go to crowds in the order of their values.
    ByValue,
}

/// Two columns: the values of the first `split` numbers, and the others. Rows are pairs of one person of each.
fn publish(known: &Known, world: &[u32], split: u32, wrong: Wrong, draws: &mut impl Draws) -> File {
    let mut columns = [0, 1].map(|column| {
        let in_column = |person: &usize| usize::from(world[*person] >= split) == column;
        let mut people: Vec<usize> = (0..world.len()).filter(in_column).collect();
        for last in (1..people.len()).rev() {
            if wrong != Wrong::ByValue {
                people.swap(last, draws.below(last as u64 + 1) as usize);
            }
        }
        let value = |person: usize| if wrong == Wrong::ByValue { world[person] } else { 0 };
        people.sort_by_key(|&person| (known.quasi[person][0], value(person)));
        people
    });
    let ages = |people: &[usize]| people.iter().map(|&person| known.quasi[person][0]).collect::<Vec<_>>();
    if wrong != Wrong::FirstColumnChooses {
        columns.sort_by_key(|people| ages(people));
        if ages(&columns[0]) == ages(&columns[1]) && draws.below(2) == 1 {
            columns.swap(0, 1);
        }
    }
    let [first, mut second] = columns;
    let mut rows: File = Vec::new();
    for person in first {
        let age = |person: usize| known.quasi[person][0];
        // The nearest of those who are left, the younger of two.
        let near = |at: &usize| (age(second[*at]).abs_diff(age(person)), *at);
        let at = (0..second.len()).min_by_key(near).unwrap();
        let other = second.remove(at);
        let cells = format!("[{}, {}]", age(person).min(age(other)), age(person).max(age(other)));
        rows.extend([person, other].map(|person| (vec![cells.clone()], world[person].to_string())));
    }
    rows.sort();
    rows
}

fn largest(known: &Known, split: u32, wrong: Wrong) -> (u128, u128) {
    let mut seen = Seen::default();
    for world in known.worlds() {
        EveryChoice::walk(|choices| {
            let file = publish(known, &world, split, wrong, choices);
            seen.add(file, &world, choices.weight(STEPS));
        });
    }
    seen.largest_posterior()
}

const STEPS: usize = 8;

fn above_half((over, under): (u128, u128)) -> bool {
    over * 2 > under
}

#[test]
fn nothing_wrong_is_one_in_two() {
    for (ages, counts, split) in
        [(&[20, 21, 40, 43][..], &[2, 2][..], 1), (&[20, 20, 40, 41, 43, 43], &[2, 1, 2, 1], 2)]
    {
        let known = Known::of_ages(ages, counts);
        assert_eq!(largest(&known, split, Wrong::Nothing), (1, 2), "{counts:?}");
    }
}

#[test]
fn a_column_that_chooses_is_found() {
    let known = Known::of_ages(&[20, 22, 25, 43], &[2, 2]);
    assert!(above_half(largest(&known, 1, Wrong::FirstColumnChooses)));
}

#[test]
fn values_that_decide_between_people_of_one_age_are_found() {
    let known = Known::of_ages(&[20, 20, 30, 31], &[1, 1, 1, 1]);
    let largest = largest(&known, 2, Wrong::ByValue);
    assert!(above_half(largest), "{largest:?}");
}
