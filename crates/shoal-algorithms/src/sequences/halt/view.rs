//! The published sequences as the search sees them.
//!
//! By the papers' count values of which nothing can be known are left out, and so are events without any other. People
//! whose sequences are the same then stand as one *group* that counts for all of them: the coarser the release, the
//! fewer groups there are.
//!
//! Where everybody counts who may be the one, a cell also fits the items below it. That matters where one published node
//! lies above another one, and for roots. Values below the upper node that no cell names are one more item, the *rest*
//! of that node; it fits the node and what lies above it.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use shoal_core::{Sequences, Support};

use super::decision::{Decision, NOTHING};
use super::items::Items;
use crate::sequences::terms::{Tally, Terms};

/// The groups, and the items of their events in a numbering of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The code of each item; ascending, so that items of a quasi-identifier stand together, general ones first.
    codes: Vec<u32>,
    /// The item next above each, if there is one.
    parents: Vec<Option<u32>>,
    /// For each item the first item of the next quasi-identifier.
    next_quasi: Vec<u32>,
    /// Where the items of each kind of event start; kind 0 has none.
    kind_starts: Vec<u32>,
    kind_items: Vec<u32>,
    /// The kind of each row. Every group starts with a row of kind 0, the time before its first event.
    kinds: Vec<u32>,
    group_of: Vec<u32>,
    /// Where the rows of each group start, and at the end the number of rows.
    starts: Vec<u32>,
    /// How many people each group stands for.
    weights: Vec<u32>,
    /// For each group the watched values that some of its people show, and how many do.
    shown: Vec<Vec<(u32, u32)>>,
    /// Everybody who is in the release.
    everybody: Tally,
}

type Numbers = HashMap<Vec<u32>, u32, FixedState>;

impl View {
    /// Publishes everybody's sequence.
    pub(super) fn new(people: &Sequences, items: &Items<'_>, decision: &Decision, terms: &Terms) -> View {
        let published: Vec<Vec<u32>> =
            (0..items.quasi()).map(|quasi| decision.published(quasi, items)).collect();
        let mut kinds = Numbers::default();
        let mut of_kind: Vec<Vec<u32>> = vec![Vec::new()];
        let mut groups = Numbers::default();
        let mut view = View { starts: vec![0], everybody: terms.nobody(), ..View::default() };
        let kept = decision.kept(items, people);
        for (person, events) in people.iter().enumerate() {
            let mut sequence = vec![0];
            for event in events.clone().filter(|&event| kept[event]) {
                let code = |(quasi, of): (usize, &Vec<u32>)| of[items.leaf(event, quasi) as usize];
                let own: Vec<u32> =
                    published.iter().enumerate().map(code).filter(|&code| code != NOTHING).collect();
                if !own.is_empty() {
                    sequence.push(number(&mut kinds, &mut of_kind, own));
                }
            }
            if sequence.len() > 1 {
                // What is not published shows nothing.
                let shown = match terms.support {
                    Support::Compatible => terms.shown(events.filter(|&event| kept[event])),
                    Support::Paper => terms.carried(person as u32).to_vec(),
                };
                view.count(sequence, &shown, &mut groups);
            }
        }
        view.name_items(&of_kind, items, terms.support);
        view
    }

    /// Everybody who is in the release, with what they show.
    pub(super) fn everybody(&self) -> &Tally {
        &self.everybody
    }

    /// How many items there are.
    pub(super) fn items(&self) -> usize {
        self.codes.len()
    }

    /// The code of an item.
    pub(super) fn code(&self, item: u32) -> u32 {
        self.codes[item as usize]
    }

    /// The item next above.
    pub(super) fn parent(&self, item: u32) -> Option<u32> {
        self.parents[item as usize]
    }

    /// The first item of the next quasi-identifier.
    pub(super) fn next_quasi(&self, item: u32) -> u32 {
        self.next_quasi[item as usize]
    }

    /// The items of a row, ascending.
    pub(super) fn items_at(&self, row: u32) -> &[u32] {
        let kind = self.kinds[row as usize] as usize;
        &self.kind_items[self.kind_starts[kind] as usize..self.kind_starts[kind + 1] as usize]
    }

    /// The group of a row.
    pub(super) fn group_of(&self, row: u32) -> u32 {
        self.group_of[row as usize]
    }

    /// Behind the last row of a group.
    pub(super) fn end(&self, group: u32) -> u32 {
        self.starts[group as usize + 1]
    }

    /// The rows before everybody's first event.
    pub(super) fn beginnings(&self) -> &[u32] {
        &self.starts[..self.starts.len() - 1]
    }

    /// How many people a group stands for.
    pub(super) fn weight(&self, group: u32) -> u32 {
        self.weights[group as usize]
    }

    /// The watched values that people of a group show, and how many do.
    pub(super) fn shown(&self, group: u32) -> &[(u32, u32)] {
        &self.shown[group as usize]
    }

    /// Adds a person to the group of their sequence.
    fn count(&mut self, sequence: Vec<u32>, values: &[u32], groups: &mut Numbers) {
        let group = *groups.entry(sequence).or_insert_with_key(|sequence| {
            let group = self.weights.len() as u32;
            self.kinds.extend(sequence);
            self.group_of.resize(self.kinds.len(), group);
            self.starts.push(self.kinds.len() as u32);
            self.weights.push(0);
            self.shown.push(Vec::new());
            group
        });
        self.weights[group as usize] += 1;
        self.everybody.people += 1;
        let shown = &mut self.shown[group as usize];
        for &value in values {
            self.everybody.having[value as usize] += 1;
            match shown.iter_mut().find(|(known, _)| *known == value) {
                Some((_, count)) => *count += 1,
                None => shown.push((value, 1)),
            }
        }
    }

    /// Numbers the items of all kinds of events. An item that stands exactly where the one above it stands says
    /// nothing more than that one, and is left out.
    fn name_items(&mut self, of_kind: &[Vec<u32>], items: &Items<'_>, support: Support) {
        let mut rows_with = vec![0_u32; items.len()];
        for &kind in &self.kinds {
            for &code in &of_kind[kind as usize] {
                items.upwards(code).for_each(|above| rows_with[above as usize] += 1);
            }
        }
        let mut above_others = match support {
            Support::Compatible => above_others(&self.kinds, of_kind, items),
            Support::Paper => vec![false; items.len()],
        };
        // A quasi-identifier that publishes nothing but its root says only that there was an event. One item says that for
        // all of them; it comes first and nothing joins it, since any other item of the event says it too.
        let root = |quasi: usize| items.codes(quasi).start;
        let says_nothing = |quasi: &usize| {
            above_others[root(*quasi) as usize]
                && items.codes(*quasi).all(|code| rows_with[code as usize] == 0)
        };
        let silent: Vec<u32> = (0..items.quasi()).filter(says_nothing).map(root).collect();
        if let Some(&first) = silent.first() {
            self.codes.push(first);
            self.parents.push(None);
            // Higher than any item.
            self.next_quasi.push(NOTHING);
        }
        silent.iter().for_each(|&root| above_others[root as usize] = false);
        let mut number = vec![NOTHING; items.len()];
        // For each published node that lies above another one, and for roots, the item of the rest.
        let mut rest = vec![NOTHING; items.len()];
        for quasi in 0..items.quasi() {
            for code in items.codes(quasi).skip(1) {
                let mut above = items.upwards(code).skip(1);
                let rows = rows_with[code as usize];
                if rows == 0 || above.next().is_some_and(|above| rows_with[above as usize] == rows) {
                    continue;
                }
                let named = items.upwards(code).skip(1).map(|above| number[above as usize]);
                self.parents.push(named.into_iter().find(|&item| item != NOTHING));
                number[code as usize] = self.codes.len() as u32;
                self.codes.push(code);
            }
            for code in items.codes(quasi).filter(|&code| above_others[code as usize]) {
                let named = items.upwards(code).map(|above| number[above as usize]);
                self.parents.push(named.into_iter().find(|&item| item != NOTHING));
                rest[code as usize] = self.codes.len() as u32;
                self.codes.push(code);
            }
            self.next_quasi.resize(self.codes.len(), self.codes.len() as u32);
        }
        // Looked up once for each code: many kinds of events publish it.
        let below = |code: u32| -> Vec<u32> {
            if !above_others[code as usize] {
                return Vec::new();
            }
            let all = items.codes(items.quasi_of(code));
            let all = all.filter(|&other| other == code || items.is_above(code, other));
            all.flat_map(|other| [number[other as usize], rest[other as usize]]).collect()
        };
        let below: Vec<Vec<u32>> = (0..items.len() as u32).map(below).collect();
        self.kind_starts.push(0);
        for codes in of_kind {
            let above = codes.iter().flat_map(|&code| items.upwards(code)).map(|code| number[code as usize]);
            let below = codes.iter().flat_map(|&code| below[code as usize].iter().copied());
            let an_event = (!silent.is_empty() && !codes.is_empty()).then_some(0);
            let mut own: Vec<u32> =
                above.chain(below).chain(an_event).filter(|&item| item != NOTHING).collect();
            own.sort_unstable();
            own.dedup();
            self.kind_items.extend(own);
            self.kind_starts.push(self.kind_items.len() as u32);
        }
    }
}

/// For each code whether it is published and lies above another published one. A root always does: it is above values
/// that nobody has, and above missing ones.
fn above_others(kinds: &[u32], of_kind: &[Vec<u32>], items: &Items<'_>) -> Vec<bool> {
    let mut is_published = vec![false; items.len()];
    let published = kinds.iter().flat_map(|&kind| &of_kind[kind as usize]);
    published.for_each(|&code| is_published[code as usize] = true);
    let mut above_others = vec![false; items.len()];
    for code in (0..items.len() as u32).filter(|&code| is_published[code as usize]) {
        above_others[code as usize] |= items.is_root(code);
        items
            .upwards(code)
            .skip(1)
            .for_each(|above| above_others[above as usize] |= is_published[above as usize]);
    }
    above_others
}

/// The number of a kind of event, a new one if it was not seen before.
fn number(numbers: &mut Numbers, all: &mut Vec<Vec<u32>>, own: Vec<u32>) -> u32 {
    *numbers.entry(own).or_insert_with_key(|own| {
        all.push(own.clone());
        all.len() as u32 - 1
    })
}
