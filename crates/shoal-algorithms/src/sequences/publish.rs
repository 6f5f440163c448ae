//! What the finished clusters publish.

use shoal_core::{Cell, Class, SUPPRESSED, Sequences, SequencesRecoding, TableRecoding};

use super::cluster::Cluster;
use super::costs::Costs;

/// One class for each event of each representative; clusters in the order of their first members.
pub(super) fn recode(finished: &[Option<Cluster>], data: &Sequences, costs: &Costs) -> SequencesRecoding {
    let first = |cluster: &&Cluster| cluster.members.iter().copied().min();
    // Somebody without a single published event is not in the release.
    let mut clusters: Vec<&Cluster> = finished.iter().flatten().filter(|cluster| cluster.len() > 0).collect();
    clusters.sort_unstable_by_key(first);
    let mut cluster_of = vec![SUPPRESSED; data.persons()];
    let mut class_of = vec![SUPPRESSED; data.events().rows];
    let mut classes = Vec::new();
    for (number, cluster) in clusters.into_iter().enumerate() {
        for &person in &cluster.members {
            cluster_of[person as usize] = number as u32;
        }
        for own in cluster.survivors.chunks_exact(cluster.len()) {
            for (at, &event) in own.iter().enumerate() {
                class_of[event as usize] = (classes.len() + at) as u32;
            }
        }
        for event in cluster.events.chunks_exact(costs.quasi()) {
            let cells = event.iter().enumerate().map(|(q, &code)| Cell::Node(costs.node(q, code)));
            classes.push(Class { cells: cells.collect() });
        }
    }
    SequencesRecoding { cluster_of, events: TableRecoding { class_of, classes } }
}
