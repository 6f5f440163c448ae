//! Small streams: sound ones from naive kernels, and what can be changed in them.

use std::sync::Arc;

use shoal_core::stream::{StreamLine, StreamPromise, StreamTuple};
use shoal_core::{DateFormat, Hierarchy, Kind, SplitMix64, ValueParser};
use shoal_privacy::stream::{Gate, GateColumn, StreamViolation};

pub(crate) type Line = StreamLine<'static>;
pub(crate) type Tuple = StreamTuple<'static>;

/// What a gate sees.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Advance(u64),
    Arrive(Tuple),
    Admit { lines: Vec<Line>, tuples: Vec<Tuple> },
}

impl Event {
    pub(crate) fn go_through(&self, gate: &mut Gate) -> Result<(), StreamViolation> {
        match self {
            Event::Advance(now) => {
                gate.advance(*now);
                Ok(())
            }
            Event::Arrive(tuple) => gate.arrive(tuple),
            Event::Admit { lines, tuples } => {
                let bytes = [lines.len() as u8];
                gate.admit(&bytes, lines, tuples).map(|admitted| assert_eq!(admitted.bytes(), bytes))
            }
        }
    }
}

/// All events through a new gate, to the end of the stream.
pub(crate) fn run(promise: StreamPromise, events: &[Event]) -> Result<(), StreamViolation> {
    let mut gate = Gate::new(promise, columns());
    events.iter().try_for_each(|event| event.go_through(&mut gate))?;
    gate.finish()
}

/// Age in numbers, town in a hierarchy, a colour without one, and a note that is insensitive.
pub(crate) fn columns() -> Vec<GateColumn> {
    let towns = [["Bonn", "West", "*"], ["Köln", "West", "*"], ["Jena", "East", "*"]].map(Vec::from);
    let tree = Arc::new(Hierarchy::from_rows(&towns).unwrap());
    let column = |name: &str, kind: Kind, quasi: bool, hierarchy| GateColumn {
        name: name.to_owned(),
        quasi,
        parser: ValueParser::new(kind, DateFormat::default()),
        hierarchy,
    };
    vec![
        column("age", Kind::Integer, true, None),
        column("town", Kind::Text, true, Some(tree)),
        column("colour", Kind::Text, true, None),
        column("note", Kind::Text, false, None),
    ]
}

/// A promise of crowds without a limit of time, in which classes may be joined later.
pub(crate) fn crowds_of(k: usize, l: usize, delta: usize) -> StreamPromise {
    StreamPromise::Crowds { k, l, delta, max_wait: None, reuse: true }
}

pub(crate) fn tuple(position: u64, person: Option<&str>, cells: [&str; 4], value: &str) -> Tuple {
    StreamTuple {
        position,
        person: person.map(|person| person.to_owned().into()),
        cells: cells.map(|cell| cell.to_owned().into()).to_vec(),
        value: value.to_owned().into(),
    }
}

pub(crate) fn set(tuple: &Tuple, values: &[&str]) -> Line {
    let values = values.iter().map(|value| (*value).to_owned().into()).collect();
    StreamLine::Set { cells: tuple.cells.clone(), values }
}

pub(crate) fn member(group: u64, tuple: &Tuple) -> Line {
    StreamLine::Member { group, cells: tuple.cells.clone() }
}

pub(crate) fn slot(group: u64, value: &str, count: u64) -> Line {
    StreamLine::Slot { group, value: value.to_owned().into(), count }
}

pub(crate) fn row(cells: [&str; 4], value: &str) -> Line {
    StreamLine::Row {
        cells: cells.map(|cell| cell.to_owned().into()).to_vec(),
        value: value.to_owned().into(),
    }
}

/// A small generator, so that one number makes a whole stream.
pub(crate) struct Dice(SplitMix64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(SplitMix64(seed))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.below(n as u64) as usize
    }

    pub(crate) fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

const VALUES: [&str; 5] = ["asthma", "cold", "cough", "flu", "gout"];

fn draw(position: u64, dice: &mut Dice) -> Tuple {
    let person = dice.one(&["", "Ann", "Bob", "Cem"]);
    let cells = [
        dice.one(&["30", "31"]),
        dice.one(&["Bonn", "Köln", "Jena"]),
        dice.one(&["red", "green"]),
        dice.one(&["x", "y"]),
    ];
    tuple(position, Some(person).filter(|person| !person.is_empty()), cells, dice.one(&VALUES))
}

/// l values with the tuple's own among them, ascending.
fn hide(value: &str, l: usize, dice: &mut Dice) -> Vec<String> {
    let mut values = vec![value.to_owned()];
    while values.len() < l {
        let other = dice.one(&VALUES);
        if !values.iter().any(|known| known == other) {
            values.push(other.to_owned());
        }
    }
    values.sort();
    values
}

pub(crate) fn sets_stream(seed: u64, l: usize) -> (StreamPromise, Vec<Event>) {
    let mut dice = Dice::new(seed);
    let event = |position: u64| {
        let tuple = draw(position, &mut dice);
        let values = hide(&tuple.value, l, &mut dice);
        let line = set(&tuple, &values.iter().map(String::as_str).collect::<Vec<_>>());
        Event::Admit { lines: vec![line], tuples: vec![tuple] }
    };
    (StreamPromise::Sets { l }, (0..8).map(event).collect())
}

/// A group of the naive kernel: its number, the values that are free, and its members' quasi-identifiers.
type Open = (u64, Vec<String>, Vec<Vec<String>>);

pub(crate) fn groups_stream(seed: u64, l: usize) -> (StreamPromise, Vec<Event>) {
    let mut dice = Dice::new(seed);
    let max_open_groups = 1 + dice.below(4);
    let mut open: Vec<Open> = Vec::new();
    let mut next_group = 7;
    let mut events = Vec::new();
    for position in 0..16 {
        let tuple = draw(position, &mut dice);
        let quasi: Vec<String> = tuple.cells[..3].iter().map(ToString::to_string).collect();
        let fits = |(_, free, members): &&mut Open| {
            free.iter().any(|value| *value == tuple.value) && !members.contains(&quasi)
        };
        let joined = open.iter_mut().find(fits).map(|(id, free, members)| {
            free.remove(free.iter().position(|value| *value == tuple.value).unwrap());
            members.push(quasi.clone());
            *id
        });
        let mut lines = Vec::new();
        let group = joined.unwrap_or_else(|| {
            let mut values = hide(&tuple.value, l, &mut dice);
            lines.extend(values.iter().map(|value| slot(next_group, value, 1)));
            values.retain(|value| *value != tuple.value);
            open.push((next_group, values, vec![quasi.clone()]));
            next_group += 1 + dice.below(2) as u64;
            open[open.len() - 1].0
        });
        open.retain(|(_, free, _)| !free.is_empty());
        if open.len() > max_open_groups {
            open.remove(0);
        }
        lines.push(member(group, &tuple));
        // Now and then two tuples leave together.
        match events.last_mut() {
            Some(Event::Admit { lines: before, tuples }) if dice.below(4) == 0 => {
                before.extend(lines);
                tuples.push(tuple);
            }
            _ => events.push(Event::Admit { lines, tuples: vec![tuple] }),
        }
    }
    (StreamPromise::Groups { l, max_open_groups }, events)
}

/// Crowds that are not always large enough, and do not always leave in time.
pub(crate) fn crowds_stream(seed: u64) -> (StreamPromise, Vec<Event>) {
    let mut dice = Dice::new(seed);
    let StreamPromise::Crowds { k, l, delta, max_wait, .. } =
        crowds_of(1 + dice.below(3), 1 + dice.below(2), 3 + dice.below(3))
    else {
        unreachable!("crowds are asked for")
    };
    let promise = StreamPromise::Crowds { k, l, delta, max_wait, reuse: seed.is_multiple_of(2) };
    let mut events = Vec::new();
    let mut waiting: Vec<Tuple> = Vec::new();
    for position in 0..10 {
        let tuple = draw(position, &mut dice);
        events.push(Event::Arrive(tuple.clone()));
        waiting.push(tuple);
        let leave = waiting.len() >= 3 || dice.below(10) == 0 || position == 9;
        let tuples = if leave { std::mem::take(&mut waiting) } else { Vec::new() };
        let mut pairs: Vec<(Line, Tuple)> =
            tuples.into_iter().map(|tuple| (generalize(&tuple, &mut dice), tuple)).collect();
        pairs.sort_by_key(|(line, _)| content(line));
        let (lines, tuples) = pairs.into_iter().unzip();
        events.push(Event::Admit { lines, tuples });
    }
    (promise, events)
}

fn content(line: &Line) -> Vec<String> {
    let StreamLine::Row { cells, value } = line else { return Vec::new() };
    cells.iter().map(ToString::to_string).chain([value.to_string()]).collect()
}

fn generalize(tuple: &Tuple, dice: &mut Dice) -> Line {
    if dice.below(8) == 0 {
        return row(["*"; 4], "*");
    }
    let town = if tuple.cells[1] == "Jena" { "East" } else { "West" };
    let age = dice.one(&["[30, 31]", "[29, 40]", "[30, 31]", "[30, 31]"]);
    let town = if dice.below(3) == 0 { town } else { "*" };
    let colour = dice.one(&["{green, red}", "*", "{green, red}", "{green, red}"]);
    row([age, town, colour, &tuple.cells[3]], &tuple.value)
}

/// Changes lines or tuples, or where they stand.
pub(crate) fn change(events: &mut Vec<Event>, seed: u64, changes: usize) {
    let mut dice = Dice::new(seed.rotate_left(17));
    for _ in 0..changes {
        let at = dice.below(events.len());
        match dice.below(6) {
            0 => drop(events.remove(at)),
            1 => events.insert(at, events[at].clone()),
            2 => {
                let other = dice.below(events.len());
                events.swap(at, other);
            }
            _ => match &mut events[at] {
                Event::Advance(_) => {}
                Event::Arrive(tuple) => tuple.cells[dice.below(4)] = "32".into(),
                Event::Admit { lines, tuples } => change_inside(lines, tuples, &mut dice),
            },
        }
        if events.is_empty() {
            break;
        }
    }
}

fn change_inside(lines: &mut Vec<Line>, tuples: &mut [Tuple], dice: &mut Dice) {
    if lines.is_empty() {
        return;
    }
    let at = dice.below(lines.len());
    match dice.below(5) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = dice.below(lines.len());
            lines.swap(at, other);
        }
        3 if !tuples.is_empty() => {
            let tuple = &mut tuples[dice.below(1)];
            tuple.value = dice.one(&VALUES).into();
        }
        _ => change_line(&mut lines[at], dice),
    }
}

fn change_line(line: &mut Line, dice: &mut Dice) {
    match line {
        StreamLine::Set { values, .. } if dice.below(2) == 0 => {
            let at = dice.below(values.len());
            values[at] = dice.one(&VALUES).into();
        }
        StreamLine::Member { group, .. } if dice.below(2) == 0 => *group += dice.below(3) as u64,
        StreamLine::Slot { group, value, count } => match dice.below(3) {
            0 => *group += 1,
            1 => *value = dice.one(&VALUES).into(),
            _ => *count = dice.below(3) as u64,
        },
        StreamLine::Row { value, .. } if dice.below(3) == 0 => *value = dice.one(&VALUES).into(),
        StreamLine::Set { cells, .. } | StreamLine::Member { cells, .. } | StreamLine::Row { cells, .. } => {
            let at = dice.below(cells.len());
            cells[at] = dice.one(&["30", "*", "[31, 40]", "West", "{red}", "x"]).into();
        }
    }
}
