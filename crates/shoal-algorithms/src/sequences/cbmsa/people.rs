//! Everybody with their original events, and what a crowd of them loses.

use std::ops::Range;

use crate::sequences::alignment::Aligned;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::{Matching, Numbered};
use crate::sequences::nearest::Search;

/// Those of whom crowds consist.
pub(super) struct People<'a> {
    events_of: &'a [Range<usize>],
    pub(super) search: &'a Search<'a, Aligned>,
    /// What each would lose if all their events were suppressed.
    most: Vec<i64>,
}

impl<'a> People<'a> {
    /// People with these events.
    pub(super) fn new(events_of: &'a [Range<usize>], search: &'a Search<'a, Aligned>) -> People<'a> {
        let costs = search.costs;
        let suppressing =
            |event: usize| i64::from(costs.suppressed() - costs.event_height(costs.values(event..event + 1)));
        let most = events_of.iter().map(|events| events.clone().map(suppressing).sum()).collect();
        People { events_of, search, most }
    }

    /// Somebody with all their events.
    pub(super) fn alone(&self, person: u32) -> Cluster {
        Cluster::alike(vec![person], self.events_of, self.search.costs, self.search.limits)
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
        let suppressed = self.search.costs.suppressed();
        let kept: i64 = crowd.heights.iter().map(|&height| i64::from(suppressed - height)).sum();
        crowd.members.iter().map(|&person| self.most[person as usize] - kept).sum()
    }

    /// Whether a crowd keeps the promise.
    pub(super) fn satisfied(&self, crowd: &Cluster) -> bool {
        self.search.limits.satisfied(crowd)
    }
}
