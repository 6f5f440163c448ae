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
}
