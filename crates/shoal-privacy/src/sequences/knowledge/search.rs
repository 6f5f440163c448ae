//! The search for known sequences that break the promise.
//!
//! Sequences grow step by step: an item joins the last event (items of an event come in the order of the
//! quasi-identifiers) or begins a new one. What can follow depends on nothing but the *state*: which groups have the
//! sequence, and for each of them the events that fit its last event, counted from where the events before it end at
//! the earliest. So of all sequences with one state only one is followed, a shortest one. One pass over a state
//! counts all sequences that are one step longer; the longest are only counted. A state without an open group cannot
//! lead to a break and is dropped.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use shoal_core::{Progress, Unseen};

use super::Published;
use super::found::{Break, Found};
use super::groups::Step;
use super::index::{after_first, keep_first};

/// How many pairs of a group and a word of its events are kept side by side before the search goes into the depth: some 60 MB.
/// So few in unit tests that their small files go there as well.
const MOST_PAIRS: usize = if cfg!(test) { 8 } else { 4 << 20 };

/// No item has been taken yet, so that none can join its event.
const NO_QUASI: u32 = u32::MAX;

/// What to look for, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search<'a> {
    pub(super) file: &'a Published,
    /// Crowds without one of these need not be looked at.
    pub(super) is_open: &'a [bool],
    /// How many items are known at most.
    pub(super) length: usize,
    pub(super) work: &'a Work<'a>,
}

/// How many items of groups were looked at, and how many may be. All parts of a search count here, so that whether
/// the limit is reached does not depend on who is first.
#[derive(Debug)]
pub(super) struct Work<'a> {
    done: AtomicU64,
    most: u64,
    progress: Unseen<'a>,
}

impl<'a> Work<'a> {
    pub(super) fn new(most: u64, progress: &'a dyn Progress) -> Work<'a> {
        Work { done: AtomicU64::new(0), most, progress: Unseen(progress) }
    }

    pub(super) fn is_over(&self) -> bool {
        self.done() > self.most
    }

    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, items: u64) {
        self.progress.check();
        self.done.fetch_add(items, Ordering::Relaxed);
    }
}

/// All that the future of a known sequence depends on, and one sequence that leads there.
#[derive(Clone, Debug)]
pub(super) struct State {
    groups: Vec<u32>,
    /// As many words for each group as the index has for it.
    events: Vec<u64>,
    /// The quasi-identifier of the last item.
    quasi: u32,
    known: Vec<Step>,
    /// How many sequences of this length lead there.
    ways: u64,
}

impl State {
    /// Nothing is known yet about these groups.
    pub(super) fn start(groups: Vec<u32>) -> State {
        State { groups, events: Vec::new(), quasi: NO_QUASI, known: Vec::new(), ways: 1 }
    }

    /// How many pairs of a group and a word it holds.
    fn pairs(&self) -> usize {
        self.groups.len().max(self.events.len())
    }
}

/// The sequences that are one step longer than a state's, by slots.
#[derive(Debug, Default)]
pub(super) struct Next {
    /// For each step its slot and one more; 0 where the step does not occur.
    slots: Vec<u32>,
    steps: Vec<Step>,
    pairs: Vec<u32>,
    /// How many words the events of these pairs take.
    words: Vec<usize>,
    people: Vec<u32>,
    is_open: Vec<bool>,
    /// How many people have each sensitive value.
    counts: Vec<u32>,
}

impl Search<'_> {
    /// Everything up to the first length with a break that grows from these states, all of one length. It says
    /// nothing when the work is over.
    pub(super) fn run(&self, states: Vec<State>) -> Found {
        let mut found = Found::new(self.file);
        self.grow(states, &mut Next::default(), &mut found);
        found
    }

    /// The states that are one item long.
    pub(super) fn first(&self, groups: Vec<u32>) -> (Vec<State>, Found) {
        let mut found = Found::new(self.file);
        let mut states = Vec::new();
        self.follow(&State::start(groups), &mut Next::default(), &mut found, &mut states);
        (states, found)
    }

    fn grow(&self, states: Vec<State>, next: &mut Next, found: &mut Found) {
        let mut level = Level::default();
        states.into_iter().for_each(|state| level.add(state));
        let mut from = 0;
        while from < level.states.len() {
            let to = level.states.len();
            if level.states[from].known.len() >= found.length.unwrap_or(self.length) {
                return;
            }
            for at in from..to {
                if self.work.is_over() {
                    return;
                }
                let mut longer = Vec::new();
                self.follow(&level.states[at], next, found, &mut longer);
                longer.into_iter().for_each(|state| level.add(state));
                if level.pairs > MOST_PAIRS && at + 1 < to {
                    // Too many to go on side by side: these first, with all that follows them.
                    let longer = level.states.split_off(to);
                    level.forget_since(to);
                    self.grow(longer, next, found);
                }
            }
            from = to;
        }
    }

    /// Counts the sequences that are one step longer, and makes the states of those that lead anywhere.
    fn follow(&self, state: &State, next: &mut Next, found: &mut Found, longer: &mut Vec<State>) {
        let Published { groups, values, items, k, .. } = self.file;
        next.clear(2 * items.len());
        self.each_step(state, |group, step, events| {
            let slot = next.slot(step, values.named.len());
            next.pairs[slot] += 1;
            next.words[slot] += events.len();
            next.people[slot] += groups.sizes[group as usize];
            next.is_open[slot] |= self.is_open[group as usize];
            let counts = &mut next.counts[slot * values.named.len()..];
            values.of(group).iter().for_each(|(value, count)| counts[*value as usize] += count);
        });
        let length = state.known.len() + 1;
        // Where the state of each slot is made, if it is.
        let mut places = vec![None; next.steps.len()];
        for (slot, place) in places.iter_mut().enumerate().filter(|(slot, _)| next.is_open[*slot]) {
            let counts = &next.counts[slot * values.named.len()..][..values.named.len()];
            let known = || state.known.iter().copied().chain([next.steps[slot]]).collect();
            let people = next.people[slot];
            found.see(people, counts);
            if let Some(how) = Break::of(values, *k, people, counts, known) {
                found.add(length, state.ways, how);
            } else if length < self.length {
                *place = Some(longer.len());
                let (pairs, words) = (next.pairs[slot] as usize, next.words[slot]);
                longer.push(self.empty_state(state, next.steps[slot], pairs, words));
            }
        }
        // Longer sequences are not reported once a shorter one breaks the promise.
        if found.length.is_some_and(|broken| broken <= length) {
            longer.clear();
        }
        if !longer.is_empty() {
            self.fill(state, longer, |step| places[next.slots[step as usize] as usize - 1]);
        }
    }

    /// Fills the states that are one step longer, each at the place of its step.
    fn fill(&self, state: &State, longer: &mut [State], place: impl Fn(Step) -> Option<usize>) {
        let last = self.file.items.quasi_identifiers() - 1;
        self.each_step(state, |group, step, events| {
            let Some(at) = place(step) else { return };
            let state = &mut longer[at];
            state.groups.push(group);
            state.events.extend_from_slice(events);
            if state.quasi == last {
                // The event takes no more items, so only where it ends counts.
                let start = state.events.len() - events.len();
                keep_first(&mut state.events[start..]);
            }
        });
    }

    /// A state of so many groups, with so many words of events.
    fn empty_state(&self, state: &State, step: Step, pairs: usize, words: usize) -> State {
        State {
            groups: Vec::with_capacity(pairs),
            events: Vec::with_capacity(words),
            quasi: self.file.items.quasi(step / 2),
            known: state.known.iter().copied().chain([step]).collect(),
            ways: state.ways,
        }
    }

    /// Calls back for every group and each step that it allows, with the events that fit then.
    fn each_step(&self, state: &State, mut call: impl FnMut(u32, Step, &[u64])) {
        let (index, items) = (self.file.index(), &self.file.items);
        let most = index.most_words();
        let (mut all_later, mut all_fit) = (vec![u64::MAX; most], vec![0; most]);
        let (mut looked, mut left) = (0, state.events.as_slice());
        for &group in &state.groups {
            let words = index.words(group);
            let (later, fit) = (&mut all_later[..words], &mut all_fit[..words]);
            // Nothing is known at the start, where every event is open.
            let here = left.split_off(..words).unwrap_or_default();
            // A new event comes behind the earliest place where the last one can stand: any other place leaves less.
            if !here.is_empty() {
                after_first(here, later);
            }
            let (has, events) = index.has(group);
            looked += has.len() as u64;
            for (&item, events) in has.iter().zip(events.chunks_exact(words)) {
                if meet(later, events, fit) {
                    call(group, 2 * item + 1, fit);
                }
                // Items join an event in the order of the quasi-identifiers, so that each set is met once.
                if state.quasi != NO_QUASI && items.quasi(item) > state.quasi && meet(here, events, fit) {
                    call(group, 2 * item, fit);
                }
            }
        }
        self.work.add(looked);
    }
}

/// The events in both sets; whether there is any.
fn meet(one: &[u64], two: &[u64], both: &mut [u64]) -> bool {
    let mut any = 0;
    for ((one, two), both) in one.iter().zip(two).zip(both) {
        *both = one & two;
        any |= *both;
    }
    any != 0
}

impl Next {
    fn clear(&mut self, steps: usize) {
        self.slots.resize(steps, 0);
        self.steps.drain(..).for_each(|step| self.slots[step as usize] = 0);
        self.pairs.clear();
        self.words.clear();
        self.people.clear();
        self.is_open.clear();
        self.counts.clear();
    }

    fn slot(&mut self, step: Step, values: usize) -> usize {
        let slot = &mut self.slots[step as usize];
        if *slot == 0 {
            self.steps.push(step);
            self.pairs.push(0);
            self.words.push(0);
            self.people.push(0);
            self.is_open.push(false);
            self.counts.resize(self.counts.len() + values, 0);
            *slot = self.steps.len() as u32;
        }
        *slot as usize - 1
    }
}

/// The states so far, shorter ones first, each once.
#[derive(Default)]
struct Level {
    states: Vec<State>,
    seen: HashTable<usize>,
    pairs: usize,
}

impl Level {
    /// Adds a state that is at least as long as all others, unless one that is as good is there.
    fn add(&mut self, state: State) {
        let hash = hash_of(&state);
        for &at in self.seen.iter_hash(hash) {
            let other = &mut self.states[at];
            if other.groups == state.groups && other.events == state.events {
                // The other one leads to all that this one leads to, and with fewer items.
                if other.known.len() < state.known.len() && other.quasi <= state.quasi {
                    return;
                }
                if other.known.len() == state.known.len() && other.quasi == state.quasi {
                    other.ways = other.ways.saturating_add(state.ways);
                    return;
                }
            }
        }
        self.pairs += state.pairs();
        let states = &self.states;
        self.seen.insert_unique(hash, states.len(), |&at| hash_of(&states[at]));
        self.states.push(state);
    }

    /// Forgets the states from this one on, which are no longer there.
    fn forget_since(&mut self, at: usize) {
        self.seen.retain(|seen| *seen < at);
        self.pairs = self.states.iter().map(State::pairs).sum();
    }
}

fn hash_of(state: &State) -> u64 {
    FixedState::default().hash_one((&state.groups, &state.events))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state of these groups, in each of which the same events fit.
    fn state(groups: &[u32], events: u64, quasi: u32, length: usize) -> State {
        let (events, known) = (vec![events; groups.len()], vec![1; length]);
        State { groups: groups.to_vec(), events, quasi, known, ways: 2 }
    }

    /// How many states are followed of two.
    fn followed(one: &State, two: &State) -> (usize, u64) {
        let mut level = Level::default();
        level.add(one.clone());
        level.add(two.clone());
        (level.states.len(), level.states[0].ways)
    }

    /// A state that is dropped without another one that leads to the same would hide what breaks the promise.
    #[test]
    fn a_state_is_dropped_only_for_one_that_leads_as_far() {
        let shorter = state(&[1, 2], 6, 1, 1);
        assert_eq!(followed(&shorter, &state(&[1, 2], 6, 1, 2)), (1, 2));
        assert_eq!(
            followed(&shorter, &state(&[1, 2], 6, 2, 2)),
            (1, 2),
            "more items can join the shorter one"
        );
        assert_eq!(
            followed(&shorter, &state(&[1, 2], 6, 0, 2)),
            (2, 2),
            "more items can join the longer one"
        );
        assert_eq!(followed(&shorter, &state(&[1, 2], 6, 1, 1)), (1, 4), "there are more ways to one state");
        assert_eq!(followed(&shorter, &state(&[1, 2], 6, 2, 1)), (2, 2));
        assert_eq!(followed(&shorter, &state(&[1, 3], 6, 1, 1)), (2, 2));
        assert_eq!(followed(&shorter, &state(&[1, 2], 2, 1, 1)), (2, 2));
    }

    /// Among 6,000 states some have the same place in the hash table although they are not the same.
    #[test]
    fn states_of_other_groups_or_other_events_are_all_followed() {
        let mut level = Level::default();
        (0..3000).for_each(|group| level.add(state(&[group], 1, 0, 1)));
        (2..3000).for_each(|events| level.add(state(&[0], events, 0, 1)));
        assert_eq!((level.states.len(), level.pairs), (5998, 5998));
    }

    #[test]
    fn what_is_forgotten_can_be_added_again() {
        let mut level = Level::default();
        (0..100).for_each(|group| level.add(state(&[group, 200], 1, 0, 1)));
        level.states.truncate(40);
        level.forget_since(40);
        assert_eq!((level.seen.len(), level.pairs), (40, 80));
        (0..100).for_each(|group| level.add(state(&[group, 200], 1, 0, 1)));
        assert_eq!(level.states.len(), 100);
        assert!(level.states.iter().enumerate().all(|(at, state)| state.ways == if at < 40 { 4 } else { 2 }));
    }

    #[test]
    fn events_meet_in_any_word() {
        let mut both = [0; 2];
        assert!(meet(&[1, 1], &[1, 1], &mut both) && both == [1, 1]);
        assert!(meet(&[0, 6], &[7, 3], &mut both) && both == [0, 2]);
        assert!(!meet(&[1, 2], &[2, 1], &mut both) && both == [0, 0]);
    }

    #[test]
    fn work_is_over_when_more_was_done_than_may_be() {
        let work = Work::new(5, &shoal_core::Silent);
        work.add(5);
        assert!(!work.is_over());
        work.add(2);
        assert_eq!((work.is_over(), work.done()), (true, 7));
    }
}
