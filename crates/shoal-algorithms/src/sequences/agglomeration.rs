//! The engine: the two closest clusters become one, until each is a crowd that keeps the promise.

use std::ops::Range;

use shoal_core::{Progress, Sequences, SequencesPromise, SequencesRecoding, Unseen};

use crate::Anonymized;

use super::active::Active;
use super::cluster::Cluster;
use super::costs::Costs;
use super::limits::Limits;
use super::matching::{Matching, Numbered};
use super::nearest::{Kind, Search};
use super::neighbours::Neighbours;
use super::signature::Signatures;
use super::{Remainder, SequencesError, Work, publish, remainder, start};

/// Clusters people with one way to match their events. At the end `finish` may make the crowds better.
pub(super) fn anonymize<M: Matching>(
    algorithm: &'static str,
    matching: &M,
    remainder: Remainder,
    data: &Sequences,
    promise: &SequencesPromise,
    progress: &dyn Progress,
    finish: impl FnOnce(&mut Clustering, &[Range<usize>], &Search<'_, M>),
) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
    let limits = Limits::new(promise, data.events(), algorithm)?;
    if data.persons() < promise.k.max(1) {
        return Err(SequencesError::TooFewPersons { k: promise.k, persons: data.persons() });
    }
    let costs = Costs::new(&data.events().quasi_identifiers(), data.events().rows)?;
    let events_of: Vec<_> = data.iter().collect();
    let start = start::fold(&events_of, &costs, &limits);
    let signatures = Signatures::new(&costs, &start);
    let search = Search {
        costs: &costs,
        limits: &limits,
        signatures: &signatures,
        matching,
        progress: Unseen(progress),
    };

    let mut clustering = agglomerate(start, &search, progress);
    let left = clustering.left.take();
    // Not one crowd keeps the promise, so there is nothing that anybody could join.
    if clustering.finished.iter().all(Option::is_none) {
        return Err(limits.infeasible(left.as_ref(), &events_of));
    }
    if let (Remainder::Nearest, Some(left)) = (remainder, left) {
        remainder::join(&left, &mut clustering, &events_of, &search);
    }
    finish(&mut clustering, &events_of, &search);
    let recoding = publish::recode(&clustering.finished, data, &costs);
    Ok(Anonymized { recoding, trace: clustering.work.into() })
}

/// What has become of the people.
#[derive(Debug)]
pub(super) struct Clustering {
    /// Crowds that keep the promise, by the number that they got when they were formed.
    pub(super) finished: Vec<Option<Cluster>>,
    /// Those who are left.
    pub(super) left: Option<Cluster>,
    pub(super) work: Work,
}

fn agglomerate<M: Matching>(
    start: Vec<Cluster>,
    search: &Search<'_, M>,
    progress: &dyn Progress,
) -> Clustering {
    let mut work = Work::default();
    let mut finished = Vec::new();
    let mut active = Active::default();
    for cluster in start {
        progress.check();
        place(cluster, &mut active, &mut finished, search);
    }
    progress.stage("clustering", active.ids().len() as u64);
    let mut allowed = Neighbours::new(Kind::Allowed, &active, search, &mut work);
    let mut any: Option<Neighbours> = None;
    while active.ids().len() > 1 {
        // Neighbours without limits are searched only once no allowed pair is left.
        let closest = allowed.closest(&active, search, &mut work).or_else(|| {
            let any = any.get_or_insert_with(|| Neighbours::new(Kind::Any, &active, search, &mut work));
            any.closest(&active, search, &mut work)
        });
        let Some((older, younger)) = closest else { break };
        let union = merge(older, younger, &mut active, search);
        progress.advance(1);
        if let Some(id) = place(union, &mut active, &mut finished, search) {
            allowed.add(id);
            any.iter_mut().for_each(|any| any.add(id));
        }
    }
    Clustering { finished, left: active.into_last(), work }
}

/// Gives the cluster its number. A crowd that keeps the promise is finished; any other one is active, and its number
/// is returned.
fn place<M: Matching>(
    cluster: Cluster,
    active: &mut Active,
    finished: &mut Vec<Option<Cluster>>,
    search: &Search<'_, M>,
) -> Option<u32> {
    if search.limits.satisfied(&cluster) {
        active.skip();
        finished.push(Some(cluster));
        return None;
    }
    finished.push(None);
    Some(active.add(cluster, search.costs, search.signatures))
}

fn merge<M: Matching>(older: u32, younger: u32, active: &mut Active, search: &Search<'_, M>) -> Cluster {
    let (left, right) = (active.take(older, search.signatures), active.take(younger, search.signatures));
    let pairs = search.matching.pairs(
        Numbered { id: older, cluster: &left },
        Numbered { id: younger, cluster: &right },
        search.costs,
    );
    Cluster::merged(&left, &right, &pairs, search.costs, search.limits)
}
