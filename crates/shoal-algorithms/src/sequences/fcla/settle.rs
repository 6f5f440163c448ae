//! Compares the clusters with the shares among those who are published.
//!
//! How frequent a value may be in a crowd depends on how frequent it is in the release, and leaving out events and people
//! changes that. So the clusters are judged again by what is left; from a cluster that breaks its terms carriers of the
//! value are left out, and where fewer than k remain, the cluster. That changes the shares once more, so it is repeated until
//! nothing changes. Each round leaves somebody out, so it ends.

use shoal_core::Sequences;

use super::crowd::{Draft, GONE};
use crate::sequences::Work;
use crate::sequences::terms::{Tally, Terms};

/// Leaves people out until every cluster keeps the terms; false when nobody is left. All published members of a cluster
/// have the same sequence, with `quasi` codes an event.
pub(super) fn settle(drafts: &mut [(Draft, Work)], data: &Sequences, terms: &Terms, quasi: usize) -> bool {
    let mut clusters: Vec<Vec<Member>> =
        drafts.iter().map(|(draft, _)| members(draft, data, terms, quasi)).collect();
    loop {
        let mut everybody = terms.nobody();
        clusters.iter().flatten().for_each(|member| count(member, &mut everybody));
        let now = terms.for_published(&everybody);
        let mut is_changed = false;
        for ((draft, _), cluster) in drafts.iter_mut().zip(&mut clusters) {
            let before = cluster.len();
            reduce(cluster, &now);
            if cluster.len() < before {
                is_changed = true;
                keep_only(draft, cluster, quasi);
            }
        }
        // The shares of this round were those of the clusters as they still are.
        if !is_changed {
            return everybody.people > 0;
        }
    }
}

/// A member of whom something is published.
struct Member {
    /// The place in the draft.
    place: usize,
    /// The sensitive values that the published events show, ascending.
    values: Vec<u32>,
}

fn members(draft: &Draft, data: &Sequences, terms: &Terms, quasi: usize) -> Vec<Member> {
    let mut members = Vec::new();
    for (place, (&person, bounds)) in draft.people.iter().zip(draft.starts.windows(2)).enumerate() {
        let first = data.events_of(person as usize).start;
        let published = (bounds[0]..bounds[1]).filter(|event| draft.codes[event * quasi] != GONE);
        let events = published.map(|event| first + event - bounds[0]);
        if events.clone().next().is_some() {
            members.push(Member { place, values: terms.shown(events) });
        }
    }
    members
}

fn count(member: &Member, tally: &mut Tally) {
    tally.people += 1;
    member.values.iter().for_each(|&value| tally.having[value as usize] += 1);
}

/// Leaves out carriers of values that are too frequent, the last ones first, and everybody where fewer than k remain.
fn reduce(cluster: &mut Vec<Member>, terms: &Terms) {
    let mut tally = terms.nobody();
    cluster.iter().for_each(|member| count(member, &mut tally));
    while let Some(value) = terms.broken(&tally) {
        let Some(last) = cluster.iter().rposition(|member| member.values.contains(&value)) else { break };
        let gone = cluster.remove(last);
        tally.people -= 1;
        gone.values.iter().for_each(|&value| tally.having[value as usize] -= 1);
    }
    if cluster.len() < terms.k {
        cluster.clear();
    }
}

/// Leaves out all events of the other members.
fn keep_only(draft: &mut Draft, members: &[Member], quasi: usize) {
    let mut is_kept = vec![false; draft.people.len()];
    members.iter().for_each(|member| is_kept[member.place] = true);
    for (bounds, _) in draft.starts.windows(2).zip(&is_kept).filter(|(_, kept)| !**kept) {
        draft.codes[bounds[0] * quasi..bounds[1] * quasi].fill(GONE);
    }
}
