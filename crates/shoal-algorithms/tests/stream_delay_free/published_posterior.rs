use std::collections::BTreeMap;

use shoal_algorithms::stream::delay_free::{Published, PublishedParams};

use super::every_choice::EveryChoice;

const VALUES: u32 = 4;

/// What an adversary sees of each tuple: its group, and the values of a new one.
type Output = Vec<(u64, Option<Vec<u32>>)>;

/// How likely each output is together with each input, in the same unit throughout.
type Joint = BTreeMap<Output, BTreeMap<Vec<u32>, u128>>;

/// All inputs, all counterfeits, all slots, through the real kernel. Persons differ, values are independent and
/// equally frequent.
fn joint(tuples: usize, learn: bool) -> Joint {
    let params = PublishedParams { learn, ..PublishedParams::new(2) }.check().unwrap();
    let start = Published::new(params, [0; 32], &[1; VALUES as usize]).unwrap();
    let mut joint = Joint::new();
    for number in 0..VALUES.pow(tuples as u32) {
        let input: Vec<u32> = (0..tuples as u32).map(|i| number / VALUES.pow(i) % VALUES).collect();
        EveryChoice::walk(|choices| {
            let mut kernel = start.clone();
            let place = |(person, value): (u128, &u32)| {
                let placement = kernel.push_with(choices, person, *value);
                (placement.group, placement.opened.map(<[u32]>::to_vec))
            };
            let output = (0..).zip(&input).map(place).collect();
            *joint.entry(output).or_default().entry(input.clone()).or_default() += choices.weight(tuples);
        });
    }
    joint
}

/// How likely each value of a tuple is, given the output.
fn posterior(inputs: &BTreeMap<Vec<u32>, u128>, tuple: usize) -> BTreeMap<u32, f64> {
    let mut weights: BTreeMap<u32, u128> = BTreeMap::new();
    for (input, weight) in inputs {
        *weights.entry(input[tuple]).or_default() += weight;
    }
    let all: u128 = weights.values().sum();
    weights.into_iter().map(|(value, weight)| (value, weight as f64 / all as f64)).collect()
}

/// How often an adversary is right who guesses the value of the tuple that is easiest to guess.
fn mean_best_guess(joint: &Joint, tuples: usize) -> f64 {
    let whole: u128 = joint.values().flat_map(BTreeMap::values).sum();
    let of_output = |inputs: &BTreeMap<Vec<u32>, u128>| {
        let share = inputs.values().sum::<u128>() as f64 / whole as f64;
        let guesses = (0..tuples).flat_map(|tuple| posterior(inputs, tuple).into_values());
        share * guesses.fold(0.0, f64::max)
    };
    joint.values().map(of_output).sum()
}

fn opened(groups: &[[u32; 2]]) -> Output {
    (0..).zip(groups).map(|(group, values)| (group, Some(values.to_vec()))).collect()
}

/// The figures of the specification. They suppose counterfeits drawn from a given domain, all values alike.
#[test]
fn the_published_algorithm_leaks_more_the_longer_one_looks() {
    for (tuples, expected) in [(1, 0.5), (2, 0.5833), (3, 0.6597), (4, 0.7280), (5, 0.7812)] {
        let found = mean_best_guess(&joint(tuples, false), tuples);
        assert!((found - expected).abs() < 5e-5, "{tuples} tuples: {found}");
    }
}

/// A pool that follows the stream tells more still: it starts with one of each value here, so that every tuple
/// counts.
#[test]
fn counterfeits_that_follow_the_stream_leak_too() {
    for (tuples, expected) in [(2, 0.6458), (3, 0.7512), (4, 0.8269)] {
        let found = mean_best_guess(&joint(tuples, true), tuples);
        assert!((found - expected).abs() < 5e-5, "{tuples} tuples: {found}");
    }
}

#[test]
fn not_joining_tells_that_the_first_value_is_rather_a() {
    let joint = joint(2, false);
    let posterior = posterior(&joint[&opened(&[[0, 1], [0, 2]])], 0);
    assert_eq!(posterior.keys().copied().collect::<Vec<_>>(), [0, 1]);
    assert!((posterior[&0] - 2.0 / 3.0).abs() < 1e-12, "{posterior:?}");
}

#[test]
fn three_groups_can_make_a_value_certain() {
    let joint = joint(3, false);
    let inputs = &joint[&opened(&[[0, 2], [1, 2], [0, 1]])];
    assert_eq!(posterior(inputs, 1), BTreeMap::from([(1, 1.0)]));
}
