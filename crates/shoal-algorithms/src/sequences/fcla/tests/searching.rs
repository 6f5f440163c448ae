//! The search over vectors of ends, and the list of all patterns.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use shoal_core::{Bound, Sequences, SequencesPromise, Support};

use super::data::{any_visits, promise, rows, visits};
use super::slow::{Pattern, View};
use crate::sequences::costs::Costs;
use crate::sequences::fcla::crowd::{Crowd, Draft};
use crate::sequences::fcla::search::{Budget, Invalid, Until, invalid};
use crate::sequences::fcla::tree::Forest;
use crate::sequences::terms::Terms;

/// What the search finds when everybody is one cluster that publishes its data as they are.
pub(super) fn search(data: &Sequences, promise: &SequencesPromise, until: Until) -> Vec<Pattern> {
    search_within(data, promise, until, u64::MAX).unwrap()
}

/// The same with a limit for its work; `None` where that is not enough.
fn search_within(
    data: &Sequences,
    promise: &SequencesPromise,
    until: Until,
    units: u64,
) -> Option<Vec<Pattern>> {
    let quasi = data.events().quasi_identifiers();
    let costs = Costs::new(&quasi, data.events().rows).unwrap();
    let forest = Forest::new(&quasi, &costs).unwrap();
    let terms = Terms::new(promise, data, "fcla").unwrap();
    let draft = Draft {
        people: (0..data.persons() as u32).collect(),
        starts: data.iter().map(|events| events.start).chain([data.events().rows]).collect(),
        codes: costs.values(0..data.events().rows).to_vec(),
    };
    let crowd = Crowd::new(&draft, &forest, &terms);
    let found = invalid(&crowd, &forest, &terms, until, &mut Budget::new(units, &shoal_core::Silent))?;
    let item = |&code: &u32| (forest.quasi_of(code), costs.node(forest.quasi_of(code), code));
    let pattern =
        |found: &Invalid| found.events.iter().map(|event| event.iter().map(item).collect()).collect();
    Some(found.iter().map(pattern).collect())
}

fn length(pattern: &Pattern) -> usize {
    pattern.iter().map(Vec::len).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn finds_something_exactly_when_there_is_something(
        data in any_visits(2..7, 4),
        k in 1..4_usize,
        known in 1..5_usize,
        bound in prop_oneof![Just(Bound::Gain(0.5)), Just(Bound::Gain(2.0)), Just(Bound::Share(0.999))],
        named in any::<bool>(),
    ) {
        let value = ["s0"];
        let named = named.then_some(&value[..]).filter(|_| data.events().columns.last().unwrap().domain.code_of("s0").is_some());
        let promise = promise(k, known, named, bound);
        prop_assume!(data.persons() >= k && Terms::new(&promise, &data, "fcla").is_ok());
        let view = View::original(&data);
        let found = search(&data, &promise, Until::All);
        prop_assert_eq!(found.is_empty(), view.broken(&promise).is_none());
        prop_assert_eq!(search(&data, &promise, Until::First).is_empty(), found.is_empty());
        for pattern in &found {
            let support = view.support(pattern);
            prop_assert!(!support.is_empty() && !view.keeps(&support, &promise), "{:?}", pattern);
            prop_assert!(length(pattern) <= known);
        }
    }

    /// With k = everybody, whatever is not everybody's is invalid. Of that, patterns of which every part is
    /// everybody's are minimal: each of their supports must be found, and with no more items.
    #[test]
    fn finds_the_support_of_every_minimal_pattern_with_no_more_items(data in any_visits(2..6, 3), known in 1..5_usize) {
        let promise = SequencesPromise { k: data.persons(), length: Some(known), support: Support::Paper, limits: Vec::new(), distributions: Default::default() };
        let view = View::original(&data);
        let everybody = data.persons();
        let mut least: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
        for (pattern, support) in view.patterns(known) {
            let without = |event: usize, at: usize| {
                let mut rest = pattern.clone();
                rest[event].remove(at);
                rest.retain(|event| !event.is_empty());
                rest
            };
            let parts_valid = support.len() < everybody
                && (0..pattern.len()).all(|event| {
                    (0..pattern[event].len()).all(|at| view.support(&without(event, at)).len() == everybody)
                });
            if parts_valid {
                let entry = least.entry(support).or_insert(usize::MAX);
                *entry = (*entry).min(length(&pattern));
            }
        }
        let found = search(&data, &promise, Until::All);
        let mut seen: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
        for pattern in &found {
            let entry = seen.entry(view.support(pattern)).or_insert(usize::MAX);
            *entry = (*entry).min(length(pattern));
        }
        for (support, length) in least {
            prop_assert!(seen.get(&support).is_some_and(|&found| found <= length), "{:?} of {}: {:?}", support, length, seen);
        }
    }
}

#[test]
fn equal_sequences_take_little_work_however_much_is_known() {
    let hierarchy = (0..60).map(|n| format!("v{n};g{};h{};*", n / 5, n / 20)).collect::<Vec<_>>().join(" ");
    let mut lines = Vec::new();
    for person in 0..6 {
        for event in 0..60 {
            lines.push(vec![
                person.to_string(),
                format!("v{event}"),
                format!("v{}", 59 - event),
                "x".to_owned(),
            ]);
        }
    }
    let data = visits(&lines, &[hierarchy.clone(), hierarchy]);
    // 60 events have 2^60 subsequences. The search must visit the 61 places in the one sequence instead, and from each
    // try the sets of items that fit an event.
    let found = |length| {
        let promise = SequencesPromise {
            k: 6,
            length: Some(length),
            support: Support::Paper,
            limits: Vec::new(),
            distributions: Default::default(),
        };
        search_within(&data, &promise, Until::All, 400_000)
    };
    for length in [1, 2, 10, 60] {
        assert_eq!(found(length), Some(Vec::new()), "{length} values known");
    }
}

#[test]
fn an_event_serves_only_once_and_in_order() {
    let data = visits(&rows("1 a x\n1 b x\n2 b x\n2 a x\n3 a x\n3 b x\n3 a x"), &["a;* b;*".to_owned()]);
    let promise = |length| SequencesPromise {
        k: 2,
        length: Some(length),
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    assert!(search(&data, &promise(1), Until::All).is_empty());
    // Only the third has two a's; ⟨a,b⟩ and ⟨b,a⟩ have two people each.
    let view = View::original(&data);
    let found = search(&data, &promise(2), Until::All);
    assert_eq!(found.iter().map(|pattern| view.support(pattern)).collect::<Vec<_>>(), [BTreeSet::from([2])]);
}

#[test]
fn several_items_of_one_event_count_each() {
    // Both have a and b in one event, and c later. Only the first has a and b in the event before c.
    let text = "1 a b x\n1 c c x\n2 a c x\n2 c b x\n2 c c x\n2 a b x";
    let tree = "a;* b;* c;*".to_owned();
    let data = visits(&rows(text), &[tree.clone(), tree]);
    let promise = |length| SequencesPromise {
        k: 2,
        length: Some(length),
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    let view = View::original(&data);
    let node = |quasi: usize, label: &str| (quasi, view.tree(quasi).node(label).unwrap());
    let known = vec![vec![node(0, "a"), node(1, "b")], vec![node(0, "c")]];
    assert_eq!(view.support(&known), BTreeSet::from([0]));
    for length in 1..=4 {
        let found = search(&data, &promise(length), Until::All);
        let alone = found.iter().any(|pattern| view.support(pattern) == BTreeSet::from([0]));
        assert_eq!(alone, length >= 3, "{length}: {found:?}");
        assert_eq!(found.is_empty(), view.broken(&promise(length)).is_none());
    }
}
