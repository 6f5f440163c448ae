use std::collections::HashMap;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shoal_core::{Limit, Progress};

use super::SequencesTarget;
use super::forms::{Forms, Sensitive};
use super::known::{Knowable, KnownEvent};
use crate::attack::{Attack, Attacks, PersonRisk, ROUNDING};

/// Sets of exact values that are all tried; more are drawn. Each is held against every form.
const MOST_SETS: u64 = 200_000;
/// Sets that are drawn.
const DRAWN: usize = 20_000;
/// How often what is drawn is an exact value and not a node above it. Exact values make the smallest crowds; shares of sensitive
/// values may be larger in coarser ones.
const EXACT: f64 = 0.7;

/// Something known about somebody.
pub(super) struct Case {
    pub person: u32,
    pub known: Vec<KnownEvent>,
}

/// What a case has led to.
struct Outcome {
    person: u32,
    crowd: u64,
    /// For each limit the share and what is allowed, of the value that is farthest above.
    shares: Vec<Option<(f64, f64)>>,
}

/// The adversary who knows up to `length` values of somebody's events.
pub(super) fn attack(
    target: &SequencesTarget<'_>,
    forms: &Forms,
    length: usize,
    progress: &dyn Progress,
    found: &mut Attacks,
) {
    let knowable = Knowable::of(target, forms);
    let limits: Vec<(&Limit, &Sensitive, Vec<bool>)> = target
        .promise
        .limits
        .iter()
        .filter_map(|limit| {
            let sensitive = forms.sensitive.iter().find(|sensitive| sensitive.name == limit.column)?;
            Some((limit, sensitive, sensitive.named(limit.values.as_deref())))
        })
        .collect();
    let (mut cases, all) = exact_cases(target, &knowable, length);
    cases.extend(drawn_cases(target, &knowable, length));
    let try_case = |case: &Case| {
        progress.check();
        let fitting: Vec<u32> = (0..forms.events.len() as u32)
            .filter(|&form| knowable.fit(&forms.events[form as usize], &case.known))
            .collect();
        let crowd = forms.crowd(&fitting);
        let share = |(limit, sensitive, wanted): &(&Limit, &Sensitive, Vec<bool>)| {
            let counts = sensitive.tally(&fitting).into_iter().filter(|(value, _)| wanted[*value as usize]);
            let shares = counts.map(|(value, count)| {
                let p = sensitive.everybody[value as usize] as f64 / forms.people as f64;
                (count as f64 / crowd as f64, limit.bound.allowed(p))
            });
            shares.max_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)))
        };
        (crowd, limits.iter().map(share).collect::<Vec<_>>())
    };
    // Short sets are known of many people; what one of them leads to does not depend on whom it is known of.
    let mut numbers: HashMap<&[KnownEvent], usize> = HashMap::new();
    let mut different: Vec<&Case> = Vec::new();
    let number_of: Vec<usize> = cases
        .iter()
        .map(|case| {
            *numbers.entry(&case.known).or_insert_with(|| {
                different.push(case);
                different.len() - 1
            })
        })
        .collect();
    let answers: Vec<_> = different.par_iter().map(|case| try_case(case)).collect();
    let outcomes: Vec<Outcome> = cases
        .iter()
        .zip(number_of)
        .map(|(case, number)| {
            let (crowd, shares) = &answers[number];
            Outcome { person: case.person, crowd: *crowd, shares: shares.clone() }
        })
        .collect();

    let k = target.promise.k as u64;
    let tries = outcomes.iter().filter(|outcome| outcome.crowd > 0).count() as u64;
    let searched = |attack: Attack, beating: u64| if all { attack } else { attack.searched(beating, tries) };
    let question = format!(
        "Whoever knows up to {length} values of somebody's events, in order, looks for the published people who fit."
    );
    let fitting = || outcomes.iter().filter(|outcome| outcome.crowd > 0);
    let below = fitting().filter(|outcome| outcome.crowd < k).count() as u64;
    let attack = match fitting().min_by_key(|outcome| outcome.crowd) {
        None => Attack::exact("some values in order", question, 0.0)
            .worst("nobody fits anything that was tried", None),
        Some(worst) => {
            let mean = fitting().map(|outcome| 1.0 / outcome.crowd as f64).sum::<f64>() / tries as f64;
            let words = format!("{} published people fit what is known", worst.crowd);
            Attack::exact("some values in order", question, 1.0 / worst.crowd as f64)
                .mean(mean)
                .worst(words, Some(target.source_rows[worst.person as usize]))
        }
    };
    found.attacks.push(searched(attack.promised(1.0 / k as f64), below));
    for (at, (limit, sensitive, _)) in limits.iter().enumerate() {
        let shares = || fitting().filter_map(|outcome| Some((outcome, outcome.shares[at]?)));
        let excess = |(share, allowed): (f64, f64)| share - allowed;
        let Some((worst, (share, allowed))) =
            shares().max_by(|(_, a), (_, b)| excess(*a).total_cmp(&excess(*b)))
        else {
            continue;
        };
        let beating = shares().filter(|(_, share)| excess(*share) > ROUNDING).count() as u64;
        let column = &sensitive.name;
        let question = format!(
            "Whoever knows up to {length} values of somebody's events guesses the value of `{column}` that the crowd gives away most of."
        );
        let words = format!(
            "one value has {:.1} % of a crowd where {:.1} % are allowed",
            100.0 * share,
            100.0 * allowed
        );
        let name = match limit.bound {
            shoal_core::Bound::Share(_) => "share of a value",
            shoal_core::Bound::Gain(_) => "gain of a value",
        };
        let attack = Attack::exact(name, question, share).of_column(column).promised(allowed);
        // Coarser values are always drawn, so that these shares never are all there are.
        let attack =
            attack.worst(words, Some(target.source_rows[worst.person as usize])).searched(beating, tries);
        found.attacks.push(attack);
    }
    let mut crowds = vec![0; target.original.persons()];
    for outcome in fitting() {
        let crowd = &mut crowds[outcome.person as usize];
        *crowd = if *crowd == 0 { outcome.crowd } else { outcome.crowd.min(*crowd) };
    }
    let risk = |(&crowd, &record): (&u64, &u32)| PersonRisk { record, crowd, guesses: Vec::new() };
    found.people = crowds.iter().zip(target.source_rows).map(risk).collect();
    found.people.sort_by_key(|risk| risk.record);
}

/// All sets of up to `length` exact values of everybody, and whether that is what it is: none where they are too many.
///
/// Smaller sets are tried, too: an event that was left out makes a larger one fit nobody.
pub(super) fn exact_cases(
    target: &SequencesTarget<'_>,
    knowable: &Knowable,
    length: usize,
) -> (Vec<Case>, bool) {
    let mut sets = 0_u64;
    for events in target.original.iter() {
        let items = (events.len() * knowable.len()) as u64;
        let mut of_size = 1_u64;
        for size in 1..=length.min(items as usize) as u64 {
            of_size = of_size.saturating_mul(items - size + 1) / size;
            sets = sets.saturating_add(of_size);
        }
    }
    if sets > MOST_SETS {
        return (Vec::new(), false);
    }
    let mut cases = Vec::new();
    for (person, events) in target.original.iter().enumerate() {
        let items: Vec<(usize, usize)> =
            events.flat_map(|event| (0..knowable.len()).map(move |column| (event, column))).collect();
        let mut chosen = Vec::new();
        each_set(&items, length, &mut chosen, &mut |chosen| {
            let thing = |&(event, column): &(usize, usize)| {
                (event, column, knowable.things(target, event, column)[0])
            };
            cases.push(Case { person: person as u32, known: grouped(chosen.iter().map(thing)) });
        });
    }
    (cases, true)
}

fn each_set(
    items: &[(usize, usize)],
    most: usize,
    chosen: &mut Vec<(usize, usize)>,
    each: &mut impl FnMut(&[(usize, usize)]),
) {
    for (at, &item) in items.iter().enumerate() {
        chosen.push(item);
        each(chosen);
        if chosen.len() < most {
            each_set(&items[at + 1..], most, chosen, each);
        }
        chosen.pop();
    }
}

/// Sets of values and of nodes above them, drawn.
pub(super) fn drawn_cases(target: &SequencesTarget<'_>, knowable: &Knowable, length: usize) -> Vec<Case> {
    let mut random = ChaCha8Rng::seed_from_u64(target.seed);
    let people = target.original.persons();
    if people == 0 || knowable.len() == 0 {
        return Vec::new();
    }
    let mut cases = Vec::with_capacity(DRAWN);
    for _ in 0..DRAWN {
        let person = random.random_range(0..people);
        let events = target.original.events_of(person);
        let mut items: Vec<(usize, usize)> =
            events.flat_map(|event| (0..knowable.len()).map(move |column| (event, column))).collect();
        let size = if random.random_bool(0.5) { length } else { random.random_range(1..=length) };
        let size = size.min(items.len());
        // The first steps of a Fisher-Yates shuffle.
        for at in 0..size {
            let other = random.random_range(at..items.len());
            items.swap(at, other);
        }
        items.truncate(size);
        items.sort_unstable();
        let mut known = Vec::with_capacity(size);
        for (event, column) in items {
            let things = knowable.things(target, event, column);
            let exact = random.random_bool(EXACT);
            let thing = if exact { things[0] } else { things[random.random_range(0..things.len())] };
            known.push((event, column, thing));
        }
        cases.push(Case { person: person as u32, known: grouped(known.into_iter()) });
    }
    cases
}

/// What is known, event by event, in order.
fn grouped(known: impl Iterator<Item = (usize, usize, u32)>) -> Vec<KnownEvent> {
    let mut events: Vec<KnownEvent> = Vec::new();
    let mut last = None;
    for (event, column, thing) in known {
        if last != Some(event) {
            events.push(Vec::new());
            last = Some(event);
        }
        events.last_mut().expect("one was pushed").push((column, thing));
    }
    events
}
