//! How the events of two representatives find each other.

use super::cluster::Cluster;
use super::costs::Costs;

/// Positions of two events that are published as one: in the older cluster and in the younger one.
pub(super) type Pair = (u32, u32);

/// A way to match two representatives: which events are published as one; the others are suppressed.
pub(super) trait Matching: Sync {
    /// What all members of both clusters lose by it, or `None` when that is more than `limit`.
    fn distance(
        &self,
        younger: &Query<'_>,
        older: Numbered<'_>,
        costs: &Costs,
        limit: i64,
        line: &mut Vec<i64>,
    ) -> Option<i64>;

    /// The pairs, in order.
    fn pairs(&self, older: Numbered<'_>, younger: Numbered<'_>, costs: &Costs) -> Vec<Pair>;
}

/// A cluster with the number that it got when it was formed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbered<'a> {
    pub(super) id: u32,
    pub(super) cluster: &'a Cluster,
}

/// A cluster that is compared with many others: what its events cost together with any other is looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) id: u32,
    pub(super) cluster: &'a Cluster,
    /// For each of its events and each node the height of what covers both.
    heights: &'a [u32],
    nodes: usize,
}

impl<'a> Query<'a> {
    /// Fills the table of heights, for which it takes a vector that may have been used before.
    pub(super) fn new(of: Numbered<'a>, costs: &Costs, heights: &'a mut Vec<u32>) -> Query<'a> {
        let nodes = costs.nodes();
        heights.resize(of.cluster.len() * nodes, 0);
        for (at, row) in heights.chunks_exact_mut(nodes).enumerate() {
            costs.fill_heights(of.cluster.event(at, costs.quasi()), row);
        }
        Query { id: of.id, cluster: of.cluster, heights, nodes }
    }

    /// The heights for one of the events, by node.
    pub(super) fn heights(&self, at: usize) -> &'a [u32] {
        &self.heights[at * self.nodes..(at + 1) * self.nodes]
    }

    /// The height of what covers a value of the event at the same place; nodes are numbered on from one event to the next.
    pub(super) fn height_with(&self, value: u32) -> u32 {
        self.heights[value as usize]
    }

    /// The loss when the first event goes with the first of another cluster, the second with the second, and those that one of the two
    /// has more are suppressed.
    pub(super) fn event_by_event(&self, other: &Cluster, costs: &Costs) -> i64 {
        let own = self.cluster;
        let (own_size, other_size) = (own.size() as i64, other.size() as i64);
        let pairs =
            other.events.chunks_exact(costs.quasi()).zip(own.heights.iter().zip(&other.heights)).enumerate();
        let paired: i64 = pairs
            .map(|(at, (event, (&own_height, &other_height)))| {
                let heights = self.heights(at);
                let together: u32 = event.iter().map(|&code| heights[code as usize]).sum();
                own_size * i64::from(together - own_height) + other_size * i64::from(together - other_height)
            })
            .sum();
        let gap = |height: &u32| i64::from(costs.suppressed() - height);
        let both = own.len().min(other.len());
        let own_gaps: i64 = own.heights[both..].iter().map(gap).sum();
        let other_gaps: i64 = other.heights[both..].iter().map(gap).sum();
        paired + own_size * own_gaps + other_size * other_gaps
    }
}
