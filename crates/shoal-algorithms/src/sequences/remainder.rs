//! The people who are left join crowds that are finished.

use std::ops::Range;

use super::agglomeration::Clustering;
use super::cluster::Cluster;
use super::matching::{Matching, Numbered};
use super::nearest::{Kind, Search, Space};
use super::pool::Pool;

/// Each in turn, with their original events, joins the crowd that loses least by it and still keeps every limit. What its
/// members lose counts too. Who fits nowhere stays out.
pub(super) fn join<M: Matching>(
    left: &Cluster,
    clustering: &mut Clustering,
    events_of: &[Range<usize>],
    search: &Search<'_, M>,
) {
    let Clustering { finished, work, .. } = clustering;
    let (costs, limits) = (search.costs, search.limits);
    let mut pool = Pool::default();
    for (id, crowd) in finished.iter().enumerate() {
        crowd.iter().for_each(|crowd| pool.add(id as u32, crowd, costs, search.signatures));
    }
    let crowds = finished.iter().flatten().count();
    let mut people = left.members.clone();
    // By number: the order in which clusters were merged must not decide who joins first.
    people.sort_unstable();
    let mut space = Space::default();
    for person in people {
        let alone = Cluster::alike(vec![person], events_of, costs, limits);
        // Numbers go on behind those of all clusters.
        let newcomer = Numbered { id: finished.len() as u32 + person, cluster: &alone };
        let (nearest, aligned) = search.nearest(newcomer, &pool, finished, Kind::Allowed, &mut space);
        work.count(crowds, aligned);
        let Some((_, id)) = nearest else { continue };
        let Some(crowd) = finished[id as usize].take() else { continue };
        // A crowd that has grown has other bounds, so it leaves the pool and comes back.
        pool.remove(id, &crowd, search.signatures);
        let pairs = search.matching.pairs(Numbered { id, cluster: &crowd }, newcomer, costs);
        let grown = Cluster::merged(&crowd, &alone, &pairs, costs, limits);
        pool.add(id, &grown, costs, search.signatures);
        finished[id as usize] = Some(grown);
    }
}
