//! What holds for every result.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_algorithms::Anonymized;
use shoal_algorithms::sequences::cbmsa::CbmsaParams;
use shoal_algorithms::sequences::cbmsa_baseline::BaselineParams;
use shoal_algorithms::sequences::{BlockSizes, Remainder, SequencesAlgorithm, SequencesError};
use shoal_core::policy::SequencesAlgorithmName;
use shoal_core::{Bound, Cell, Column, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Silent};

use crate::data::any_promised;

/// So small that all but the smallest data sets are cut into blocks: twelve people.
const SMALL: BlockSizes = BlockSizes::of(12 * BlockSizes::LEAST);

/// Every algorithm that keeps (k,c), also in small blocks. The others need a promise with a length; the tests beside `fcla` run these.
fn algorithms(remainder: Remainder) -> Vec<Box<dyn SequencesAlgorithm>> {
    let algorithm = |name: &SequencesAlgorithmName| -> Vec<Box<dyn SequencesAlgorithm>> {
        match name {
            SequencesAlgorithmName::Cbmsa => [BlockSizes::CBMSA, SMALL]
                .into_iter()
                .map(|blocks| CbmsaParams { remainder, blocks, ..CbmsaParams::default() }.check())
                .map(|algorithm| -> Box<dyn SequencesAlgorithm> { Box::new(algorithm) })
                .collect(),
            SequencesAlgorithmName::CbmsaBaseline => {
                vec![Box::new(BaselineParams { seed: 3, remainder }.check())]
            }
            SequencesAlgorithmName::Fcla
            | SequencesAlgorithmName::FclaBase1
            | SequencesAlgorithmName::Halt => Vec::new(),
        }
    };
    SequencesAlgorithmName::ALL.iter().flat_map(algorithm).collect()
}

/// In a pool with this many threads; `None` when nothing can be published.
fn run(
    algorithm: &dyn SequencesAlgorithm,
    data: &Sequences,
    promise: &SequencesPromise,
    threads: usize,
) -> Option<Anonymized<SequencesRecoding>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    match pool.install(|| algorithm.anonymize(data, promise, &Silent)) {
        Ok(result) => Some(result),
        Err(SequencesError::Infeasible { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_promise_is_kept_and_the_file_is_true((data, promise) in any_promised(6..160)) {
        for remainder in [Remainder::Nearest, Remainder::Suppress] {
            for algorithm in algorithms(remainder) {
                let Some(result) = run(algorithm.as_ref(), &data, &promise, 2) else { continue };
                prop_assert_eq!(broken_promise(&data, &promise, &result.recoding), None);
                prop_assert_eq!(untrue(&data, &result.recoding), None);
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing((data, promise) in any_promised(6..160)) {
        for algorithm in algorithms(Remainder::Nearest) {
            let one = run(algorithm.as_ref(), &data, &promise, 1);
            prop_assert_eq!(one, run(algorithm.as_ref(), &data, &promise, 2));
        }
    }

    #[test]
    fn only_the_remainder_differs((data, promise) in any_promised(6..40)) {
        let [nearest, suppress] = [Remainder::Nearest, Remainder::Suppress]
            .map(|remainder| run(&CbmsaParams { remainder, improve: false, ..CbmsaParams::default() }.check(), &data, &promise, 1));
        prop_assert_eq!(nearest.is_some(), suppress.is_some());
        let (Some(nearest), Some(suppress)) = (nearest, suppress) else { return Ok(()) };
        prop_assert_eq!(nearest.recoding.clusters(), suppress.recoding.clusters());
        prop_assert!(nearest.recoding.suppressed_persons() <= suppress.recoding.suppressed_persons());
    }

    #[test]
    fn improving_loses_no_more_and_leaves_nobody_out(
        (data, promise) in any_promised(6..160),
        blocks in prop_oneof![Just(BlockSizes::CBMSA), Just(SMALL)],
    ) {
        for remainder in [Remainder::Nearest, Remainder::Suppress] {
            let [before, after] = [false, true]
                .map(|improve| run(&CbmsaParams { remainder, improve, blocks }.check(), &data, &promise, 2));
            prop_assert_eq!(before.is_some(), after.is_some());
            let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
            // Heights are rounded to whole numbers.
            let (before_loss, after_loss) = (loss(&data, &before.recoding), loss(&data, &after.recoding));
            prop_assert!(after_loss <= before_loss + 1e-3, "{after_loss} after {before_loss}");
            let left_out = |result: &Anonymized<SequencesRecoding>| {
                let people = 0..data.persons();
                people.filter(|&p| result.recoding.cluster_of[p] == SUPPRESSED).collect::<Vec<usize>>()
            };
            prop_assert_eq!(left_out(&before), left_out(&after));
        }
    }
}

/// LM of all events, weighted.
fn loss(data: &Sequences, recoding: &SequencesRecoding) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_event = |&class: &u32| {
        let of_column = |(q, column): (usize, &&Column)| {
            let tree = column.hierarchy.as_ref().unwrap().tree();
            let cell = recoding.events.classes.get(class as usize).map(|class| &class.cells[q]);
            let Some(Cell::Node(node)) = cell else { return column.weight };
            column.weight * (tree.leaves_below(*node).len() - 1) as f64 / f64::from(tree.leaf_count())
        };
        quasi.iter().enumerate().map(of_column).sum::<f64>()
    };
    recoding.events.class_of.iter().map(of_event).sum()
}

/// The published sequence of a person: for each surviving event its cells.
fn published<'a>(data: &Sequences, recoding: &'a SequencesRecoding, person: usize) -> Vec<&'a [Cell]> {
    data.events_of(person)
        .map(|event| recoding.events.class_of[event])
        .filter(|&class| class != SUPPRESSED)
        .map(|class| recoding.events.classes[class as usize].cells.as_slice())
        .collect()
}

/// A crowd that is too small, or where too many show a highly sensitive value.
fn broken_promise(
    data: &Sequences,
    promise: &SequencesPromise,
    recoding: &SequencesRecoding,
) -> Option<String> {
    let mut crowds: Vec<(Vec<&[Cell]>, Vec<usize>)> = Vec::new();
    for person in (0..data.persons()).filter(|&p| !published(data, recoding, p).is_empty()) {
        let shown = published(data, recoding, person);
        match crowds.iter_mut().find(|crowd| crowd.0 == shown) {
            Some(crowd) => crowd.1.push(person),
            None => crowds.push((shown, vec![person])),
        }
    }
    for (_, people) in crowds {
        if people.len() < promise.k {
            return Some(format!("{people:?} are fewer than {}", promise.k));
        }
        for limit in &promise.limits {
            let column = data.events().columns.iter().find(|c| c.name == limit.column).unwrap();
            let shows = |&&person: &&usize| {
                data.events_of(person).any(|event| {
                    let value = column.domain.label(column.codes[event]).to_owned();
                    recoding.events.class_of[event] != SUPPRESSED
                        && limit.values.as_ref().unwrap().contains(&value)
                })
            };
            let carriers = people.iter().filter(shows).count();
            let Bound::Share(share) = limit.bound else { panic!("a share") };
            if carriers as f64 / people.len() as f64 > share {
                return Some(format!("{carriers} of {people:?} show a value of {}", limit.column));
            }
        }
    }
    None
}

/// A published value that does not cover its original, or bookkeeping that does not fit.
fn untrue(data: &Sequences, recoding: &SequencesRecoding) -> Option<String> {
    let quasi = data.events().quasi_identifiers();
    for (event, &class) in recoding.events.class_of.iter().enumerate().filter(|(_, c)| **c != SUPPRESSED) {
        for (cell, column) in recoding.events.classes[class as usize].cells.iter().zip(&quasi) {
            let bound = column.hierarchy.as_ref().unwrap();
            let Cell::Node(node) = cell else { return Some(format!("{cell:?} is not a node")) };
            if !bound.tree().leaves_below(*node).contains(&bound.leaf_of(column.codes[event])) {
                return Some(format!("event {event} is not below {node:?}"));
            }
        }
    }
    let mut shown_by: BTreeMap<u32, BTreeSet<Vec<u32>>> = BTreeMap::new();
    for person in 0..data.persons() {
        let classes: Vec<u32> = data
            .events_of(person)
            .map(|event| recoding.events.class_of[event])
            .filter(|&c| c != SUPPRESSED)
            .collect();
        if classes.is_empty() != (recoding.cluster_of[person] == SUPPRESSED) {
            return Some(format!("person {person} is left out of one side only"));
        }
        shown_by.entry(recoding.cluster_of[person]).or_default().insert(classes);
    }
    shown_by.values().any(|shown| shown.len() > 1).then(|| "a cluster shows two sequences".to_owned())
}
