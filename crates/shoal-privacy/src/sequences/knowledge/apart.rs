//! Several lists of each person, whose order to each other is open: what several releases publish.
//!
//! A known sequence fits somebody who has for each of its events another event of one of the lists, those of one list in
//! order: there may be a history that holds them all. Crowds are judged as everywhere.
//!
//! People with the same lists are a group. Where each group keeps the promise by itself, each crowd does, which is a union of groups.
//! Otherwise all known sequences are tried, an event at a time. A state holds for each group where the known events may
//! end in each of its lists; an end that is nowhere earlier than another one is not followed.

use std::collections::HashMap;

use super::Published;
use super::ends::{KnownEvents, NONE, Rows};
use super::found::Break;
use super::search::Search;
use crate::SequencesView;

/// Whether all crowds of some groups keep the promise, and that was found out within the work. `list_of_row` numbers the list of each row.
pub(super) fn holds(
    search: Search<'_>,
    groups: &[u32],
    view: &SequencesView<'_>,
    list_of_row: &[u32],
) -> bool {
    if !groups.iter().any(|&group| search.file.breaks_alone(group)) {
        return true;
    }
    let mut first = vec![usize::MAX; search.file.groups.len()];
    for (person, &group) in search.file.groups.of_person().iter().enumerate() {
        first[group as usize] = first[group as usize].min(person);
    }
    // A row of the search is a list; who has which is kept beside it.
    let (mut lists, mut starts) = (Vec::new(), vec![0]);
    for &group in groups {
        let rows = view.rows_of(first[group as usize]);
        lists.extend(rows.chunk_by(|one, two| list_of_row[*one as usize] == list_of_row[*two as usize]));
        starts.push(lists.len());
    }
    let rows = Rows::of_lists(search.file, view, &lists);
    let Some(known) = rows.known(search) else { return false };
    let mut apart = Apart { search, groups, starts, known, followed: HashMap::new(), crowds: HashMap::new() };
    let nothing: State = (0..groups.len()).map(|at| (at, vec![vec![0; apart.lists(at).len()]])).collect();
    apart.follow(&nothing, 0)
}

/// For each group that fits, in which ways: where the known events end in each list.
type State = Vec<(usize, Vec<Vec<u16>>)>;

struct Apart<'a> {
    search: Search<'a>,
    groups: &'a [u32],
    /// Where the lists of each group begin.
    starts: Vec<usize>,
    known: KnownEvents,
    /// With how few items each state was reached.
    followed: HashMap<State, usize>,
    crowds: HashMap<Vec<u32>, bool>,
}

impl Apart<'_> {
    fn lists(&self, at: usize) -> std::ops::Range<usize> {
        self.starts[at]..self.starts[at + 1]
    }

    /// Whether all crowds hold that are known by what leads to a state and something more.
    fn follow(&mut self, state: &State, items: usize) -> bool {
        for by in 0..self.known.up_to(self.search.length - items) {
            let next: State = state.iter().filter_map(|fitting| self.advance(fitting, by)).collect();
            self.search.work.add(next.iter().map(|(_, ways)| ways.len() as u64).sum::<u64>() + 1);
            if next.is_empty() {
                continue;
            }
            let items = items + self.known.items(by);
            if self.search.work.is_over() || !self.keeps(&next) {
                return false;
            }
            let is_new = self.followed.get(&next).is_none_or(|&least| items < least);
            if is_new && items < self.search.length {
                self.followed.insert(next.clone(), items);
                if !self.follow(&next, items) {
                    return false;
                }
            }
        }
        true
    }

    /// The ways of a group after one more known event.
    fn advance(&self, (at, ways): &(usize, Vec<Vec<u16>>), by: usize) -> Option<(usize, Vec<Vec<u16>>)> {
        let mut longer: Vec<Vec<u16>> = Vec::new();
        for way in ways {
            for (place, list) in self.lists(*at).enumerate() {
                let end = self.known.next(by, list, way[place]);
                if end == NONE {
                    continue;
                }
                let mut way = way.clone();
                way[place] = end;
                let is_later =
                    |one: &Vec<u16>, other: &Vec<u16>| one.iter().zip(other).all(|(one, other)| one >= other);
                if !longer.iter().any(|other| is_later(&way, other)) {
                    longer.retain(|other| !is_later(other, &way));
                    longer.push(way);
                }
            }
        }
        longer.sort_unstable();
        (!longer.is_empty()).then_some((*at, longer))
    }

    fn keeps(&mut self, state: &State) -> bool {
        let crowd: Vec<u32> = state.iter().map(|(at, _)| self.groups[*at]).collect();
        let Published { groups, values, k, .. } = self.search.file;
        *self.crowds.entry(crowd).or_insert_with_key(|crowd| {
            Break::of(values, *k, groups.people(crowd), &values.count(crowd), Vec::new).is_none()
        })
    }
}
