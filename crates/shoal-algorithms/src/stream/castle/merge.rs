//! A cluster that is too small swallows its neighbours.

use super::cluster::Clusters;
use super::crowd::Needs;
use super::space::Space;
use super::window::Window;

/// Unites a cluster with the one that widens it least until it is a crowd or nothing is left. Gives the number under which
/// it is found afterwards.
pub(super) fn grow_to_crowd(
    mut cluster: usize,
    needs: Needs,
    clusters: &mut Clusters,
    space: &Space,
    window: &mut Window,
) -> usize {
    while !needs.met_by(clusters.members[cluster].iter().copied(), window) {
        let Some(other) = nearest_cluster(cluster, clusters, space) else { break };
        let moves = cluster == clusters.len() - 1;
        clusters.unite(cluster, other, space, window);
        cluster = if moves { other } else { cluster };
    }
    cluster
}

/// The cluster that widens this one least.
pub(super) fn nearest_cluster(cluster: usize, clusters: &Clusters, space: &Space) -> Option<usize> {
    let region = clusters.regions.get(cluster);
    let united = |other: usize| {
        let mut both = region.to_region();
        space.include_region(&mut both, clusters.regions.get(other));
        space.loss(both.view())
    };
    let others = (0..clusters.len()).filter(|other| *other != cluster);
    others.map(|other| (other, united(other))).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(other, _)| other)
}
