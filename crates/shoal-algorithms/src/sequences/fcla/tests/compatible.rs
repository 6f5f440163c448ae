//! What `fcla`, `fcla-base1` and `halt` publish where everybody counts who fits, against the list of all that can be known.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_core::policy::SequencesAlgorithmName;
use shoal_core::{
    Bound, Cell, Distribution, NodeId, SUPPRESSED, Sequences, SequencesPromise, SequencesRecoding, Silent,
    Support,
};

use super::data::{any_visits, promise, visits};
use super::slow::View;
use crate::Anonymized;
use crate::sequences::fcla::FclaParams;
use crate::sequences::halt::HaltParams;
use crate::sequences::{BlockSizes, SequencesAlgorithm, SequencesError};

/// An item: a quasi-identifier and a node of its hierarchy, or nothing for a value that is not in it.
type Item = (usize, Option<NodeId>);

/// What is published: for each person in the release the nodes and the sensitive value of each event.
struct Release<'a> {
    data: &'a Sequences,
    people: Vec<Vec<(Vec<NodeId>, u32)>>,
}

impl<'a> Release<'a> {
    fn new(data: &'a Sequences, recoding: &SequencesRecoding) -> Release<'a> {
        let sensitive = &data.events().columns.last().unwrap().codes;
        let event = |event: usize| {
            let class = recoding.events.class_of[event];
            let node = |cell: &Cell| match cell {
                Cell::Node(node) => *node,
                Cell::Suppressed => NodeId(0),
                other => panic!("{other:?} is not a node"),
            };
            (class != SUPPRESSED).then(|| {
                let cells = &recoding.events.classes[class as usize].cells;
                (cells.iter().map(node).collect::<Vec<_>>(), sensitive[event])
            })
        };
        let people = data.iter().map(|events| events.filter_map(event).collect::<Vec<_>>());
        Release { data, people: people.filter(|events| !events.is_empty()).collect() }
    }

    fn is_above(&self, quasi: usize, above: NodeId, below: NodeId) -> bool {
        let tree = self.data.events().quasi_identifiers()[quasi].hierarchy.as_ref().unwrap().tree();
        std::iter::successors(Some(below), |&node| tree.parent(node)).any(|node| node == above)
    }

    /// Whether a cell lies at, below or above an item.
    fn may_be(&self, cell: NodeId, (quasi, known): Item) -> bool {
        match known {
            _ if cell == NodeId(0) => true,
            None => false,
            Some(known) => self.is_above(quasi, cell, known) || self.is_above(quasi, known, cell),
        }
    }

    fn fits(&self, events: &[(Vec<NodeId>, u32)], known: &[Vec<Item>]) -> bool {
        let Some((first, others)) = known.split_first() else { return true };
        let event = |cells: &[NodeId]| first.iter().all(|&item| self.may_be(cells[item.0], item));
        (0..events.len()).any(|at| event(&events[at].0) && self.fits(&events[at + 1..], others))
    }

    /// Something known that breaks the promise, and how many people fit it.
    fn broken(&self, promise: &SequencesPromise) -> Option<(Vec<Vec<Item>>, usize)> {
        let quasi = self.data.events().quasi_identifiers();
        let items = quasi.iter().enumerate().flat_map(|(q, column)| {
            let nodes = column.hierarchy.as_ref().unwrap().tree().node_count() as u32;
            (1..nodes).map(move |node| (q, Some(NodeId(node)))).chain([(q, None)])
        });
        let (items, everybody) = (items.collect::<Vec<_>>(), (0..self.people.len()).collect::<Vec<_>>());
        self.extend(&items, &everybody, &[], promise.length.unwrap(), promise)
    }

    fn extend(
        &self,
        items: &[Item],
        among: &[usize],
        known: &[Vec<Item>],
        left: usize,
        promise: &SequencesPromise,
    ) -> Option<(Vec<Vec<Item>>, usize)> {
        if left == 0 {
            return None;
        }
        for &item in items {
            let last = known.last().and_then(|event| event.last()).map(|item| item.0);
            for joins in [false, true] {
                let mut longer = known.to_vec();
                match longer.last_mut() {
                    Some(event) if joins && last < Some(item.0) => event.push(item),
                    _ if joins => continue,
                    _ => longer.push(vec![item]),
                }
                let crowd: Vec<usize> = among
                    .iter()
                    .copied()
                    .filter(|&person| self.fits(&self.people[person], &longer))
                    .collect();
                if crowd.is_empty() {
                    continue;
                }
                if !self.keeps(&crowd, promise) {
                    return Some((longer, crowd.len()));
                }
                let found = self.extend(items, &crowd, &longer, left - 1, promise);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    fn keeps(&self, crowd: &[usize], promise: &SequencesPromise) -> bool {
        let domain = &self.data.events().columns.last().unwrap().domain;
        let having = |people: &mut dyn Iterator<Item = usize>, value: u32| {
            people.filter(|&person| self.people[person].iter().any(|event| event.1 == value)).count() as f64
        };
        let limit = &promise.limits[0];
        let is_asked = |value: &u32| {
            limit.values.as_ref().is_none_or(|values| values.iter().any(|text| text == domain.label(*value)))
        };
        let is_kept = |value: u32| {
            let q = having(&mut crowd.iter().copied(), value) / crowd.len() as f64;
            let own = having(&mut (0..self.people.len()), value) / self.people.len() as f64;
            // Everybody is who is published, or who is said to be everybody.
            let p = promise.distributions.get(&limit.column).map_or(own, |everybody| {
                let of_value = everybody.counts().iter().find(|(text, _)| text == domain.label(value));
                of_value.map_or(0.0, |(_, count)| f64::from(*count) / everybody.members() as f64)
            });
            let most = match limit.bound {
                Bound::Gain(beta) => (1.0 + beta.min(-p.ln())) * p,
                Bound::Share(share) => share,
            };
            q == 0.0 || q <= most
        };
        crowd.len() >= promise.k && (0..domain.len() as u32).filter(is_asked).all(is_kept)
    }
}

/// Every algorithm that keeps a promise with a length, HALT in both ways. The tests of `tests/sequences` run the others.
fn algorithms() -> Vec<Box<dyn SequencesAlgorithm>> {
    let algorithm = |name: &SequencesAlgorithmName| -> Vec<Box<dyn SequencesAlgorithm>> {
        match name {
            SequencesAlgorithmName::Fcla => in_blocks(FclaParams::fcla()),
            SequencesAlgorithmName::FclaBase1 => in_blocks(FclaParams::base1()),
            SequencesAlgorithmName::Halt => vec![
                Box::new(HaltParams::default().check()),
                Box::new(HaltParams { all_at_once: true, ..HaltParams::default() }.check()),
            ],
            SequencesAlgorithmName::Cbmsa | SequencesAlgorithmName::CbmsaBaseline => Vec::new(),
        }
    };
    SequencesAlgorithmName::ALL.iter().flat_map(algorithm).collect()
}

/// Without blocks, and with blocks of a few people.
fn in_blocks(params: FclaParams) -> Vec<Box<dyn SequencesAlgorithm>> {
    let boxed = |blocks| -> Box<dyn SequencesAlgorithm> { Box::new(FclaParams { blocks, ..params }.check()) };
    [params.blocks, BlockSizes::of(36)].into_iter().map(boxed).collect()
}

fn compatible(promise: SequencesPromise) -> SequencesPromise {
    SequencesPromise { support: Support::Compatible, ..promise }
}

/// Everything that must be true of a release.
fn check(
    data: &Sequences,
    promise: &SequencesPromise,
    result: &Anonymized<SequencesRecoding>,
) -> Result<(), TestCaseError> {
    let recoding = &result.recoding;
    let release = Release::new(data, recoding);
    prop_assert_eq!(release.broken(promise), None);
    prop_assert!(release.people.len() >= promise.k, "{} people", release.people.len());
    // Who has a cluster has an event in the release, and the other way round.
    for (person, events) in data.iter().enumerate() {
        let is_there = events.clone().any(|event| recoding.events.class_of[event] != SUPPRESSED);
        prop_assert_eq!(is_there, recoding.cluster_of[person] != SUPPRESSED);
    }
    // What is published covers what was there.
    for (q, column) in data.events().quasi_identifiers().iter().enumerate() {
        let bound = column.hierarchy.as_ref().unwrap();
        for (&class, &code) in recoding.events.class_of.iter().zip(&column.codes) {
            if class != SUPPRESSED
                && let Cell::Node(node) = recoding.events.classes[class as usize].cells[q]
            {
                prop_assert!(bound.tree().leaves_below(node).contains(&bound.leaf_of(code)));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_release_keeps_its_promise(
        data in any_visits(4..14, 4),
        k in 1..4_usize,
        length in 1..4_usize,
        bound in prop_oneof![
            Just(Bound::Gain(0.5)), Just(Bound::Gain(1.0)), Just(Bound::Gain(6.0)), Just(Bound::Share(0.7))
        ],
        named in any::<bool>(),
    ) {
        let occurs = data.events().columns.last().unwrap().domain.code_of("s1").is_some();
        // There is more to list the more columns there are.
        let length = length.min(if data.events().quasi_identifiers().len() > 2 { 2 } else { 3 });
        let promise = compatible(promise(k, length, (named && occurs).then_some(&["s1"][..]), bound));
        for algorithm in algorithms() {
            match algorithm.anonymize(&data, &promise, &Silent) {
                Ok(result) => check(&data, &promise, &result)?,
                // Only a value that is too frequent among everybody cannot be hidden.
                Err(SequencesError::Infeasible { .. }) => prop_assert!(matches!(bound, Bound::Share(_))),
                Err(error) => prop_assert!(false, "{} {}", algorithm.name(), error),
            }
        }
    }

    /// A part of more people is compared with everybody, whether it is like them or not.
    #[test]
    fn a_part_keeps_its_promise_among_everybody(
        data in any_visits(4..14, 4),
        k in 1..4_usize,
        length in 1..4_usize,
        beta in prop_oneof![Just(0.5), Just(1.0), Just(6.0)],
        shares in prop::collection::vec(0..20_u32, 8),
        is_paper in any::<bool>(),
    ) {
        let values = &data.events().columns.last().unwrap().domain;
        // A value that nobody has elsewhere must not be published here.
        let counts = (0..values.len()).zip(&shares).filter(|(_, count)| **count > 0);
        let counts = counts.map(|(code, &count)| (values.label(code as u32).to_owned(), count));
        let Some(everybody) = Distribution::of_people(counts, 20) else { return Ok(()) };
        let length = length.min(if data.events().quasi_identifiers().len() > 2 { 2 } else { 3 });
        let mut promise = promise(k, length, None, Bound::Gain(beta));
        promise.distributions.insert("s".to_owned(), everybody);
        if !is_paper {
            promise = compatible(promise);
        }
        for algorithm in algorithms() {
            match algorithm.anonymize(&data, &promise, &Silent) {
                Ok(result) if is_paper => {
                    prop_assert_eq!(View::published(&data, &result.recoding).broken(&promise), None);
                }
                Ok(result) => check(&data, &promise, &result)?,
                Err(SequencesError::Infeasible { .. } | SequencesError::TooFewPersons { .. }) => {}
                Err(error) => prop_assert!(false, "{} {}", algorithm.name(), error),
            }
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing(data in any_visits(20..40, 4), k in 2..4_usize) {
        let promise = compatible(promise(k, 3, None, Bound::Gain(1.0)));
        for algorithm in algorithms() {
            let with = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                // Perhaps nobody can be published, whatever the number of threads.
                pool.install(|| algorithm.anonymize(&data, &promise, &Silent)).ok()
            };
            prop_assert_eq!(with(1), with(4));
        }
    }
}

const LETTERS: &str = "v0;a;* v1;a;* v2;b;* v3;b;* v4;c;* v5;c;*";

#[test]
fn who_has_what_nobody_else_has_is_left_out() {
    // By the papers' count she is published as `*`, and the only one who fits what nobody else has.
    let rows = (0..61).map(|person| {
        let illness = if person == 60 { "hiv" } else { "flu" };
        vec![person.to_string(), format!("v{}", person % 6), illness.to_owned()]
    });
    let data = visits(&rows.collect::<Vec<_>>(), &[LETTERS.to_owned()]);
    let promise = compatible(promise(5, 3, Some(&["hiv"]), Bound::Gain(3.0)));
    let result = FclaParams::base1().check().anonymize(&data, &promise, &Silent).unwrap();
    assert_eq!(result.recoding.cluster_of[60], SUPPRESSED);
    assert_eq!(result.recoding.suppressed_persons(), 1);
    assert_eq!(Release::new(&data, &result.recoding).broken(&promise), None);
}

#[test]
fn who_has_more_events_than_others_loses_some() {
    // Six with one visit, one with three: nobody else could have had a second one.
    let mut rows: Vec<Vec<String>> =
        (0..6).map(|person| [person.to_string().as_str(), "v0", "x"].map(str::to_owned).to_vec()).collect();
    rows.extend((0..3).map(|_| ["6", "v0", "x"].map(str::to_owned).to_vec()));
    let data = visits(&rows, &[LETTERS.to_owned()]);
    let promise = SequencesPromise {
        k: 2,
        length: Some(3),
        support: Support::Compatible,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    for algorithm in algorithms() {
        let recoding = algorithm.anonymize(&data, &promise, &Silent).unwrap().recoding;
        let events: BTreeSet<usize> = Release::new(&data, &recoding).people.iter().map(Vec::len).collect();
        assert_eq!(events, BTreeSet::from([1]), "{}", algorithm.name());
        assert_eq!(recoding.suppressed_persons(), 0, "{}", algorithm.name());
    }
}

#[test]
fn a_share_that_everybody_breaks_is_refused() {
    let rows: Vec<Vec<String>> =
        (0..6).map(|person| [person.to_string().as_str(), "v0", "hiv"].map(str::to_owned).to_vec()).collect();
    let data = visits(&rows, &[LETTERS.to_owned()]);
    let promise = compatible(promise(2, 1, Some(&["hiv"]), Bound::Share(0.5)));
    for algorithm in algorithms() {
        let error = algorithm.anonymize(&data, &promise, &Silent).unwrap_err();
        assert!(matches!(error, SequencesError::Infeasible { .. }), "{error}");
    }
}
