use std::borrow::Cow;
use std::collections::HashMap;

use super::{Interner, Labels};
use crate::SameValue;

/// Sets of items: baskets, diagnosis codes, pages visited. Each belongs to a different person, unless
/// [`persons`](Transactions::persons) says whose they are.
///
/// Items are numbered in their natural order (whole numbers by value, otherwise by bytes) and are in
/// ascending order inside a transaction, each at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transactions {
    items: Labels,
    /// Where each transaction begins among the members, and where the last one ends.
    starts: Vec<usize>,
    members: Vec<u32>,
    /// Whose each transaction is; none where everybody has one.
    persons: Option<Vec<u32>>,
}

impl Transactions {
    /// Builds transactions from texts, for tests and for fronts that hold data in memory.
    pub fn from_texts<S: AsRef<str>>(transactions: &[Vec<S>]) -> Transactions {
        let mut builder = TransactionsBuilder::default();
        for transaction in transactions {
            transaction.iter().for_each(|item| builder.item(item.as_ref()));
            builder.end();
        }
        builder.finish().0
    }

    /// How many transactions there are, empty ones included.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no transaction.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts of the items.
    pub fn items(&self) -> &Labels {
        &self.items
    }

    /// The number of the item with this text.
    pub fn item(&self, text: &str) -> Option<u32> {
        let (mut lo, mut hi) = (0, self.items.len() as u32);
        while lo < hi {
            let mid = lo + (hi - lo) / 2;
            match natural_order(self.items.get(mid), text) {
                std::cmp::Ordering::Equal => return Some(mid),
                std::cmp::Ordering::Less => lo = mid + 1,
                std::cmp::Ordering::Greater => hi = mid,
            }
        }
        None
    }

    /// The items of one transaction, ascending.
    pub fn transaction(&self, number: usize) -> &[u32] {
        &self.members[self.starts[number]..self.starts[number + 1]]
    }

    /// All transactions in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|w| &self.members[w[0]..w[1]])
    }

    /// These transactions, in this order. Items keep their numbers, also those that none of them holds.
    pub fn select(&self, transactions: &[u32]) -> Transactions {
        let mut selected = Transactions {
            items: self.items.clone(),
            starts: vec![0],
            members: Vec::with_capacity(self.members.len()),
            persons: None,
        };
        selected.persons = self
            .persons
            .as_ref()
            .map(|persons| transactions.iter().map(|&at| persons[at as usize]).collect());
        for &number in transactions {
            selected.members.extend_from_slice(self.transaction(number as usize));
            selected.starts.push(selected.members.len());
        }
        selected
    }

    /// The same transactions with other texts for their items, a text per item in the order of their numbers. None where two items would
    /// have one text, so that they could not be told apart any more.
    pub fn renamed<S: AsRef<str>>(self, texts: &[S]) -> Option<Transactions> {
        assert_eq!(texts.len(), self.items.len(), "a text for each item");
        let (items, rank) = in_natural_order(&texts.iter().collect());
        let is_twice = |at: u32| items.get(at - 1) == items.get(at);
        if (1..items.len() as u32).any(is_twice) {
            return None;
        }
        let members = renumbered(self.members, &self.starts, &rank);
        Some(Transactions { items, members, ..self })
    }

    /// The same transactions where items of one value ([`SameValue`]) are one item, called by the least of their texts: whoever
    /// reads `Bread` and `bread` would otherwise tell apart people who count as alike. Says how often a transaction held
    /// such an item twice.
    #[must_use]
    pub fn with_one_text_each(self) -> (Transactions, usize) {
        let values: Vec<SameValue> = self.items.iter().map(SameValue::from_text).collect();
        let mut least: HashMap<&SameValue, u32> = HashMap::new();
        for (item, value) in (0..).zip(&values) {
            let known = least.entry(value).or_insert(item);
            *known = std::cmp::min_by_key(*known, item, |&item| self.items.get(item));
        }
        if least.len() == values.len() {
            return (self, 0);
        }
        let mut kept: Vec<u32> = least.values().copied().collect();
        kept.sort_unstable();
        let number = |value| kept.partition_point(|&item| item < least[value]) as u32;
        let number_of: Vec<u32> = values.iter().map(number).collect();
        let (mut members, mut starts) = (Vec::with_capacity(self.members.len()), vec![0]);
        for transaction in self.iter() {
            let mut items: Vec<u32> = transaction.iter().map(|&item| number_of[item as usize]).collect();
            items.sort_unstable();
            items.dedup();
            members.extend(items);
            starts.push(members.len());
        }
        let repeated = self.members.len() - members.len();
        let items = kept.iter().map(|&item| self.items.get(item)).collect();
        (Transactions { items, starts, members, persons: self.persons }, repeated)
    }

    /// How often items occur in all transactions together.
    pub fn occurrences(&self) -> usize {
        self.members.len()
    }

    /// The same transactions, of these people: a number per transaction, the same one for all of a person.
    ///
    /// # Panics
    /// When there are not as many numbers as transactions.
    #[must_use]
    pub fn with_persons(self, persons: Vec<u32>) -> Transactions {
        assert_eq!(persons.len(), self.len(), "a person for each transaction");
        Transactions { persons: Some(persons), ..self }
    }

    /// The person of each transaction, where people are given. Otherwise each belongs to a different person.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_deref()
    }

    /// How many people have a transaction with an item.
    pub fn people_with_items(&self) -> usize {
        let with_items = self.iter().enumerate().filter(|(_, items)| !items.is_empty());
        let Some(persons) = &self.persons else { return with_items.count() };
        let mut people: Vec<u32> = with_items.map(|(number, _)| persons[number]).collect();
        people.sort_unstable();
        people.dedup();
        people.len()
    }

    /// The same transactions in an order in which those of a person are next to each other, so that people are counted by
    /// counting where the person changes. Where nobody has two, persons are left out: then counting transactions
    /// is counting people.
    pub fn by_person(&self) -> Cow<'_, Transactions> {
        let Some(persons) = &self.persons else { return Cow::Borrowed(self) };
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&number| persons[number as usize]);
        let is_same = |pair: &[u32]| persons[pair[0] as usize] == persons[pair[1] as usize];
        if !order.windows(2).any(is_same) {
            return Cow::Owned(Transactions { persons: None, ..self.clone() });
        }
        Cow::Owned(self.select(&order))
    }

    /// How many transactions hold each item.
    pub fn supports(&self) -> Vec<u32> {
        let mut supports = vec![0; self.items.len()];
        self.members.iter().for_each(|&item| supports[item as usize] += 1);
        supports
    }

    /// The transactions that hold each item, ascending.
    pub fn postings(&self) -> Vec<Vec<u32>> {
        let mut postings: Vec<Vec<u32>> =
            self.supports().iter().map(|&s| Vec::with_capacity(s as usize)).collect();
        for (number, items) in self.iter().enumerate() {
            items.iter().for_each(|&item| postings[item as usize].push(number as u32));
        }
        postings
    }
}

/// Folds items to numbers while transactions are read.
#[derive(Debug)]
pub struct TransactionsBuilder {
    items: Interner,
    starts: Vec<usize>,
    members: Vec<u32>,
    repeated: usize,
}

impl Default for TransactionsBuilder {
    fn default() -> Self {
        TransactionsBuilder { items: Interner::default(), starts: vec![0], members: Vec::new(), repeated: 0 }
    }
}

impl TransactionsBuilder {
    /// Adds an item to the current transaction.
    pub fn item(&mut self, text: &str) {
        self.members.push(self.items.intern(text));
    }

    /// Ends the current transaction, which may be empty.
    pub fn end(&mut self) {
        let start = self.starts[self.starts.len() - 1];
        let transaction = &mut self.members[start..];
        transaction.sort_unstable();
        // Sorted, equal items are neighbours. `kept` is where the next different one goes.
        let mut kept = start;
        for at in start..self.members.len() {
            if at == start || self.members[at] != self.members[kept - 1] {
                self.members[kept] = self.members[at];
                kept += 1;
            }
        }
        self.repeated += self.members.len() - kept;
        self.members.truncate(kept);
        self.starts.push(kept);
    }

    /// The transactions, and how many repeated items inside one transaction were folded.
    pub fn finish(self) -> (Transactions, usize) {
        // So far items are numbered as they first appeared. Renumbered by their natural order, the numbers do not
        // depend on the order of the input.
        let (items, rank) = in_natural_order(&self.items.into_labels());
        let members = renumbered(self.members, &self.starts, &rank);
        (Transactions { items, starts: self.starts, members, persons: None }, self.repeated)
    }
}

/// The same texts in their natural order, and for each its new number.
fn in_natural_order(found: &Labels) -> (Labels, Vec<u32>) {
    let mut order: Vec<u32> = (0..found.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| natural_order(found.get(a), found.get(b)));
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &code)| rank[code as usize] = at as u32);
    (order.iter().map(|&code| found.get(code)).collect(), rank)
}

/// The items of transactions by their new numbers, ascending in each transaction.
fn renumbered(mut members: Vec<u32>, starts: &[usize], rank: &[u32]) -> Vec<u32> {
    members.iter_mut().for_each(|code| *code = rank[*code as usize]);
    for bounds in starts.windows(2) {
        members[bounds[0]..bounds[1]].sort_unstable();
    }
    members
}

/// The order of items: whole numbers by value and before everything else, other texts by their bytes.
pub(crate) fn natural_order(a: &str, b: &str) -> std::cmp::Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        // `7` and `07` are different items of the same value: their bytes decide.
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => std::cmp::Ordering::Less,
        (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_item_are_one_item() {
        let lines = [vec!["bread", "Bread", "tea"], vec!["BREAD\u{a0}", "07"], vec!["7", "te\u{ad}a"]];
        let (data, repeated) = Transactions::from_texts(&lines).with_one_text_each();
        assert_eq!(repeated, 1);
        assert_eq!(data.items().iter().collect::<Vec<_>>(), ["07", "BREAD\u{a0}", "tea"]);
        assert_eq!(data.iter().collect::<Vec<_>>(), [&[1, 2][..], &[0, 1], &[0, 2]]);
        let plain = Transactions::from_texts(&[vec!["a", "b"], vec!["b"]]);
        assert_eq!(plain.clone().with_one_text_each(), (plain, 0));
    }

    #[test]
    fn items_are_folded_and_in_natural_order() {
        let mut builder = TransactionsBuilder::default();
        for transaction in [vec!["10", "9", "10"], vec![], vec!["b", "9", "a"]] {
            transaction.iter().for_each(|item| builder.item(item));
            builder.end();
        }
        let (transactions, repeated) = builder.finish();
        assert_eq!(repeated, 1);
        assert_eq!(transactions.items().iter().collect::<Vec<_>>(), ["9", "10", "a", "b"]);
        assert_eq!(transactions.iter().collect::<Vec<_>>(), [&[0, 1][..], &[], &[0, 2, 3]]);
        assert_eq!(transactions.supports(), [2, 1, 1, 1]);
        assert_eq!(transactions.postings()[0], [0, 2]);
        for (code, text) in transactions.items().iter().enumerate() {
            assert_eq!(transactions.item(text), Some(code as u32));
        }
        assert_eq!(transactions.item("c"), None);
    }

    #[test]
    fn items_that_are_renamed_are_in_order_again() {
        let data = Transactions::from_texts(&[vec!["a", "b", "c"], vec![], vec!["b"]]);
        let renamed = data.clone().with_persons(vec![1, 1, 2]).renamed(&["z", "10", "9"]).unwrap();
        let expected = Transactions::from_texts(&[vec!["z", "10", "9"], vec![], vec!["10"]]);
        assert_eq!(renamed, expected.with_persons(vec![1, 1, 2]));
        assert_eq!(data.renamed(&["x", "y", "x"]), None);
    }

    #[test]
    fn the_transactions_of_a_person_stand_together() {
        let data = Transactions::from_texts(&[vec!["a"], vec!["b"], vec![], vec!["a", "b"], vec![]]);
        assert_eq!((data.persons(), data.people_with_items()), (None, 3));
        assert_eq!(*data.by_person(), data);

        let shared = data.clone().with_persons(vec![7, 3, 9, 7, 3]);
        assert_eq!(shared.people_with_items(), 2);
        let grouped = shared.by_person();
        assert_eq!(grouped.persons().unwrap(), [3, 3, 7, 7, 9]);
        assert_eq!(grouped.iter().collect::<Vec<_>>(), [&[1][..], &[], &[0], &[0, 1], &[]]);
        assert_eq!(grouped.supports(), data.supports());

        let each_one = data.clone().with_persons(vec![4, 3, 2, 1, 0]);
        assert_eq!(*each_one.by_person(), data, "nobody has two");
    }
}
