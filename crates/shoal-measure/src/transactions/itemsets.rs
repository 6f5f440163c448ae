use shoal_core::Transactions;

/// Calls `found` with every set of `size` items that at least `least` transactions hold, and with their
/// number; in lexicographic order. A set that no transaction holds is never found.
///
/// Goes depth-first and looks only into the transactions that hold the items so far, behind the last of them.
/// The last item is counted and not collected, so that pairs take no more memory than the data.
pub(super) fn each(
    transactions: &Transactions,
    size: usize,
    least: usize,
    found: &mut impl FnMut(&[u32], u32),
) {
    start(transactions, None, size, least, found);
}

/// Calls `found` with every set of `size` items that a transaction holds, and with the number of people who have such
/// a transaction. The transactions of a person stand together, as [`by_person`](Transactions::by_person) leaves
/// them; where it is not said whose they are, each is another person's.
pub(super) fn each_of_people(transactions: &Transactions, size: usize, found: &mut impl FnMut(&[u32], u32)) {
    start(transactions, transactions.persons(), size, 1, found);
}

fn start(
    transactions: &Transactions,
    persons: Option<&[u32]>,
    size: usize,
    least: usize,
    found: &mut impl FnMut(&[u32], u32),
) {
    if size == 0 {
        return;
    }
    let everywhere =
        (0..transactions.len() as u32).map(|number| Place { number, from: 0 }).collect::<Vec<_>>();
    let counts = vec![0; transactions.items().len()];
    let last = vec![None; persons.map_or(0, |_| counts.len())];
    let prefix = Vec::new();
    let mut growth = Growth { transactions, persons, size, least: least.max(1), counts, last, prefix, found };
    growth.deeper(&everywhere);
}

/// A transaction, and where the items behind the last one found begin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    number: u32,
    from: u32,
}

struct Growth<'a, F> {
    transactions: &'a Transactions,
    persons: Option<&'a [u32]>,
    size: usize,
    least: usize,
    /// All 0 between uses.
    counts: Vec<u32>,
    /// For each item the person who was counted last, where people are counted. All none between uses.
    last: Vec<Option<u32>>,
    prefix: Vec<u32>,
    found: &'a mut F,
}

impl<'a, F: FnMut(&[u32], u32)> Growth<'a, F> {
    fn deeper(&mut self, places: &[Place]) {
        if self.prefix.len() + 1 == self.size {
            return self.count_last(places);
        }
        let mut next: Vec<(u32, Place)> = Vec::new();
        for &place in places {
            let behind = (place.from + 1..).zip(self.behind(place));
            next.extend(behind.map(|(from, &item)| (item, Place { number: place.number, from })));
        }
        next.sort_unstable();
        let least = self.least;
        for same in next.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() >= least) {
            self.prefix.push(same[0].0);
            self.deeper(&same.iter().map(|&(_, place)| place).collect::<Vec<_>>());
            self.prefix.pop();
        }
    }

    fn count_last(&mut self, places: &[Place]) {
        let mut touched = Vec::new();
        for &place in places {
            let person = self.persons.map(|persons| persons[place.number as usize]);
            for &item in self.behind(place) {
                if person.is_some() && self.last[item as usize] == person {
                    continue;
                }
                if person.is_some() {
                    self.last[item as usize] = person;
                }
                let count = &mut self.counts[item as usize];
                if *count == 0 {
                    touched.push(item);
                }
                *count += 1;
            }
        }
        touched.sort_unstable();
        for item in touched {
            let count = std::mem::take(&mut self.counts[item as usize]);
            if let Some(last) = self.last.get_mut(item as usize) {
                *last = None;
            }
            if count as usize >= self.least {
                self.prefix.push(item);
                (self.found)(&self.prefix, count);
                self.prefix.pop();
            }
        }
    }

    fn behind(&self, place: Place) -> &'a [u32] {
        &self.transactions.transaction(place.number as usize)[place.from as usize..]
    }
}
