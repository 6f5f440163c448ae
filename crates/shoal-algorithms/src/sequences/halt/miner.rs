//! The search for what must not be known.
//!
//! A pattern is extended by an item in its last event or by a new event with one item. Depth first, each pattern
//! once: items join an event in the order of the quasi-identifiers. Nothing is kept of a pattern but the *rows*
//! in which its last event can stand after the earliest place of all before: what joins the last event is looked
//! for in these, what comes as a new event behind the first of them.
//!
//! A pattern that breaks a condition is recorded and not extended, and more special versions of its last item
//! are not looked at: what hides it hides them.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use shoal_core::{Progress, Unseen};

use super::view::View;
use crate::sequences::terms::Terms;

/// How many broken patterns one search keeps, about. Those beyond are found the next time.
const MOST_BROKEN: usize = 1 << 20;

/// How many patterns may be looked at, and how many were; and the same of the places where they are looked for, which is
/// what takes the time. Both are sums of what is done anyway, so whether there is too much does not depend on threads.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    most: u64,
    seen: AtomicU64,
    most_places: u64,
    places: AtomicU64,
    progress: Unseen<'a>,
}

/// One item of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Step {
    /// The item's code.
    pub(super) code: u32,
    /// Whether it is known of the same event as the item before.
    pub(super) joins: bool,
}

/// The limit of patterns was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

impl<'a> Meter<'a> {
    /// None seen yet.
    pub(super) fn new(most: Option<u64>, progress: &'a dyn Progress) -> Meter<'a> {
        Meter {
            most: most.unwrap_or(u64::MAX),
            seen: AtomicU64::new(0),
            most_places: u64::MAX,
            places: AtomicU64::new(0),
            progress: Unseen(progress),
        }
    }

    /// None seen yet, in at most so many places.
    pub(super) fn of_places(most_places: u64, progress: &'a dyn Progress) -> Meter<'a> {
        Meter { most_places, ..Meter::new(None, progress) }
    }

    /// How many patterns may be looked at.
    pub(super) fn most(&self) -> u64 {
        self.most
    }

    /// How many patterns were looked at.
    pub(super) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// Asked in long loops: leaves the work where it was cancelled.
    pub(super) fn check_wanted(&self) {
        self.progress.check();
    }

    fn add(&self, patterns: usize, places: u64) {
        self.check_wanted();
        self.seen.fetch_add(patterns as u64, Ordering::Relaxed);
        self.places.fetch_add(places, Ordering::Relaxed);
    }

    fn is_over(&self) -> bool {
        self.seen() > self.most || self.places.load(Ordering::Relaxed) > self.most_places
    }
}

/// Patterns of up to `length` items that somebody fits but that break a condition. None are found only if there
/// are none.
pub(super) fn broken(
    view: &View,
    terms: &Terms,
    length: usize,
    meter: &Meter<'_>,
) -> Result<Vec<Vec<Step>>, Stopped> {
    let mut first = Search::new(view, terms, length, meter);
    let extended = first.extend(view.beginnings(), view.items() as u32);
    // An item that breaks a condition by itself must go, and with it all patterns that have it.
    if !first.broken.is_empty() || length == 1 || meter.is_over() {
        return if meter.is_over() { Err(Stopped) } else { Ok(first.broken) };
    }
    // A share for each first item, so that which patterns are kept does not depend on which thread is faster.
    let each = MOST_BROKEN / extended.children.len().max(1);
    let found: Vec<Vec<Vec<Step>>> = extended
        .children
        .par_iter()
        .with_max_len(1)
        .map(|child| {
            let mut search = Search::new(view, terms, length, meter);
            search.most_broken = each.max(1);
            search.descend(child, &extended.rows);
            search.broken
        })
        .collect();
    if meter.is_over() { Err(Stopped) } else { Ok(found.concat()) }
}

/// The way an item extends a pattern: below the number of items as a new event, above it in the last event.
type Slot = u32;

struct Search<'a> {
    view: &'a View,
    terms: &'a Terms,
    length: usize,
    meter: &'a Meter<'a>,
    most_broken: usize,
    /// What is known of each extension of the pattern at hand; blank between patterns.
    tallies: Vec<Tally>,
    /// For each extension and each watched value the people who show it.
    showing: Vec<u32>,
    pattern: Vec<Slot>,
    broken: Vec<Vec<Step>>,
}

#[derive(Clone, Copy, Debug)]
struct Tally {
    /// The group counted last.
    group: u32,
    support: u32,
    /// In how many rows the last event can stand; then, where the next of them is written.
    rows: u32,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Broken,
}

const BLANK: Tally = Tally { group: u32::MAX, support: 0, rows: 0, fate: Fate::Kept };

/// The extensions of a pattern that are extended further.
#[derive(Debug, Default)]
struct Extended {
    children: Vec<Child>,
    rows: Vec<u32>,
}

#[derive(Debug)]
struct Child {
    slot: Slot,
    /// Which of the rows are its own.
    rows: std::ops::Range<usize>,
}

impl<'a> Search<'a> {
    fn new(view: &'a View, terms: &'a Terms, length: usize, meter: &'a Meter<'a>) -> Search<'a> {
        let slots = 2 * view.items();
        Search {
            view,
            terms,
            length,
            meter,
            most_broken: MOST_BROKEN,
            tallies: vec![BLANK; slots],
            showing: vec![0; slots * terms.values()],
            pattern: Vec::with_capacity(length),
            broken: Vec::new(),
        }
    }

    /// Looks at everything that begins with a pattern.
    fn descend(&mut self, child: &Child, rows: &[u32]) {
        if self.broken.len() >= self.most_broken || self.meter.is_over() {
            return;
        }
        self.pattern.push(child.slot);
        let open = self.view.next_quasi(self.item(child.slot));
        let extended = self.extend(&rows[child.rows.clone()], open);
        for child in &extended.children {
            self.descend(child, &extended.rows);
        }
        self.pattern.pop();
    }

    /// Judges all extensions of the pattern at hand, given its rows and the first item that may join its last
    /// event.
    fn extend(&mut self, rows: &[u32], open: u32) -> Extended {
        let (slots, places) = self.count(rows, open);
        let mut extended = Extended::default();
        let mut looked_at = 0;
        let mut total = 0;
        for &slot in &slots {
            // Slots are ascending and parents come before children, so the fate of the item above is decided already.
            let above = self.above(slot).map(|above| self.tallies[above as usize].fate);
            if above == Some(Fate::Broken) {
                self.tallies[slot as usize].fate = Fate::Broken;
                continue;
            }
            looked_at += 1;
            if !self.holds(slot) {
                self.tallies[slot as usize].fate = Fate::Broken;
                self.record(slot);
            } else if self.pattern.len() + 1 < self.length {
                let rows = total..total + self.tallies[slot as usize].rows as usize;
                self.tallies[slot as usize].rows = total as u32;
                total = rows.end;
                extended.children.push(Child { slot, rows });
            }
        }
        self.meter.add(looked_at, places);
        if total > 0 {
            extended.rows = vec![0; total];
            let (tallies, into) = (&mut self.tallies, &mut extended.rows);
            visit_places(self.view, rows, open, |slot, row, _| {
                let tally = &mut tallies[slot as usize];
                if tally.fate == Fate::Kept {
                    into[tally.rows as usize] = row;
                    tally.rows += 1;
                }
            });
        }
        self.wipe(&slots);
        extended
    }

    /// Counts the people and the rows of every extension, and returns those that anybody fits, ascending, and in how many
    /// places they stand.
    fn count(&mut self, rows: &[u32], open: u32) -> (Vec<Slot>, u64) {
        let (view, watched) = (self.view, self.terms.values());
        let (tallies, showing) = (&mut self.tallies, &mut self.showing);
        let mut slots = Vec::new();
        let mut places = 0;
        visit_places(view, rows, open, |slot, _, group| {
            places += 1;
            let tally = &mut tallies[slot as usize];
            tally.rows += 1;
            if tally.group != group {
                if tally.support == 0 {
                    slots.push(slot);
                }
                tally.group = group;
                tally.support += view.weight(group);
                for &(value, count) in view.shown(group) {
                    showing[slot as usize * watched + value as usize] += count;
                }
            }
        });
        slots.sort_unstable();
        (slots, places)
    }

    fn holds(&self, slot: Slot) -> bool {
        let watched = self.terms.values();
        let showing = &self.showing[slot as usize * watched..(slot as usize + 1) * watched];
        self.terms.hold(self.tallies[slot as usize].support, showing)
    }

    fn record(&mut self, slot: Slot) {
        let step = |&slot: &Slot| Step { code: self.view.code(self.item(slot)), joins: self.joins(slot) };
        let pattern = self.pattern.iter().chain([&slot]).map(step).collect();
        self.broken.push(pattern);
    }

    fn wipe(&mut self, slots: &[Slot]) {
        // Only what was used: there are as many tallies as items, and most patterns have few extensions.
        let watched = self.terms.values();
        for &slot in slots {
            self.tallies[slot as usize] = BLANK;
            self.showing[slot as usize * watched..(slot as usize + 1) * watched].fill(0);
        }
    }

    fn joins(&self, slot: Slot) -> bool {
        slot as usize >= self.view.items()
    }

    fn item(&self, slot: Slot) -> u32 {
        if self.joins(slot) { slot - self.view.items() as u32 } else { slot }
    }

    /// The same extension by the item next above.
    fn above(&self, slot: Slot) -> Option<Slot> {
        let above = self.view.parent(self.item(slot))?;
        Some(if self.joins(slot) { above + self.view.items() as u32 } else { above })
    }
}

/// Visits every place where an extension can stand: `visit(slot, row, group)`, group by group, rows ascending.
fn visit_places(view: &View, rows: &[u32], open: u32, mut visit: impl FnMut(Slot, u32, u32)) {
    let items = view.items() as u32;
    let mut at = 0;
    while let Some(&first) = rows.get(at) {
        let group = view.group_of(first);
        let end = view.end(group);
        // A new event can stand anywhere behind the earliest place of the last one.
        for row in first + 1..end {
            view.items_at(row).iter().for_each(|&item| visit(item, row, group));
        }
        while let Some(&row) = rows.get(at).filter(|&&row| row < end) {
            // Items are ascending, so those of later quasi-identifiers are at the end.
            let joining = view.items_at(row).iter().rev().take_while(|&&item| item >= open);
            joining.for_each(|&item| visit(items + item, row, group));
            at += 1;
        }
    }
}
