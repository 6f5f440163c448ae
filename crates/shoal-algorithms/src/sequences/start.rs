//! The clusters before the first merge.

use std::ops::Range;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::cluster::Cluster;
use super::costs::Costs;
use super::limits::Limits;

/// People with equal sequences as one cluster, as far as it keeps every limit: those without a highly sensitive
/// value, then the others in their order, each who fits. Who does not fit is a cluster alone. Clusters are in the order of their
/// first members.
pub(super) fn fold(events_of: &[Range<usize>], costs: &Costs, limits: &Limits) -> Vec<Cluster> {
    let mut alike: Vec<Vec<u32>> = Vec::new();
    let mut group_of: HashMap<&[u32], usize, foldhash::fast::FixedState> = HashMap::default();
    for (person, events) in events_of.iter().enumerate() {
        match group_of.entry(costs.values(events.clone())) {
            Entry::Occupied(group) => alike[*group.get()].push(person as u32),
            Entry::Vacant(free) => {
                free.insert(alike.len());
                alike.push(vec![person as u32]);
            }
        }
    }
    let mut clusters: Vec<Cluster> =
        alike.into_iter().flat_map(|people| split(people, events_of, costs, limits)).collect();
    clusters.sort_by_key(|cluster| cluster.members[0]);
    clusters
}

fn split(people: Vec<u32>, events_of: &[Range<usize>], costs: &Costs, limits: &Limits) -> Vec<Cluster> {
    let mut counts = vec![0; limits.count()];
    let shown = |person: u32| limits.shown(events_of[person as usize].clone());
    let (mut together, others): (Vec<u32>, Vec<u32>) =
        people.into_iter().partition(|&person| !shown(person).any(|shows| shows));
    let mut alone = Vec::new();
    for person in others {
        let with: Vec<usize> =
            counts.iter().zip(shown(person)).map(|(count, shows)| count + usize::from(shows)).collect();
        if limits.allow(&with, together.len() + 1) {
            together.push(person);
            counts = with;
        } else {
            alone.push(vec![person]);
        }
    }
    // In the order of people, like all clusters: what is published must not depend on who was tried first.
    together.sort_unstable();
    let all = alone.into_iter().chain((!together.is_empty()).then_some(together));
    all.map(|members| Cluster::alike(members, events_of, costs, limits)).collect()
}
