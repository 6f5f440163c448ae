//! Every measure against a slow reference that looks at one event at a time, at the cells that were meant and not at the
//! texts that were published; and the estimate of a count against all worlds that a file allows.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_core::{Cell, Column, Sequences};
use shoal_measure::SequencesOptions;
use shoal_measure::sequences::{Predicate, Query, queries};

use crate::release::{OPTIONS, close, release, releases, unchanged};

proptest! {
    #[test]
    fn losses_are_what_their_formulas_say(release in releases()) {
        let loss = release.measure(&OPTIONS).loss;
        let quasi = release.quasi();
        let (mut cost, mut most) = (0.0, 0.0);
        let mut by_column = [0.0; 3];
        for event in release.cells.iter().flatten() {
            for (at, column) in quasi.iter().enumerate() {
                let lost = match event {
                    None => 1.0,
                    Some(cells) => {
                        (covered(column, &cells[at]).len() - 1) as f64 / all_leaves(column).len() as f64
                    }
                };
                cost += column.weight * lost;
                most += column.weight;
                by_column[at] += lost;
            }
        }
        let (people, events) = (release.cells.len(), release.cells.iter().flatten().count());
        prop_assert!(close(loss.il, cost / people as f64), "{} {}", loss.il, cost / people as f64);
        prop_assert!(close(loss.lm, cost / most));
        prop_assert!((0.0..=1.0).contains(&loss.lm) && loss.utility == 1.0 - loss.lm);
        for (found, lost) in loss.lm_by_column.values().zip(by_column) {
            prop_assert!(close(*found, lost / events as f64));
        }
        let left = release.cells.iter().flatten().flatten().count();
        let people_left = release.cells.iter().filter(|events| events.iter().any(Option::is_some)).count();
        prop_assert_eq!(
            [loss.events_in, loss.events_out, loss.events_suppressed, loss.persons_in, loss.persons_out],
            [events, left, events - left, people, people_left].map(|count| count as u64)
        );
    }

    #[test]
    fn risks_are_those_of_people_whose_whole_sequence_is_known(release in releases()) {
        let found = release.measure(&OPTIONS);
        let mut before: BTreeMap<Vec<Vec<u32>>, usize> = BTreeMap::new();
        original_leaves(&release.original).into_iter().for_each(|events| *before.entry(events).or_default() += 1);
        let mut texts: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
        for row in 0..release.published.rows {
            let cells = release.published.columns[1..].iter().map(|column| column.text(row)).collect();
            texts.entry(release.published.columns[0].text(row)).or_default().push(cells);
        }
        let mut after: BTreeMap<&Vec<Vec<&str>>, usize> = BTreeMap::new();
        texts.values().for_each(|events| *after.entry(events).or_default() += 1);
        let sizes = [before.into_values().collect::<Vec<_>>(), after.into_values().collect()];
        for (risks, sizes) in [&found.risk.before, &found.risk.after].into_iter().zip(&sizes) {
            let people: usize = sizes.iter().sum();
            let alone = sizes.iter().filter(|&&size| size == 1).count();
            let share = |count: usize| if people == 0 { 0.0 } else { count as f64 / people as f64 };
            prop_assert_eq!(risks.prosecutor.highest, sizes.iter().min().map_or(0.0, |&size| 1.0 / size as f64));
            prop_assert_eq!(risks.prosecutor.unique_records, alone as u64);
            prop_assert_eq!(risks.prosecutor.share_above_threshold, share(alone));
            prop_assert_eq!(risks.marketer, share(sizes.len()));
        }
        let (people, left) = (release.cells.len() as f64, texts.len() as f64);
        prop_assert_eq!(found.risk.share_not_published, (people - left) / people);
        let average = (!texts.is_empty()).then(|| left / sizes[1].len() as f64);
        prop_assert_eq!(found.loss.average_class_size, average);
        prop_assert_eq!(found.loss.normalized_average_class_size, average.map(|size| size / 2.0));
    }

    #[test]
    fn an_unchanged_release_loses_nothing(release in releases(), seed in any::<u64>()) {
        let loss = unchanged(&release.original).measure(&SequencesOptions { seed, ..OPTIONS }).loss;
        prop_assert_eq!((loss.il, loss.lm, loss.inf_loss, loss.events_suppressed), (0.0, 0.0, 0.0, 0));
        let two = release.cells.iter().any(|events| events.len() >= 2);
        prop_assert_eq!((loss.are, loss.are_queries), if two { (Some(0.0), 6) } else { (None, 0) });
    }

    #[test]
    fn suppressing_everything_loses_everything(release in releases()) {
        let nothing = release.cells.iter().map(|events| vec![None; events.len()]).collect();
        let found = self::release(&release.original, nothing).measure(&OPTIONS);
        prop_assert_eq!((found.loss.lm, found.loss.inf_loss), (1.0, 1.0));
        prop_assert_eq!((found.loss.events_out, found.loss.persons_out), (0, 0));
        prop_assert!(found.loss.are.is_none_or(|are| are == 1.0));
        prop_assert_eq!((found.risk.share_not_published, found.risk.after.marketer), (1.0, 0.0));
        prop_assert_eq!(found.loss.average_class_size, None);
    }

    #[test]
    fn queries_are_true_of_somebody_and_ask_for_a_value_or_what_is_around_it(
        release in releases(), seed in any::<u64>(),
    ) {
        let people = original_leaves(&release.original);
        let drawn = queries::draw(&release.original, 20, seed);
        prop_assert_eq!(drawn.len(), if people.iter().any(|events| events.len() >= 2) { 20 } else { 0 });
        prop_assert_eq!(&drawn, &queries::draw(&release.original, 20, seed));
        for query in &drawn {
            prop_assert!(people.iter().any(|events| has(events, query)));
            for predicates in [&query.first, &query.later] {
                let columns: BTreeSet<usize> = predicates.iter().map(|predicate| predicate.column).collect();
                prop_assert!(columns.len() == predicates.len() && (1..=2).contains(&columns.len()));
                // Only the nodes A and C are above a city without being the root; fewer than ten ages are
                // not put together.
                let two = |predicate: &Predicate| predicate.column == 2 && [0..2, 2..4].contains(&predicate.leaves);
                prop_assert!(predicates.iter().all(|asked| asked.leaves.len() == 1 || two(asked)));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_error_is_that_over_all_possible_worlds(release in releases(), seed in any::<u64>()) {
        let options = SequencesOptions { queries: 4, seed, ..OPTIONS };
        let quasi = release.quasi();
        let people = original_leaves(&release.original);
        let errors: Vec<f64> = queries::draw(&release.original, 4, seed).iter().map(|query| {
            let truth = people.iter().filter(|events| has(events, query)).count() as f64;
            let estimate: f64 =
                release.cells.iter().map(|events| share_of_worlds(&quasi, events, query)).sum();
            (estimate - truth).abs() / truth
        }).collect();
        match release.measure(&options).loss.are {
            None => prop_assert!(errors.is_empty()),
            Some(are) => {
                let mean = errors.iter().sum::<f64>() / errors.len() as f64;
                prop_assert!(close(are, mean), "{are} against {mean}");
            }
        }
    }
}

/// The leaves of a column, by number.
fn all_leaves(column: &Column) -> Vec<u32> {
    match &column.hierarchy {
        Some(bound) => (0..bound.tree().leaf_count()).collect(),
        None => (0..column.domain.len() as u32).collect(),
    }
}

fn leaf(column: &Column, code: u32) -> u32 {
    column.hierarchy.as_ref().map_or(code, |bound| bound.tree().leaf(column.domain.label(code)).unwrap())
}

/// The leaves that a cell allows, one by one.
fn covered(column: &Column, cell: &Cell) -> Vec<u32> {
    let leaves = |codes: Vec<u32>| codes.into_iter().map(|code| leaf(column, code)).collect();
    match cell {
        Cell::Exact(code) => leaves(vec![*code]),
        Cell::Range { lo, hi } => leaves((*lo..=*hi).collect()),
        Cell::Set(codes) => leaves(codes.clone()),
        Cell::Node(node) => {
            let tree = column.hierarchy.as_ref().unwrap().tree();
            let below = |leaf: &u32| {
                let mut path = std::iter::successors(Some(tree.leaf_node(*leaf)), |&at| tree.parent(at));
                path.any(|at| at == *node)
            };
            all_leaves(column).into_iter().filter(below).collect()
        }
        Cell::Suppressed => all_leaves(column),
    }
}

/// Whether there are two events, given as leaves, that are what a query asks for.
fn has(events: &[Vec<u32>], query: &Query) -> bool {
    let is = |event: &[u32], predicates: &[Predicate]| {
        predicates.iter().all(|predicate| predicate.leaves.contains(&event[predicate.column]))
    };
    (0..events.len()).any(|later| {
        is(&events[later], &query.later) && events[..later].iter().any(|event| is(event, &query.first))
    })
}

fn original_leaves(original: &Sequences) -> Vec<Vec<Vec<u32>>> {
    let quasi = original.events().quasi_identifiers();
    let event = |event: usize| quasi.iter().map(|column| leaf(column, column.codes[event])).collect();
    original.iter().map(|events| events.map(event).collect()).collect()
}

/// The share of all worlds that one person's published events allow in which they have what is asked for.
fn share_of_worlds(quasi: &[&Column], events: &[Option<Vec<Cell>>], query: &Query) -> f64 {
    let mut worlds: Vec<Vec<Vec<u32>>> = vec![vec![]];
    for cells in events.iter().flatten() {
        let mut images: Vec<Vec<u32>> = vec![vec![]];
        for (column, cell) in quasi.iter().zip(cells) {
            let leaves = covered(column, cell);
            images = images
                .iter()
                .flat_map(|image| leaves.iter().map(|&leaf| [image.as_slice(), &[leaf]].concat()))
                .collect();
        }
        worlds = worlds
            .iter()
            .flat_map(|world| {
                images.iter().map(|image| [world.as_slice(), std::slice::from_ref(image)].concat())
            })
            .collect();
    }
    worlds.iter().filter(|world| has(world, query)).count() as f64 / worlds.len() as f64
}
