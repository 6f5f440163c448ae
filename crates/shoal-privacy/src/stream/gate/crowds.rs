//! castle: every tuple once and in time, true, and in a crowd.
//!
//! A class is what the lines with the same quasi-identifiers are. It must hold k people and l sensitive values as soon
//! as one of its lines leaves. Then it is good for ever, since lines do not come back; only its fingerprint is kept, so
//! that later tuples may join it one by one, where the promise allows that. Of those, the [`KEPT`] that were used last are
//! kept for certain and at most twice as many altogether, 16 bytes each; a class that has been forgotten must be good anew.
//!
//! Lines that leave together stand in the order of what they say. Any order that is made from the published lines alone
//! would do, and this one needs no key, so that the gate can look at it: what leaves is then a function of the multiset
//! of lines, and says nothing about who came first.

use std::collections::{BTreeMap, HashSet, VecDeque};

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use shoal_core::SameValue;
use shoal_core::stream::{StreamLine, StreamTuple};

use super::fingerprint::Fingerprint;
use super::{Shown, Step, alien, is_suppressed, take_turn};
use crate::stream::StreamViolation;

/// How many good classes are remembered for certain.
const KEPT: usize = 1 << 19;

/// The tuples that wait, and the classes that are good.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Crowds {
    /// The position that comes next.
    next: u64,
    /// What time it is, in milliseconds.
    now: u64,
    /// The last tuples that arrived, the last of them at `next − 1`; none where one has left.
    waiting: VecDeque<Option<Waiting>>,
    /// Classes that were used lately, and those that were used before.
    good: [HashSet<Fingerprint, FixedState>; 2],
}

/// A tuple that has arrived, and when.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Waiting {
    whole: Fingerprint,
    since: u64,
}

/// What every class must be, and whether a class that was so before is so for ever.
#[derive(Clone, Copy)]
pub(super) struct Crowding {
    pub(super) k: usize,
    pub(super) l: usize,
    pub(super) reuse: bool,
}

/// A class that is not known to be good.
struct Crowd<'s> {
    line: u64,
    cells: Vec<&'s str>,
    people: HashSet<Person<'s>, FixedState>,
    /// Canonical: values that look alike are one.
    values: HashSet<SameValue, FixedState>,
}

/// Where nobody says whose a tuple is, it is somebody's of their own.
#[derive(PartialEq, Eq, Hash)]
enum Person<'s> {
    Named(&'s str),
    Of(u64),
}

impl Crowds {
    pub(super) fn start_at(&mut self, position: u64) {
        self.next = position;
    }

    /// Whether a state that was read could have been written.
    pub(super) fn add_up(&self) -> bool {
        self.waiting.len() as u64 <= self.next
    }

    pub(super) fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    pub(super) fn arrive(
        &mut self,
        tuple: &StreamTuple<'_>,
        key: Option<&[u8; 32]>,
    ) -> Result<(), StreamViolation> {
        take_turn(&mut self.next, tuple.position)?;
        self.waiting.push_back(Some(Waiting { whole: whole(tuple, key), since: self.now }));
        Ok(())
    }

    pub(super) fn admit(&mut self, step: &Step<'_>, crowding: Crowding) -> Result<(), StreamViolation> {
        let mut tuples = step.tuples.iter();
        let mut crowds: BTreeMap<Fingerprint, Crowd<'_>> = BTreeMap::new();
        for (line, content) in step.numbered() {
            let StreamLine::Row { cells, value } = content else { return Err(alien(line, content)) };
            let tuple = tuples.next().expect("checked: a tuple for each line");
            let shown = Shown { line, tuple };
            self.leave(&shown, step.key)?;
            let pairs = step.pairs(cells, &shown)?;
            if is_suppressed(cells, value) {
                continue;
            }
            let mut quasi = Vec::with_capacity(cells.len());
            for (column, text, original) in pairs {
                match column.quasi {
                    true if !column.covers(text, original) => {
                        return Err(not_covered(&shown, &column.name, text));
                    }
                    true => quasi.push(text),
                    false if text != original => return Err(shown.changed(&column.name, text)),
                    false => {}
                }
            }
            if *value != tuple.value {
                return Err(shown.changed("value", value));
            }
            let class = Fingerprint::with(step.key, quasi.iter().copied());
            if !(crowding.reuse && self.is_good(class)) {
                crowds.entry(class).or_insert_with(|| Crowd::new(line, quasi)).join(tuple);
            }
        }
        check_order(step)?;
        let lacking = crowds.values().filter_map(|crowd| crowd.lacks(crowding.k, crowding.l));
        if let Some((_, violation)) = lacking.min_by_key(|(line, _)| *line) {
            return Err(violation);
        }
        if crowding.reuse {
            crowds.into_keys().for_each(|class| self.remember(class));
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> Result<(), StreamViolation> {
        let tuples = self.waiting.iter().flatten().count();
        self.oldest().map_or(Ok(()), |position| Err(StreamViolation::LeftBehind { tuples, position }))
    }

    fn leave(&mut self, shown: &Shown<'_>, key: Option<&[u8; 32]>) -> Result<(), StreamViolation> {
        let (line, position) = (shown.line, shown.tuple.position);
        let first = self.next - self.waiting.len() as u64;
        let place = position.checked_sub(first).and_then(|at| self.waiting.get_mut(at as usize));
        match place.and_then(Option::take) {
            None => return Err(StreamViolation::NotWaiting { line, position }),
            Some(arrived) if arrived.whole != whole(shown.tuple, key) => {
                return Err(StreamViolation::Swapped { line, position });
            }
            Some(_) => {}
        }
        while let Some(None) = self.waiting.front() {
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// The position of the first tuple that waits.
    fn oldest(&self) -> Option<u64> {
        (!self.waiting.is_empty()).then(|| self.next - self.waiting.len() as u64)
    }

    /// Whether nobody waits too long. Asked after every step, also when nothing leaves.
    pub(super) fn check_delay(&self, delta: usize, max_wait: Option<u64>) -> Result<(), StreamViolation> {
        let Some(position) = self.oldest() else { return Ok(()) };
        if self.next - 1 - position >= delta as u64 {
            return Err(StreamViolation::Late { position, arrived: self.next - 1, delta });
        }
        // Tuples arrive in the order of time, so the first has waited longest.
        let since = self.waiting.front().copied().flatten().map_or(self.now, |first| first.since);
        let waited = self.now - since;
        match max_wait {
            Some(limit) if waited >= limit => Err(StreamViolation::Overdue { position, waited, limit }),
            _ => Ok(()),
        }
    }

    fn is_good(&mut self, class: Fingerprint) -> bool {
        if self.good[0].contains(&class) {
            return true;
        }
        let was_good = self.good[1].remove(&class);
        if was_good {
            self.remember(class);
        }
        was_good
    }

    fn remember(&mut self, class: Fingerprint) {
        self.good[0].insert(class);
        if self.good[0].len() >= KEPT {
            self.good[1] = std::mem::take(&mut self.good[0]);
        }
    }
}

impl<'s> Crowd<'s> {
    fn new(line: u64, cells: Vec<&'s str>) -> Crowd<'s> {
        Crowd { line, cells, people: HashSet::default(), values: HashSet::default() }
    }

    fn join(&mut self, tuple: &'s StreamTuple<'s>) {
        self.people.insert(tuple.person.as_deref().map_or(Person::Of(tuple.position), Person::Named));
        self.values.insert(SameValue::from_text(&tuple.value));
    }

    /// What the crowd lacks, and the line where it shows.
    fn lacks(&self, k: usize, l: usize) -> Option<(u64, StreamViolation)> {
        let (line, people, values) = (self.line, self.people.len(), self.values.len());
        let class = || format!("({})", self.cells.join("; "));
        if people < k {
            return Some((line, StreamViolation::SmallCrowd { line, class: class(), people, k }));
        }
        (values < l).then(|| (line, StreamViolation::PoorCrowd { line, class: class(), values, l }))
    }
}

/// Lines that leave together ascend by their cells and then by their value.
fn check_order(step: &Step<'_>) -> Result<(), StreamViolation> {
    let mut before = None;
    for (line, content) in step.numbered() {
        let StreamLine::Row { cells, value } = content else { return Err(alien(line, content)) };
        if before.is_some_and(|before| before > (cells, value)) {
            return Err(StreamViolation::CrowdOrder { line });
        }
        before = Some((cells, value));
    }
    Ok(())
}

/// All of a tuple.
fn whole(tuple: &StreamTuple<'_>, key: Option<&[u8; 32]>) -> Fingerprint {
    let person = [if tuple.person.is_some() { "1" } else { "0" }, tuple.person.as_deref().unwrap_or("")];
    let cells = tuple.cells.iter().map(|cell| &**cell);
    Fingerprint::with(key, person.into_iter().chain(cells).chain([&*tuple.value]))
}

fn not_covered(shown: &Shown<'_>, column: &str, text: &str) -> StreamViolation {
    let (column, text) = (column.to_owned(), text.to_owned());
    StreamViolation::NotCovered { line: shown.line, position: shown.tuple.position, column, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_good_classes_the_ones_used_last_are_kept_and_the_others_forgotten() {
        let class = |number: usize| Fingerprint::of([number.to_string().as_str()].into_iter());
        let mut crowds = Crowds::default();
        for number in 0..3 * KEPT {
            crowds.remember(class(number));
            // The first is used again and again.
            assert!(number % (KEPT / 2) > 0 || crowds.is_good(class(0)));
        }
        assert!(crowds.good.iter().map(HashSet::len).sum::<usize>() <= 2 * KEPT);
        assert!(crowds.is_good(class(0)));
        assert!((2 * KEPT..3 * KEPT).step_by(1000).all(|number| crowds.is_good(class(number))));
        assert!((1..KEPT).step_by(1000).all(|number| !crowds.is_good(class(number))));
    }
}
