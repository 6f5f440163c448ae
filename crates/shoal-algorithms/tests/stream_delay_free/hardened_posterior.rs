use std::collections::BTreeMap;

use shoal_algorithms::stream::delay_free::draw_set;
use shoal_core::stream::SetDesign;

use super::every_choice::EveryChoice;

/// How likely each sequence of sets is together with each sequence of values, in the same unit throughout.
type Joint = BTreeMap<Vec<Vec<u32>>, BTreeMap<Vec<u32>, u128>>;

/// Whose the tuples are.
#[derive(Clone, Copy, PartialEq)]
enum Persons {
    Different,
    /// One person: the same value gets the same set.
    One,
}

/// All values in these proportions, all choices, through the real draws. The keyed function is taken for what it
/// cannot be told from: choices made at random once for each person and value.
fn joint(design: &SetDesign, prior: &[u64], tuples: usize, persons: Persons) -> Joint {
    let mut joint = Joint::new();
    for number in 0..prior.len().pow(tuples as u32) {
        let values: Vec<u32> =
            (0..tuples as u32).map(|i| (number / prior.len().pow(i) % prior.len()) as u32).collect();
        let likely: u64 = values.iter().map(|value| prior[*value as usize]).product();
        EveryChoice::walk(|choices| {
            let mut drawn: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            let mut sets = Vec::new();
            for value in &values {
                let known = drawn.get(value).filter(|_| persons == Persons::One).cloned();
                let set = known.unwrap_or_else(|| {
                    let mut set = Vec::new();
                    draw_set(design, *value, choices, &mut set).unwrap();
                    set
                });
                drawn.insert(*value, set.clone());
                sets.push(set);
            }
            let weight = u128::from(likely) * choices.weight(2 * tuples);
            *joint.entry(sets).or_default().entry(values.clone()).or_default() += weight;
        });
    }
    joint
}

/// How likely each value of a tuple is, given the sets.
fn posterior(inputs: &BTreeMap<Vec<u32>, u128>, tuple: usize) -> BTreeMap<u32, f64> {
    let mut weights: BTreeMap<u32, u128> = BTreeMap::new();
    for (values, weight) in inputs {
        *weights.entry(values[tuple]).or_default() += weight;
    }
    let all: u128 = weights.values().sum();
    weights.into_iter().map(|(value, weight)| (value, weight as f64 / all as f64)).collect()
}

fn best_guess(inputs: &BTreeMap<Vec<u32>, u128>, tuples: usize) -> f64 {
    (0..tuples).flat_map(|tuple| posterior(inputs, tuple).into_values()).fold(0.0, f64::max)
}

fn assert_one_in_l(joint: &Joint, tuples: usize, l: usize) {
    for (sets, inputs) in joint {
        for tuple in 0..tuples {
            let posterior = posterior(inputs, tuple);
            assert_eq!(posterior.len(), l);
            assert!(
                posterior.values().all(|p| (p - 1.0 / l as f64).abs() < 1e-12),
                "{sets:?}: {posterior:?}"
            );
        }
    }
}

#[test]
fn uniform_sets_of_equally_frequent_values_tell_nothing_however_many_there_are() {
    for (values, l, tuples) in [(4, 2, 1), (4, 2, 2), (4, 2, 3), (5, 3, 2), (4, 4, 2)] {
        let design = SetDesign::uniform(values, l).unwrap();
        assert_one_in_l(&joint(&design, &vec![1; values], tuples, Persons::Different), tuples, l);
    }
}

#[test]
fn uniform_sets_keep_what_the_prior_tells() {
    let (design, prior) = (SetDesign::uniform(4, 2).unwrap(), [4, 3, 2, 1]);
    let joint = joint(&design, &prior, 2, Persons::Different);
    for (sets, inputs) in &joint {
        let within: u64 = sets[0].iter().map(|value| prior[*value as usize]).sum();
        for (value, p) in posterior(inputs, 0) {
            assert!((p - prior[value as usize] as f64 / within as f64).abs() < 1e-12);
        }
    }
    let worst = joint.values().map(|inputs| best_guess(inputs, 2)).fold(0.0, f64::max);
    assert!((worst - 0.8).abs() < 1e-12, "{worst}");
}

#[test]
fn calibrated_sets_tell_nothing_of_values_that_are_not_equally_frequent() {
    let cases: [(&[u64], usize, usize); 4] =
        [(&[4, 3, 2, 1], 2, 1), (&[4, 3, 2, 1], 2, 2), (&[2, 1, 1], 2, 3), (&[3, 3, 2, 1, 1], 3, 1)];
    for (prior, l, tuples) in cases {
        let design = SetDesign::calibrated(prior, l, 0).unwrap();
        assert_one_in_l(&joint(&design, prior, tuples, Persons::Different), tuples, l);
    }
}

/// The most that is learned from two different sets of one person: they cannot be for the same value. With l − 1
/// values in both that leaves l² − l + 1 pairs, and the value that is in one set only has l of them.
fn of_two_different_sets(l: usize) -> f64 {
    l as f64 / (l * l - l + 1) as f64
}

fn assert_returning(design: &SetDesign, prior: &[u64]) {
    let l = design.l();
    let mut worst = 0.0_f64;
    for (sets, inputs) in joint(design, prior, 2, Persons::One) {
        let best = best_guess(&inputs, 2);
        if sets[0] == sets[1] {
            let counts = || sets[0].iter().map(|value| prior[*value as usize]);
            let within = counts().max().unwrap() as f64 / counts().sum::<u64>() as f64;
            assert!(best < within + 1e-12, "{sets:?}: {best}, {within}");
        } else {
            assert!(inputs.keys().all(|values| values[0] != values[1]));
            worst = worst.max(best);
        }
    }
    assert!((worst - of_two_different_sets(l)).abs() < 1e-12, "l = {l}: {worst}");
}

/// The same set twice most likely means the same value twice, which frequent values do more often. So where somebody
/// may return with any value, a calibrated set that comes again is not quite 1/l any more; it stays below what the prior
/// tells within the set.
#[test]
fn a_calibrated_set_that_comes_again_favours_the_frequent_value() {
    let prior = [4, 3, 2, 1];
    let joint = joint(&SetDesign::calibrated(&prior, 2, 0).unwrap(), &prior, 2, Persons::One);
    let twice = |set: &[u32]| posterior(&joint[&vec![set.to_vec(); 2]], 0);
    assert!((twice(&[0, 3])[&0] - 13.0 / 17.0).abs() < 1e-12, "{:?}", twice(&[0, 3]));
    assert!((twice(&[0, 1])[&0] - 19.0 / 35.0).abs() < 1e-12, "{:?}", twice(&[0, 1]));
}

#[test]
fn a_person_who_returns_with_another_value_can_be_guessed_a_little_better() {
    assert!((of_two_different_sets(2) - 2.0 / 3.0).abs() < 1e-12);
    for (values, l) in [(4, 2), (4, 3), (5, 3), (5, 4)] {
        assert_returning(&SetDesign::uniform(values, l).unwrap(), &vec![1; values]);
    }
    assert_returning(&SetDesign::calibrated(&[4, 3, 2, 1], 2, 0).unwrap(), &[4, 3, 2, 1]);
}

/// And the better the more different sets there are: with l = 2 and one value in all of them, t sets make the other
/// value of each t times as likely as the common one.
#[test]
fn with_many_different_sets_a_person_can_be_guessed() {
    let design = SetDesign::uniform(5, 2).unwrap();
    for tuples in 2..=4 {
        let joint = joint(&design, &[1; 5], tuples, Persons::One);
        let star: Vec<Vec<u32>> = (1..=tuples as u32).map(|end| vec![0, end]).collect();
        let (best, t) = (best_guess(&joint[&star], tuples), tuples as f64);
        assert!((best - t / (t + 1.0)).abs() < 1e-12, "{tuples}: {best}");
    }
}
