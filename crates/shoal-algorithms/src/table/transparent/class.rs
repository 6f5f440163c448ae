//! A class with the columns that its records come from.

use super::cut::{Part, grow};
use crate::table::ribbon::space::Space;

/// A record, as far as classes are concerned: which column of which bucket it comes from, and its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    /// The column, numbered through all buckets.
    pub(super) slot: u32,
    pub(super) point: u32,
}

/// Records that publish the same. Of every bucket that it has records of, it has equally many from each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// Ascending.
    pub(super) members: Vec<Member>,
    pub(super) cover: Vec<u64>,
    /// What each of them loses.
    pub(super) cost: u32,
}

impl Class {
    /// The class of some members, at least one.
    pub(super) fn of(space: &Space, mut members: Vec<Member>) -> Class {
        members.sort_unstable();
        let mut cover = Vec::with_capacity(space.width());
        members.iter().for_each(|member| grow(space, &mut cover, member.point));
        let cost = space.cost(&cover);
        Class { members, cover, cost }
    }

    /// The class of a part of a bucket whose columns have the numbers from `first` on.
    pub(super) fn of_part(space: &Space, part: &Part, first: u32) -> Class {
        let columns = (first..).zip(&part.columns);
        let members = columns
            .flat_map(|(slot, column)| column.iter().map(move |&point| Member { slot, point }))
            .collect();
        Class::of(space, members)
    }

    /// How many records it has.
    pub(super) fn size(&self) -> usize {
        self.members.len()
    }

    /// What all its records lose together.
    pub(super) fn loss(&self) -> u64 {
        self.size() as u64 * u64::from(self.cost)
    }

    /// How much more is lost in all when another class joins.
    pub(super) fn added(&self, space: &Space, other: &Class) -> u64 {
        let together = (self.size() + other.size()) as u64;
        together * u64::from(space.union_cost(&self.cover, &other.cover)) - self.loss() - other.loss()
    }

    /// Takes in another class.
    pub(super) fn join(&mut self, space: &Space, other: Class) {
        let mut members = std::mem::take(&mut self.members);
        members.extend(other.members);
        *self = Class::of(space, members);
    }
}

/// What all records of some classes lose.
pub(super) fn loss(classes: &[Class]) -> u64 {
    classes.iter().map(Class::loss).sum()
}
