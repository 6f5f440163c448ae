//! HALT's releases, checked by looking at everything that anybody could know.

#[allow(dead_code, reason = "shared with the other tests")]
mod support;

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_algorithms::sequences::halt::HaltParams;
use shoal_algorithms::sequences::{SequencesAlgorithm, SequencesError};
use shoal_core::{
    Bound, Cell, Hierarchy, Limit, Sequences, SequencesPromise, SequencesRecoding, Silent, Support,
};

use support::{Shape, sequences};

const TREES: [&[&[&str]]; 3] = [
    &[&["a", "A", "*"], &["b", "A", "*"], &["c", "C", "*"], &["d", "C", "*"]],
    &[&["x", "X", "XY", "*"], &["y", "XY", "*"], &["z", "Z", "Z", "*"]],
    &[&["m", "any"], &["n", "any"]],
];

/// People whose events have a value for each of the first trees and a sensitive one.
fn people(quasi: usize, persons: &[Vec<Vec<&str>>]) -> Sequences {
    let shape = |(c, name): (usize, &&str)| {
        let lines: Vec<Vec<&str>> = TREES[c].iter().map(|line| line.to_vec()).collect();
        let tree = Hierarchy::from_rows(&lines).unwrap();
        Shape { weight: 1.0 + c as f64 / 2.0, ..Shape::new(name, Some(tree)) }
    };
    let names = ["first", "second", "third"];
    let mut shapes: Vec<Shape> = names[..quasi].iter().enumerate().map(shape).collect();
    shapes.push(Shape::new("illness", None));
    sequences(&shapes, persons)
}

/// An event as a set of (quasi-identifier, label of a node that is not a root).
type Event = BTreeSet<(usize, String)>;

/// All that can be known of each published event.
fn published(data: &Sequences, recoding: &SequencesRecoding) -> Vec<Vec<Event>> {
    let quasi = data.events().quasi_identifiers();
    let known = |event: usize| {
        let class = &recoding.events.classes[recoding.events.class_of[event] as usize];
        let mut all = Event::new();
        for (q, (cell, column)) in class.cells.iter().zip(&quasi).enumerate() {
            let bound = column.hierarchy.as_ref().unwrap();
            let tree = bound.tree();
            let &Cell::Node(mut node) = cell else { continue };
            let leaf = bound.leaf_of(column.codes[event]);
            assert!(tree.leaves_below(node).contains(&leaf), "published as what it is not");
            while let Some(parent) = tree.parent(node) {
                all.insert((q, tree.label(node).to_owned()));
                node = parent;
            }
        }
        all
    };
    data.iter().map(|events| events.map(known).collect()).collect()
}

/// All patterns of up to `length` items that a sequence fits.
fn patterns(sequence: &[Event], length: usize) -> BTreeSet<Vec<Event>> {
    let mut all = BTreeSet::from([Vec::new()]);
    for event in sequence {
        let mut more = all.clone();
        for pattern in &all {
            let used: usize = pattern.iter().map(BTreeSet::len).sum();
            for known in subsets(event, length - used) {
                more.insert(pattern.iter().cloned().chain([known]).collect());
            }
        }
        all = more;
    }
    all.remove(&Vec::new());
    all
}

/// Non-empty sets of up to `most` items, one a quasi-identifier.
fn subsets(event: &Event, most: usize) -> Vec<Event> {
    let mut sets = vec![Event::new()];
    for item in event {
        let fitting = |set: &&Event| set.len() < most && set.iter().all(|other| other.0 != item.0);
        let wider = |set: &Event| set.iter().chain([item]).cloned().collect();
        let more: Vec<Event> = sets.iter().filter(fitting).map(wider).collect();
        sets.extend(more);
    }
    sets.retain(|set| !set.is_empty());
    sets
}

fn fits(sequence: &[Event], pattern: &[Event]) -> bool {
    let mut events = sequence.iter();
    pattern.iter().all(|wanted| events.any(|event| wanted.is_subset(event)))
}

/// A pattern that breaks the promise.
fn broken(data: &Sequences, recoding: &SequencesRecoding, promise: &SequencesPromise) -> Option<Vec<Event>> {
    let sequences = published(data, recoding);
    let illness = data.events().columns.last().unwrap();
    let shows = |person: usize, value: &str| {
        data.events_of(person).any(|event| illness.domain.label(illness.codes[event]) == value)
    };
    let all: BTreeSet<Vec<Event>> =
        sequences.iter().flat_map(|sequence| patterns(sequence, promise.length.unwrap())).collect();
    all.into_iter().find(|pattern| {
        let crowd: Vec<usize> = (0..sequences.len()).filter(|&p| fits(&sequences[p], pattern)).collect();
        assert!(!crowd.is_empty());
        let too_frequent = |limit: &Limit, value: &str| {
            let q = crowd.iter().filter(|&&p| shows(p, value)).count() as f64 / crowd.len() as f64;
            let everybody = (0..sequences.len()).filter(|&p| shows(p, value)).count();
            let p = everybody as f64 / sequences.len() as f64;
            match limit.bound {
                Bound::Share(share) => q > share,
                Bound::Gain(beta) => q > (1.0 + beta.min(-p.ln())) * p,
            }
        };
        let gives_away = |limit: &Limit| match &limit.values {
            Some(values) => values.iter().any(|value| too_frequent(limit, value)),
            None => illness.domain.labels().iter().any(|value| too_frequent(limit, value)),
        };
        crowd.len() < promise.k || promise.limits.iter().any(gives_away)
    })
}

fn any_people() -> impl Strategy<Value = Sequences> {
    let event = (0_usize..4, 0_usize..3, 0_usize..2, 0_usize..3);
    let persons = prop::collection::vec(prop::collection::vec(event, 1..5), 6..16);
    (1_usize..4, persons).prop_map(|(quasi, persons)| {
        let texts = |&(first, second, third, illness): &(usize, usize, usize, usize)| {
            let values = [TREES[0][first][0], TREES[1][second][0], TREES[2][third][0]];
            values[..quasi].iter().copied().chain([["flu", "gout", "acne"][illness]]).collect()
        };
        let all: Vec<_> = persons.iter().map(|events| events.iter().map(texts).collect()).collect();
        people(quasi, &all)
    })
}

fn any_promise() -> impl Strategy<Value = SequencesPromise> {
    let bound = prop_oneof![
        prop::sample::select(vec![0.4, 0.5, 0.7, 1.0]).prop_map(Bound::Share),
        prop::sample::select(vec![0.5, 1.0, 6.0]).prop_map(Bound::Gain)
    ];
    let limit = (bound, any::<bool>());
    (1_usize..6, 1_usize..4, prop::option::of(limit)).prop_map(|(k, length, limit)| {
        let limit = limit.map(|(bound, all)| Limit {
            column: "illness".to_owned(),
            values: (!all).then(|| vec!["flu".to_owned()]),
            bound,
        });
        SequencesPromise {
            k,
            length: Some(length),
            support: Support::Paper,
            limits: limit.into_iter().collect(),
            distributions: Default::default(),
        }
    })
}

fn has_flu(data: &Sequences) -> bool {
    data.events().columns.last().unwrap().domain.code_of("flu").is_some()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_release_keeps_its_promise(
        data in any_people().prop_filter("the value of π occurs", has_flu),
        promise in any_promise(),
        all_at_once in any::<bool>(),
    ) {
        let params = HaltParams { all_at_once, ..HaltParams::default() };
        let result = params.check().run(&data, &promise, &Silent).unwrap();
        prop_assert_eq!(broken(&data, &result.recoding, &promise), None);
        prop_assert_eq!(&result.recoding.cluster_of, &vec![0; data.persons()]);
        // One level a column: published nodes of equal leaves are equal, or suppressed everywhere.
        let classes = &result.recoding.events;
        for (q, column) in data.events().quasi_identifiers().iter().enumerate() {
            let mut cells = vec![None; column.domain.len()];
            for (&class, &code) in classes.class_of.iter().zip(&column.codes) {
                let cell = &classes.classes[class as usize].cells[q];
                prop_assert_eq!(cells[code as usize].get_or_insert(cell), &cell);
            }
        }
    }

    #[test]
    fn threads_change_nothing(
        data in any_people().prop_filter("the value of π occurs", has_flu),
        promise in any_promise(),
    ) {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| HaltParams::default().check().run(&data, &promise, &Silent).unwrap())
        };
        prop_assert_eq!(run(1), run(4));
    }
}

fn six() -> Sequences {
    let person = |first: &'static str, then: &'static str| vec![vec![first, "flu"], vec![then, "gout"]];
    people(
        1,
        &[
            person("a", "c"),
            person("a", "c"),
            person("b", "c"),
            person("b", "d"),
            person("a", "d"),
            person("c", "d"),
        ],
    )
}

fn crowds_of(k: usize, length: Option<usize>) -> SequencesPromise {
    SequencesPromise {
        k,
        length,
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    }
}

#[test]
fn what_keeps_the_promise_stays_as_it_is() {
    let result = HaltParams::default().check().run(&six(), &crowds_of(2, Some(1)), &Silent).unwrap();
    assert_eq!((result.levels, result.suppressed_items, result.broken), (vec![0], 0, 0));
    // Each of the 4 letters and 2 groups once.
    assert_eq!((result.patterns, result.searches), (6, 1));
}

#[test]
fn a_letter_after_another_asks_for_more() {
    // b then c, b then d, a then d and c then d are one person's each.
    let data = six();
    let promise = crowds_of(2, Some(2));
    let result = HaltParams::default().check().run(&data, &promise, &Silent).unwrap();
    assert!(result.broken > 0 && result.searches > 2);
    assert_eq!(broken(&data, &result.recoding, &promise), None);
    let finest = HaltParams::default().check().run(&data, &crowds_of(2, Some(1)), &Silent).unwrap();
    assert!(broken(&data, &finest.recoding, &promise).is_some());
}

#[test]
fn a_length_beyond_everything_is_everything() {
    let run =
        |length| HaltParams::default().check().run(&six(), &crowds_of(2, Some(length)), &Silent).unwrap();
    assert_eq!(run(2), run(usize::MAX));
}

#[test]
fn the_limit_of_work_is_exact() {
    let data = six();
    let promise = crowds_of(2, Some(2));
    let all = HaltParams::default().check().run(&data, &promise, &Silent).unwrap();
    let limited = |most: u64| {
        HaltParams { max_patterns: Some(most), ..HaltParams::default() }.check().run(&data, &promise, &Silent)
    };
    assert_eq!(limited(all.patterns).unwrap(), all);
    let most = all.patterns - 1;
    assert_eq!(limited(most).unwrap_err(), SequencesError::TooMuchWork { patterns: most });
}

#[test]
fn bad_promises_are_named() {
    let data = six();
    let fails = |promise: &SequencesPromise| {
        HaltParams::default().check().anonymize(&data, promise, &Silent).unwrap_err()
    };
    assert_eq!(fails(&crowds_of(7, Some(2))), SequencesError::TooFewPersons { k: 7, persons: 6 });
    assert_eq!(fails(&crowds_of(2, Some(0))), SequencesError::NothingKnown);
    assert_eq!(fails(&crowds_of(2, None)), SequencesError::NoLength { algorithm: "halt" });
    let with = |column: &str, value: &str, bound| {
        let limit = Limit { column: column.to_owned(), values: Some(vec![value.to_owned()]), bound };
        fails(&SequencesPromise {
            k: 2,
            length: Some(2),
            support: Support::Paper,
            limits: vec![limit],
            distributions: Default::default(),
        })
    };
    let (illness, value) = ("illness".to_owned(), "plague".to_owned());
    assert_eq!(
        with("illness", "flu", Bound::Gain(0.0)),
        SequencesError::NotAGain { column: illness.clone(), beta: 0.0 }
    );
    assert_eq!(
        with("illness", "flu", Bound::Share(1.5)),
        SequencesError::NotAShare { column: illness.clone(), share: 1.5 }
    );
    assert_eq!(
        with("illness", "plague", Bound::Gain(1.0)),
        SequencesError::UnknownValue { column: illness, value }
    );
    assert_eq!(
        with("disease", "flu", Bound::Gain(1.0)),
        SequencesError::UnknownColumn { column: "disease".to_owned() }
    );
}
