//! Which groups have an item, and in which of their events: what a search over many groups needs.
//!
//! It takes far more room than the sequences themselves, since a cell fits every item above it, or below it as well,
//! so it is made when it is first asked for. Files in which everybody is safe by themselves never ask.

use rayon::prelude::*;
use shoal_core::Support;

use super::groups::{Groups, Step};
use super::items::Items;

/// The published sequences, one per group, as the events in which each item is found.
#[derive(Debug)]
pub(super) struct Index {
    /// How many words a set of events of each group takes. One history that is much longer than the others must not make theirs longer.
    words: Vec<u32>,
    /// As many as any group takes.
    most_words: usize,
    /// Where each group starts in `items`.
    starts: Vec<usize>,
    /// The items of each group, ascending.
    items: Vec<u32>,
    /// Where each group starts in `events`.
    event_starts: Vec<usize>,
    /// For each of a group's items the events that have it, as many words each as the group needs.
    events: Vec<u64>,
    /// The groups that have an item.
    having: Vec<Vec<u32>>,
}

impl Index {
    pub(super) fn new(items: &Items, groups: &Groups) -> Index {
        let everybody = 0..groups.len() as u32;
        let events = |group: u32| groups.whole(group).iter().filter(|step| *step % 2 == 1).count();
        let words: Vec<u32> =
            everybody.clone().map(|group| events(group).div_ceil(64).max(1) as u32).collect();
        let mut index = Index {
            most_words: words.iter().copied().max().unwrap_or(1) as usize,
            words,
            starts: vec![0],
            items: Vec::new(),
            event_starts: vec![0],
            events: Vec::new(),
            having: vec![Vec::new(); items.len()],
        };
        let found: Vec<Vec<(u32, u32)>> =
            everybody.into_par_iter().map(|group| fitting(groups.whole(group), items)).collect();
        found.into_iter().for_each(|found| index.push(&found));
        index
    }

    fn push(&mut self, found: &[(u32, u32)]) {
        let (start, group) = (self.items.len(), self.starts.len() as u32 - 1);
        let words = self.words(group);
        for &(item, event) in found {
            if self.items[start..].last() != Some(&item) {
                self.items.push(item);
                self.events.resize(self.events.len() + words, 0);
                self.having[item as usize].push(group);
            }
            let at = self.events.len() - words + event as usize / 64;
            self.events[at] |= 1 << (event % 64);
        }
        self.starts.push(self.items.len());
        self.event_starts.push(self.events.len());
    }

    /// How many words a set of events of a group takes.
    pub(super) fn words(&self, group: u32) -> usize {
        self.words[group as usize] as usize
    }

    /// As many words as a set of events takes in any group.
    pub(super) fn most_words(&self) -> usize {
        self.most_words
    }

    /// The items of a group, ascending, and the events that have them, [`Index::words`] each.
    pub(super) fn has(&self, group: u32) -> (&[u32], &[u64]) {
        let of = |starts: &[usize]| starts[group as usize]..starts[group as usize + 1];
        (&self.items[of(&self.starts)], &self.events[of(&self.event_starts)])
    }

    /// The groups that have an item, ascending.
    pub(super) fn having(&self, item: u32) -> &[u32] {
        &self.having[item as usize]
    }

    /// The groups of whose people a known sequence is true.
    pub(super) fn supporters(&self, known: &[Step]) -> Vec<u32> {
        let rarest = known.iter().map(|step| self.having(step / 2)).min_by_key(|groups| groups.len());
        let candidates = rarest.unwrap_or_default().iter().copied();
        candidates.filter(|&group| self.supports(group, known)).collect()
    }

    /// The groups that are in every crowd that a group is in, itself among them.
    pub(super) fn companions(
        &self,
        group: u32,
        groups: &Groups,
        items: &Items,
        support: Support,
    ) -> Vec<u32> {
        let whole = groups.whole(group);
        // Whoever publishes at least as much has all that is true of the group.
        let mut companions = self.supporters(whole);
        if support == Support::Compatible {
            // Whoever publishes at most as much, event by event, fits all that the group fits.
            companions.retain(|&other| covers(items, groups.whole(other), whole));
        }
        companions
    }

    fn supports(&self, group: u32, known: &[Step]) -> bool {
        let ((items, events), words) = (self.has(group), self.words(group));
        // Every event is open before the first step.
        let (mut here, mut free) = (Vec::new(), vec![u64::MAX; words]);
        known.iter().all(|step| {
            let Ok(at) = items.binary_search(&(step / 2)) else { return false };
            if step % 2 == 1 {
                if !here.is_empty() {
                    after_first(&here, &mut free);
                }
                here = free.clone();
            }
            let has = &events[at * words..(at + 1) * words];
            here.iter_mut().zip(has).for_each(|(here, has)| *here &= has);
            here.iter().any(|word| *word != 0)
        })
    }
}

/// The items that a sequence fits, ascending, each with the events that do.
fn fitting(whole: &[Step], items: &Items) -> Vec<(u32, u32)> {
    let (mut found, mut events) = (Vec::new(), 0);
    for step in whole {
        events += step % 2;
        found.extend(items.fits(step / 2).iter().map(|&item| (item, events - 1)));
    }
    found.sort_unstable();
    found
}

/// Whether the events of one sequence, in order, find distinct events of another whose cells all lie at or above theirs.
/// Every event of both has an item for each quasi-identifier.
fn covers(items: &Items, above: &[Step], below: &[Step]) -> bool {
    let quasi = items.quasi_identifiers() as usize;
    let mut above = above.chunks_exact(quasi);
    below.chunks_exact(quasi).all(|event| {
        let is_over = |other: &[Step]| {
            other.iter().zip(event).all(|(other, own)| items.is_at_or_above(other / 2, own / 2))
        };
        // The earliest one leaves most to those that follow.
        above.any(is_over)
    })
}

/// Marks every event that comes after the first of `events`.
pub(super) fn after_first(events: &[u64], later: &mut [u64]) {
    let mut is_past = false;
    for (word, later) in events.iter().zip(later) {
        *later = match (is_past, *word) {
            (true, _) => u64::MAX,
            (false, 0) => 0,
            // Neither the lowest bit nor those below it.
            (false, word) => !(word ^ (word - 1)),
        };
        is_past |= *word != 0;
    }
}

/// Takes every event but the first away.
pub(super) fn keep_first(events: &mut [u64]) {
    let mut is_past = false;
    for word in events {
        let first = if is_past { 0 } else { *word & word.wrapping_neg() };
        is_past |= *word != 0;
        *word = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_event_divides_the_words() {
        let mut later = [0; 3];
        for (events, after) in [
            ([1, 0, 0], [!1, u64::MAX, u64::MAX]),
            ([0, 1 << 63, 5], [0, 0, u64::MAX]),
            ([0b1100, 7, 7], [!0b111, u64::MAX, u64::MAX]),
            ([0, 0, 0], [0, 0, 0]),
        ] {
            after_first(&events, &mut later);
            assert_eq!(later, after);
        }
        for (mut events, first) in [([0, 0b1100, 7], [0, 0b100, 0]), ([6, 7, 7], [2, 0, 0])] {
            keep_first(&mut events);
            assert_eq!(events, first);
        }
    }
}
