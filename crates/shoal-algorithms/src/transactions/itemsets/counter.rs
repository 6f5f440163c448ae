//! Counts what a set of clusters is held by: transactions, or the people who have them.

use super::growth::Suffix;
use crate::transactions::transaction_set::Runs;

/// Counts the transactions that hold a cluster, and the people who have them.
pub(in crate::transactions) trait Counter: Copy + Default + Send + Sync {
    /// What must be known of whose a transaction is.
    type Owner: Copy + Default + Send + Sync;

    /// Takes note of a transaction. Those of a person come one after the other.
    fn add(&mut self, owner: Self::Owner);

    /// How many transactions there were, or what [`put`](Counter::put) has stored instead.
    fn transactions(&self) -> u32;

    /// How many people have them.
    fn people(&self) -> usize;

    /// Stores a position in place of the number of transactions, which saves `narrow` a second array per depth.
    fn put(&mut self, place: u32);

    /// How many people have these transactions.
    fn people_of(suffixes: &[Suffix<Self::Owner>]) -> usize;
}

/// A transaction is a person.
impl Counter for u32 {
    type Owner = ();

    fn add(&mut self, (): ()) {
        *self += 1;
    }

    fn transactions(&self) -> u32 {
        *self
    }

    fn people(&self) -> usize {
        *self as usize
    }

    fn put(&mut self, place: u32) {
        *self = place;
    }

    fn people_of(suffixes: &[Suffix<()>]) -> usize {
        suffixes.len()
    }
}

/// A person may have several transactions.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transactions) struct PeopleCounter {
    transactions: u32,
    people: Runs,
}

impl Counter for PeopleCounter {
    type Owner = u32;

    fn add(&mut self, person: u32) {
        self.transactions += 1;
        self.people.add(person);
    }

    fn transactions(&self) -> u32 {
        self.transactions
    }

    fn people(&self) -> usize {
        self.people.count()
    }

    fn put(&mut self, place: u32) {
        self.transactions = place;
    }

    fn people_of(suffixes: &[Suffix<u32>]) -> usize {
        let mut people = Runs::default();
        suffixes.iter().for_each(|suffix| people.add(suffix.owner));
        people.count()
    }
}
