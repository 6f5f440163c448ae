//! The published sequences as the search sees them.
//!
//! Values of which nothing can be known are left out, and so are events without any other. People whose
//! sequences are the same then stand as one *group* that counts for all of them: the coarser the release, the
//! fewer groups there are.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use shoal_core::Sequences;

use super::decision::{Decision, NOTHING};
use super::items::Items;
use crate::sequence::terms::Terms;

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
        let mut view = View { starts: vec![0], ..View::default() };
        for (person, events) in people.iter().enumerate() {
            let mut sequence = vec![0];
            for event in events {
                let code = |(quasi, of): (usize, &Vec<u32>)| of[items.leaf(event, quasi) as usize];
                let own: Vec<u32> =
                    published.iter().enumerate().map(code).filter(|&code| code != NOTHING).collect();
                if !own.is_empty() {
                    sequence.push(number(&mut kinds, &mut of_kind, own));
                }
            }
            if sequence.len() > 1 {
                view.count(person, sequence, &mut groups, terms);
            }
        }
        view.name_items(&of_kind, items);
        view
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
    fn count(&mut self, person: usize, sequence: Vec<u32>, groups: &mut Numbers, terms: &Terms) {
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
        let shown = &mut self.shown[group as usize];
        for &value in terms.carried(person as u32) {
            match shown.iter_mut().find(|(known, _)| *known == value) {
                Some((_, count)) => *count += 1,
                None => shown.push((value, 1)),
            }
        }
    }

    /// Numbers the items of all kinds of events. An item that stands exactly where the one above it stands says
    /// nothing more than that one, and is left out.
    fn name_items(&mut self, of_kind: &[Vec<u32>], items: &Items<'_>) {
        let mut rows_with = vec![0_u32; items.len()];
        for &kind in &self.kinds {
            for &code in &of_kind[kind as usize] {
                items.upwards(code).for_each(|above| rows_with[above as usize] += 1);
            }
        }
        let mut number = vec![NOTHING; items.len()];
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
            self.next_quasi.resize(self.codes.len(), self.codes.len() as u32);
        }
        self.kind_starts.push(0);
        for codes in of_kind {
            let all = codes.iter().flat_map(|&code| items.upwards(code)).map(|code| number[code as usize]);
            let from = self.kind_items.len();
            self.kind_items.extend(all.filter(|&item| item != NOTHING));
            self.kind_items[from..].sort_unstable();
            self.kind_starts.push(self.kind_items.len() as u32);
        }
    }
}

/// The number of a kind of event, a new one if it was not seen before.
fn number(numbers: &mut Numbers, all: &mut Vec<Vec<u32>>, own: Vec<u32>) -> u32 {
    *numbers.entry(own).or_insert_with_key(|own| {
        all.push(own.clone());
        all.len() as u32 - 1
    })
}
