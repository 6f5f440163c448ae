//! The search in one cell, over where known events end.
//!
//! Something known about some events, in order, ends in a sequence at the earliest at one event, or it does not fit. Who
//! fits is those in whom it ends, and what can follow depends on these *ends* alone. So the search goes over distinct
//! vectors of ends, an event of the known sequence at a time, and keeps of each the least number of items that leads
//! there. What is known of one event matters only by the events of the cell that it fits, so of all sets of items that
//! fit the same events a smallest one is tried. Both keep every crowd and the least length of what finds it.
//!
//! Where the search stops without looking at lengths: say that in row i of the cell the known events end at a, and in row j
//! at b. If the events of i behind a find, in order, events of j behind b that fit whatever they fit, then every longer
//! sequence that fits i fits j: j *accompanies* i from there on. Every crowd that follows holds with each member all who
//! accompany it. So if those who accompany are at least k for every member, no later crowd is too small. For the
//! shares: those who accompany each other are in the same crowds, hence a later crowd is a union of such *classes*; where
//! each class is within a bound, the union is (mediant); where a class is above it, and its excess can be set off against the
//! shortage of classes that accompany it, each shortage being used once, every crowd that holds the class holds those as
//! well. A vector for which both are true is not followed. Where that is so from the start, the cell keeps
//! the promise for every L, and no item is looked at.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use shoal_core::{RawColumn, Support};
use std::hash::BuildHasher;

use super::Published;
use super::found::{Break, Found};
use super::groups::Step;
use super::search::Search;
use super::settled::MARGIN;
use super::values::share;
use crate::SequencesView;

/// The end in a row that something known does not fit.
pub(super) const NONE: u16 = u16::MAX;

/// In the place of an item where a cell says nothing.
const NOTHING: u32 = u32::MAX;

/// How many numbers the tables of one cell may hold, each of two bytes: some 60 MB. A cell that needs more is not
/// searched here. So few in unit tests that some of their cells need more.
const MOST_NUMBERS: usize = if cfg!(test) { 1 << 10 } else { 32 << 20 };

/// Searches a cell as if there were nobody else; nothing where that takes too much memory. As everywhere, what is found
/// says nothing when the work is over.
pub(super) fn search(search: Search<'_>, cell: &[u32]) -> Option<Found> {
    let rows = Rows::new(search.file, cell);
    // An end is a number of events, so the greatest numbers must be free.
    if rows.longest() + 1 >= NONE as usize {
        return None;
    }
    let later = Later::new(&rows, search)?;
    let mut found = Found::new(search.file);
    let start = vec![0; rows.len()];
    if later.is_settled(&start, &mut found) {
        return Some(found);
    }
    // Nobody knows more of a sequence than one item for each of its cells.
    let length = search.length.min(rows.longest() * rows.quasi);
    let known = KnownEvents::new(&rows, length, search)?;
    Ends::new(search, &rows, &later, &known, length).search(found)
}

/// The sequences of a cell.
pub(super) struct Rows<'a> {
    file: &'a Published,
    groups: &'a [u32],
    quasi: usize,
    /// Where the events of each row begin, and at the end the number of events.
    starts: Vec<usize>,
    /// The items that stand for the cells of each event.
    own: Vec<u32>,
}

impl<'a> Rows<'a> {
    fn new(file: &'a Published, groups: &'a [u32]) -> Rows<'a> {
        let quasi = file.items.quasi_identifiers() as usize;
        let mut rows = Rows { file, groups, quasi, starts: vec![0], own: Vec::new() };
        for &group in groups {
            for step in file.groups.whole(group) {
                if step % 2 == 1 {
                    rows.own.resize(rows.own.len() + quasi, NOTHING);
                }
                let event = rows.own.len() - quasi;
                rows.own[event + file.items.quasi(step / 2) as usize] = step / 2;
            }
            rows.starts.push(rows.own.len() / quasi);
        }
        rows
    }

    /// The same where each row is a list of somebody, given by its rows in the file; whose they are is not asked.
    pub(super) fn of_lists(file: &'a Published, view: &SequencesView<'_>, lists: &[&[u32]]) -> Rows<'a> {
        let columns = view.events().quasi();
        let mut rows = Rows { file, groups: &[], quasi: columns.len(), starts: vec![0], own: Vec::new() };
        for list in lists {
            for &row in *list {
                let own = |(quasi, column): (usize, &&RawColumn)| {
                    file.items.own(quasi, column.codes[row as usize]).unwrap_or(NOTHING)
                };
                rows.own.extend(columns.iter().enumerate().map(own));
            }
            rows.starts.push(rows.own.len() / rows.quasi.max(1));
        }
        rows
    }

    /// What can be known of one event; nothing where that takes too much.
    pub(super) fn known(&self, search: Search<'_>) -> Option<KnownEvents> {
        // An end is a number of events, so the greatest numbers must be free.
        if self.longest() + 1 >= NONE as usize {
            return None;
        }
        KnownEvents::new(self, search.length, search)
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many events a row has.
    fn events(&self, row: usize) -> usize {
        self.starts[row + 1] - self.starts[row]
    }

    fn longest(&self) -> usize {
        (0..self.len()).map(|row| self.events(row)).max().unwrap_or(0)
    }

    /// How many events there are in all.
    fn all_events(&self) -> usize {
        self.own.len() / self.quasi
    }

    fn event(&self, event: usize) -> &[u32] {
        &self.own[event * self.quasi..(event + 1) * self.quasi]
    }

    /// Whether an event of the cell fits whatever another one fits.
    fn fits_as_much(&self, event: usize, other: usize) -> bool {
        let items = &self.file.items;
        let mut both = self.event(event).iter().zip(self.event(other));
        match self.file.support {
            // It says at least as much.
            Support::Paper => both.all(|(&more, &less)| {
                less == NOTHING || (more != NOTHING && items.upwards(more).contains(&less))
            }),
            // It says at most as much; every event has an item for each quasi-identifier.
            Support::Compatible => both.all(|(&less, &more)| items.is_at_or_above(less, more)),
        }
    }
}

/// Who accompanies whom, from which ends on.
struct Later<'a> {
    rows: &'a Rows<'a>,
    is_open: Vec<bool>,
    /// For a row i, an end a of it and a row j: one more than the latest end in j from which j accompanies i from a on;
    /// 0 where there is none.
    latest: Vec<u16>,
    /// Where the ends of each row begin, `rows.len()` numbers each.
    starts: Vec<usize>,
}

impl<'a> Later<'a> {
    fn new(rows: &'a Rows<'a>, search: Search<'_>) -> Option<Later<'a>> {
        let count = rows.len();
        let starts: Vec<usize> = (0..count).map(|row| rows.starts[row] + row).collect();
        let numbers = (rows.all_events() + count).checked_mul(count)?;
        if numbers > MOST_NUMBERS {
            return None;
        }
        let mut latest = vec![0; numbers];
        for one in 0..count {
            search.work.add((count * (rows.events(one) + 1) * rows.quasi) as u64);
            for other in 0..count {
                // From the last event backwards: each takes the latest place that the ones behind it leave, which leaves
                // most to those before it.
                let mut end = rows.events(other);
                latest[(starts[one] + rows.events(one)) * count + other] = end as u16 + 1;
                for event in (0..rows.events(one)).rev() {
                    let is_like = |place: &usize| {
                        rows.fits_as_much(rows.starts[other] + place, rows.starts[one] + event)
                    };
                    let Some(place) = (0..end).rev().find(is_like) else { break };
                    end = place;
                    latest[(starts[one] + event) * count + other] = end as u16 + 1;
                }
            }
        }
        let is_open = rows.groups.iter().map(|&group| search.is_open[group as usize]).collect();
        Some(Later { rows, is_open, latest, starts })
    }

    /// Whether every crowd that can follow keeps the promise, however much more is known. Then `found` takes note of
    /// what is true of all these crowds.
    fn is_settled(&self, ends: &[u16], found: &mut Found) -> bool {
        let &Later { rows, .. } = self;
        let Published { groups, values, k, .. } = rows.file;
        // Whoever has no event left is in no crowd that follows.
        let is_left = |row: &usize| ends[*row] != NONE && (ends[*row] as usize) < rows.events(*row);
        let left: Vec<usize> = (0..rows.len()).filter(is_left).collect();
        if !left.iter().any(|&row| self.is_open[row]) {
            return true;
        }
        let size = |row: usize| groups.sizes[rows.groups[row] as usize];
        let mut smallest = u32::MAX;
        // Crowds without an open row are not looked at.
        for &row in left.iter().filter(|&&row| self.is_open[row]) {
            let with = left.iter().filter(|&&other| self.accompanies(other, row, ends));
            let people: u32 = with.map(|&other| size(other)).sum();
            if people < *k {
                return false;
            }
            smallest = smallest.min(people);
        }
        let mut shares = vec![0.0_f64; values.named.len()];
        if !values.named.is_empty() && !self.are_shares_settled(&left, ends, &mut shares) {
            return false;
        }
        found.bound(smallest, &shares);
        true
    }

    /// Whether a row is in all crowds that follow from these ends and in which another one is.
    fn accompanies(&self, other: usize, row: usize, ends: &[u16]) -> bool {
        ends[other] < self.latest[(self.starts[row] + ends[row] as usize) * self.rows.len() + other]
    }

    /// Whether no crowd that follows has too large a share of a value; what it is at most.
    fn are_shares_settled(&self, left: &[usize], ends: &[u16], shares: &mut [f64]) -> bool {
        let Published { groups, values, .. } = self.rows.file;
        let classes = self.classes(left, ends);
        let group = |row: usize| self.rows.groups[row];
        let people: Vec<u32> = classes
            .iter()
            .map(|class| class.iter().map(|&row| groups.sizes[group(row) as usize]).sum())
            .collect();
        let counts: Vec<Vec<u32>> = classes
            .iter()
            .map(|class| values.count(&class.iter().map(|&row| group(row)).collect::<Vec<u32>>()))
            .collect();
        for (value, worst) in shares.iter_mut().enumerate() {
            let allowed = values.named[value].allowed;
            let excess = |class: usize| f64::from(counts[class][value]) - allowed * f64::from(people[class]);
            let mut shortage: Vec<f64> =
                (0..classes.len()).map(|class| (-excess(class) - MARGIN).max(0.0)).collect();
            for class in 0..classes.len() {
                let count = counts[class][value];
                if values.allows(value as u32, count, people[class]) {
                    *worst = worst.max(share(count, people[class]));
                    continue;
                }
                let mut due = excess(class) + MARGIN;
                for other in (0..classes.len()).filter(|other| *other != class) {
                    if shortage[other] > 0.0 && self.accompanies(classes[other][0], classes[class][0], ends) {
                        let part = shortage[other].min(due);
                        shortage[other] -= part;
                        due -= part;
                        if due <= 0.0 {
                            break;
                        }
                    }
                }
                if due > 0.0 {
                    return false;
                }
                // What is set off reaches the bound at most.
                *worst = worst.max(allowed);
            }
        }
        true
    }

    /// The rows that accompany each other.
    fn classes(&self, left: &[usize], ends: &[u16]) -> Vec<Vec<usize>> {
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for &row in left {
            // It is an equivalence, so the first of each class stands for all.
            let is_same = |class: &&mut Vec<usize>| {
                self.accompanies(row, class[0], ends) && self.accompanies(class[0], row, ends)
            };
            match classes.iter_mut().find(is_same) {
                Some(class) => class.push(row),
                None => classes.push(vec![row]),
            }
        }
        classes
    }
}

/// What can be known of one event: for each set of events of the cell that something fits, a smallest set of items that
/// fits just these; small sets first.
pub(super) struct KnownEvents {
    items: Vec<Vec<u32>>,
    /// For each of them and each end in each row the end of the next event that fits, [`NONE`] where none does.
    next: Vec<u16>,
    /// How many numbers each takes.
    width: usize,
    /// Where the ends of each row begin.
    starts: Vec<usize>,
}

/// Some events of the cell, a bit each.
type Events = Box<[u64]>;

impl KnownEvents {
    fn new(rows: &Rows<'_>, length: usize, search: Search<'_>) -> Option<KnownEvents> {
        let width = rows.all_events() + rows.len();
        let most = MOST_NUMBERS / width.max(1);
        let mut sets: Vec<(Events, Vec<u32>)> = Vec::new();
        let mut number_of: HashMap<Events, usize, FixedState> = HashMap::default();
        for quasi in 0..rows.quasi {
            let items = items(rows, quasi, search);
            // As they were before this quasi-identifier: an event has at most one item of each.
            let shorter = sets.iter().filter(|(_, own)| own.len() < length).cloned().map(Some);
            let bases: Vec<Option<(Events, Vec<u32>)>> = std::iter::once(None).chain(shorter).collect();
            for base in bases {
                search.work.add((items.len() * rows.all_events().div_ceil(64)) as u64);
                if search.work.is_over() {
                    return None;
                }
                for (item, fits) in &items {
                    let (events, own): (Events, Vec<u32>) = match &base {
                        None => (fits.clone(), vec![*item]),
                        Some((events, own)) => (
                            events.iter().zip(fits).map(|(one, two)| one & two).collect(),
                            own.iter().copied().chain([*item]).collect(),
                        ),
                    };
                    if events.iter().all(|&word| word == 0) {
                        continue;
                    }
                    match number_of.get(&events) {
                        Some(&number) if own.len() < sets[number].1.len() => sets[number].1 = own,
                        Some(_) => {}
                        None => {
                            number_of.insert(events.clone(), sets.len());
                            sets.push((events, own));
                        }
                    }
                }
                if sets.len() > most {
                    return None;
                }
            }
        }
        sets.sort_by_key(|(_, items)| items.len());
        search.work.add((width * sets.len()) as u64);
        Some(KnownEvents::place(rows, sets, width))
    }

    fn place(rows: &Rows<'_>, sets: Vec<(Events, Vec<u32>)>, width: usize) -> KnownEvents {
        let starts: Vec<usize> = (0..rows.len()).map(|row| rows.starts[row] + row).collect();
        let mut next = vec![NONE; width * sets.len()];
        for ((events, _), next) in sets.iter().zip(next.chunks_exact_mut(width.max(1))) {
            for (row, &start) in starts.iter().enumerate() {
                // From the last event backwards, so that each end finds the next event that fits behind it.
                let mut end = NONE;
                for place in (0..rows.events(row)).rev() {
                    let event = rows.starts[row] + place;
                    if events[event / 64] >> (event % 64) & 1 == 1 {
                        end = place as u16 + 1;
                    }
                    next[start + place] = end;
                }
            }
        }
        KnownEvents { items: sets.into_iter().map(|(_, items)| items).collect(), next, width, starts }
    }

    /// How many items one of them has.
    pub(super) fn items(&self, by: usize) -> usize {
        self.items[by].len()
    }

    /// The end of the next event that fits, behind an end in a row.
    pub(super) fn next(&self, by: usize, row: usize, end: u16) -> u16 {
        self.next[by * self.width + self.starts[row] + end as usize]
    }

    /// How many of them have up to this number of items.
    pub(super) fn up_to(&self, items: usize) -> usize {
        self.items.partition_point(|own| own.len() <= items)
    }

    /// The ends after one more event, and the crowd as bits; whether there is anybody.
    fn advance(&self, ends: &[u16], by: usize, next: &mut [u16], crowd: &mut [u64]) -> bool {
        let table = &self.next[by * self.width..(by + 1) * self.width];
        crowd.fill(0);
        let mut any = false;
        for (row, ((&end, next), &start)) in ends.iter().zip(next).zip(&self.starts).enumerate() {
            *next = if end == NONE { NONE } else { table[start + end as usize] };
            if *next != NONE {
                crowd[row / 64] |= 1 << (row % 64);
                any = true;
            }
        }
        any
    }
}

/// The items of one quasi-identifier and the events that they fit; of those that fit the same events the first.
fn items(rows: &Rows<'_>, quasi: usize, search: Search<'_>) -> Vec<(u32, Events)> {
    let mut found: Vec<(u32, usize)> = Vec::new();
    for event in 0..rows.all_events() {
        let own = rows.event(event)[quasi];
        if own != NOTHING {
            found.extend(rows.file.items.fits(own).iter().map(|&item| (item, event)));
        }
    }
    search.work.add(found.len() as u64);
    found.sort_unstable();
    let mut items: Vec<(u32, Events)> = Vec::new();
    let mut seen: HashMap<Events, (), FixedState> = HashMap::default();
    for run in found.chunk_by(|one, two| one.0 == two.0) {
        let mut events = vec![0; rows.all_events().div_ceil(64)].into_boxed_slice();
        run.iter().for_each(|&(_, event)| events[event / 64] |= 1 << (event % 64));
        if seen.insert(events.clone(), ()).is_none() {
            items.push((run[0].0, events));
        }
    }
    items
}

/// The vectors of ends that were reached, that of nothing known first.
struct Ends<'a> {
    search: Search<'a>,
    rows: &'a Rows<'a>,
    later: &'a Later<'a>,
    known: &'a KnownEvents,
    length: usize,
    /// One number for each row.
    ends: Vec<u16>,
    reached: Vec<Reached>,
    by_ends: HashTable<u32>,
    /// The vectors that are to be followed, by the number of their items.
    waiting: Vec<Vec<u32>>,
    /// Whether the crowds that were met keep the promise.
    crowds: HashMap<Box<[u64]>, bool, FixedState>,
}

/// How a vector was reached.
#[derive(Clone, Copy)]
struct Reached {
    /// With how few items.
    items: u32,
    /// From which vector, by what is known of one more event.
    from: u32,
    by: u32,
    /// Whether it need not be followed.
    is_settled: bool,
}

impl<'a> Ends<'a> {
    fn new(
        search: Search<'a>,
        rows: &'a Rows<'a>,
        later: &'a Later<'a>,
        known: &'a KnownEvents,
        length: usize,
    ) -> Ends<'a> {
        let mut waiting = vec![Vec::new(); length + 1];
        waiting[0].push(0);
        Ends {
            search,
            rows,
            later,
            known,
            length,
            ends: vec![0; rows.len()],
            reached: vec![Reached { items: 0, from: 0, by: 0, is_settled: false }],
            by_ends: HashTable::new(),
            waiting,
            crowds: HashMap::default(),
        }
    }

    /// Everything up to the first length with a break.
    fn search(mut self, mut found: Found) -> Option<Found> {
        let count = self.rows.len();
        let (mut next, mut crowd) = (vec![0; count], vec![0; count.div_ceil(64)]);
        for items in 0..self.length {
            // Whatever follows is longer than what breaks the promise already.
            if found.length.is_some_and(|broken| broken <= items) {
                break;
            }
            for from in std::mem::take(&mut self.waiting[items]) {
                // It was reached again with fewer items while it waited, and has been followed from there.
                if self.reached[from as usize].items as usize != items {
                    continue;
                }
                let known = self.known.up_to(self.length - items);
                self.search.work.add((known * count) as u64);
                if self.search.work.is_over() || self.ends.len() > MOST_NUMBERS {
                    return if self.search.work.is_over() { Some(found) } else { None };
                }
                for by in 0..known {
                    let known = self.known;
                    let ends = &self.ends[from as usize * count..(from as usize + 1) * count];
                    if !known.advance(ends, by, &mut next, &mut crowd) {
                        continue;
                    }
                    let items = items + known.items[by].len();
                    let reached = Reached { items: items as u32, from, by: by as u32, is_settled: false };
                    let keeps = self.judge(&crowd, reached, &mut found);
                    if keeps && items < self.length {
                        self.reach(&next, reached, &mut found);
                    }
                }
            }
        }
        Some(found)
    }

    /// Whether a crowd keeps the promise, or need not be looked at because nobody in it is open.
    fn judge(&mut self, crowd: &[u64], reached: Reached, found: &mut Found) -> bool {
        let known = self.crowds.get(crowd).copied();
        if known == Some(true) {
            return true;
        }
        let Published { groups, values, k, .. } = self.rows.file;
        let is_in = |row: &usize| crowd[row / 64] >> (row % 64) & 1 == 1;
        let rows: Vec<usize> = (0..self.rows.len()).filter(is_in).collect();
        let keeps = !rows.iter().any(|&row| self.later.is_open[row]) || {
            let members: Vec<u32> = rows.iter().map(|&row| self.rows.groups[row]).collect();
            let (people, counts) = (groups.people(&members), values.count(&members));
            found.see(people, &counts);
            let how = Break::of(values, *k, people, &counts, || self.witness(reached));
            let keeps = how.is_none();
            if let Some(how) = how {
                found.add(reached.items as usize, 1, how);
            }
            keeps
        };
        if known.is_none() {
            self.crowds.insert(crowd.into(), keeps);
        }
        keeps
    }

    /// Takes note of a vector and puts it where it waits to be followed, unless it was reached with as few items or need not
    /// be followed.
    fn reach(&mut self, ends: &[u16], how: Reached, found: &mut Found) {
        let count = self.rows.len();
        let hasher = FixedState::default();
        let hash = hasher.hash_one(ends);
        let of = |vector: &u32| &self.ends[*vector as usize * count..(*vector as usize + 1) * count];
        let vector = match self.by_ends.find(hash, |vector| of(vector) == ends) {
            Some(&vector) => {
                let reached = &mut self.reached[vector as usize];
                if reached.items <= how.items {
                    return;
                }
                *reached = Reached { is_settled: reached.is_settled, ..how };
                vector
            }
            None => {
                let vector = self.reached.len() as u32;
                self.search.work.add((count * count) as u64);
                let is_settled = self.later.is_settled(ends, found);
                self.ends.extend_from_slice(ends);
                self.reached.push(Reached { is_settled, ..how });
                let all = &self.ends;
                let of = |vector: &u32| &all[*vector as usize * count..(*vector as usize + 1) * count];
                self.by_ends.insert_unique(hash, vector, |vector| hasher.hash_one(of(vector)));
                vector
            }
        };
        if !self.reached[vector as usize].is_settled {
            self.waiting[how.items as usize].push(vector);
        }
    }

    /// Something known that is reached so.
    fn witness(&self, reached: Reached) -> Vec<Step> {
        let mut events = Vec::new();
        let (mut from, mut by) = (reached.from, reached.by);
        loop {
            events.push(by);
            if from == 0 {
                break;
            }
            Reached { from, by, .. } = self.reached[from as usize];
        }
        let event = |&by: &u32| {
            let items = self.known.items[by as usize].iter().enumerate();
            items.map(|(at, item)| 2 * item + u32::from(at == 0)).collect::<Vec<Step>>()
        };
        events.iter().rev().flat_map(event).collect()
    }
}
