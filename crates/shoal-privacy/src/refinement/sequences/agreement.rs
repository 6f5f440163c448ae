//! What an attacker who knows all events can test: which events of two releases can be one.
//!
//! Such an attacker lays the list of each release onto the events that were known when it was made, in order. Two events
//! that are laid onto the same known event are one, and what is published unchanged must agree. So which known events
//! somebody's lists can be laid onto follows from
//!
//! - the cells of each list, and
//! - for each two events of different releases that may be one by their cells, whether they agree.
//!
//! People for whom all of this is equal fit any knowledge of events together or not at all. In each world, therefore, their
//! lines can be exchanged, and somebody has each line of theirs with the same probability.
//!
//! Agreements need not be compared where they cannot decide anything. Events that were known once stay known, and new ones
//! come after them. Then:
//!
//! - A list that an earlier one *covers* adds nothing: each of its events agrees with an event of the earlier list, in
//!   order, whose cells lie within its own. It can be laid wherever that one can.
//! - Lists of which each *continues* the one before it: they begin with the same cells and agree. Lay each new event as
//!   early as possible. No other way to lay any of the lists has its first n events earlier, so all of them can be laid
//!   together wherever each of them can be laid by itself.

use super::Quasi;
use super::events::{Event, is_within, may_be_one};

/// For each list and each of its events, with which events of other lists it agrees, as far as that may decide anything.
pub(super) fn agreements(lists: &[&[Event]], quasi: &[Quasi<'_>]) -> Vec<Vec<String>> {
    let mut kept: Vec<usize> = Vec::new();
    for at in 0..lists.len() {
        if !lists[at].is_empty() && !kept.iter().any(|&earlier| covers(lists[earlier], lists[at], quasi)) {
            kept.push(at);
        }
    }
    let is_one_line = kept.windows(2).all(|pair| continues(lists[pair[0]], lists[pair[1]]));
    let agrees_with = |at: usize, event: &Event| {
        let others = kept.iter().filter(|&&other| other != at);
        let events = others.flat_map(|&other| {
            lists[other].iter().enumerate().map(move |(place, that)| (other, place, that))
        });
        let is_one = events.filter(|(.., that)| event.agrees(that) && may_be_one(event, that, quasi));
        is_one.map(|(other, place, _)| format!("{other}:{place} ")).collect()
    };
    let of_event = |at: usize, event: &Event| match (kept.contains(&at), is_one_line) {
        (false, _) => "covered".to_owned(),
        (true, true) => "one line".to_owned(),
        (true, false) => agrees_with(at, event),
    };
    (0..lists.len()).map(|at| lists[at].iter().map(|event| of_event(at, event)).collect()).collect()
}

/// Whether each event of a list has one of an earlier list, in order, that agrees and says at least as much. The first
/// one that does leaves most to those after it.
fn covers(earlier: &[Event], list: &[Event], quasi: &[Quasi<'_>]) -> bool {
    let mut left = earlier.iter();
    list.iter().all(|event| left.any(|that| event.agrees(that) && is_within(that, event, quasi)))
}

/// Whether a list begins with the whole earlier one.
fn continues(earlier: &[Event], list: &[Event]) -> bool {
    let is_same = |(one, other): (&Event, &Event)| one.quasi == other.quasi && one.agrees(other);
    earlier.len() <= list.len() && earlier.iter().zip(list).all(is_same)
}
