//! Who can stay in a new release, where others are gone.
//!
//! Of the people with what somebody may know, as many must be gone as none or k, and as many be left. So what fewer than
//! 2k people have is all there or all gone: if one of them is gone, the others have to go, with them those who
//! share something as rare with one of these, and so on. All of that is forced. Only what is left to choose is chosen.

use std::collections::{HashMap, HashSet};

use shoal_core::{Progress, Transactions};
use shoal_privacy::refinement::transactions::{ItemCell, KnownItems};

/// People who have not been left out.
pub(super) struct Staying<'a> {
    here: HashSet<u32>,
    /// Whose each transaction is.
    persons: &'a [u32],
    /// How many items each of them has.
    length: HashMap<u32, usize>,
    k: u32,
    known: &'a KnownItems,
}

impl<'a> Staying<'a> {
    pub(super) fn new(data: &Transactions, persons: &'a [u32], k: u32, known: &'a KnownItems) -> Staying<'a> {
        let mut length = HashMap::new();
        persons
            .iter()
            .zip(data.iter())
            .for_each(|(&person, line)| *length.entry(person).or_default() += line.len());
        Staying { here: persons.iter().copied().collect(), persons, length, k, known }
    }

    /// The transactions of those who are here.
    pub(super) fn rows(&self) -> Vec<u32> {
        let rows = (0..).zip(self.persons).filter(|(_, person)| self.here.contains(person));
        rows.map(|(row, _)| row).collect()
    }

    pub(super) fn leave(&mut self, people: impl IntoIterator<Item = u32>) {
        people.into_iter().for_each(|person| _ = self.here.remove(&person));
    }

    /// Leaves out people until those who are gone and those who stay keep the promise in the earlier releases.
    pub(super) fn settle(&mut self, earlier: &[ItemCell], progress: &dyn Progress) {
        loop {
            progress.check();
            let start = self.here.len();
            for cell in earlier {
                let rare =
                    self.too_few(cell, false).into_iter().filter(|crowd| crowd.len() < 2 * self.k as usize);
                let forced: Vec<u32> = rare.chain(self.too_few(cell, true)).flatten().collect();
                self.leave(forced);
            }
            if self.here.len() == start && !self.with_companions(earlier) {
                return;
            }
        }
    }

    /// Leaves out all whose crowd in the new release is too small.
    pub(super) fn without_rare<'c>(&mut self, cells: impl Iterator<Item = &'c ItemCell>) {
        let mut leave = Vec::new();
        for cell in cells {
            for crowd in cell.crowds_of_few(self.k, self.known, &|_| true) {
                // Where only people who are gone are left in it, others of it have changed.
                match crowd.iter().any(|person| self.here.contains(person)) {
                    true => leave.extend(crowd),
                    false => leave.extend(cell.changed()),
                }
            }
        }
        self.leave(leave);
    }

    /// Leaves out people so that those who are gone have company. Those with the shortest transactions go first: the fewest
    /// others depend on them. Says whether anybody went.
    fn with_companions(&mut self, earlier: &[ItemCell]) -> bool {
        let start = self.here.len();
        for cell in earlier {
            let mut crowds = self.too_few(cell, false);
            // Who leaves because of a small crowd is gone from the larger ones, too.
            crowds.sort_by_key(Vec::len);
            for mut crowd in crowds {
                let all = crowd.len();
                crowd.retain(|person| self.here.contains(person));
                let missing = (self.k as usize).saturating_sub(all - crowd.len());
                crowd.sort_by_cached_key(|person| (self.length.get(person).copied(), *person));
                crowd.truncate(missing);
                self.leave(crowd);
            }
        }
        self.here.len() < start
    }

    /// The crowds of which fewer than k people, but not none, are here or gone.
    fn too_few(&self, cell: &ItemCell, here: bool) -> Vec<Vec<u32>> {
        cell.crowds_of_few(self.k, self.known, &|person| self.here.contains(&person) == here)
    }
}
