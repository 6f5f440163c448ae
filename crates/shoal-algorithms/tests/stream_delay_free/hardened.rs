use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_algorithms::stream::delay_free::{Hardened, UnknownValue, draw_set};
use shoal_core::stream::SetDesign;

use super::every_choice::EveryChoice;

const KEY: [u8; 32] = [9; 32];

fn set(kernel: &Hardened, person: u64, value: u32) -> Vec<u32> {
    let mut set = vec![77];
    kernel.draw(&person.to_le_bytes(), value, &mut set).unwrap();
    set
}

#[test]
fn all_sets_that_hold_the_value_are_equally_likely() {
    for values in 1..=7_usize {
        for l in 1..=values {
            let design = SetDesign::uniform(values, l).unwrap();
            for value in 0..values as u32 {
                let mut weights: BTreeMap<Vec<u32>, u128> = BTreeMap::new();
                EveryChoice::walk(|choices| {
                    let mut set = Vec::new();
                    draw_set(&design, value, choices, &mut set).unwrap();
                    *weights.entry(set).or_default() += choices.weight(3);
                });
                let expected = (1..l).fold(1, |sets, i| sets * (values - i) / i);
                assert_eq!(weights.len(), expected, "{l} of {values}");
                assert!(weights.keys().all(|set| set.contains(&value)));
                let first = weights.values().next().unwrap();
                assert!(weights.values().all(|weight| weight == first), "{weights:?}");
            }
        }
    }
}

/// Numbers of draws that stray from `draws · share` by more than six standard deviations.
fn strays(found: &BTreeMap<Vec<u32>, u32>, shares: &BTreeMap<Vec<u32>, f64>, draws: u32) -> Vec<String> {
    assert!(found.keys().all(|set| shares.contains_key(set)), "{found:?}");
    let stray = |(set, share): (&Vec<u32>, &f64)| {
        let (seen, expected) = (f64::from(found.get(set).copied().unwrap_or(0)), f64::from(draws) * share);
        let deviation = (expected * (1.0 - share)).sqrt();
        ((seen - expected).abs() > 6.0 * deviation).then(|| format!("{set:?}: {seen}, not {expected}"))
    };
    shares.iter().filter_map(stray).collect()
}

#[test]
fn keyed_draws_follow_the_uniform_design_for_each_person_by_itself() {
    let kernel = Hardened::new(SetDesign::uniform(5, 3).unwrap(), KEY);
    let mut pairs: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for person in 0..36_000 {
        let both = [set(&kernel, 2 * person, 2), set(&kernel, 2 * person + 1, 2)].concat();
        *pairs.entry(both).or_default() += 1;
    }
    let sets = [[0, 1, 2], [0, 2, 3], [0, 2, 4], [1, 2, 3], [1, 2, 4], [2, 3, 4]];
    let shares =
        sets.iter().flat_map(|a| sets.iter().map(move |b| ([*a, *b].concat(), 1.0 / 36.0))).collect();
    assert_eq!(strays(&pairs, &shares, 36_000), Vec::<String>::new());
}

#[test]
fn keyed_draws_follow_the_calibrated_design() {
    let design = SetDesign::calibrated(&[5, 9, 1, 7, 3, 3, 8, 6], 3, 4).unwrap();
    let kernel = Hardened::new(design.clone(), KEY);
    let SetDesign::Calibrated(design) = design else { unreachable!() };
    for value in 0..8 {
        let mut shares: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for ring in 0..design.rings().len() {
            for (width, set) in design.pieces(ring).filter(|(_, set)| set.contains(&value)) {
                let arc = (design.rings().len() as u64 * 3 * design.counts()[value as usize]) as f64;
                *shares.entry(set.to_vec()).or_default() += width as f64 / arc;
            }
        }
        let mut found: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for person in 0..20_000 {
            *found.entry(set(&kernel, person, value)).or_default() += 1;
        }
        assert_eq!(strays(&found, &shares, 20_000), Vec::<String>::new(), "value {value}");
    }
}

/// Two values of one person share nothing either.
#[test]
fn another_value_of_the_same_person_is_drawn_anew() {
    let kernel = Hardened::new(SetDesign::uniform(4, 2).unwrap(), KEY);
    let mut pairs: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for person in 0..18_000 {
        let both = [set(&kernel, person, 0), set(&kernel, person, 1)].concat();
        *pairs.entry(both).or_default() += 1;
    }
    let ends = [1, 2, 3].into_iter().flat_map(|a| [[0, 1], [1, 2], [1, 3]].map(|b| vec![0, a, b[0], b[1]]));
    assert_eq!(strays(&pairs, &ends.map(|both| (both, 1.0 / 9.0)).collect(), 18_000), Vec::<String>::new());
}

proptest! {
    #[test]
    fn every_set_is_sorted_and_holds_the_value_and_comes_again(
        counts in prop::collection::vec(1_u64..50, 2..40),
        l in 1_usize..10,
        person in any::<Vec<u8>>(),
        value in any::<prop::sample::Index>(),
    ) {
        let value = value.index(counts.len()) as u32;
        let designs =
            [SetDesign::uniform(counts.len(), l), SetDesign::calibrated(&counts, l, 3), SetDesign::uniform(2_000, l)];
        for design in designs.into_iter().flatten() {
            let kernel = Hardened::new(design, KEY);
            let (mut set, mut again) = (Vec::new(), vec![1, 2, 3]);
            kernel.draw(&person, value, &mut set).unwrap();
            kernel.draw(&person, value, &mut again).unwrap();
            prop_assert_eq!(&set, &again);
            prop_assert_eq!(set.len(), l);
            prop_assert!(set.is_sorted_by(|a, b| a < b) && set.contains(&value));
            prop_assert!(set.iter().all(|other| kernel.design().holds(*other)));
        }
    }
}

#[test]
fn a_value_that_the_design_does_not_hold_is_refused() {
    let mut set = vec![1];
    let kernel = Hardened::new(SetDesign::uniform(4, 2).unwrap(), KEY);
    let unknown = kernel.draw(b"ann", 4, &mut set).unwrap_err();
    assert_eq!(unknown, UnknownValue { value: 4, known: 4 });
    assert!(set.is_empty());
    let kernel = Hardened::new(SetDesign::calibrated(&[1, 0, 1], 2, 0).unwrap(), KEY);
    let unknown = kernel.draw(b"ann", 1, &mut set).unwrap_err();
    assert_eq!(unknown.to_string(), "value number 1 is not among the 2 values that can be hidden");
    assert!(!unknown.hint().is_empty());
}

#[test]
fn the_key_is_not_printed() {
    let kernel = Hardened::new(SetDesign::uniform(4, 2).unwrap(), [251; 32]);
    assert!(!format!("{kernel:?}").contains("251"));
}
