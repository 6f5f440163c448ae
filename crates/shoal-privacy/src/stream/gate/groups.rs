//! delay-free, published: every tuple in a group of values that is l-diverse (definition 3) and has a place for it.
//!
//! When a member is shown, the values of its group stand complete above it: whoever reads a stream that breaks off
//! anywhere never sees somebody in a group of fewer than l values.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use shoal_core::SameValue;
use shoal_core::stream::StreamLine;

use super::fingerprint::Fingerprint;
use super::{Shown, Step, alien, take_turn};
use crate::stream::StreamViolation;

/// The groups that may still get members. A full group is forgotten, and so is the oldest where there are too many.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    next: u64,
    /// A number for each value that was ever shown, by its canonical text.
    values: HashMap<Box<str>, u32, FixedState>,
    /// Numbers ascend, so that a number tells whether its group is new.
    last_group: Option<u64>,
    open: HashMap<u64, Group, FixedState>,
    /// The open groups, oldest first, and some that have closed since.
    queue: VecDeque<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Group {
    slots: Vec<Slot>,
    /// The places of all slots that are not taken.
    free: u64,
    /// The quasi-identifiers of its members.
    members: Vec<Fingerprint>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Slot {
    value: u32,
    /// Places that are not taken.
    free: u64,
}

/// A group whose values are being read.
struct Opening<'s> {
    id: u64,
    group: Group,
    last: Option<&'s str>,
}

impl Groups {
    pub(super) fn start_at(&mut self, position: u64) {
        self.next = position;
    }

    /// Whether a state that was read could have been written.
    pub(super) fn add_up(&self) -> bool {
        let sum = |group: &Group| group.slots.iter().try_fold(0_u64, |sum, slot| sum.checked_add(slot.free));
        self.open.values().all(|group| sum(group) == Some(group.free))
    }

    pub(super) fn admit(
        &mut self,
        step: &Step<'_>,
        l: usize,
        max_open_groups: usize,
    ) -> Result<(), StreamViolation> {
        let mut tuples = step.tuples.iter();
        let mut opening = None;
        for (line, content) in step.numbered() {
            match content {
                StreamLine::Slot { group, value, count } => {
                    self.read_slot(&mut opening, line, *group, value, *count)?;
                }
                StreamLine::Member { group, cells } => {
                    let tuple = tuples.next().expect("checked: a tuple for each line");
                    let shown = Shown { line, tuple };
                    take_turn(&mut self.next, tuple.position)?;
                    step.check_unchanged(cells, &shown)?;
                    let is_new = self.open_group(&mut opening, &shown, *group, l)?;
                    let quasi = step.columns.iter().zip(cells).filter(|(column, _)| column.quasi);
                    self.join(&shown, *group, Fingerprint::with(step.key, quasi.map(|(_, cell)| &**cell)))?;
                    if is_new {
                        self.give_up(max_open_groups);
                    }
                }
                StreamLine::Set { .. } | StreamLine::Row { .. } => return Err(alien(line, content)),
            }
        }
        opening.map_or(Ok(()), |opening| Err(StreamViolation::NoMember { group: opening.id }))
    }

    fn read_slot<'s>(
        &mut self,
        opening: &mut Option<Opening<'s>>,
        line: u64,
        id: u64,
        value: &'s str,
        count: u64,
    ) -> Result<(), StreamViolation> {
        if let Some(other) = opening.as_ref().filter(|opening| opening.id != id) {
            return Err(StreamViolation::NoMember { group: other.id });
        }
        if opening.is_none() {
            if self.open.contains_key(&id) {
                return Err(StreamViolation::LateSlot { line, group: id, value: value.to_owned() });
            }
            if self.last_group.is_some_and(|last| id <= last) {
                return Err(StreamViolation::GroupNotNew { line, group: id });
            }
            self.last_group = Some(id);
        }
        let opening = opening.get_or_insert_with(|| Opening { id, group: Group::default(), last: None });
        if opening.last.is_some_and(|last| last >= value) {
            return Err(StreamViolation::SlotOrder { line, group: id, value: value.to_owned() });
        }
        let Some(free) = opening.group.free.checked_add(count).filter(|_| count > 0) else {
            return Err(StreamViolation::SlotCount { line, group: id, value: value.to_owned(), count });
        };
        opening.group.free = free;
        let number = self.number(value);
        // Values that look alike are one: two places of it are not two values.
        match opening.group.slot(number) {
            Some(slot) => slot.free += count,
            None => opening.group.slots.push(Slot { value: number, free: count }),
        }
        opening.last = Some(value);
        Ok(())
    }

    fn number(&mut self, value: &str) -> u32 {
        let value = SameValue::from_text(value);
        self.values.get(value.as_str()).copied().unwrap_or_else(|| {
            let number = self.values.len() as u32;
            self.values.insert(value.as_str().into(), number);
            number
        })
    }

    /// Looks at the values that stand above a first member. Whether there are any.
    fn open_group(
        &mut self,
        opening: &mut Option<Opening<'_>>,
        shown: &Shown<'_>,
        id: u64,
        l: usize,
    ) -> Result<bool, StreamViolation> {
        let Some(opening) = opening.take() else { return Ok(false) };
        if opening.id != id {
            return Err(StreamViolation::NoMember { group: opening.id });
        }
        self.check_diverse(&opening.group, shown.line, id, l)?;
        self.open.insert(id, opening.group);
        self.queue.push_back(id);
        Ok(true)
    }

    fn join(&mut self, shown: &Shown<'_>, id: u64, quasi: Fingerprint) -> Result<(), StreamViolation> {
        let (line, position) = (shown.line, shown.tuple.position);
        let Some(group) = self.open.get_mut(&id) else {
            return Err(StreamViolation::GroupNotOpen { line, position, group: id });
        };
        if group.members.contains(&quasi) {
            return Err(StreamViolation::QuasiTwice { line, position, group: id });
        }
        let value = self.values.get(SameValue::from_text(&shown.tuple.value).as_str()).copied();
        let Some(slot) = value.and_then(|value| group.slot(value)).filter(|slot| slot.free > 0) else {
            return Err(StreamViolation::NoFreeSlot { line, position, group: id });
        };
        slot.free -= 1;
        group.free -= 1;
        if group.free == 0 {
            self.open.remove(&id);
        } else {
            group.members.push(quasi);
        }
        Ok(())
    }

    /// Where more groups are open than may be, the oldest is.
    fn give_up(&mut self, max_open_groups: usize) {
        while self.open.len() > max_open_groups {
            let Some(oldest) = self.queue.pop_front() else { break };
            self.open.remove(&oldest);
        }
        // Those that have closed are swept out when they are the most, which costs each of them one look.
        if self.queue.len() > 2 * self.open.len() + 64 {
            self.queue.retain(|id| self.open.contains_key(id));
        }
    }

    /// Definition 3, for a group in which no place is taken.
    fn check_diverse(&self, group: &Group, line: u64, id: u64, l: usize) -> Result<(), StreamViolation> {
        if group.slots.len() < l {
            let values = group.slots.len();
            return Err(StreamViolation::GroupTooSmall { line, group: id, values, l });
        }
        let too_many = |slot: &&Slot| u128::from(slot.free) * l as u128 > u128::from(group.free);
        group.slots.iter().find(too_many).map_or(Ok(()), |slot| {
            let text = self.values.iter().find(|(_, number)| **number == slot.value);
            let value = text.map_or_else(String::new, |(text, _)| text.to_string());
            Err(StreamViolation::TooFrequent { line, group: id, value, count: slot.free, sum: group.free, l })
        })
    }
}

impl Group {
    fn slot(&mut self, value: u32) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.value == value)
    }
}
