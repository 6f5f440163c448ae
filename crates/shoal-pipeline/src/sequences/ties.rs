//! Events of a person that the columns of `data.order` do not tell apart.

use crate::leaks::{Leak, LeakKind};

/// How many pairs are shown.
const SHOWN: usize = 3;

/// All of them, counted, with the first few.
#[derive(Debug)]
pub struct Ties {
    /// How many events are equal to another one of the same person that stands before them.
    pub events: usize,
    /// How many people have such events.
    pub people: usize,
    /// The columns that order the events.
    pub columns: String,
    /// Whose, and two records, counted from 1.
    examples: Vec<(String, [usize; 2])>,
}

impl Ties {
    /// None yet, in these columns.
    pub(crate) fn new(columns: String) -> Ties {
        Ties { events: 0, people: 0, columns, examples: Vec::new() }
    }

    /// Adds neighbours among the ordered rows of a person that are equal; rows count from 0.
    pub(crate) fn add(&mut self, person: &str, pairs: impl Iterator<Item = [u32; 2]>) {
        let before = self.events;
        for pair in pairs {
            // One of each person: the first few show more of what the data are like.
            if self.events == before && self.examples.len() < SHOWN {
                self.examples.push((person.to_owned(), pair.map(|row| row as usize + 1)));
            }
            self.events += 1;
        }
        self.people += usize::from(self.events > before);
    }

    /// One sentence about all of them; `named` says that people may be named.
    pub(crate) fn in_words(&self, named: bool) -> String {
        let pair = |(person, [first, second]): &(String, [usize; 2])| match named {
            true => format!("records {first} and {second}, both of `{person}`"),
            false => format!("records {first} and {second}, of one person"),
        };
        let examples: Vec<String> = self.examples.iter().map(pair).collect();
        let place = match self.columns.as_str() {
            "" => "no column orders them".to_owned(),
            columns => format!("equal in {columns}"),
        };
        match (self.events, examples.as_slice()) {
            (1, [only]) => format!("{only}, are {place}: which came first?"),
            (events, examples) => format!(
                "{events} events of {} are {place} to another one of theirs: which came first? For example {}",
                if self.people == 1 { "1 person".to_owned() } else { format!("{} people", self.people) },
                examples.join("; ")
            ),
        }
    }

    /// What it means that they keep the order of the source.
    pub(super) fn leak(&self) -> Option<Leak> {
        let (count, columns) = (self.events, self.columns.clone());
        (count > 0).then(|| LeakKind::FileOrder { count, columns }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_counted_and_a_few_are_shown() {
        let mut ties = Ties::new("day".to_owned());
        ties.add("ann", [[0, 1]].into_iter());
        assert_eq!(
            ties.in_words(true),
            "records 1 and 2, both of `ann`, are equal in day: which came first?"
        );
        ties.add("bob", [[2, 3], [3, 4]].into_iter());
        ties.add("cid", std::iter::empty());
        ties.add("dot", [[5, 6]].into_iter());
        ties.add("eva", [[7, 8]].into_iter());
        assert_eq!((ties.events, ties.people), (5, 4));
        let words = ties.in_words(true);
        assert!(
            words.starts_with("5 events of 4 people are equal in day to another one of theirs"),
            "{words}"
        );
        assert!(words.contains("`dot`") && !words.contains("`eva`"), "{words}");
        assert!(!ties.in_words(false).contains("ann"));
    }
}
