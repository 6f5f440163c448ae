//! Sets of transactions: a sorted list of numbers, or a bitmap where that is smaller.

/// A set of transaction numbers below a fixed limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransactionSet {
    List(Vec<u32>),
    Bitmap { words: Vec<u64>, len: usize },
}

impl TransactionSet {
    /// A set from ascending numbers below `limit`.
    pub(super) fn new(numbers: Vec<u32>, limit: usize) -> TransactionSet {
        // A number takes 32 bits in a list; a bitmap takes one bit for every transaction there is.
        if numbers.len() * 32 <= limit {
            return TransactionSet::List(numbers);
        }
        let mut words = vec![0; limit.div_ceil(64)];
        numbers.iter().for_each(|&n| words[n as usize / 64] |= 1 << (n % 64));
        TransactionSet::Bitmap { words, len: numbers.len() }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            TransactionSet::List(numbers) => numbers.len(),
            TransactionSet::Bitmap { len, .. } => *len,
        }
    }

    /// What is in either; both sets must have this limit.
    pub(super) fn union(self, other: TransactionSet, limit: usize) -> TransactionSet {
        use TransactionSet::{Bitmap, List};
        match (self, other) {
            (List(a), List(b)) => TransactionSet::new(merged(&a, &b), limit),
            (List(numbers), Bitmap { mut words, .. }) | (Bitmap { mut words, .. }, List(numbers)) => {
                numbers.iter().for_each(|&n| words[n as usize / 64] |= 1 << (n % 64));
                let len = ones(&words);
                Bitmap { words, len }
            }
            (Bitmap { mut words, .. }, Bitmap { words: other, .. }) => {
                words.iter_mut().zip(&other).for_each(|(a, b)| *a |= b);
                let len = ones(&words);
                Bitmap { words, len }
            }
        }
    }

    /// What is in this set, of this limit, and not among these ascending numbers.
    pub(super) fn without(&self, numbers: &[u32], limit: usize) -> TransactionSet {
        let mut left_out = numbers.iter().copied().peekable();
        let mut kept = Vec::with_capacity(self.len());
        self.each_while(|n| {
            while left_out.next_if(|&out| out < n).is_some() {}
            if left_out.peek() != Some(&n) {
                kept.push(n);
            }
            true
        });
        TransactionSet::new(kept, limit)
    }

    /// Calls `each` with every number that is in both sets, ascending.
    pub(super) fn each_common(a: &TransactionSet, b: &TransactionSet, mut each: impl FnMut(u32)) {
        let (less, more) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut cursor = 0;
        less.each_while(|n| {
            if more.holds(n, &mut cursor) {
                each(n);
            }
            true
        });
    }

    /// Calls `each` with every number, ascending, until it returns false.
    pub(super) fn each_while(&self, mut each: impl FnMut(u32) -> bool) {
        match self {
            TransactionSet::List(numbers) => {
                let _ = numbers.iter().all(|&n| each(n));
            }
            TransactionSet::Bitmap { words, .. } => {
                for (at, &word) in words.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        if !each(at as u32 * 64 + rest.trailing_zeros()) {
                            return;
                        }
                        rest &= rest - 1;
                    }
                }
            }
        }
    }

    /// How many numbers are in all of the sets, at most `enough`: there is no need to count further.
    pub(super) fn common(sets: &mut [&TransactionSet], enough: usize) -> usize {
        sets.sort_unstable_by_key(|set| set.len());
        let Some((least, others)) = sets.split_first() else { return 0 };
        if others.is_empty() {
            return least.len().min(enough);
        }
        let mut count = 0;
        // Where each list was left: numbers come ascending, so nothing before is looked at again.
        let mut cursors = vec![0; others.len()];
        least.each_while(|n| {
            let in_all = others.iter().zip(&mut cursors).all(|(set, cursor)| set.holds(n, cursor));
            count += usize::from(in_all);
            count < enough
        });
        count
    }

    /// Whose these transactions are: how many people. The transactions of a person have numbers that follow each
    /// other, and `persons` says whose each number is.
    pub(super) fn people(&self, persons: &[u32]) -> usize {
        let mut people = Runs::default();
        self.each_while(|n| {
            people.add(persons[n as usize]);
            true
        });
        people.count()
    }

    /// How many people have a number that is in all of the sets, at most `enough`. A person is not counted for one
    /// number in one set and another number in another.
    pub(super) fn common_people(sets: &mut [&TransactionSet], persons: &[u32], enough: usize) -> usize {
        sets.sort_unstable_by_key(|set| set.len());
        let Some((least, others)) = sets.split_first() else { return 0 };
        let mut people = Runs::default();
        let mut cursors = vec![0; others.len()];
        least.each_while(|n| {
            if others.iter().zip(&mut cursors).all(|(set, cursor)| set.holds(n, cursor)) {
                people.add(persons[n as usize]);
            }
            people.count() < enough
        });
        people.count().min(enough)
    }

    fn holds(&self, number: u32, cursor: &mut usize) -> bool {
        match self {
            TransactionSet::List(numbers) => {
                *cursor = gallop(numbers, *cursor, number);
                numbers.get(*cursor) == Some(&number)
            }
            TransactionSet::Bitmap { words, .. } => words[number as usize / 64] >> (number % 64) & 1 == 1,
        }
    }
}

/// Counts people who come one after the other, each perhaps several times in a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Runs {
    last: Option<u32>,
    runs: usize,
}

impl Runs {
    pub(super) fn add(&mut self, person: u32) {
        self.runs += usize::from(self.last != Some(person));
        self.last = Some(person);
    }

    pub(super) fn count(self) -> usize {
        self.runs
    }
}

/// The first place from `start` on that is not below `number`, found by doubling steps.
fn gallop(numbers: &[u32], start: usize, number: u32) -> usize {
    let mut step = 1;
    let mut low = start;
    while low + step < numbers.len() && numbers[low + step] < number {
        low += step;
        step *= 2;
    }
    let high = (low + step + 1).min(numbers.len());
    low + numbers[low..high].partition_point(|&n| n < number)
}

fn merged(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        all.push(a[i].min(b[j]));
        let (left, right) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(left);
        j += usize::from(right);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    const LIMIT: usize = 400;

    fn set(numbers: &BTreeSet<u32>) -> TransactionSet {
        TransactionSet::new(numbers.iter().copied().collect(), LIMIT)
    }

    fn numbers(set: &TransactionSet) -> Vec<u32> {
        let mut all = Vec::new();
        set.each_while(|n| {
            all.push(n);
            true
        });
        all
    }

    /// Sets on both sides of the border between list and bitmap.
    fn any_set() -> impl Strategy<Value = BTreeSet<u32>> {
        prop_oneof![btree_set(0..LIMIT as u32, 0..14), btree_set(0..LIMIT as u32, 0..300)]
    }

    proptest! {
        #[test]
        fn it_is_a_set(a in any_set(), b in any_set()) {
            let union = set(&a).union(set(&b), LIMIT);
            prop_assert_eq!(numbers(&union), a.union(&b).copied().collect::<Vec<_>>());
            prop_assert_eq!(union.len(), a.union(&b).count());
            let listed: Vec<u32> = b.iter().copied().collect();
            let without = set(&a).without(&listed, LIMIT);
            prop_assert_eq!(numbers(&without), a.difference(&b).copied().collect::<Vec<_>>());
            let mut common = Vec::new();
            TransactionSet::each_common(&set(&a), &set(&b), |n| common.push(n));
            prop_assert_eq!(common, a.intersection(&b).copied().collect::<Vec<_>>());
        }

        #[test]
        fn what_is_common_is_counted(sets in vec(any_set(), 1..5), enough in 1_usize..60) {
            let common = (0..LIMIT as u32).filter(|n| sets.iter().all(|set| set.contains(n))).count();
            let sets: Vec<_> = sets.iter().map(set).collect();
            let counted = TransactionSet::common(&mut sets.iter().collect::<Vec<_>>(), enough);
            prop_assert_eq!(counted, common.min(enough));
        }

        #[test]
        fn people_are_counted_who_have_a_common_number(
            sets in vec(any_set(), 1..5),
            steps in vec(0_u32..2, LIMIT),
            enough in 1_usize..60,
        ) {
            let mut person = 0;
            let persons: Vec<u32> = steps.iter().map(|step| { person += step; person }).collect();
            let common = (0..LIMIT as u32).filter(|n| sets.iter().all(|set| set.contains(n)));
            let people = common.map(|n| persons[n as usize]).collect::<BTreeSet<_>>().len();
            let of_first: BTreeSet<u32> = sets[0].iter().map(|&n| persons[n as usize]).collect();
            let sets: Vec<_> = sets.iter().map(set).collect();
            prop_assert_eq!(sets[0].people(&persons), of_first.len());
            let mut all: Vec<_> = sets.iter().collect();
            let counted = TransactionSet::common_people(&mut all, &persons, enough);
            prop_assert_eq!(counted, people.min(enough));
        }
    }
}
