//! Which cluster takes a new tuple: the "best selection" of the paper.

use super::cluster::Clusters;
use super::space::Space;

/// The cluster that must widen least for the tuple. Among equals only those count that would stay below the usual loss
/// `tau`, and of these the smallest is taken, so that it fills up. Where all are above `tau` a new cluster is opened
/// (`None`) as long as there are fewer than `beta`.
pub(super) fn best_cluster(
    space: &Space,
    clusters: &Clusters,
    cells: &[f64],
    tau: f64,
    beta: usize,
) -> Option<usize> {
    let mut best = Best { enlargement: f64::INFINITY, above: true, size: usize::MAX, cluster: None };
    for (cluster, region) in clusters.regions.iter().enumerate() {
        let after = space.loss_with(region, cells);
        let enlargement = after - space.loss(region);
        let size = clusters.members[cluster].len();
        let found = Best { enlargement, above: after >= tau, size, cluster: Some(cluster) };
        if found.key() < best.key() {
            best = found;
        }
    }
    if best.above && clusters.len() < beta { None } else { best.cluster }
}

struct Best {
    enlargement: f64,
    above: bool,
    size: usize,
    cluster: Option<usize>,
}

impl Best {
    /// What is smaller is better; equal ones stay with the first.
    fn key(&self) -> (f64, bool, usize) {
        (self.enlargement, self.above, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CastleColumn;
    use super::super::window::{Waiting, Window};
    use super::*;

    /// Clusters over one numeric column whose domain is 0 to 10.
    fn clusters(of: &[&[f64]]) -> (Space, Clusters) {
        let mut space = Space::new(&[CastleColumn::Number]).unwrap();
        space.observe(&[0.0]);
        space.observe(&[10.0]);
        let mut window = Window::new(1);
        let mut clusters = Clusters::default();
        for (cluster, numbers) in of.iter().enumerate() {
            for (at, x) in numbers.iter().enumerate() {
                let tuple = Waiting { position: 0, person: 0, value: 0, since: 0, cluster: 0, waits: true };
                let slot = window.insert(tuple, &[*x]);
                match at {
                    0 => clusters.open(slot, &space, &mut window),
                    _ => clusters.join(cluster, slot, &space, &mut window),
                }
            }
        }
        (space, clusters)
    }

    #[test]
    fn the_least_enlargement_wins() {
        let (space, clusters) = clusters(&[&[0.0, 2.0], &[6.0, 9.0]]);
        assert_eq!(best_cluster(&space, &clusters, &[3.0], 1.0, 9), Some(0));
        assert_eq!(best_cluster(&space, &clusters, &[5.0], 1.0, 9), Some(1));
    }

    #[test]
    fn among_equals_one_below_the_usual_loss_and_then_the_smallest_wins() {
        let (space, clusters) = clusters(&[&[0.0, 9.0], &[3.0, 4.0, 5.0], &[3.0, 5.0], &[4.0, 5.0]]);
        assert_eq!(best_cluster(&space, &clusters, &[4.0], 0.5, 9), Some(2));
        assert_eq!(best_cluster(&space, &clusters, &[4.0], 1.0, 9), Some(0));
        assert_eq!(best_cluster(&space, &clusters, &[4.0], 0.15, 9), Some(3));
    }

    #[test]
    fn a_new_cluster_is_opened_above_the_usual_loss_while_there_is_room() {
        let (space, clusters) = clusters(&[&[0.0, 2.0], &[6.0, 9.0]]);
        assert_eq!(best_cluster(&space, &clusters, &[3.0], 0.3, 3), None);
        assert_eq!(best_cluster(&space, &clusters, &[3.0], 0.3, 2), Some(0));
        assert_eq!(best_cluster(&space, &Clusters::default(), &[3.0], 1.0, 1), None);
    }
}
