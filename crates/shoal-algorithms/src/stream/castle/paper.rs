//! The rules of the paper for a tuple whose time has come.

use super::merge::{grow_to_crowd, nearest_cluster};
use super::split::split;
use super::{Castle, CastleRelease};

impl Castle {
    /// A cluster that is a crowd leaves; else the tuple joins any class that covers it; else it is an outlier if most
    /// clusters are larger than its own; else its cluster is merged with others until it is a crowd.
    pub(super) fn expire_by_the_paper(&mut self, slot: u32, out: &mut Vec<CastleRelease>) {
        let cluster = self.window.tuple(slot).cluster as usize;
        if self.is_crowd(cluster) {
            return self.publish_cluster(cluster, out);
        }
        let covering: Vec<usize> = self.reusable.covering(&self.space, self.window.cells(slot)).collect();
        if !covering.is_empty() {
            let class = covering[self.draws.below(covering.len() as u64) as usize];
            return self.join_class(slot, class, out);
        }
        let size = self.clusters.members[cluster].len();
        let larger = self.clusters.members.iter().filter(|members| members.len() > size).count();
        if 2 * larger > self.clusters.len() || !self.needs().met_by(self.window.waiting(), &self.window) {
            return self.suppress(slot, out);
        }
        self.figures.merged += 1;
        let (needs, space) = (self.needs(), &self.space);
        let crowd = grow_to_crowd(cluster, needs, &mut self.clusters, space, &mut self.window);
        self.publish_cluster(crowd, out);
    }

    /// The end, where all that wait are a crowd: clusters that are none join their neighbours, then all are published.
    /// The paper does not speak of an end.
    pub(super) fn publish_clusters(&mut self, out: &mut Vec<CastleRelease>) {
        while let Some(small) = (0..self.clusters.len()).find(|cluster| !self.is_crowd(*cluster))
            && let Some(other) = nearest_cluster(small, &self.clusters, &self.space)
        {
            self.figures.merged += 1;
            self.clusters.unite(other, small, &self.space, &mut self.window);
        }
        while self.clusters.len() > 0 {
            self.publish_cluster(self.clusters.len() - 1, out);
        }
    }

    fn publish_cluster(&mut self, cluster: usize, out: &mut Vec<CastleRelease>) {
        let members = self.clusters.members[cluster].clone();
        let needs = self.needs();
        let parts = split(members, needs, false, &mut self.draws, &self.space, &self.window);
        self.figures.split += u64::from(parts.len() > 1);
        parts.iter().for_each(|part| self.publish(part, out));
    }

    fn is_crowd(&self, cluster: usize) -> bool {
        self.needs().met_by(self.clusters.members[cluster].iter().copied(), &self.window)
    }
}
