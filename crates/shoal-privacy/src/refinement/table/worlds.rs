//! Whatever the refinement accepts is not beaten: small releases, all worlds tried out. The attacker and the judge of
//! worlds share no code with the refinement, nor with the models.
//!
//! The attacker knows of everybody in which classes their rows are, and whether they have a value there. A world hands out
//! the rows of each class to those who are in it, and counts where the judge would have let it pass.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::Rule;

use super::tests::{file, missing, models};
use super::*;
use crate::refinement::worlds::{Dice, combine, drawn, orders};

const K: usize = 2;
const L: usize = 2;
/// Values are numbers, and no value is one that nobody has.
const EMPTY: usize = 0;
/// More worlds take too long.
const MOST_WORLDS: usize = 4_000;

/// What is promised beside k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Crowds,
    Distinct,
    Frequency,
}

/// A class and a value.
type Row = (usize, usize);

/// By release the rows, with their people.
type Release = Vec<(usize, Row)>;

/// What somebody has in each class of each release where they are.
type Shown = BTreeMap<(usize, usize), BTreeSet<usize>>;

/// By person.
type World = Vec<Shown>;

fn draw(dice: &mut Dice, releases: usize, stays: bool) -> (usize, Vec<Release>) {
    let people = 3 + dice.below(4);
    let values = 3 + dice.below(2);
    let own: Vec<usize> = (0..people).map(|_| 1 + dice.below(values)).collect();
    // Few ways to be in the releases, so that some have company.
    let ways: Vec<Vec<Vec<usize>>> = (0..1 + dice.below(2))
        .map(|_| {
            (0..releases)
                .map(|_| {
                    let rows = [0, 1, 1, 1, 1, 2, 2, 3][dice.below(8)];
                    (0..rows).map(|_| dice.below(2)).collect()
                })
                .collect()
        })
        .collect();
    let (often_empty, often_new) = (dice.below(3), dice.below(3));
    let mut all = vec![Release::new(); releases];
    for (person, own) in own.into_iter().enumerate() {
        let way = &ways[dice.below(ways.len())];
        for (release, classes) in all.iter_mut().zip(way) {
            let is_there = dice.below(8) > 0;
            for &class in classes.iter().filter(|_| is_there) {
                let value = match () {
                    () if often_empty > 0 && dice.below(4) == 0 => EMPTY,
                    () if !stays && often_new > 0 && dice.below(3) == 0 => 1 + dice.below(values),
                    () => own,
                };
                release.push((person, (class, value)));
            }
        }
    }
    (people, all)
}

/// What the refinement says.
fn accepts(people: usize, releases: &[Release], asked: Asked) -> bool {
    let rule = match asked {
        Asked::Crowds => None,
        Asked::Distinct => Some(Rule::Distinct { l: L }),
        Asked::Frequency => Some(Rule::Frequency { l: L }),
    };
    let (models, missing) = (models(K as u32, rule), missing());
    let text = |value: usize| if value == EMPTY { "?".to_owned() } else { format!("illness{value}") };
    let files: Vec<(RawTable, Vec<u32>)> = releases
        .iter()
        .map(|rows| {
            let rows = rows
                .iter()
                .map(|(person, (class, value))| (format!("class{class} {}", text(*value)), *person as u32));
            let rows: Vec<(String, u32)> = rows.collect();
            file(&rows.iter().map(|(row, person)| (row.as_str(), *person)).collect::<Vec<_>>())
        })
        .collect();
    let mut seen = Vec::new();
    for (file, of) in &files {
        seen.push(Seen::new(file, &["q"], &missing, of.clone(), &models, None).unwrap());
    }
    judge(&seen, &cells_of(&seen, people), |_| true).unwrap().is_empty()
}

/// The classes of somebody's rows in each release, and with `valued` whether there is a value in each.
fn way(releases: &[Release], person: usize, valued: bool) -> Vec<Vec<(usize, bool)>> {
    let of_release = |rows: &Release| {
        let own = rows.iter().filter(|row| row.0 == person);
        let mut own: Vec<(usize, bool)> =
            own.map(|(_, (class, value))| (*class, valued && *value != EMPTY)).collect();
        own.sort_unstable();
        own
    };
    releases.iter().map(of_release).collect()
}

/// The releases with their rows handed out in another way.
fn handed_out(real: &[Release], order: &[Vec<usize>]) -> Vec<Release> {
    let swap = |(rows, order): (&Release, &Vec<usize>)| {
        rows.iter().zip(order).map(|((person, _), &row)| (*person, rows[row].1)).collect()
    };
    real.iter().zip(order).map(swap).collect()
}

/// All ways to hand out the rows of each class to those who are in it: for each row the one that stands there instead.
fn all_orders(real: &[Release]) -> Option<Vec<Vec<Vec<usize>>>> {
    let mut of_releases = Vec::new();
    for rows in real {
        let classes: BTreeSet<usize> = rows.iter().map(|row| row.1.0).collect();
        let of_classes: Vec<Vec<usize>> = classes
            .iter()
            .map(|class| (0..rows.len()).filter(|&row| rows[row].1.0 == *class).collect())
            .collect();
        if of_classes.iter().any(|rows| rows.len() > 6) {
            return None;
        }
        let chosen = combine(&of_classes.iter().map(|rows| orders(rows)).collect::<Vec<_>>());
        let order = |chosen: Vec<Vec<usize>>| {
            let mut order = vec![0; rows.len()];
            for (from, to) in of_classes.iter().zip(chosen) {
                from.iter().zip(to).for_each(|(&from, to)| order[from] = to);
            }
            order
        };
        of_releases.push(chosen.into_iter().map(order).collect::<Vec<_>>());
    }
    let count: usize = of_releases.iter().map(Vec::len).product();
    (count <= MOST_WORLDS).then(|| combine(&of_releases))
}

fn shown(people: usize, releases: &[Release]) -> World {
    let mut world = vec![Shown::new(); people];
    for (release, rows) in releases.iter().enumerate() {
        for &(person, (class, value)) in rows {
            let values = world[person].entry((release, class)).or_default();
            values.extend((value != EMPTY).then_some(value));
        }
    }
    world
}

/// Whether nobody has two values.
fn may_stay(world: &World) -> bool {
    world.iter().all(|shown| shown.values().flatten().collect::<BTreeSet<_>>().len() < 2)
}

/// The judge, in a few lines of its own.
fn passes(people: usize, releases: &[Release], asked: Asked) -> bool {
    let world = shown(people, releases);
    (0..people).all(|person| {
        let crowd = |valued: bool| {
            let own = way(releases, person, valued);
            (0..people).filter(|&other| way(releases, other, valued) == own).collect::<Vec<_>>()
        };
        let alike = crowd(true);
        world[person].keys().all(|place| {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            alike
                .iter()
                .flat_map(|&other| &world[other][place])
                .for_each(|&v| *counts.entry(v).or_default() += 1);
            let valued = alike.iter().filter(|&&other| !world[other][place].is_empty()).count();
            let mut counts: Vec<usize> = counts.into_values().collect();
            counts.sort_unstable();
            let most: usize = counts.iter().rev().take(L - 1).sum();
            crowd(false).len() >= K
                && match asked {
                    Asked::Crowds => true,
                    // However one value of each is looked at, L - 1 values are not all of them.
                    Asked::Distinct => valued == 0 || most < valued,
                    Asked::Frequency => counts.last().copied().unwrap_or(0) * L <= valued,
                }
        })
    })
}

/// What an attacker achieves.
#[derive(Debug, Default)]
struct Best {
    /// How few may be the owner of somebody's rows of all releases.
    owners: usize,
    /// How sure of a value in a class.
    value: f64,
    /// How sure of a value in any row.
    any: f64,
}

impl Best {
    fn beats(&self, asked: Asked, stays: bool) -> bool {
        match asked {
            Asked::Crowds => self.owners < K,
            Asked::Distinct => self.owners < K || self.value > 1.0 - 1e-9 || self.any > 1.0 - 1e-9,
            Asked::Frequency => {
                let bound = 1.0 / L as f64 + 1e-9;
                self.owners < K || self.value > bound || stays && self.any > bound
            }
        }
    }
}

/// `stays`: the attacker takes values to stay. `judged`: only worlds count that the judge would have let pass.
fn best_guess(
    people: usize,
    real: &[Release],
    orders: &[Vec<Vec<usize>>],
    asked: Asked,
    stays: bool,
    judged: bool,
) -> Best {
    let mut possible = Vec::new();
    for order in orders {
        let releases = handed_out(real, order);
        let world = shown(people, &releases);
        if (!stays || may_stay(&world)) && (!judged || passes(people, &releases, asked)) {
            possible.push((order, releases, world));
        }
    }
    let truth = shown(people, real);
    let mut best = Best { owners: usize::MAX, ..Best::default() };
    for person in (0..people).filter(|&person| !truth[person].is_empty()) {
        // Who may own what this person owns.
        let rows_of = |order: &[Vec<usize>], person: usize| -> Vec<BTreeSet<usize>> {
            let of_release = |(rows, order): (&Release, &Vec<usize>)| {
                rows.iter().zip(order).filter(|(row, _)| row.0 == person).map(|(_, &row)| row).collect()
            };
            real.iter().zip(order).map(of_release).collect()
        };
        let identity: Vec<Vec<usize>> = real.iter().map(|rows| (0..rows.len()).collect()).collect();
        let own = rows_of(&identity, person);
        let is_owner = |other: &usize| possible.iter().any(|(order, _, _)| rows_of(order, *other) == own);
        best.owners = best.owners.min((0..people).filter(is_owner).count());
        // What is known of them: their classes, and where they have a value or not.
        for valued in [false, true] {
            let known = way(real, person, valued);
            let fitting: Vec<&World> = possible
                .iter()
                .filter(|(_, releases, _)| way(releases, person, valued) == known)
                .map(|(_, _, world)| world)
                .collect();
            let share = |of: &dyn Fn(&Shown) -> Option<bool>| {
                let answers: Vec<bool> = fitting.iter().filter_map(|world| of(&world[person])).collect();
                let right = answers.iter().filter(|right| **right).count();
                if answers.is_empty() { 0.0 } else { right as f64 / answers.len() as f64 }
            };
            for value in 1..=4 {
                for place in truth[person].keys() {
                    // Whoever has no value there has no secret there.
                    let has = |shown: &Shown| {
                        let values = &shown[place];
                        (!values.is_empty()).then(|| values.contains(&value))
                    };
                    best.value = best.value.max(share(&has));
                }
                let has = |shown: &Shown| {
                    let mut values = shown.values().flatten().peekable();
                    values.peek()?;
                    Some(values.any(|own| *own == value))
                };
                best.any = best.any.max(share(&has));
            }
        }
    }
    best
}

fn try_out(asked: Asked, seed: u64) {
    let mut dice = Dice(seed);
    let (mut accepted, mut differ, mut several, mut refused, mut beaten, mut sure) = (0, 0, 0, 0, 0, 0);
    while accepted + refused < drawn(60) {
        let count = 1 + [0, 1, 1, 1, 1, 1, 2, 2][dice.below(8)];
        let stays = dice.below(2) == 0;
        let (people, releases) = draw(&mut dice, count, stays);
        // A release that is broken alone is no news, where people have one row.
        let row_by_row = |rows: &Release| {
            let rows: Release = rows.iter().enumerate().map(|(at, row)| (at, row.1)).collect();
            rows.is_empty() || accepts(rows.len(), &[rows], asked)
        };
        if !releases.iter().all(row_by_row) || releases.iter().all(Vec::is_empty) {
            continue;
        }
        let Some(orders) = all_orders(&releases) else { continue };
        let passes = passes(people, &releases, asked);
        assert_eq!(accepts(people, &releases, asked), passes, "{asked:?} {releases:?}");
        let guess = |stays, judged| best_guess(people, &releases, &orders, asked, stays, judged);
        if passes {
            accepted += 1;
            differ += usize::from(releases.iter().any(|rows| *rows != releases[0]));
            let rows = |person| releases[0].iter().filter(|row| row.0 == person).count();
            several += usize::from((0..people).any(|person| rows(person) > 1));
            for stays in [false, true].into_iter().take(1 + usize::from(stays)) {
                let best = guess(stays, true);
                assert!(!best.beats(asked, stays), "{best:?} {stays} of {releases:?}, {asked:?}");
                sure += usize::from(asked == Asked::Frequency && best.any > 1.0 / L as f64 + 1e-9);
            }
        } else {
            refused += 1;
            beaten += usize::from(guess(stays, false).beats(asked, stays));
        }
    }
    println!(
        "tables, {asked:?}: {accepted} accepted ({differ} differ, {several} with several rows of a person), \
         {refused} refused, {beaten} of them beaten; in {sure} accepted ones a value that changes is in one of \
         somebody's rows with more than 1/l"
    );
    assert!(accepted > drawn(60) / 20 && beaten > 0, "{accepted} accepted, {beaten} beaten");
}

#[test]
fn what_is_accepted_keeps_crowds() {
    try_out(Asked::Crowds, 11);
}

#[test]
fn what_is_accepted_leaves_nobody_certain() {
    try_out(Asked::Distinct, 12);
}

#[test]
fn what_is_accepted_keeps_shares() {
    try_out(Asked::Frequency, 13);
}
