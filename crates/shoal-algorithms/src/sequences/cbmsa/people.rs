//! Everybody with their original events, and what a crowd of them loses.

use crate::sequences::agglomeration::Original;
use crate::sequences::alignment::Aligned;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::{Matching, Numbered};
use crate::sequences::nearest::Search;

/// Those of whom crowds consist.
pub(super) struct People<'a> {
    original: &'a Original,
    pub(super) search: &'a Search<'a, Aligned>,
}

impl<'a> People<'a> {
    /// People with these events.
    pub(super) fn new(original: &'a Original, search: &'a Search<'a, Aligned>) -> People<'a> {
        People { original, search }
    }

    /// Somebody with all their events.
    pub(super) fn alone(&self, person: u32) -> Cluster {
        Cluster::alike(vec![person], &self.original.events_of, self.search.costs, self.search.limits)
    }

    /// A crowd with one more, who is aligned with it.
    pub(super) fn joined(&self, crowd: &Cluster, newcomer: &Cluster) -> Cluster {
        let Search { costs, limits, matching, .. } = self.search;
        let (older, younger) = (Numbered { id: 0, cluster: crowd }, Numbered { id: 1, cluster: newcomer });
        Cluster::merged(crowd, newcomer, &matching.pairs(older, younger, costs), costs, limits)
    }

    /// A crowd with one fewer.
    pub(super) fn without(&self, crowd: &Cluster, at: usize) -> Cluster {
        crowd.without(at, self.search.costs, self.search.limits)
    }

    /// What all members of a crowd have lost since they were alone.
    pub(super) fn loss(&self, crowd: &Cluster) -> i64 {
        self.original.loss(crowd, self.search.costs)
    }

    /// Whether a crowd keeps the promise.
    pub(super) fn satisfied(&self, crowd: &Cluster) -> bool {
        self.search.limits.satisfied(crowd)
    }
}
