//! Sets of items that break the promise, waiting to be fixed: `PQ` in the paper.

use std::collections::BTreeMap;

/// Sets by their support when they were found. A merge only lifts supports, so a set is looked at once, in the
/// place that its support gave it, and then as what it has become.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    by_support: BTreeMap<usize, Sets>,
}

impl Queue {
    pub(super) fn push(&mut self, support: usize, set: impl IntoIterator<Item = u32>) {
        let sets = self.by_support.entry(support).or_default();
        sets.items.extend(set);
        sets.ends.push(sets.items.len());
    }

    /// Puts the sets of another queue behind those of the same support.
    pub(super) fn append(&mut self, other: Queue) {
        for (support, sets) in other.by_support {
            let mine = self.by_support.entry(support).or_default();
            let start = mine.items.len();
            mine.items.extend_from_slice(&sets.items);
            mine.ends.extend(sets.ends.iter().map(|end| start + end));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_support.is_empty()
    }

    /// The sets, largest support first, equal ones as they were pushed.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.by_support.values().rev().flat_map(Sets::iter)
    }
}

/// Many small sets without an allocation for each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sets {
    items: Vec<u32>,
    ends: Vec<usize>,
}

impl Sets {
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.items[std::mem::replace(&mut start, end)..end])
    }
}
