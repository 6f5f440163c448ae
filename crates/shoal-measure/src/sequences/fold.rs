use std::collections::HashMap;
use std::ops::Range;

use shoal_privacy::Classes;

/// Sequences of which equal ones are kept once, and in them equal events. A release of k-anonymous sequences
/// shrinks at least k times by it, and with it the time that a query takes.
#[derive(Debug)]
pub(super) struct Folded {
    /// Events that agree in every quasi-identifier.
    events: Classes,
    /// People whose sequences agree in every event.
    people: Classes,
    /// The events of the first person of each class.
    firsts: Vec<Range<usize>>,
}

impl Folded {
    /// Folds the events, given as columns of codes, of these people.
    pub(super) fn of(rows: usize, columns: &[&[u32]], people: impl Iterator<Item = Range<usize>>) -> Folded {
        let events = Classes::of_codes(rows, columns);
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let mut classes = Classes::default();
        let mut firsts = Vec::new();
        for person in people {
            let class = *known.entry(&events.class_of[person.clone()]).or_insert(firsts.len() as u32);
            if class as usize == firsts.len() {
                firsts.push(person);
                classes.sizes.push(0);
            }
            classes.sizes[class as usize] += 1;
            classes.class_of.push(class);
        }
        Folded { events, people: classes, firsts }
    }

    /// The distinct events, and which one each event is.
    pub(super) fn events(&self) -> &Classes {
        &self.events
    }

    /// The classes of people with equal sequences.
    pub(super) fn people(&self) -> &Classes {
        &self.people
    }

    /// The distinct sequences, each a list of distinct events, and how many people have it.
    pub(super) fn sequences(&self) -> impl Iterator<Item = (&[u32], u32)> {
        let sizes = self.people.sizes.iter().copied();
        self.firsts.iter().map(|events| &self.events.class_of[events.clone()]).zip(sizes)
    }
}
