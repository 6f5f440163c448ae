//! The clusters that can still be merged.

use super::cluster::Cluster;
use super::costs::Costs;
use super::pool::Pool;
use super::signature::Signatures;

/// Clusters by the number that they got when they were formed.
#[derive(Debug, Default)]
pub(super) struct Active {
    /// Those that are no longer active are gone.
    clusters: Vec<Option<Cluster>>,
    pool: Pool,
    /// The numbers of the active ones, ascending.
    ids: Vec<u32>,
}

impl Active {
    /// Adds a cluster and returns its number.
    pub(super) fn add(&mut self, cluster: Cluster, costs: &Costs, signatures: &Signatures) -> u32 {
        let id = self.clusters.len() as u32;
        self.pool.add(id, &cluster, costs, signatures);
        self.clusters.push(Some(cluster));
        self.ids.push(id);
        id
    }

    /// Gives a number away to a cluster that was never active.
    pub(super) fn skip(&mut self) {
        self.clusters.push(None);
    }

    /// Takes an active cluster out.
    ///
    /// # Panics
    /// When it is not active.
    pub(super) fn take(&mut self, id: u32, signatures: &Signatures) -> Cluster {
        let cluster = self.clusters[id as usize].take().expect("an active cluster");
        self.pool.remove(id, &cluster, signatures);
        self.ids.remove(self.older_than(id));
        cluster
    }

    /// A cluster, if it is active.
    pub(super) fn get(&self, id: u32) -> Option<&Cluster> {
        self.clusters.get(id as usize)?.as_ref()
    }

    /// The numbers of the active clusters, ascending.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How many active clusters are older than one.
    pub(super) fn older_than(&self, id: u32) -> usize {
        self.ids.partition_point(|&other| other < id)
    }

    /// What a search looks at: the clusters from afar and from near.
    pub(super) fn view(&self) -> (&Pool, &[Option<Cluster>]) {
        (&self.pool, &self.clusters)
    }

    /// The one that is left at the end.
    pub(super) fn into_last(self) -> Option<Cluster> {
        self.clusters.into_iter().flatten().next()
    }
}
