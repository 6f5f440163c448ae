//! Whatever the refinement accepts is not beaten: small releases, all worlds tried out. The attacker and the judge of
//! worlds share no code with the refinement, nor with the models.

use std::collections::BTreeSet;
use std::sync::Arc;

use shoal_core::{Bound, Limit, Silent};

use super::*;
use crate::{BoundedKnowledge, Confidence, SequenceAnonymity};

const K: usize = 2;
const C: f64 = 0.5;
const CELLS: [&str; 5] = ["a", "b", "c", "ab", "*"];
const LEAVES: [usize; 3] = [0, 1, 2];

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Whether a cell lies at or above another one.
fn above(cell: usize, other: usize) -> bool {
    cell == other || CELLS[cell] == "*" || (CELLS[cell] == "ab" && other < 2)
}

/// An event: the place by its cell, and whether the illness is HIV.
type Event_ = (usize, bool);
type Line = Vec<Event_>;

/// By release and person; none where somebody is not in it.
#[derive(Clone, Debug)]
struct Releases {
    truth: Vec<Line>,
    lines: Vec<Vec<Option<Line>>>,
}

fn draw(dice: &mut Dice, releases: usize) -> Releases {
    let people = 3 + dice.below(4);
    let few: Vec<Vec<usize>> = (0..2).map(|_| (0..=dice.below(2)).map(|_| dice.below(3)).collect()).collect();
    let truth: Vec<Line> = (0..people)
        .map(|_| few[dice.below(2)].iter().map(|&place| (place, dice.below(3) == 0)).collect())
        .collect();
    let lines = (0..releases).map(|_| {
        // What is published of a place depends on the release, and sometimes on the person.
        let coarse = dice.below(3);
        let mut published = |&(place, hiv): &Event_| {
            let coarse = if dice.below(6) == 0 { dice.below(3) } else { coarse };
            let cell = match coarse {
                0 => place,
                1 if place < 2 => 3,
                _ => 4,
            };
            (cell, hiv)
        };
        let lines: Vec<Line> = truth.iter().map(|line| line.iter().map(&mut published).collect()).collect();
        lines.into_iter().map(|line| (dice.below(4) > 0).then_some(line)).collect()
    });
    let lines = lines.collect();
    Releases { truth, lines }
}

fn tree() -> Hierarchy {
    Hierarchy::from_rows(&[vec!["a", "ab", "*"], vec!["b", "ab", "*"], vec!["c", "c", "*"]]).unwrap()
}

fn table(lines: &[Option<Line>]) -> (RawTable, Vec<u32>) {
    let (mut rows, mut persons) = (Vec::new(), Vec::new());
    for (person, line) in (0..).zip(lines) {
        let Some(line) = line else { continue };
        persons.push(person);
        let number = persons.len().to_string();
        let row = |&(cell, hiv): &Event_| {
            vec![number.clone(), CELLS[cell].to_owned(), if hiv { "HIV" } else { "flu" }.to_owned()]
        };
        rows.extend(line.iter().map(row));
    }
    (RawTable::from_rows(&["id", "place", "illness"], &rows), persons)
}

fn hiv() -> Vec<String> {
    vec!["HIV".to_owned()]
}

fn models(length: Option<usize>) -> Vec<Box<dyn SequencesModel>> {
    match length {
        None => vec![
            Box::new(SequenceAnonymity::new(K as u32).unwrap()),
            Box::new(Confidence::new("illness", &hiv(), C).unwrap()),
        ],
        Some(length) => {
            let limit = Limit { column: "illness".to_owned(), values: Some(hiv()), bound: Bound::Share(C) };
            let trees = vec![("place".to_owned(), Arc::new(tree()))];
            vec![Box::new(
                BoundedKnowledge::new(K as u32, length, vec![limit], trees, BoundedKnowledge::WORK).unwrap(),
            )]
        }
    }
}

/// What the refinement says.
fn accepts(lines: &[Vec<Option<Line>>], length: Option<usize>) -> bool {
    let tables: Vec<(RawTable, Vec<u32>)> = lines.iter().map(|lines| table(lines)).collect();
    let tree = tree();
    let columns = EventColumns { id: "id", quasi: &[("place", Some(&tree))], unchanged: &["illness"] };
    let read = |(published, persons): &(RawTable, Vec<u32>)| {
        Lists::read(EventRelease { published, persons }, columns).unwrap()
    };
    let lists: Vec<Lists> = tables.iter().map(read).collect();
    let known = if length.is_none() { KnownEvents::All } else { KnownEvents::Some };
    let people: BTreeSet<u32> = lists.iter().flat_map(Lists::people).collect();
    let cells = refine(&lists.iter().collect::<Vec<_>>(), people, columns, known);
    cells.iter().all(|cell| cell.judge(columns, known, &models(length), &Silent).unwrap().is_empty())
}

/// A line of each release for each person.
type World = Vec<Vec<Option<Line>>>;

/// All histories that lead to somebody's lines, nothing being left out: the places of the events.
fn histories(world: &World, person: usize) -> Vec<Vec<usize>> {
    let mut lines = world.iter().filter_map(|lines| lines[person].as_ref());
    let Some(first) = lines.next() else { return vec![Vec::new()] };
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in first {
        all = all
            .iter()
            .flat_map(|some| LEAVES.map(|leaf| some.iter().copied().chain([leaf]).collect()))
            .collect();
    }
    all.retain(|history| {
        world.iter().filter_map(|lines| lines[person].as_ref()).all(|line| {
            line.len() == history.len()
                && line.iter().zip(history).all(|((cell, _), leaf)| above(*cell, *leaf))
        })
    });
    all
}

/// Whether one history with one list of values leads to all lines of somebody.
fn may_stay(world: &World, person: usize) -> bool {
    let values = |line: &Line| line.iter().map(|(_, hiv)| *hiv).collect::<Vec<bool>>();
    let mut lines = world.iter().filter_map(|lines| lines[person].as_ref().map(values));
    let first = lines.next();
    lines.all(|line| Some(line) == first) && !histories(world, person).is_empty()
}

fn contains(history: &[usize], known: &[usize]) -> bool {
    let mut rest = history.iter();
    known.iter().all(|item| rest.any(|leaf| above(*item, *leaf)))
}

/// Whether somebody may be known by this.
fn fits(world: &World, person: usize, known: &[usize]) -> bool {
    histories(world, person).iter().any(|history| contains(history, known))
}

fn has_hiv(world: &World, person: usize) -> bool {
    world.iter().filter_map(|lines| lines[person].as_ref()).flatten().any(|(_, hiv)| *hiv)
}

fn was_in(world: &World, person: usize) -> Vec<bool> {
    world.iter().map(|lines| lines[person].is_some()).collect()
}

/// All that can be known: lists of up to `length` places.
fn knowable(length: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for at in 0..length {
        let longest = all.iter().filter(|known| known.len() == at);
        let longer: Vec<Vec<usize>> = longest
            .flat_map(|known| (0..4).map(|item| known.iter().copied().chain([item]).collect()))
            .collect();
        all.extend(longer);
    }
    all.retain(|known| !known.is_empty());
    all
}

fn holds(world: &World, crowd: &[usize]) -> bool {
    let having = crowd.iter().filter(|&&person| has_hiv(world, person)).count();
    crowd.len() >= K && having as f64 / crowd.len() as f64 <= C
}

/// The judge, in a few lines of its own.
fn passes(world: &World, length: Option<usize>) -> bool {
    let people: Vec<usize> =
        (0..world[0].len()).filter(|&person| was_in(world, person).contains(&true)).collect();
    let of_same_releases = |person: usize| {
        people.iter().copied().filter(move |&other| was_in(world, other) == was_in(world, person))
    };
    let places = |person: usize| -> Vec<Option<Vec<usize>>> {
        world
            .iter()
            .map(|lines| lines[person].as_ref().map(|line| line.iter().map(|(cell, _)| *cell).collect()))
            .collect()
    };
    people.iter().all(|&person| match length {
        None => {
            let crowd: Vec<usize> =
                of_same_releases(person).filter(|&other| places(other) == places(person)).collect();
            holds(world, &crowd)
        }
        Some(length) => knowable(length).iter().filter(|known| fits(world, person, known)).all(|known| {
            let crowd: Vec<usize> =
                of_same_releases(person).filter(|&other| fits(world, other, known)).collect();
            holds(world, &crowd)
        }),
    })
}

fn orders(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..things.len() {
        let mut rest = things.to_vec();
        let first = rest.remove(at);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

/// All ways to hand out the lines of each release to those who are in it: for each person the row.
fn worlds(real: &World) -> Vec<Vec<Vec<Option<usize>>>> {
    let mut all: Vec<Vec<Vec<Option<usize>>>> = vec![Vec::new()];
    for lines in real {
        let members: Vec<usize> = (0..lines.len()).filter(|&person| lines[person].is_some()).collect();
        let mut longer = Vec::new();
        for order in orders(&members) {
            let mut rows = vec![None; lines.len()];
            members.iter().zip(order).for_each(|(&person, row)| rows[person] = Some(row));
            longer.extend(
                all.iter().map(|before| before.iter().cloned().chain([rows.clone()]).collect::<Vec<_>>()),
            );
        }
        all = longer;
    }
    all
}

/// The best that anybody does: how sure they are of a row, and of the illness. They know that histories stay as they are, and all
/// places of somebody or some of them. `judged`: only worlds count that the judge would have let pass.
fn best_guess(releases: &Releases, length: Option<usize>, judged: bool) -> (f64, f64) {
    let real = &releases.lines;
    let people = real[0].len();
    let mut possible: Vec<(Vec<Vec<Option<usize>>>, World)> = Vec::new();
    for rows in worlds(real) {
        let world: World = rows
            .iter()
            .enumerate()
            .map(|(at, rows)| rows.iter().map(|row| row.and_then(|row| real[at][row].clone())).collect())
            .collect();
        if (0..people).all(|person| may_stay(&world, person)) && (!judged || passes(&world, length)) {
            possible.push((rows, world));
        }
    }
    let (mut row_sure, mut hiv_sure): (f64, f64) = (0.0, 0.0);
    for person in (0..people).filter(|&person| was_in(real, person).contains(&true)) {
        let truth: Vec<usize> = releases.truth[person].iter().map(|(place, _)| *place).collect();
        let all_known = match length {
            None => vec![truth.clone()],
            Some(length) => knowable(length).into_iter().filter(|known| contains(&truth, known)).collect(),
        };
        for known in all_known {
            let knows = |world: &World| match length {
                None => histories(world, person).contains(&known),
                Some(_) => fits(world, person, &known),
            };
            let fitting: Vec<&(Vec<Vec<Option<usize>>>, World)> =
                possible.iter().filter(|(_, world)| knows(world)).collect();
            let share = |count: usize| count as f64 / fitting.len() as f64;
            hiv_sure =
                hiv_sure.max(share(fitting.iter().filter(|(_, world)| has_hiv(world, person)).count()));
            for at in 0..real.len() {
                for row in 0..people {
                    let theirs = fitting.iter().filter(|(rows, _)| rows[at][person] == Some(row)).count();
                    row_sure = row_sure.max(share(theirs));
                }
            }
        }
    }
    (row_sure, hiv_sure)
}

/// How many are drawn; `SHOAL_WORLDS` says another number.
fn drawn() -> usize {
    std::env::var("SHOAL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200)
}

fn try_out(length: impl Fn(&mut Dice) -> Option<usize>, name: &str, seed: u64) {
    let mut dice = Dice(seed);
    let (mut accepted, mut differ, mut refused, mut beaten) = (0, 0, 0, 0);
    while accepted + refused < drawn() {
        let count = 2 + dice.below(4) / 3;
        let releases = draw(&mut dice, count);
        let length = length(&mut dice);

        let most = releases.lines.iter().map(|lines| lines.iter().flatten().count()).max();
        // All orders of more people take too long; a release that is broken alone is no news.
        let alone = releases.lines.iter().all(|lines| accepts(std::slice::from_ref(lines), length));
        if !alone || most > Some(if count > 2 { 4 } else { 5 }) {
            continue;
        }
        let beats = |(row, hiv): (f64, f64)| row > 1.0 / K as f64 + 1e-9 || hiv > C + 1e-9;
        if accepts(&releases.lines, length) {
            accepted += 1;
            differ += usize::from(releases.lines[0] != releases.lines[1]);
            let best = best_guess(&releases, length, true);
            assert!(!beats(best), "{best:?} of {releases:?}, {length:?}");
        } else {
            refused += 1;
            beaten += usize::from(beats(best_guess(&releases, length, false)));
        }
    }
    println!("{name}: {accepted} accepted ({differ} differ), {refused} refused, {beaten} of them beaten");
    assert!(accepted > drawn() / 20 && beaten > 0, "{accepted} accepted, {beaten} beaten");
}

#[test]
fn what_is_accepted_of_lists_is_not_beaten() {
    try_out(|_| None, "(k,c)", 3);
}

#[test]
fn what_is_accepted_where_some_values_are_known_is_not_beaten() {
    try_out(|dice| Some(1 + dice.below(2)), "(k,C)^L", 5);
}

fn line(cells: &str) -> Line {
    let cell = |text: &str| {
        let place = text.trim_end_matches('!');
        (CELLS.iter().position(|cell| *cell == place).unwrap(), text.ends_with('!'))
    };
    cells.split_whitespace().map(cell).collect()
}

fn release(lines: &[&str]) -> Vec<Option<Line>> {
    lines.iter().map(|text| (*text != "-").then(|| line(text))).collect()
}

#[test]
fn leavers_who_all_have_hiv_are_seen() {
    let first = ["ab!", "ab!", "ab", "ab", "ab", "ab"];
    let second = ["-", "-", "ab", "ab", "ab", "ab"];
    assert!(accepts(&[release(&first)], None) && accepts(&[release(&second)], None));
    assert!(!accepts(&[release(&first), release(&second)], None));
    // One of two has it: what was promised.
    let second = ["-", "ab!", "-", "ab", "ab", "ab"];
    assert!(accepts(&[release(&first), release(&second)], None));
    assert!(accepts(&[release(&first), release(&second)], Some(2)));
}

#[test]
fn the_refined_event_has_the_lower_node_and_a_missing_one_is_that_of_the_other_release() {
    let tree = tree();
    let quasi: [Quasi<'_>; 1] = [("place", Some(&tree))];
    let events = |text: &str, release: usize| -> Vec<Event> {
        line(text)
            .into_iter()
            .map(|(cell, hiv)| Event {
                release,
                quasi: vec![Some(CELLS[cell].to_owned())],
                unchanged: vec![Some(if hiv { "HIV" } else { "flu" }.to_owned())],
            })
            .collect()
    };
    let merge = |one: &str, other: &str| -> Vec<String> {
        let merged = merged(&events(one, 0), &events(other, 1), &quasi);
        merged.into_iter().map(|event| event.quasi[0].clone().unwrap_or_default()).collect()
    };
    assert_eq!(merge("ab c", "a *"), ["a", "c"]);
    assert_eq!(merge("a c", "ab b c"), ["a", "b", "c"]);
    // Another value is another event; so is a place beside it.
    assert_eq!(merge("a!", "ab"), ["a", "ab"]);
    assert_eq!(merge("a", "b"), ["a", "b"]);
    assert_eq!(merge("", "a b"), ["a", "b"]);
}
