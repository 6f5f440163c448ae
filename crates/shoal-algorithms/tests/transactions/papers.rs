//! The worked examples of the paper's §4.
//!
//! The text that we have lacks figure 1(a), so these transactions are made up to meet all that is said of it:
//! seven items; a and b in four of six transactions each, in five together; a, b and c together in one; g in
//! two; {b,e,f} in one; and {(a,b),(d,e,f)} in three at the end. The steps of the examples need weights:
//! with equal ones (d,e,f) costs at least 7 × 3, any pair at most 3 × 6, and so a pair would always come first.

use shoal_algorithms::transactions::pcta::PctaParams;
use shoal_algorithms::transactions::upcta::UpctaParams;
use shoal_algorithms::transactions::{
    ConstrainedParams, Objective, TransactionsAlgorithm, TransactionsError, UtilityConstraints,
};
use shoal_core::{SUPPRESSED, Silent, Transactions, TransactionsPromise};

use crate::data::{letters, set, words};
use crate::slow::Slow;

//                          a     b     c    d    e    f    g
const WEIGHTS: [f64; 7] = [0.25, 0.25, 1.0, 0.5, 0.5, 0.5, 1.0];

fn figure_1a() -> Transactions {
    letters(&["abcg", "abef", "c", "abg", "ace", "bde"])
}

fn course(data: &Transactions, slow: &Slow<'_>) -> Vec<String> {
    slow.course.iter().map(|c| c.iter().map(|&item| data.items().get(item)).collect()).collect()
}

#[test]
fn example_8_merges_df_then_ab_then_def() {
    let data = figure_1a();
    let sets = vec![set(&data, "abef")];
    let mut slow = Slow { weights: WEIGHTS.to_vec(), ..Slow::new(&data, 3, Objective::Ul) };
    assert!(slow.pass(sets.clone()));
    assert_eq!(course(&data, &slow), ["df", "ab", "def"]);

    let pcta = PctaParams { objective: Objective::Ul, weights: Some(WEIGHTS.to_vec()) }.check().unwrap();
    let recoding =
        pcta.anonymize(&data, &TransactionsPromise::Constraints { k: 3, sets }, &Silent).unwrap().recoding;
    assert_eq!(words(&data, &recoding), ["ab", "c", "def", "g"]);
    assert_eq!(recoding.suppressed(), 0);
}

#[test]
fn example_9_suppresses_g_then_merges_df_then_def_then_bc() {
    let data = figure_1a();
    let sets = vec![set(&data, "bef"), set(&data, "g")];
    let groups = ["a", "bc", "def", "g"].map(|group| set(&data, group)).to_vec();
    let utility = UtilityConstraints::new(7, groups).unwrap();
    let mut slow = Slow {
        weights: WEIGHTS.to_vec(),
        utility: utility.clone(),
        allowed: 1,
        ..Slow::new(&data, 3, Objective::Ul)
    };
    assert!(slow.pass(sets.clone()));
    assert_eq!(course(&data, &slow), ["g", "df", "def", "bc"]);

    let params = ConstrainedParams {
        objective: Objective::Ul,
        weights: Some(WEIGHTS.to_vec()),
        max_suppressed: 0.15,
        ..ConstrainedParams::new(utility)
    };
    let promise = TransactionsPromise::Constraints { k: 3, sets };
    let recoding =
        UpctaParams(params.clone()).check().unwrap().anonymize(&data, &promise, &Silent).unwrap().recoding;
    assert_eq!(words(&data, &recoding), ["a", "bc", "def"]);
    assert_eq!(recoding.cluster_of[6], SUPPRESSED);

    // One item of seven is more than 14 %.
    let strict = UpctaParams(ConstrainedParams { max_suppressed: 0.14, ..params }).check().unwrap();
    let refused = strict.anonymize(&data, &promise, &Silent).unwrap_err();
    let g = set(&data, "g");
    let expected = TransactionsError::Infeasible {
        constraint: g.clone(),
        items: g,
        suppressed: 1,
        allowed: 0,
        utility: 4,
    };
    assert_eq!(refused, expected);
}

#[test]
fn two_items_published_as_one_are_a_set_of_one() {
    // Example 4: {a,d} needs four transactions with a, or d, or both, once both are published as one.
    let data = letters(&["a", "d", "ad", "d", "a", "b", "b", "b", "b"]);
    let promise = TransactionsPromise::Constraints { k: 4, sets: vec![set(&data, "ad")] };
    let recoding =
        PctaParams::default().check().unwrap().anonymize(&data, &promise, &Silent).unwrap().recoding;
    assert_eq!(words(&data, &recoding), ["ad", "b"]);
}
