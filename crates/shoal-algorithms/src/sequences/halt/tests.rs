//! The search against a slow twin that looks at every pattern of every person, and the paper's table 2.

use std::collections::BTreeSet;

use proptest::prelude::*;
use shoal_core::{Bound, Hierarchy, Limit, Sequences, SequencesPromise, Support};

use super::decision::{Decision, NOTHING};
use super::items::Items;
use super::miner::{self, Meter, Step, Stopped};
use super::view::View;
use crate::fixture::{Shape, sequences};
use crate::sequences::terms::Terms;

/// People from texts; each event has a value for each tree and, last, a sensitive one.
fn people(trees: &[Vec<Vec<&str>>], persons: &[Vec<Vec<&str>>]) -> Sequences {
    let tree = |c: usize| trees.get(c).map(|lines| Hierarchy::from_rows(lines).unwrap());
    let shapes: Vec<Shape> = (0..=trees.len()).map(|c| Shape::new(&format!("c{c}"), tree(c))).collect();
    sequences(&shapes, persons)
}

fn search(data: &Sequences, promise: &SequencesPromise, decision: Option<Decision>) -> Vec<Vec<Step>> {
    let items = Items::new(data.events()).unwrap();
    let terms = Terms::new(promise, data, "halt").unwrap();
    let decision = decision.unwrap_or_else(|| Decision::finest(&items, Support::Paper));
    let view = View::new(data, &items, &decision, &terms);
    miner::broken(&view, &terms, promise.length.unwrap(), &Meter::new(None, &shoal_core::Silent)).unwrap()
}

/// A pattern as a list of events, each a set of codes.
fn events_of(pattern: &[Step]) -> Vec<BTreeSet<u32>> {
    let mut events: Vec<BTreeSet<u32>> = Vec::new();
    for step in pattern {
        if !step.joins {
            events.push(BTreeSet::new());
        }
        events.last_mut().unwrap().insert(step.code);
    }
    events
}

/// Everything that the slow twin needs, counted by a pass over everybody.
struct Slow {
    /// For each person and event all items that can be known of it.
    sequences: Vec<Vec<BTreeSet<u32>>>,
    quasi_of: Vec<usize>,
    above: Vec<BTreeSet<u32>>,
    /// Sensitive codes of each person.
    shows: Vec<BTreeSet<u32>>,
    watched: Vec<u32>,
    promise: SequencesPromise,
}

type Pattern = Vec<BTreeSet<u32>>;

impl Slow {
    fn new(data: &Sequences, promise: &SequencesPromise, decision: &Decision) -> Slow {
        let items = Items::new(data.events()).unwrap();
        let published: Vec<Vec<u32>> =
            (0..items.quasi()).map(|quasi| decision.published(quasi, &items)).collect();
        let known = |event: usize| -> BTreeSet<u32> {
            let own = (0..items.quasi()).map(|q| published[q][items.leaf(event, q) as usize]);
            own.filter(|&code| code != NOTHING).flat_map(|code| items.upwards(code)).collect()
        };
        let sensitive = data.events().columns.last().unwrap();
        let watched = match &promise.limits[0].values {
            Some(values) => values.iter().map(|value| sensitive.domain.code_of(value).unwrap()).collect(),
            None => (0..sensitive.domain.len() as u32).collect(),
        };
        Slow {
            sequences: data.iter().map(|events| events.map(known).collect()).collect(),
            quasi_of: (0..items.len() as u32).map(|code| items.quasi_of(code)).collect(),
            above: (0..items.len() as u32).map(|code| items.upwards(code).collect()).collect(),
            shows: data.iter().map(|events| events.map(|event| sensitive.codes[event]).collect()).collect(),
            watched,
            promise: promise.clone(),
        }
    }

    fn support(&self, pattern: &Pattern) -> Vec<usize> {
        (0..self.sequences.len()).filter(|&person| fits(&self.sequences[person], pattern)).collect()
    }

    fn is_broken(&self, support: &[usize]) -> bool {
        let too_frequent = |&value: &u32| {
            let with = |persons: &[usize]| {
                persons.iter().filter(|&&p| self.shows[p].contains(&value)).count() as f64
                    / persons.len() as f64
            };
            let (p, q) = (with(&(0..self.shows.len()).collect::<Vec<_>>()), with(support));
            match self.promise.limits[0].bound {
                Bound::Share(share) => q > share,
                Bound::Gain(beta) => q > (1.0 + beta.min(-p.ln())) * p,
            }
        };
        support.len() < self.promise.k || self.watched.iter().any(too_frequent)
    }

    /// All patterns that somebody fits and that break a condition.
    fn broken(&self) -> BTreeSet<Pattern> {
        let codes: Vec<u32> =
            (0..self.quasi_of.len() as u32).filter(|&c| !self.above[c as usize].is_empty()).collect();
        let mut broken = BTreeSet::new();
        let mut all: BTreeSet<Pattern> = BTreeSet::from([Vec::new()]);
        for _ in 0..self.promise.length.unwrap() {
            let mut longer = BTreeSet::new();
            for pattern in &all {
                for &code in &codes {
                    let mut next = pattern.clone();
                    next.push(BTreeSet::from([code]));
                    longer.insert(next);
                    for at in 0..pattern.len() {
                        let quasi = self.quasi_of[code as usize];
                        if pattern[at].iter().all(|&other| self.quasi_of[other as usize] != quasi) {
                            let mut wider = pattern.clone();
                            wider[at].insert(code);
                            longer.insert(wider);
                        }
                    }
                }
            }
            all = longer.into_iter().filter(|pattern| !self.support(pattern).is_empty()).collect();
            broken.extend(all.iter().filter(|p| self.is_broken(&self.support(p))).cloned());
        }
        broken
    }

    /// Whether everybody who fits `special` must fit `general`, by the form of both.
    fn is_above(&self, general: &Pattern, special: &Pattern) -> bool {
        let closed =
            |event: &BTreeSet<u32>| event.iter().flat_map(|&c| self.above[c as usize].clone()).collect();
        fits(&special.iter().map(closed).collect::<Vec<_>>(), general)
    }

    fn minimal(&self, broken: &BTreeSet<Pattern>) -> BTreeSet<Pattern> {
        let least = |p: &&Pattern| !broken.iter().any(|other| other != *p && self.is_above(other, p));
        broken.iter().filter(least).cloned().collect()
    }
}

fn fits(sequence: &[BTreeSet<u32>], pattern: &[BTreeSet<u32>]) -> bool {
    let mut events = sequence.iter();
    pattern.iter().all(|wanted| events.any(|event| wanted.is_subset(event)))
}

fn trees() -> Vec<Vec<Vec<&'static str>>> {
    vec![
        vec![vec!["a", "A", "*"], vec!["b", "A", "*"], vec!["c", "C", "*"]],
        // One line is short: its value goes to the root a level earlier than the others.
        vec![vec!["x", "X", "XY", "*"], vec!["y", "XY", "*"], vec!["z", "Z", "Z", "*"]],
    ]
}

fn any_people() -> impl Strategy<Value = Sequences> {
    let event = (0_usize..3, 0_usize..3, 0_usize..3)
        .prop_map(|(a, x, s)| vec![["a", "b", "c"][a], ["x", "y", "z"][x], ["s", "t", "u"][s]]);
    let persons = prop::collection::vec(prop::collection::vec(event, 1..4), 4..11);
    persons.prop_map(|mut persons| {
        // All sensitive values occur.
        persons.push(vec![vec!["a", "x", "s"], vec!["b", "y", "t"], vec!["c", "z", "u"]]);
        people(&trees(), &persons)
    })
}

fn any_promise() -> impl Strategy<Value = SequencesPromise> {
    let bound = prop_oneof![
        prop::sample::select(vec![0.3, 0.5, 0.7, 1.0]).prop_map(Bound::Share),
        prop::sample::select(vec![0.5, 1.0, 6.0]).prop_map(Bound::Gain)
    ];
    let values = prop_oneof![Just(None), Just(Some(vec!["s".to_owned()]))];
    (1_usize..4, 1_usize..4, bound, values).prop_map(|(k, length, bound, values)| SequencesPromise {
        k,
        length: Some(length),
        support: Support::Paper,
        limits: vec![Limit { column: "c2".to_owned(), values, bound }],
        distributions: Default::default(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is found is broken, and of what is broken nothing minimal is missed. Where single items are
    /// broken, only these are looked for.
    #[test]
    fn the_search_finds_what_the_slow_twin_finds(
        data in any_people(),
        promise in any_promise(),
        levels in (0_usize..3, 0_usize..4),
        suppressed in prop::option::of(0_usize..10),
    ) {
        let items = Items::new(data.events()).unwrap();
        let mut decision = Decision::finest(&items, Support::Paper).at(vec![levels.0, levels.1]);
        if let Some(code) = suppressed {
            decision.suppressed[code % items.len()] = true;
        }
        let slow = Slow::new(&data, &promise, &decision);
        let mut expected = slow.broken();
        let is_single = |pattern: &Pattern| pattern.iter().map(BTreeSet::len).sum::<usize>() == 1;
        if expected.iter().any(is_single) {
            expected.retain(is_single);
        }
        let steps = search(&data, &promise, Some(decision));
        let found: BTreeSet<Pattern> = steps.iter().map(|pattern| events_of(pattern)).collect();
        prop_assert_eq!(found.len(), steps.len(), "a pattern was found twice");
        prop_assert!(found.is_subset(&expected), "found what is not broken");
        prop_assert_eq!(slow.minimal(&found), slow.minimal(&expected));
    }
}

/// The years of stay, and the illnesses, of the FCLA paper's table 2.
fn table_2() -> Sequences {
    let years = ["2017", "2018", "2019", "2020", "2021"].map(|year| vec![year, "*"]).to_vec();
    let persons: [&[[&str; 2]]; 10] = [
        &[["2018", "Infection"]],
        &[["2018", "Cancer"], ["2018", "Flu"]],
        &[["2018", "Fever"], ["2019", "Infection"], ["2020", "Flu"]],
        &[["2017", "Heart attack"], ["2018", "Flu"], ["2021", "Hepatitis"]],
        &[["2018", "Fever"], ["2018", "Cancer"]],
        &[["2017", "Infection"], ["2019", "Hepatitis"]],
        &[["2018", "Fever"]],
        &[["2020", "Fever"]],
        &[["2019", "Flu"]],
        &[["2018", "Heart attack"]],
    ];
    people(&[years], &persons.map(|events| events.iter().map(|event| event.to_vec()).collect()))
}

#[test]
fn the_papers_example_is_broken_for_the_papers_reasons() {
    let data = table_2();
    let items = Items::new(data.events()).unwrap();
    let tree = data.events().columns[0].hierarchy.as_ref().unwrap().tree();
    let then = |first: &str, second: &str| -> Pattern {
        [first, second].map(|year| BTreeSet::from([tree.node(year).unwrap().0])).to_vec()
    };
    // 2021 is a single person's; it is hidden so that it does not hide the rest from the search.
    let mut decision = Decision::finest(&items, Support::Paper);
    decision.suppressed[tree.node("2021").unwrap().0 as usize] = true;
    let broken = |k: usize, bound: Bound| -> BTreeSet<Pattern> {
        let limits = vec![Limit { column: "c1".to_owned(), values: Some(vec!["Cancer".to_owned()]), bound }];
        let promise = SequencesPromise {
            k,
            length: Some(2),
            support: Support::Paper,
            limits,
            distributions: Default::default(),
        };
        search(&data, &promise, Some(decision.clone())).iter().map(|pattern| events_of(pattern)).collect()
    };
    let (one, two) = (then("2017", "2019"), then("2018", "2018"));
    // A support of {6}: a crowd of one, not of two.
    assert!(!broken(1, Bound::Share(1.0)).contains(&one));
    assert!(broken(2, Bound::Share(1.0)).contains(&one));
    // A support of {2, 5}: a crowd of two, and both with cancer.
    assert!(!broken(2, Bound::Share(1.0)).contains(&two));
    assert!(broken(2, Bound::Share(0.99)).contains(&two));
    // p = 0.2 and q = 1 are a gain of 4; 1 is allowed, and −ln 0.2 = 1.6 at the most.
    assert!(broken(2, Bound::Gain(1.0)).contains(&two));
    assert!(broken(2, Bound::Gain(4.0)).contains(&two));
    // Of those with a stay in 2018 two of seven have cancer, less than twice as many as of everybody.
    assert!(broken(2, Bound::Gain(1.0)).iter().all(|pattern| pattern.len() == 2));
}

#[test]
fn the_meter_stops_the_search() {
    let data = table_2();
    let promise = SequencesPromise {
        k: 1,
        length: Some(2),
        support: Support::Paper,
        limits: Vec::new(),
        distributions: Default::default(),
    };
    let items = Items::new(data.events()).unwrap();
    let terms = Terms::new(&promise, &data, "halt").unwrap();
    let view = View::new(&data, &items, &Decision::finest(&items, Support::Paper), &terms);
    let all = Meter::new(None, &shoal_core::Silent);
    assert_eq!(miner::broken(&view, &terms, 2, &all), Ok(Vec::new()));
    // Five years, and eight ways in which one of them follows another.
    assert_eq!(all.seen(), 5 + 8);
    assert_eq!(miner::broken(&view, &terms, 2, &Meter::new(Some(13), &shoal_core::Silent)), Ok(Vec::new()));
    assert_eq!(miner::broken(&view, &terms, 2, &Meter::new(Some(12), &shoal_core::Silent)), Err(Stopped));
    let places = |most| miner::broken(&view, &terms, 2, &Meter::of_places(most, &shoal_core::Silent));
    let enough = (0..1000).find(|&most| places(most).is_ok()).unwrap();
    assert!(enough > 13, "every pattern stands somewhere: {enough}");
    assert!((0..enough).all(|most| places(most) == Err(Stopped)));
}
