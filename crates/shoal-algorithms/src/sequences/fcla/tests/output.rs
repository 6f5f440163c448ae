//! What FCLA publishes, against the list of all that can be known.

use proptest::prelude::*;
use shoal_core::{Bound, Cell, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Silent, Support};

use super::data::{any_visits, promise, visits};
use super::slow::View;
use crate::Anonymized;
use crate::sequences::fcla::{Distance, FclaParams};
use crate::sequences::{BlockSizes, SequencesAlgorithm, SequencesError};

fn run(
    distance: Distance,
    data: &Sequences,
    promise: &SequencesPromise,
) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
    in_blocks(BlockSizes::FCLA, distance, data, promise)
}

/// The same in blocks.
fn in_blocks(
    blocks: BlockSizes,
    distance: Distance,
    data: &Sequences,
    promise: &SequencesPromise,
) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
    FclaParams { distance, alternatives: distance == Distance::Aligned, blocks }
        .check()
        .anonymize(data, promise, &Silent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_output_keeps_its_promise(
        data in any_visits(4..12, 4),
        k in 1..4_usize,
        length in 1..5_usize,
        bound in prop_oneof![Just(Bound::Gain(0.5)), Just(Bound::Gain(1.0)), Just(Bound::Gain(6.0)), Just(Bound::Share(0.7))],
        named in any::<bool>(),
        distance in prop_oneof![Just(Distance::Aligned), Just(Distance::EventPairs)],
        blocks in prop_oneof![Just(BlockSizes::FCLA), Just(BlockSizes::of(24))],
    ) {
        let value = ["s1"];
        let occurs = data.events().columns.last().unwrap().domain.code_of("s1").is_some();
        let promise = promise(k, length, (named && occurs).then_some(&value[..]), bound);
        match in_blocks(blocks, distance, &data, &promise) {
            Err(error) => {
                let expected = matches!(error, SequencesError::Infeasible { .. }) && matches!(bound, Bound::Share(_));
                prop_assert!(expected, "{}", error);
            }
            Ok(result) => {
                let view = View::published(&data, &result.recoding);
                prop_assert_eq!(view.broken(&promise), None);
                prop_assert_eq!(result.recoding.suppressed_persons(), 0);
                prop_assert_eq!(result.recoding.events.suppressed(), 0);
                // What is published covers what was there.
                let original = View::original(&data);
                for (was, is) in original.people.iter().flatten().zip(view.people.iter().flatten()) {
                    for (q, (&leaf, &node)) in was.iter().zip(is).enumerate() {
                        let leaf = view.tree(q).leaves_below(leaf).start;
                        prop_assert!(view.tree(q).leaves_below(node).contains(&leaf));
                    }
                }
            }
        }
    }

    #[test]
    fn fcla_loses_no_more_than_its_baseline(
        data in any_visits(6..14, 4),
        k in 2..4_usize,
        length in 1..5_usize,
        support in prop_oneof![Just(Support::Paper), Just(Support::Compatible)],
        bound in prop_oneof![Just(Bound::Gain(1.0)), Just(Bound::Share(0.7))],
        blocks in prop_oneof![Just(BlockSizes::FCLA), Just(BlockSizes::of(24))],
    ) {
        let promise = SequencesPromise { support, ..promise(k, length, None, bound) };
        let lost = |distance| in_blocks(blocks, distance, &data, &promise).map(|done| loss(&data, &done.recoding));
        if let Ok(baseline) = lost(Distance::EventPairs) {
            // What the baseline can publish, the better of both can; sums of other orders may differ in the last digits.
            let own = lost(Distance::Aligned).unwrap();
            prop_assert!(own <= baseline + 1e-9, "{own} > {baseline}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(data in any_visits(20..40, 4), k in 2..4_usize) {
        let promise = promise(k, 3, None, Bound::Gain(1.0));
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(Distance::Aligned, &data, &promise)).unwrap()
        };
        prop_assert_eq!(with(1), with(4));
    }
}

/// What all values lose together; what is left out counts as `*`.
fn loss(data: &Sequences, recoding: &SequencesRecoding) -> f64 {
    let quasi = data.events().quasi_identifiers();
    let of_value = |class: u32, q: usize| {
        let cell = recoding.events.classes.get(class as usize).map(|class| &class.cells[q]);
        let (Some(Cell::Node(node)), Some(bound)) = (cell, &quasi[q].hierarchy) else { return 1.0 };
        let tree = bound.tree();
        let share = tree.leaves_below(*node).len() as f64 / f64::from(tree.leaf_count());
        if tree.is_leaf(*node) { 0.0 } else { share }
    };
    let of_event = |&class: &u32| (0..quasi.len()).map(|q| of_value(class, q)).sum::<f64>();
    recoding.events.class_of.iter().map(of_event).sum()
}

fn crowd(people: usize, having: impl Fn(usize) -> bool) -> Sequences {
    let rows = (0..people).map(|person| {
        let sensitive = if having(person) { "hiv" } else { "flu" };
        vec![person.to_string(), format!("v{}", person % 6), sensitive.to_owned()]
    });
    visits(&rows.collect::<Vec<_>>(), &["v0;a;* v1;a;* v2;b;* v3;b;* v4;c;* v5;c;*".to_owned()])
}

#[test]
fn clusters_grow_until_a_value_is_rare_enough() {
    // Every tenth has it: with β = 1 a crowd of ten may have two of them, one of five none.
    let data = crowd(60, |person| person % 10 == 0);
    let promise = promise(3, 2, Some(&["hiv"]), Bound::Gain(1.0));
    let result = run(Distance::Aligned, &data, &promise).unwrap();
    assert_eq!(View::published(&data, &result.recoding).broken(&promise), None);
    let mut largest = 0;
    for cluster in 0..result.recoding.clusters() as u32 {
        let of = |having: bool| {
            let members = (0..60).filter(|&person| result.recoding.cluster_of[person] == cluster);
            members.filter(|person| !having || person % 10 == 0).count()
        };
        assert!(of(false) >= 3);
        assert!(of(true) as f64 / of(false) as f64 <= 0.2 + 1e-9);
        largest = largest.max(of(false));
    }
    assert!(largest > 3);
}

#[test]
fn who_has_what_nobody_else_has_is_hidden_and_costs_nobody_else() {
    let data = crowd(601, |person| person == 600);
    let promise = promise(5, 3, Some(&["hiv"]), Bound::Gain(3.0));
    let result = run(Distance::Aligned, &data, &promise).unwrap();
    let view = View::published(&data, &result.recoding);
    assert_eq!(view.broken(&promise), None);
    let hidden = view.people.iter().filter(|events| events.iter().flatten().all(|node| node.0 == 0)).count();
    assert_eq!(hidden, 1);
    assert!(result.recoding.cluster_of.iter().all(|&cluster| cluster != SUPPRESSED));
}

#[test]
fn the_trace_says_how_many_blocks_there_were() {
    let data = crowd(240, |person| person % 10 == 0);
    let promise = promise(3, 2, Some(&["hiv"]), Bound::Gain(6.0));
    let blocks = |sizes| {
        let result = in_blocks(sizes, Distance::Aligned, &data, &promise).unwrap();
        assert_eq!(View::published(&data, &result.recoding).broken(&promise), None);
        result.trace.counts.get("blocks")
    };
    assert_eq!(blocks(BlockSizes::FCLA), 0);
    assert!(blocks(BlockSizes::of(60 * BlockSizes::LEAST)) > 3);
}

#[test]
fn people_who_are_alike_lose_nothing() {
    let rows: Vec<Vec<String>> = (0..40)
        .flat_map(|person| {
            (0..3).map(move |event| {
                vec![person.to_string(), format!("v{}", (person / 10 + event) % 6), "x".to_owned()]
            })
        })
        .collect();
    let data = visits(&rows, &["v0;a;* v1;a;* v2;b;* v3;b;* v4;c;* v5;c;*".to_owned()]);
    let promise = SequencesPromise {
        k: 10,
        length: Some(60),
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    let result = run(Distance::Aligned, &data, &promise).unwrap();
    assert_eq!(View::published(&data, &result.recoding).people, View::original(&data).people);
}

#[test]
fn the_loss_rises_with_what_is_known_and_falls_with_beta() {
    let rows: Vec<Vec<String>> = (0..120_usize)
        .flat_map(|person| {
            (0..2 + person % 3).map(move |event| {
                let value = (person * 7 + event * event * 5 + person / 11) % 6;
                let sensitive = if (person + event) % 9 == 0 { "hiv" } else { "flu" };
                vec![person.to_string(), format!("v{value}"), sensitive.to_owned()]
            })
        })
        .collect();
    let data = visits(&rows, &["v0;a;* v1;a;* v2;b;* v3;b;* v4;c;* v5;c;*".to_owned()]);
    let tree = data.events().quasi_identifiers()[0].hierarchy.clone().unwrap();
    // The share of six leaves that an inner node or the root stands for; a leaf loses nothing.
    let covered = |node: &shoal_core::NodeId| match tree.tree().leaves_below(*node).len() {
        1 => 0,
        leaves => leaves,
    };
    let loss = |length, beta| {
        let promise = promise(12, length, Some(&["hiv"]), Bound::Gain(beta));
        let view_of = run(Distance::Aligned, &data, &promise).unwrap();
        let view = View::published(&data, &view_of.recoding);
        assert_eq!(view.broken(&promise), None);
        view.people.iter().flatten().flatten().map(covered).sum::<usize>()
    };
    assert!(loss(1, 2.0) < loss(3, 2.0), "{} {}", loss(1, 2.0), loss(3, 2.0));
    assert!(loss(2, 6.0) <= loss(2, 0.2));
}
