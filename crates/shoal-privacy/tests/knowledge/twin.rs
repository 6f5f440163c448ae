//! Random files as plain texts, and a second verifier that lists everything that anybody could know.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::compatible;
use proptest::prelude::*;
use shoal_core::{Bound, Distribution, Hierarchy, Limit, RawTable, Role, Support};
use shoal_privacy::{BoundedKnowledge, Finding, SequencesViolation, verify_sequences_file};

/// The first column says whose an event is, the next two are the quasi-identifiers.
pub(crate) const NAMES: [&str; 5] = ["id", "place", "stay", "illness", "ward"];

pub(crate) const PLACES: [&[&str]; 4] = [
    &["Bonn", "Rhine", "West", "*"],
    &["Köln", "Rhine", "West", "*"],
    &["Aachen", "Aachen", "West", "*"],
    &["Kiel", "Coast", "*"],
];
pub(crate) const STAYS: [&[&str]; 3] =
    [&["1", "short", "any"], &["2", "short", "any"], &["9", "long", "any"]];

/// What may stand in a cell; the last ones say nothing, and `zebra` is not in the tree.
const PLACE_TEXTS: [&str; 9] = ["Bonn", "Köln", "Aachen", "Kiel", "Rhine", "West", "Coast", "zebra", "*"];
const STAY_TEXTS: [&str; 7] = ["1", "2", "9", "short", "long", "any", "*"];
const ILLNESSES: [&str; 3] = ["flu", "HIV", "gout"];

/// An event: place, stay, illness, ward.
pub(crate) type Event = [String; 4];

/// A file and what is promised about it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) people: Vec<Vec<Event>>,
    pub(crate) k: u32,
    pub(crate) length: usize,
    pub(crate) limits: Vec<Limit>,
    pub(crate) support: Support,
    /// People who are published elsewhere: everybody are these and those of the file.
    pub(crate) others: Vec<Vec<Event>>,
}

impl Case {
    /// The same file under the definition that counts everybody who fits, short enough to list all that can be known.
    pub(crate) fn compatible(mut self) -> Case {
        self.support = Support::Compatible;
        if self.length > 3 {
            self.length = 4;
            self.people.iter_mut().for_each(|events| events.truncate(2));
        }
        self
    }
}

/// Cells by number, and for each person what is not a quasi-identifier.
type Cells = Vec<(u8, u8)>;

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let sequence = prop::collection::vec((0..9u8, 0..7u8), 1..4);
    // Few different sequences, so that people are alike; some of one length, so that they share a part.
    let pool = prop::collection::vec(sequence, 1..6);
    let person = (any::<prop::sample::Index>(), prop::collection::vec((0..3u8, 0..2u8), 3));
    let people = prop::collection::vec(person, 1..9);
    (pool, people, 2..4u32, 1..7usize, limits()).prop_map(|(pool, people, k, length, limits)| {
        let person = |(of, rest): &(prop::sample::Index, Vec<(u8, u8)>)| events(of.get(&pool), rest);
        Case {
            people: people.iter().map(person).collect(),
            k,
            length,
            limits,
            support: Support::Paper,
            others: Vec::new(),
        }
    })
}

/// A few sequences, each with at least k people, all with the same rest: nobody can be told from the others.
pub(crate) fn sound_cases() -> impl Strategy<Value = Case> {
    sound_cases_in_parts().prop_map(|(case, _)| case)
}

/// The same, with the number of each person's sequence.
pub(crate) fn sound_cases_in_parts() -> impl Strategy<Value = (Case, Vec<u32>)> {
    let sequence = prop::collection::vec((0..9u8, 0..7u8), 1..4);
    let crowds = prop::collection::vec((sequence, 2..4usize), 1..4);
    (crowds, 1..7usize, limits()).prop_map(|(crowds, length, limits)| {
        let person = |cells: &Cells| events(cells, &[(0, 0); 3]);
        let people = crowds.iter().flat_map(|(cells, size)| vec![person(cells); *size]).collect();
        let parts = (0..).zip(&crowds).flat_map(|(part, (_, size))| vec![part; *size]).collect();
        let limits = limits.into_iter().filter(|limit| matches!(limit.bound, Bound::Gain(_))).collect();
        (Case { people, k: 2, length, limits, support: Support::Paper, others: Vec::new() }, parts)
    })
}

/// Crowds of people who were at the same two places, in orders of their own: by two values they are hardly told apart.
pub(crate) fn alike_cases() -> impl Strategy<Value = Case> {
    let pairs = vec![[0_u8, 3], [1, 2], [3, 7]];
    let person = (prop::collection::vec(any::<bool>(), 3..6), 0..3_u8);
    let crowd = (prop::sample::select(pairs), prop::collection::vec(person, 2..5));
    (prop::collection::vec(crowd, 1..3), 2..4_u32, 1..5_usize, limits()).prop_map(
        |(crowds, k, length, limits)| {
            let person = |places: [u8; 2], (order, illness): &(Vec<bool>, u8)| {
                // The last of the stays says nothing.
                let cells: Cells = order.iter().map(|&at| (places[usize::from(at)], 6)).collect();
                events(&cells, &vec![(*illness, 0); cells.len()])
            };
            let people =
                crowds.iter().flat_map(|(places, people)| people.iter().map(|own| person(*places, own)));
            Case { people: people.collect(), k, length, limits, support: Support::Paper, others: Vec::new() }
        },
    )
}

fn limits() -> impl Strategy<Value = Vec<Limit>> {
    let bound = prop_oneof![
        prop::sample::select(vec![0.2, 0.5, 1.0, 6.0]).prop_map(Bound::Gain),
        prop::sample::select(vec![0.0, 0.5, 2.0 / 3.0, 1.0]).prop_map(Bound::Share),
    ];
    let values = prop::option::of(Just(vec!["HIV".to_owned(), "gout".to_owned()]));
    let limit = |column: &'static str| {
        move |(values, bound): (Option<Vec<String>>, Bound)| Limit {
            column: column.to_owned(),
            values,
            bound,
        }
    };
    let illness = (values, bound.clone()).prop_map(limit("illness"));
    let ward = (Just(None), bound).prop_map(limit("ward"));
    prop_oneof![
        1 => Just(Vec::new()),
        4 => illness.clone().prop_map(|limit| vec![limit]),
        1 => (illness, ward).prop_map(|(one, two)| vec![one, two]),
    ]
}

fn events(cells: &Cells, rest: &[(u8, u8)]) -> Vec<Event> {
    let event = |(&(place, stay), &(illness, ward)): (&(u8, u8), &(u8, u8))| {
        let texts = [PLACE_TEXTS[place as usize], STAY_TEXTS[stay as usize], ILLNESSES[illness as usize]];
        let ward = ["east", "west"][ward as usize];
        [texts[0].to_owned(), texts[1].to_owned(), texts[2].to_owned(), ward.to_owned()]
    };
    cells.iter().zip(rest).map(event).collect()
}

/// What the crate under test says, with a limit of work.
pub(crate) fn verify(case: &Case, work: u64) -> (Finding, usize, Vec<SequencesViolation>) {
    verify_with(case, model(case, work))
}

/// The same where people are said to stand in parts, a number for each of them.
pub(crate) fn verify_in_parts(
    case: &Case,
    work: u64,
    part_of: &[u32],
) -> (Finding, usize, Vec<SequencesViolation>) {
    let parts = case.people.iter().zip(part_of).flat_map(|(events, &part)| vec![part; events.len()]);
    verify_with(case, model(case, work).in_parts(parts.collect()))
}

fn model(case: &Case, work: u64) -> BoundedKnowledge {
    BoundedKnowledge::new(case.k, case.length, case.limits.clone(), trees(), work)
        .unwrap()
        .counting(case.support)
        .among(everybody(case))
}

/// How many of everybody have each value, where there are others than those of the file.
fn everybody(case: &Case) -> BTreeMap<String, Distribution> {
    let all: Vec<&Vec<Event>> = case.people.iter().chain(&case.others).collect();
    let of_column = |(column, name): (usize, &str)| {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for events in &all {
            let values: BTreeSet<&String> = events.iter().map(|event| &event[column]).collect();
            values.into_iter().for_each(|value| *counts.entry(value.clone()).or_default() += 1);
        }
        Some((name.to_owned(), Distribution::of_people(counts, all.len() as u64)?))
    };
    let of_columns = [(2, "illness"), (3, "ward")].into_iter().filter_map(of_column);
    if case.others.is_empty() { BTreeMap::new() } else { of_columns.collect() }
}

fn verify_with(case: &Case, model: BoundedKnowledge) -> (Finding, usize, Vec<SequencesViolation>) {
    let roles = [
        ("id", Role::Identifier),
        ("place", Role::QuasiIdentifier),
        ("stay", Role::QuasiIdentifier),
        ("illness", Role::Sensitive),
        ("ward", Role::Sensitive),
    ];
    let verdict =
        verify_sequences_file(&file(case), "id", &roles, &[Box::new(model)], &shoal_core::Silent).unwrap();
    let (total, worst) = match verdict.broken.into_iter().next() {
        Some(broken) => (broken.violations.total, broken.violations.worst),
        None => (0, Vec::new()),
    };
    (verdict.promises[0].clone(), total, worst)
}

pub(crate) fn trees() -> Vec<(String, Arc<Hierarchy>)> {
    let tree = |lines: &[&[&str]]| {
        let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.to_vec()).collect();
        Arc::new(Hierarchy::from_rows(&lines).unwrap())
    };
    vec![("stay".to_owned(), tree(&STAYS)), ("place".to_owned(), tree(&PLACES))]
}

pub(crate) fn file(case: &Case) -> RawTable {
    let row = |(person, event): (usize, &Event)| {
        let mut row = vec![(person + 1).to_string()];
        row.extend(event.iter().cloned());
        row
    };
    let rows =
        case.people.iter().enumerate().flat_map(|(person, events)| events.iter().map(move |e| (person, e)));
    RawTable::from_rows(&NAMES, &rows.map(row).collect::<Vec<_>>())
}

/// Quasi-identifier and text.
pub(crate) type Item = (usize, String);
pub(crate) type Known = Vec<Vec<Item>>;

/// Everything that can be known and breaks the promise, and the people of whom it is true.
pub(crate) fn broken(case: &Case) -> BTreeMap<Known, BTreeSet<usize>> {
    if case.support == Support::Compatible {
        return compatible::broken(case);
    }
    let mut all = BTreeSet::new();
    for person in &case.people {
        list(person, case.length, &mut Vec::new(), &mut all);
    }
    let true_of =
        |known: &Known| (0..case.people.len()).filter(|&p| supports(&case.people[p], known)).collect();
    let all = all.into_iter().filter(|known| !known.is_empty()).map(|known| (true_of(&known), known));
    all.filter(|(people, _)| breaks(case, people)).map(|(people, known)| (known, people)).collect()
}

pub(crate) fn length(known: &Known) -> usize {
    known.iter().map(Vec::len).sum()
}

/// Lists what can be known of some events: each is left out, or some of its cells are known at some height.
fn list(events: &[Event], left: usize, known: &mut Known, all: &mut BTreeSet<Known>) {
    let Some((event, later)) = events.split_first() else {
        all.insert(known.clone());
        return;
    };
    list(later, left, known, all);
    let heights = |quasi: usize| {
        let items = above(quasi, &event[quasi]).into_iter().map(move |text| vec![(quasi, text)]);
        std::iter::once(Vec::new()).chain(items).collect::<Vec<Vec<Item>>>()
    };
    for place in heights(0) {
        for stay in heights(1) {
            let items: Vec<Item> = place.iter().chain(&stay).cloned().collect();
            if !items.is_empty() && items.len() <= left {
                let rest = left - items.len();
                known.push(items);
                list(later, rest, known, all);
                known.pop();
            }
        }
    }
}

/// Whether the known events can be found in order, by trying all places.
fn supports(events: &[Event], known: &[Vec<Item>]) -> bool {
    let Some((first, rest)) = known.split_first() else { return true };
    (0..events.len()).any(|at| {
        let fits = |(quasi, text): &Item| above(*quasi, &events[at][*quasi]).contains(text);
        first.iter().all(fits) && supports(&events[at + 1..], rest)
    })
}

/// What a text says: itself and what lies above it, short of the top.
fn above(quasi: usize, text: &str) -> Vec<String> {
    let lines: &[&[&str]] = if quasi == 0 { &PLACES } else { &STAYS };
    if text == "*" || text == "any" {
        return Vec::new();
    }
    let Some(line) = lines.iter().find(|line| line.contains(&text)) else { return vec![text.to_owned()] };
    let from = line.iter().position(|node| *node == text).unwrap();
    let mut path: Vec<String> = line[from..line.len() - 1].iter().map(|&node| node.to_owned()).collect();
    path.dedup();
    path
}

pub(crate) fn breaks(case: &Case, people: &BTreeSet<usize>) -> bool {
    // Those of the file come first.
    let all: Vec<&Vec<Event>> = case.people.iter().chain(&case.others).collect();
    let has = |person: usize, column: usize, value: &str| all[person].iter().any(|e| e[column] == value);
    let everybody = all.len();
    let is_above = |limit: &Limit| {
        let column = if limit.column == "illness" { 2 } else { 3 };
        let all: Vec<&str> = if column == 2 { ILLNESSES.to_vec() } else { vec!["east", "west"] };
        let asked =
            |value: &&str| limit.values.as_ref().is_none_or(|values| values.iter().any(|v| v == value));
        all.into_iter().filter(asked).any(|value| {
            let p =
                (0..everybody).filter(|&person| has(person, column, value)).count() as f64 / everybody as f64;
            let q = people.iter().filter(|&&person| has(person, column, value)).count() as f64
                / people.len() as f64;
            let most = match limit.bound {
                Bound::Share(c) => c,
                Bound::Gain(beta) => (1.0 + beta.min(-p.ln())) * p,
            };
            q > 0.0 && q > most
        })
    };
    people.len() < case.k as usize || case.limits.iter().any(is_above)
}
