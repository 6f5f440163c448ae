use std::collections::HashMap;

use foldhash::fast::FixedState;
use shoal_core::SameValue;
use shoal_core::stream::StreamLine;

use super::{Answer, Broken, Figure, Form, LineViolation, Promise, in_order};
use crate::stream::gate::Fingerprint;

/// Definition 3 at every moment from a group's first member on; no more members than places; nobody's quasi-identifiers
/// twice in a group; and its values in ascending order, since any other could say which is its first member's.
pub(super) fn verify<'a>(
    form: &mut Form,
    quasi: &[bool],
    l: usize,
    lines: impl Iterator<Item = (u64, StreamLine<'a>)>,
) -> Vec<Answer<LineViolation>> {
    let mut found = Found::default();
    let mut groups: HashMap<u64, Group, FixedState> = HashMap::default();
    for (line, content) in lines {
        form.lines += 1;
        match content {
            StreamLine::Slot { group: id, value, count } => {
                let group = groups.entry(id).or_default();
                found.slot(line, id, group, &value, count);
                found.look_at(line, id, group, l);
            }
            StreamLine::Member { group: id, cells } => {
                if form.show(line, cells.len(), quasi) {
                    let known = cells.iter().zip(quasi).filter(|(_, quasi)| **quasi);
                    let group = groups.entry(id).or_default();
                    found.member(line, id, group, Fingerprint::of(known.map(|(cell, _)| &**cell)));
                    found.look_at(line, id, group, l);
                }
            }
            StreamLine::Set { .. } | StreamLine::Row { .. } => form.alien(line),
        }
    }
    found.answers(l)
}

/// A group as far as it has been read.
#[derive(Default)]
struct Group {
    values: Vec<(Fingerprint, u64)>,
    last: Option<Box<str>>,
    members: Vec<Fingerprint>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    weakest: Option<f64>,
    weak: Broken,
    crowded: Broken,
    twice: Broken,
    disordered: Broken,
}

impl Found {
    fn slot(&mut self, line: u64, id: u64, group: &mut Group, value: &str, count: u64) {
        if group.last.as_deref().is_some_and(|last| last >= value) {
            self.disordered.note(line, || format!("`{value}` comes too late in group {id}"));
        }
        group.last = Some(value.into());
        group.add(Fingerprint::of([SameValue::from_text(value).as_str()].into_iter()), count);
    }

    fn member(&mut self, line: u64, id: u64, group: &mut Group, quasi: Fingerprint) {
        if group.members.contains(&quasi) {
            self.twice.note(line, || format!("the same quasi-identifiers again in group {id}"));
        }
        group.members.push(quasi);
        let (members, places) = (group.members.len(), group.places());
        if members as u128 > places {
            self.crowded.note(line, || format!("{members} members in the {places} places of group {id}"));
        }
    }

    /// Whether the group is l-diverse as it stands. Values without anybody to have them say nothing.
    fn look_at(&mut self, line: u64, id: u64, group: &Group, l: usize) {
        if group.members.is_empty() {
            return;
        }
        if !group.is_diverse(l) {
            let (values, most, places) = (group.values.len(), group.most(), group.places());
            self.weak.note(line, || {
                format!("group {id} has {values} values, the commonest with {most} of {places} counts")
            });
        }
        let diversity = group.diversity();
        self.weakest = Some(self.weakest.map_or(diversity, |least| least.min(diversity)));
    }

    fn answers(self, l: usize) -> Vec<Answer<LineViolation>> {
        let members = |n: usize| match n {
            0 => Figure::Words("none".to_owned()),
            n => Figure::Words(format!("{n} members")),
        };
        let weakest = self.weakest.map_or(Figure::Nothing, whole_if_it_is);
        vec![
            self.weak.answer(Promise::LDiversity { l: l as u64 }, |_| weakest),
            self.crowded.answer(Promise::PlacesForMembers, members),
            self.twice.answer(Promise::DifferentMembers, members),
            in_order(self.disordered),
        ]
    }
}

impl Group {
    fn add(&mut self, value: Fingerprint, count: u64) {
        match self.values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known = known.saturating_add(count),
            // Nobody can have a value without a place.
            None if count > 0 => self.values.push((value, count)),
            None => {}
        }
    }

    /// The sum of all counts.
    fn places(&self) -> u128 {
        self.values.iter().map(|(_, count)| u128::from(*count)).sum()
    }

    fn most(&self) -> u64 {
        self.values.iter().map(|(_, count)| *count).max().unwrap_or(0)
    }

    fn is_diverse(&self, l: usize) -> bool {
        self.values.len() >= l && u128::from(self.most()) * l as u128 <= self.places()
    }

    /// The greatest l for which the group is l-diverse, in parts: Σ/max, which is never above the number of values.
    fn diversity(&self) -> f64 {
        if self.values.is_empty() { 0.0 } else { self.places() as f64 / self.most() as f64 }
    }
}

fn whole_if_it_is(number: f64) -> Figure {
    if number.fract() == 0.0 { Figure::Count(number as u64) } else { Figure::Number(number) }
}
