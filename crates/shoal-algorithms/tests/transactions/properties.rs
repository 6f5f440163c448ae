//! What must be true of every result, and that it is the slow twin's.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::transactions::coat::CoatParams;
use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::upcta::UpctaParams;
use shoal_algorithms::transactions::{
    ConstrainedParams, Objective, TransactionsAlgorithm, TransactionsError, UtilityConstraints,
};
use shoal_algorithms::{Anonymized, Trace};
use shoal_core::policy::TransactionsAlgorithmName;
use shoal_core::{Silent, Transactions, TransactionsPromise, TransactionsRecoding};

use crate::data::{any_promised, letters, set, words};
use crate::promise::broken;
use crate::slow::Slow;

/// Neighbouring items in groups of this size.
fn neighbours(items: usize, size: usize) -> UtilityConstraints {
    let all: Vec<u32> = (0..items as u32).collect();
    UtilityConstraints::new(items, all.chunks(size).map(<[u32]>::to_vec).collect()).unwrap()
}

/// Every algorithm that needs no hierarchy, in the order of the enum. `apriori` needs one and has tests of its own.
fn each(
    objective: Objective,
    weights: Option<&Vec<f64>>,
    utility: &UtilityConstraints,
    max_suppressed: f64,
) -> Vec<Box<dyn TransactionsAlgorithm>> {
    let (weights, utility) = (weights.cloned(), utility.clone());
    let constrained = ConstrainedParams { objective, weights: weights.clone(), utility, max_suppressed };
    let algorithm = |name: &TransactionsAlgorithmName| -> Option<Box<dyn TransactionsAlgorithm>> {
        Some(match name {
            TransactionsAlgorithmName::Pcta => {
                Box::new(PctaParams { objective, weights: weights.clone() }.check().unwrap())
            }
            TransactionsAlgorithmName::Upcta => Box::new(UpctaParams(constrained.clone()).check().unwrap()),
            TransactionsAlgorithmName::Coat => Box::new(CoatParams(constrained.clone()).check().unwrap()),
            TransactionsAlgorithmName::Apriori => return None,
        })
    };
    TransactionsAlgorithmName::ALL.iter().filter_map(algorithm).collect()
}

fn objective() -> impl Strategy<Value = Objective> {
    prop_oneof![Just(Objective::Ncp), Just(Objective::Ul)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn promises_and_utility_constraints_are_kept(
        (data, promise) in any_promised(),
        objective in objective(),
        weights in proptest::option::of(proptest::collection::vec(0.0..=1.0, 9)),
        size in 1_usize..6,
        share in 0.0..=1.0,
    ) {
        let items = data.items().len();
        let weights = weights.map(|weights: Vec<f64>| weights[..items].to_vec());
        let utility = neighbours(items, size);
        for algorithm in each(objective, weights.as_ref(), &utility, share) {
            match algorithm.anonymize(&data, &promise, &Silent) {
                Ok(Anonymized { recoding, trace }) => {
                    match trace.search {
                        Some(search) if (algorithm.name(), objective) == ("pcta", Objective::Ncp) => {
                            prop_assert_eq!(search.constructions.iter().map(|c| c.won).sum::<usize>(), 1);
                            let least = search.constructions.iter().map(|c| c.loss).fold(f64::INFINITY, f64::min);
                            prop_assert_eq!(search.loss, least);
                        }
                        search => prop_assert_eq!(Trace { search, ..trace }, Trace::default()),
                    }
                    prop_assert_eq!(broken(&data, &recoding, &promise), None);
                    is_a_recoding(items, &recoding)?;
                    prop_assert!(recoding.suppressed() as f64 <= share * items as f64 + 1e-6);
                    if algorithm.name() == "pcta" {
                        prop_assert_eq!(recoding.suppressed(), 0);
                    } else {
                        let inside = |items: &[u32]| {
                            items.iter().map(|&item| utility.group_of(item)).collect::<BTreeSet<_>>().len() == 1
                        };
                        prop_assert!(recoding.clusters.iter().all(|cluster| inside(&cluster.items)));
                    }
                }
                Err(TransactionsError::Infeasible { constraint, items: gone, suppressed, allowed, utility: number }) => {
                    prop_assert_ne!(algorithm.name(), "pcta");
                    prop_assert!(suppressed > allowed && !gone.is_empty());
                    prop_assert!(gone.iter().all(|item| constraint.contains(item)));
                    prop_assert!(gone.iter().all(|&item| utility.group_of(item) + 1 == number));
                }
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }

    #[test]
    fn everything_can_be_suppressed_so_nothing_is_infeasible((data, promise) in any_promised(), size in 1_usize..6) {
        let utility = neighbours(data.items().len(), size);
        for algorithm in each(Objective::Ncp, None, &utility, 1.0) {
            prop_assert!(algorithm.anonymize(&data, &promise, &Silent).is_ok());
        }
    }

    #[test]
    fn the_slow_twin_does_the_same(
        (data, promise) in any_promised(),
        objective in objective(),
        size in 1_usize..10,
        allowed in 0_usize..10,
    ) {
        let items = data.items().len();
        let utility = neighbours(items, size);
        let share = allowed.min(items) as f64 / items as f64;
        for algorithm in each(objective, None, &utility, share) {
            let mut slow = Slow::new(&data, promise.k(), objective);
            if algorithm.name() != "pcta" {
                slow.utility = utility.clone();
                slow.allowed = allowed.min(items);
                slow.least_only = algorithm.name() == "coat";
            }
            let mut as_coat = slow.clone();
            as_coat.least_only = true;
            let feasible = slow.repeat(&promise);
            if feasible && objective == Objective::Ncp && algorithm.name() != "coat" {
                let (loss, clusters) = (slow.loss(), slow.clusters.clone());
                slow.refine(&promise);
                prop_assert!(slow.loss() < loss || slow.clusters == clusters);
                if algorithm.name() == "pcta" {
                    as_coat.repeat(&promise);
                    let coat = as_coat.loss();
                    as_coat.refine(&promise);
                    if as_coat.loss() < slow.loss() {
                        slow = as_coat;
                    }
                    prop_assert!(slow.loss() <= coat);
                }
            }
            let fast = algorithm.anonymize(&data, &promise, &Silent);
            prop_assert_eq!(fast.is_ok(), feasible);
            if let Ok(Anonymized { recoding, .. }) = fast {
                let clusters: BTreeSet<BTreeSet<u32>> =
                    recoding.clusters.iter().map(|cluster| cluster.items.iter().copied().collect()).collect();
                prop_assert_eq!(clusters, slow.clusters);
            }
        }
    }

    #[test]
    fn threads_make_no_difference(
        (data, promise) in any_promised(),
        objective in objective(),
        size in 1_usize..6,
    ) {
        let utility = neighbours(data.items().len(), size);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let run = |algorithm: &dyn TransactionsAlgorithm| algorithm.anonymize(&data, &promise, &Silent).unwrap();
            pool.install(|| each(objective, None, &utility, 1.0).iter().map(|algorithm| run(algorithm.as_ref())).collect::<Vec<_>>())
        };
        let alone = run(1);
        prop_assert_eq!(&run(2), &alone);
        prop_assert_eq!(&run(4), &alone);
    }
}

fn is_a_recoding(items: usize, recoding: &TransactionsRecoding) -> Result<(), TestCaseError> {
    let clustered: Vec<u32> =
        recoding.clusters.iter().flat_map(|cluster| cluster.items.iter().copied()).collect();
    prop_assert_eq!(clustered.iter().collect::<BTreeSet<_>>().len(), clustered.len());
    prop_assert_eq!(clustered.len() + recoding.suppressed(), items);
    prop_assert!(
        recoding.clusters.iter().all(|cluster| cluster.items.is_sorted() && !cluster.items.is_empty())
    );
    Ok(())
}

fn refused(data: &Transactions, promise: &TransactionsPromise) -> TransactionsError {
    PctaParams::default().check().unwrap().anonymize(data, promise, &Silent).unwrap_err()
}

#[test]
fn a_merge_that_does_not_help_the_set_is_not_made() {
    // {a,b} is in one transaction. (b,z) is the cheapest merge, but nobody holds a and z; (b,c) is what helps.
    let data = letters(&["ab", "ac", "a", "c", "z"]);
    let promise = TransactionsPromise::Constraints { k: 2, sets: vec![set(&data, "ab")] };
    let utility = UtilityConstraints::one_group(4);
    let published = |objective| {
        let algorithms = each(objective, None, &utility, 0.0);
        let publish = |algorithm: Box<dyn TransactionsAlgorithm>| {
            words(&data, &algorithm.anonymize(&data, &promise, &Silent).unwrap().recoding)
        };
        algorithms.into_iter().map(publish).collect::<Vec<_>>()
    };
    let [pcta, upcta, coat] = <[_; 3]>::try_from(published(Objective::Ncp)).unwrap();
    assert_eq!(pcta, ["a", "bc", "z"]);
    assert_eq!(upcta, pcta);
    // The others merge by cost alone, as the papers do.
    for wasted in published(Objective::Ul).into_iter().chain([coat]) {
        assert!(wasted.iter().any(|cluster| cluster.contains("bz") || cluster.contains("bcz")), "{wasted:?}");
    }
}

#[test]
fn a_person_is_gained_once() {
    // {a,b} is one person's. Merging b with c gains two transactions of one person, with d two people.
    // Many hold a, so that merging a with b costs more.
    let data = letters(&["ab", "ac", "ac", "ad", "ad", "c", "d", "d", "d", "a", "a", "a"])
        .with_persons(vec![0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9]);
    let promise = TransactionsPromise::Constraints { k: 3, sets: vec![set(&data, "ab")] };
    let pcta = PctaParams::default().check().unwrap();
    assert_eq!(words(&data, &pcta.anonymize(&data, &promise, &Silent).unwrap().recoding), ["a", "bd", "c"]);
    // What a person has in two transactions is not put together: nobody is known to have it.
    let apart = letters(&["a", "b", "a", "b"]).with_persons(vec![0, 0, 1, 1]);
    let promise = TransactionsPromise::Itemsets { k: 2, m: 2, linkable: None };
    assert_eq!(words(&apart, &pcta.anonymize(&apart, &promise, &Silent).unwrap().recoding), ["a", "b"]);
}

#[test]
fn the_order_of_transactions_and_the_numbers_of_people_say_nothing() {
    let texts = ["ab", "b", "abc", "c", "cd", "d", "ad", "bd", "a", ""];
    let persons = [3, 1, 1, 2, 2, 0, 4, 3, 5, 6];
    let published = |order: &[usize], number: &dyn Fn(u32) -> u32| {
        let words_in: Vec<&str> = order.iter().map(|&at| texts[at]).collect();
        let persons = order.iter().map(|&at| number(persons[at])).collect();
        let data = letters(&words_in).with_persons(persons);
        let promise = TransactionsPromise::Itemsets { k: 3, m: 2, linkable: None };
        let algorithms = each(Objective::Ncp, None, &UtilityConstraints::one_group(4), 0.5);
        let publish = |algorithm: Box<dyn TransactionsAlgorithm>| {
            words(&data, &algorithm.anonymize(&data, &promise, &Silent).unwrap().recoding)
        };
        algorithms.into_iter().map(publish).collect::<Vec<_>>()
    };
    let once = published(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &|person| person);
    assert_eq!(published(&[9, 4, 7, 1, 8, 0, 2, 6, 3, 5], &|person| person), once);
    assert_eq!(published(&[9, 4, 7, 1, 8, 0, 2, 6, 3, 5], &|person| 90 - 7 * person), once);
}

#[test]
fn bad_input_is_an_error() {
    let data = letters(&["ab", "", "b", "c"]);
    let few = letters(&["ab", "a", "b", "c", ""]).with_persons(vec![1, 1, 1, 2, 3]);
    let too_few = TransactionsError::TooFewPeople { k: 3, people: 2 };
    assert_eq!(refused(&few, &TransactionsPromise::Complete { k: 3 }), too_few);
    let too_few = TransactionsError::TooFewTransactions { k: 4, transactions: 3 };
    assert_eq!(refused(&data, &TransactionsPromise::Complete { k: 4 }), too_few);
    let unknown = TransactionsError::UnknownItem { item: 3, items: 3 };
    assert_eq!(refused(&data, &TransactionsPromise::Constraints { k: 2, sets: vec![vec![0, 3]] }), unknown);
    let linkable = Some(vec![true; 2]);
    let short = TransactionsError::WrongItemCount { what: "linkable items", given: 2, items: 3 };
    assert_eq!(refused(&data, &TransactionsPromise::Itemsets { k: 2, m: 1, linkable }), short);
    let upcta = UpctaParams(ConstrainedParams::new(UtilityConstraints::one_group(5))).check().unwrap();
    let wrong = TransactionsError::WrongItemCount { what: "utility constraints", given: 5, items: 3 };
    assert_eq!(upcta.anonymize(&data, &TransactionsPromise::Complete { k: 2 }, &Silent), Err(wrong));
    let none = letters(&[]);
    assert!(matches!(
        refused(&none, &TransactionsPromise::Complete { k: 2 }),
        TransactionsError::TooFewTransactions { .. }
    ));
}
