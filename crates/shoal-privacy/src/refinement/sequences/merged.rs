//! Two lists of which as many events as possible are taken for one.

use super::Quasi;
use super::events::{Event, lower};

/// Two lists of events, those that may be one taken for one: as many as possible, in order.
pub(super) fn merged(line: &[Event], list: &[Event], quasi: &[Quasi<'_>]) -> Vec<Event> {
    let (n, m) = (line.len(), list.len());
    let joined: Vec<Option<Event>> =
        line.iter().flat_map(|one| list.iter().map(|other| joined(one, other, quasi))).collect();
    // How many of the events from the i-th and the j-th on can be taken for one.
    let mut most = vec![0_u32; (n + 1) * (m + 1)];
    let at = |i: usize, j: usize| i * (m + 1) + j;
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let one = if joined[i * m + j].is_some() { 1 + most[at(i + 1, j + 1)] } else { 0 };
            most[at(i, j)] = one.max(most[at(i + 1, j)]).max(most[at(i, j + 1)]);
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut merged = Vec::with_capacity(n.max(m));
    while i < n && j < m {
        let here = most[at(i, j)];
        match &joined[i * m + j] {
            Some(one) if here == 1 + most[at(i + 1, j + 1)] => {
                merged.push(one.clone());
                (i, j) = (i + 1, j + 1);
            }
            _ if here == most[at(i + 1, j)] => {
                merged.push(line[i].clone());
                i += 1;
            }
            _ => {
                merged.push(list[j].clone());
                j += 1;
            }
        }
    }
    merged.extend_from_slice(&line[i..]);
    merged.extend_from_slice(&list[j..]);
    merged
}

/// The event that both may be, with the lower node of each column.
fn joined(one: &Event, other: &Event, quasi: &[Quasi<'_>]) -> Option<Event> {
    if !one.agrees(other) {
        return None;
    }
    Some(one.with(lower(one, other, quasi)?))
}
