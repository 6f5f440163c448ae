//! One sequence for all members of a cluster: whoever knows anything about one of them knows it about all.
//!
//! Valid for every length of knowledge, since a pattern is supported by all of the cluster or by nobody. By the papers'
//! count events that find no partner publish nothing but `*`; where everybody counts who fits, such an event fits
//! whatever is known and sets its owner apart from the others, so it is left out.

use std::collections::BTreeSet;

use shoal_core::Support;

use crate::sequences::Work;
use crate::sequences::cluster::Cluster;
use crate::sequences::matching::{Matching, Numbered, Query};

use super::Distance;
use super::crowd::{Draft, GONE};
use super::groups::People;
use super::tree::Forest;

/// Up to this many members every pair is aligned to find the nearest.
const MOST_PAIRED: usize = 64;

/// The cheapest of a few sequences that all members can publish. Events that find no partner publish nothing, or are left
/// out, as the support asks for.
pub(super) fn identical(
    original: &Draft,
    people: &People<'_>,
    distance: Distance,
    forest: &Forest,
    support: Support,
    work: &mut Work,
) -> Draft {
    let publish = |all: &Cluster| publish(original, all, people, forest, support);
    let in_order = publish(&one_by_one(&original.people, people, distance, work));
    if distance == Distance::EventPairs {
        return in_order;
    }
    let by_position = publish(&one_by_one(&original.people, people, Distance::EventPairs, work));
    let nearest_first = publish(&nearest_first(&original.people, people, distance, work));
    let cheapest = [in_order, by_position, nearest_first]
        .into_iter()
        .map(|draft| (draft.loss(forest), draft))
        .reduce(|best, other| if other.0 < best.0 { other } else { best });
    cheapest.map_or_else(|| original.clone(), |(_, draft)| draft)
}

/// Puts the members together one after the other, in their order.
fn one_by_one(members: &[u32], people: &People<'_>, distance: Distance, work: &mut Work) -> Cluster {
    let mut all = people.alone(members[0]).clone();
    for &person in &members[1..] {
        people.check_wanted();
        all = merge(&all, people.alone(person), people, distance, work);
    }
    all
}

/// Puts the two together that lose least by it, again and again.
fn nearest_first(members: &[u32], people: &People<'_>, distance: Distance, work: &mut Work) -> Cluster {
    if members.len() > MOST_PAIRED {
        return one_by_one(members, people, distance, work);
    }
    let mut clusters: Vec<Option<Cluster>> = Vec::new();
    let mut pairs: BTreeSet<(i64, usize, usize)> = BTreeSet::new();
    let mut buffers = (Vec::new(), Vec::new());
    let mut add =
        |cluster: Cluster, clusters: &mut Vec<Option<Cluster>>, pairs: &mut BTreeSet<_>, work: &mut Work| {
            let of = Numbered { id: clusters.len() as u32, cluster: &cluster };
            let query = Query::new(of, people.costs, &mut buffers.0);
            for (at, other) in clusters.iter().enumerate() {
                let Some(other) = other else { continue };
                let other = Numbered { id: at as u32, cluster: other };
                work.alignments_computed += 1;
                let loss = distance.distance(&query, other, people.costs, i64::MAX, &mut buffers.1);
                pairs.insert((loss.unwrap_or(i64::MAX), at, clusters.len()));
            }
            clusters.push(Some(cluster));
        };
    for &person in members {
        people.check_wanted();
        add(people.alone(person).clone(), &mut clusters, &mut pairs, work);
    }
    while let Some((_, older, younger)) = pairs.pop_first() {
        people.check_wanted();
        if clusters[older].is_none() || clusters[younger].is_none() {
            continue;
        }
        if let (Some(a), Some(b)) = (clusters[older].take(), clusters[younger].take()) {
            let both = merge(&a, &b, people, distance, work);
            add(both, &mut clusters, &mut pairs, work);
        }
    }
    clusters.into_iter().flatten().next_back().unwrap_or_else(|| people.alone(members[0]).clone())
}

fn merge(
    older: &Cluster,
    younger: &Cluster,
    people: &People<'_>,
    distance: Distance,
    work: &mut Work,
) -> Cluster {
    work.alignments_computed += 1;
    let numbered = |id, cluster| Numbered { id, cluster };
    let pairs = distance.pairs(numbered(0, older), numbered(1, younger), people.costs);
    Cluster::merged(older, younger, &pairs, people.costs, &people.limits)
}

/// What the members of a cluster publish when each publishes the cluster's sequence.
fn publish(original: &Draft, all: &Cluster, people: &People<'_>, forest: &Forest, support: Support) -> Draft {
    let mut draft = original.clone();
    let unpaired = |code: u32| match support {
        Support::Compatible => GONE,
        Support::Paper => forest.root(code),
    };
    draft.codes.iter_mut().for_each(|code| *code = unpaired(*code));
    let quasi = forest.quasi();
    let mut start_of = std::collections::BTreeMap::new();
    start_of.extend(draft.people.iter().copied().zip(draft.starts.iter().copied()));
    for (person, own) in all.members.iter().zip(all.survivors.chunks_exact(all.len().max(1))) {
        let first = people.events_of[*person as usize].start;
        for (at, &event) in own.iter().enumerate() {
            let to = (start_of[person] + event as usize - first) * quasi;
            draft.codes[to..to + quasi].copy_from_slice(all.event(at, quasi));
        }
    }
    draft
}
