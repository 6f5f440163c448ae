use std::ops::Range;

use super::Table;

/// People with an ordered list of events each.
///
/// The events are the records of one table: those of a person are next to each other, in the order in which they
/// happened. So all that is known about columns (roles, domains, hierarchies) is known about events too.
#[derive(Clone, Debug)]
pub struct Sequences {
    events: Table,
    /// Where each person's events start, and at the end the number of events.
    starts: Vec<u32>,
}

/// Starts that do not cut the events into people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSequences {
    /// A person without an event: there is nothing that could be hidden or published.
    #[error("person number {person} has no event")]
    NoEvent {
        /// The person, counted from 0.
        person: usize,
    },
    /// The starts do not begin with the first event and end behind the last.
    #[error("the people's events are {from} to {to}, but the table has {events} events")]
    Uncovered {
        /// Where the first person starts.
        from: usize,
        /// Where the last person ends.
        to: usize,
        /// How many events there are.
        events: usize,
    },
}

impl Sequences {
    /// Cuts a table of events into people: person `p` has the events `starts[p]..starts[p + 1]`.
    pub fn new(events: Table, starts: Vec<u32>) -> Result<Sequences, InvalidSequences> {
        let (from, to) = (starts.first().copied().unwrap_or(0), starts.last().copied().unwrap_or(0));
        if from != 0 || to as usize != events.rows || starts.is_empty() {
            return Err(InvalidSequences::Uncovered {
                from: from as usize,
                to: to as usize,
                events: events.rows,
            });
        }
        match starts.windows(2).position(|pair| pair[0] >= pair[1]) {
            Some(person) => Err(InvalidSequences::NoEvent { person }),
            None => Ok(Sequences { events, starts }),
        }
    }

    /// All events, those of a person together and in order.
    pub fn events(&self) -> &Table {
        &self.events
    }

    /// How many people there are.
    pub fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// The events of a person: records of [`Sequences::events`].
    pub fn events_of(&self, person: usize) -> Range<usize> {
        self.starts[person] as usize..self.starts[person + 1] as usize
    }

    /// The events of everybody, person by person.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.starts.windows(2).map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// Whose each event is.
    pub fn person_of(&self) -> Vec<u32> {
        let each = self.iter().enumerate();
        each.flat_map(|(person, events)| std::iter::repeat_n(person as u32, events.len())).collect()
    }

    /// The same people with other hierarchies, weights or codes for their events.
    ///
    /// # Panics
    /// When there are not as many events as before.
    pub fn with_events(&self, events: Table) -> Sequences {
        assert_eq!(events.rows, self.events.rows, "the events of the same people");
        Sequences { events, starts: self.starts.clone() }
    }

    /// The most events that anybody has; 0 when there is nobody.
    pub fn longest(&self) -> usize {
        self.iter().map(|events| events.len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rows: usize, starts: &[u32]) -> Result<Sequences, InvalidSequences> {
        Sequences::new(Table { columns: Vec::new(), rows }, starts.to_vec())
    }

    #[test]
    fn people_have_their_events_in_order() {
        let people = cut(6, &[0, 1, 4, 6]).unwrap();
        assert_eq!(people.persons(), 3);
        assert_eq!(people.events_of(1), 1..4);
        assert_eq!(people.iter().collect::<Vec<_>>(), [0..1, 1..4, 4..6]);
        assert_eq!(people.person_of(), [0, 1, 1, 1, 2, 2]);
        assert_eq!(people.longest(), 3);
    }

    #[test]
    fn nobody_is_without_events_and_no_event_without_a_person() {
        assert_eq!(cut(4, &[0, 2, 2, 4]).unwrap_err(), InvalidSequences::NoEvent { person: 1 });
        let uncovered = |from, to, events| InvalidSequences::Uncovered { from, to, events };
        assert_eq!(cut(4, &[0, 2, 3]).unwrap_err(), uncovered(0, 3, 4));
        assert_eq!(cut(4, &[1, 4]).unwrap_err(), uncovered(1, 4, 4));
        assert_eq!(cut(4, &[]).unwrap_err(), uncovered(0, 0, 4));
        assert_eq!(cut(0, &[0]).unwrap().persons(), 0);
    }
}
