//! People of whom the same is published are one group: whatever is known of one of them is true of all, and whatever
//! fits one of them fits all. By the papers' count events that publish nothing are passed over, so a group may hold
//! several classes of the file; otherwise such an event fits everything, and the number of events tells people apart.

use shoal_core::Support;

use super::items::Items;
use crate::{Classes, SequencesView};

/// One step of a known sequence: twice an item's number, and one more where the item begins an event.
pub(super) type Step = u32;

/// The published sequences, one per group, as the events in which each item is found.
#[derive(Debug)]
pub(super) struct Groups {
    /// How many people each group has.
    pub(super) sizes: Vec<u32>,
    /// The group of each class of the file.
    of_class: Vec<u32>,
    /// How many words a set of events takes.
    words: usize,
    /// Where each group starts in `items`.
    starts: Vec<usize>,
    /// The items of each group, ascending.
    items: Vec<u32>,
    /// For each of these the events that have it, `words` words each.
    events: Vec<u64>,
    /// Each group's whole sequence, as the items that stand for its cells. By the papers' count it is all that can be
    /// known about its people.
    wholes: Vec<Vec<Step>>,
    support: Support,
    /// The groups that have an item.
    having: Vec<Vec<u32>>,
}

impl Groups {
    pub(super) fn new(view: &SequencesView<'_>, items: &Items, support: Support) -> Groups {
        let firsts = view.classes().first_rows();
        let wholes: Vec<Vec<Step>> =
            firsts.iter().map(|&person| whole(view, items, view.rows_of(person as usize))).collect();
        let Classes { class_of: of_class, sizes: classes } = Classes::of_keys(wholes.iter());
        let mut sizes = vec![0; classes.len()];
        of_class.iter().zip(&view.classes().sizes).for_each(|(&group, size)| sizes[group as usize] += size);
        let events = |whole: &Vec<Step>| whole.iter().filter(|step| *step % 2 == 1).count();
        let mut groups = Groups {
            sizes,
            of_class,
            words: wholes.iter().map(events).max().unwrap_or(0).div_ceil(64).max(1),
            starts: vec![0],
            items: Vec::new(),
            events: Vec::new(),
            wholes: Vec::new(),
            support,
            having: vec![Vec::new(); items.len()],
        };
        for ((class, whole), &person) in wholes.into_iter().enumerate().zip(&firsts) {
            // Groups are numbered by their first classes, so a new one is always the next one.
            if groups.of_class[class] as usize == groups.wholes.len() {
                groups.push(fitting(view, items, view.rows_of(person as usize)), whole);
            }
        }
        groups
    }

    fn push(&mut self, mut found: Vec<(u32, usize)>, whole: Vec<Step>) {
        found.sort_unstable();
        let start = self.items.len();
        for (item, event) in found {
            if self.items[start..].last() != Some(&item) {
                self.items.push(item);
                self.events.resize(self.events.len() + self.words, 0);
                self.having[item as usize].push(self.wholes.len() as u32);
            }
            let at = self.events.len() - self.words + event / 64;
            self.events[at] |= 1 << (event % 64);
        }
        self.starts.push(self.items.len());
        self.wholes.push(whole);
    }

    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The group of each class of the file.
    pub(super) fn of_class(&self) -> &[u32] {
        &self.of_class
    }

    /// How many words a set of events takes.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The items of a group, ascending, and the events that have them, a few words each.
    pub(super) fn has(&self, group: u32) -> (&[u32], &[u64]) {
        let (start, end) = (self.starts[group as usize], self.starts[group as usize + 1]);
        (&self.items[start..end], &self.events[start * self.words..end * self.words])
    }

    /// A group's whole sequence, as the items that stand for its cells.
    pub(super) fn whole(&self, group: u32) -> &[Step] {
        &self.wholes[group as usize]
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
    pub(super) fn companions(&self, group: u32, items: &Items) -> Vec<u32> {
        match self.support {
            // Whoever publishes at least as much has all that is true of the group.
            Support::Paper => self.supporters(self.whole(group)),
            // Whoever publishes at most as much, event by event, fits all that the group fits.
            Support::Compatible => {
                let mut candidates = self.supporters(self.whole(group));
                candidates.retain(|&other| covers(items, self.whole(other), self.whole(group)));
                candidates
            }
        }
    }

    /// How many people some groups have.
    pub(super) fn people(&self, groups: &[u32]) -> u32 {
        groups.iter().map(|&group| self.sizes[group as usize]).sum()
    }

    fn supports(&self, group: u32, known: &[Step]) -> bool {
        let (items, events) = self.has(group);
        // Every event is open before the first step.
        let (mut here, mut free) = (Vec::new(), vec![u64::MAX; self.words]);
        known.iter().all(|step| {
            let Ok(at) = items.binary_search(&(step / 2)) else { return false };
            if step % 2 == 1 {
                if !here.is_empty() {
                    after_first(&here, &mut free);
                }
                here = free.clone();
            }
            let has = &events[at * self.words..(at + 1) * self.words];
            here.iter_mut().zip(has).for_each(|(here, has)| *here &= has);
            here.iter().any(|word| *word != 0)
        })
    }
}

/// The items that stand for somebody's cells, event by event.
fn whole(view: &SequencesView<'_>, items: &Items, rows: &[u32]) -> Vec<Step> {
    let mut whole = Vec::new();
    for &row in rows {
        let mut begins = 1;
        for (quasi, column) in view.events().quasi().iter().enumerate() {
            if let Some(own) = items.own(quasi, column.codes[row as usize]) {
                whole.push(2 * own + std::mem::take(&mut begins));
            }
        }
    }
    whole
}

/// The items that somebody's cells fit, each with the event that does, counted without those that say nothing.
fn fitting(view: &SequencesView<'_>, items: &Items, rows: &[u32]) -> Vec<(u32, usize)> {
    let (mut found, mut event) = (Vec::new(), 0);
    for &row in rows {
        let before = found.len();
        for (quasi, column) in view.events().quasi().iter().enumerate() {
            let fits = items.fits(quasi, column.codes[row as usize]);
            found.extend(fits.iter().map(|&item| (item, event)));
        }
        event += usize::from(found.len() > before);
    }
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
