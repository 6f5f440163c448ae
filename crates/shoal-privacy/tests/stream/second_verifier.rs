//! The same promises said once more, slowly: everything that was ever published is looked at again for every question.

use std::collections::{BTreeMap, BTreeSet};

use shoal_core::stream::{StreamLine, StreamPromise};

use super::support::{Event, Line, Tuple};

/// Whether a whole stream is as promised.
pub(crate) fn is_sound(promise: StreamPromise, events: &[Event]) -> bool {
    let Some(shown) = pair(events) else { return false };
    match promise {
        StreamPromise::Sets { l } => in_turn(&shown) && shown.iter().all(|shown| is_hidden(shown, l)),
        StreamPromise::Groups { l, max_open_groups } => {
            in_turn(&shown) && groups_are_sound(&shown, l, max_open_groups)
        }
        StreamPromise::Crowds { k, l, delta, max_wait: _, reuse } => {
            crowds_are_sound(events, &shown, k, l, delta)
                && events.iter().all(in_order_of_content)
                && (reuse || events.iter().all(|event| is_whole(event, k, l)))
        }
    }
}

/// A line, the number of its event, and its tuple.
struct Shown<'e> {
    event: usize,
    line: &'e Line,
    tuple: Option<&'e Tuple>,
}

fn pair(events: &[Event]) -> Option<Vec<Shown<'_>>> {
    let mut all = Vec::new();
    for (event, content) in events.iter().enumerate() {
        let Event::Admit { lines, tuples } = content else { continue };
        let mut tuples = tuples.iter();
        for line in lines {
            let tuple = match line {
                StreamLine::Slot { .. } => None,
                _ => Some(tuples.next()?),
            };
            all.push(Shown { event, line, tuple });
        }
        if tuples.next().is_some() {
            return None;
        }
    }
    Some(all)
}

fn in_turn(shown: &[Shown<'_>]) -> bool {
    let positions: Vec<u64> =
        shown.iter().filter_map(|shown| shown.tuple).map(|tuple| tuple.position).collect();
    positions.iter().copied().eq(0..positions.len() as u64)
}

fn is_hidden(shown: &Shown<'_>, l: usize) -> bool {
    let (StreamLine::Set { cells, values }, Some(tuple)) = (shown.line, shown.tuple) else { return false };
    let distinct: BTreeSet<_> = values.iter().collect();
    *cells == tuple.cells
        && values.iter().eq(distinct.iter().copied())
        && values.len() == l
        && values.contains(&tuple.value)
}

fn groups_are_sound(shown: &[Shown<'_>], l: usize, max_open_groups: usize) -> bool {
    let group_of = |shown: &Shown<'_>| match shown.line {
        StreamLine::Slot { group, .. } | StreamLine::Member { group, .. } => Some(*group),
        _ => None,
    };
    let is_slot = |shown: &Shown<'_>| matches!(shown.line, StreamLine::Slot { .. });
    // Values stand in one block, with a member of the group directly below, in the same event.
    let below = |at: usize| shown.get(at + 1).filter(|next| next.event == shown[at].event).and_then(group_of);
    let blocks_end_well =
        (0..shown.len()).all(|at| !is_slot(&shown[at]) || below(at) == group_of(&shown[at]));
    if !blocks_end_well {
        return false;
    }
    let opened: Vec<u64> = (0..shown.len())
        .filter(|&at| is_slot(&shown[at]) && !is_slot(&shown[at + 1]))
        .filter_map(|at| group_of(&shown[at]))
        .collect();
    if !opened.windows(2).all(|pair| pair[0] < pair[1]) {
        return false;
    }
    (0..shown.len()).filter(|&at| !is_slot(&shown[at])).all(|at| {
        let (StreamLine::Member { group, cells }, Some(tuple)) = (shown[at].line, shown[at].tuple) else {
            return false;
        };
        let before = &shown[..at];
        *cells == tuple.cells
            && is_diverse(before, *group, l)
            && has_room(before, *group, tuple)
            && !given_up(before, max_open_groups).contains(group)
    }) && shown.iter().all(|shown| group_of(shown).is_some())
}

fn slots<'e>(shown: &'e [Shown<'e>], id: u64) -> Vec<(&'e str, u64)> {
    let of = |shown: &'e Shown<'e>| match shown.line {
        StreamLine::Slot { group, value, count } if *group == id => Some((&**value, *count)),
        _ => None,
    };
    shown.iter().filter_map(of).collect()
}

fn members<'e>(shown: &'e [Shown<'e>], id: u64) -> Vec<&'e Tuple> {
    let is_in = |shown: &&Shown<'_>| matches!(shown.line, StreamLine::Member { group, .. } if *group == id);
    shown.iter().filter(is_in).filter_map(|shown| shown.tuple).collect()
}

fn is_diverse(before: &[Shown<'_>], id: u64, l: usize) -> bool {
    let slots = slots(before, id);
    let sum: u64 = slots.iter().map(|(_, count)| count).sum();
    let distinct: BTreeSet<_> = slots.iter().map(|(value, _)| value).collect();
    slots.iter().map(|(value, _)| value).eq(distinct.iter().copied())
        && distinct.len() >= l
        && slots.iter().all(|(_, count)| *count > 0 && *count as f64 <= sum as f64 / l as f64)
}

fn has_room(before: &[Shown<'_>], id: u64, tuple: &Tuple) -> bool {
    let members = members(before, id);
    let places =
        slots(before, id).iter().find(|(value, _)| *value == tuple.value).map_or(0, |(_, count)| *count);
    let taken = members.iter().filter(|member| member.value == tuple.value).count() as u64;
    taken < places && members.iter().all(|member| member.cells[..3] != tuple.cells[..3])
}

/// Which groups have been given up: whenever one was opened, the oldest of those that were open and too many.
fn given_up(shown: &[Shown<'_>], max_open_groups: usize) -> BTreeSet<u64> {
    let mut gone = BTreeSet::new();
    for at in 0..shown.len() {
        let StreamLine::Member { group, .. } = shown[at].line else { continue };
        let so_far = &shown[..=at];
        if members(so_far, *group).len() > 1 {
            continue;
        }
        let ids: BTreeSet<u64> = so_far
            .iter()
            .filter_map(|shown| match shown.line {
                StreamLine::Member { group, .. } => Some(*group),
                _ => None,
            })
            .collect();
        let is_open = |id: &u64| {
            let places: u64 = slots(so_far, *id).iter().map(|(_, count)| count).sum();
            !gone.contains(id) && (members(so_far, *id).len() as u64) < places
        };
        let open: Vec<u64> = ids.into_iter().filter(is_open).collect();
        if open.len() > max_open_groups {
            gone.insert(open[0]);
        }
    }
    gone
}

fn crowds_are_sound(events: &[Event], shown: &[Shown<'_>], k: usize, l: usize, delta: usize) -> bool {
    let arrived: Vec<&Tuple> = events
        .iter()
        .filter_map(|event| match event {
            Event::Arrive(tuple) => Some(tuple),
            Event::Advance(_) | Event::Admit { .. } => None,
        })
        .collect();
    let once: BTreeMap<u64, usize> = shown.iter().filter_map(|s| s.tuple).map(|t| (t.position, 0)).collect();
    let all_once = once.len() == arrived.len() && shown.len() == arrived.len();
    let in_order = arrived.iter().map(|tuple| tuple.position).eq(0..arrived.len() as u64);
    all_once
        && in_order
        && shown.iter().all(is_true)
        && (0..events.len()).all(|now| {
            let Event::Admit { .. } = &events[now] else { return true };
            let here: Vec<&Tuple> = events[..now]
                .iter()
                .filter_map(|event| match event {
                    Event::Arrive(tuple) => Some(tuple),
                    Event::Advance(_) | Event::Admit { .. } => None,
                })
                .collect();
            let left: Vec<&Shown<'_>> = shown.iter().filter(|shown| shown.event <= now).collect();
            let has_left =
                |position: u64| left.iter().any(|s| s.tuple.is_some_and(|t| t.position == position));
            let in_time = (0..here.len()).all(|at| at + delta >= here.len() || has_left(at as u64));
            let true_ones = left.iter().all(|s| s.tuple.is_some_and(|tuple| here.contains(&tuple)));
            in_time && true_ones && crowds(&left).iter().all(|crowd| is_crowd(crowd, k, l))
        })
}

/// Whether what leaves together stands as sorting it would put it.
fn in_order_of_content(event: &Event) -> bool {
    let Event::Admit { lines, .. } = event else { return true };
    let text = |line: &Line| match line {
        StreamLine::Row { cells, value } => {
            cells.iter().map(ToString::to_string).chain([value.to_string()]).collect()
        }
        _ => Vec::new(),
    };
    let shown: Vec<Vec<String>> = lines.iter().map(text).collect();
    let mut sorted = shown.clone();
    sorted.sort();
    shown == sorted
}

/// Whether every class of what leaves together is a crowd by itself.
fn is_whole(event: &Event, k: usize, l: usize) -> bool {
    let Event::Admit { lines, tuples } = event else { return true };
    let shown: Vec<Shown<'_>> =
        lines.iter().zip(tuples).map(|(line, tuple)| Shown { event: 0, line, tuple: Some(tuple) }).collect();
    crowds(&shown.iter().collect::<Vec<_>>()).iter().all(|crowd| is_crowd(crowd, k, l))
}

/// Lines with the same quasi-identifiers, the suppressed left out.
fn crowds<'e>(left: &[&'e Shown<'e>]) -> Vec<Vec<&'e Tuple>> {
    let mut crowds: BTreeMap<String, Vec<&Tuple>> = BTreeMap::new();
    for shown in left {
        let (StreamLine::Row { cells, .. }, Some(tuple)) = (shown.line, shown.tuple) else { continue };
        if !is_nothing(shown.line) {
            crowds.entry(format!("{:?}", &cells[..3])).or_default().push(tuple);
        }
    }
    crowds.into_values().collect()
}

fn is_crowd(crowd: &[&Tuple], k: usize, l: usize) -> bool {
    let people: BTreeSet<_> =
        crowd.iter().map(|t| t.person.as_deref().map_or(t.position.to_string(), String::from)).collect();
    let values: BTreeSet<_> = crowd.iter().map(|tuple| &tuple.value).collect();
    people.len() >= k && values.len() >= l
}

fn is_nothing(line: &Line) -> bool {
    matches!(line, StreamLine::Row { cells, value } if value == "*" && cells.iter().all(|cell| cell == "*"))
}

/// What the texts of the test's columns mean, written out.
fn is_true(shown: &Shown<'_>) -> bool {
    let (StreamLine::Row { cells, value }, Some(tuple)) = (shown.line, shown.tuple) else { return false };
    if is_nothing(shown.line) {
        return true;
    }
    let meaning: &[&str] = &["30", "31", "32", "Bonn", "Köln", "Jena", "red", "green", "x", "y"];
    let means = |cell: &str, original: &str| match cell {
        "*" => true,
        "[30, 31]" => ["30", "31"].contains(&original),
        "[29, 40]" => ["30", "31", "32"].contains(&original),
        "[31, 40]" => ["31", "32"].contains(&original),
        "West" => ["Bonn", "Köln"].contains(&original),
        "East" => original == "Jena",
        "{green, red}" => ["green", "red"].contains(&original),
        "{red}" => original == "red",
        exact => meaning.contains(&exact) && exact == original,
    };
    cells[..3].iter().zip(&tuple.cells).all(|(cell, original)| means(cell, original))
        && cells[3] == tuple.cells[3]
        && *value == tuple.value
}
