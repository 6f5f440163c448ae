//! The engine: the two closest clusters become one, until each is a crowd that keeps the promise.
//!
//! Many people are cut into blocks first (see `blocks`), each of which does this by itself; what the borders of blocks have parted is
//! repaired afterwards (see `borders.rs`).

use std::collections::BTreeSet;
use std::ops::Range;

use shoal_core::{Progress, Sequences, SequencesPromise, SequencesRecoding, Unseen};

use crate::Anonymized;

use super::active::Active;
use super::blocks::{self, BlockSizes, Room, Units};
use super::cluster::Cluster;
use super::costs::Costs;
use super::limits::{Census, Limits};
use super::matching::{Matching, Numbered};
use super::nearest::{Kind, Search};
use super::neighbours::Neighbours;
use super::signature::Signatures;
use super::{Remainder, SequencesError, Work, borders, publish, remainder, start};

/// What the engine is asked for.
pub(super) struct Engine<'a, M> {
    pub(super) algorithm: &'static str,
    /// How events find each other.
    pub(super) matching: &'a M,
    pub(super) remainder: Remainder,
    pub(super) blocks: BlockSizes,
    /// Makes finished crowds better.
    pub(super) improve: Option<&'a Improve<M>>,
}

pub(super) type Improve<M> = dyn Fn(&mut Clustering, &Original, &Search<'_, M>) + Sync;

impl<M: Matching> Engine<'_, M> {
    /// Clusters people.
    pub(super) fn anonymize(
        &self,
        data: &Sequences,
        promise: &SequencesPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<SequencesRecoding>, SequencesError> {
        let limits = Limits::new(promise, data.events(), self.algorithm)?;
        if data.persons() < promise.k.max(1) {
            return Err(SequencesError::TooFewPersons { k: promise.k, persons: data.persons() });
        }
        let costs = Costs::new(&data.events().quasi_identifiers(), data.events().rows)?;
        let original = Original::new(data, &costs);
        let start = start::fold(&original.events_of, &costs, &limits);
        let everybody = limits.census(start.iter());
        let units = Start { clusters: &start, limits: &limits, everybody };
        let plan = blocks::plan(&units, &costs, self.blocks, &BTreeSet::new());
        let blocks = plan.blocks.len();

        let waiting = start.iter().filter(|cluster| !limits.satisfied(cluster)).count();
        progress.stage("clustering", waiting as u64);
        let shared = Shared { costs: &costs, limits: &limits, matching: self.matching, progress };
        let mut all = shared.in_blocks(&plan.blocks, start, |clusters, search| {
            self.cluster(clusters, &original, search, progress)
        });
        if all.finished.is_empty() {
            return Err(limits.infeasible(all.left.as_ref(), &original.events_of));
        }
        if let Some(improve) = self.improve.filter(|_| blocks > 1) {
            borders::exchange(&mut all, self.blocks, plan.cuts, improve, &original, &shared);
        }
        all.work.blocks = blocks as u64;
        let recoding = publish::recode(&all.finished, data, &costs);
        Ok(Anonymized { recoding, trace: all.work.into() })
    }

    /// One block.
    fn cluster(
        &self,
        start: Vec<Cluster>,
        original: &Original,
        search: &Search<'_, M>,
        progress: &dyn Progress,
    ) -> Clustering {
        let mut clustering = agglomerate(start, search, progress);
        // Not one crowd keeps the promise, so there is nothing that anybody could join.
        if clustering.finished.iter().all(Option::is_none) {
            return clustering;
        }
        let left = clustering.left.take();
        if let (Remainder::Nearest, Some(left)) = (self.remainder, left) {
            remainder::join(&left, &mut clustering, &original.events_of, search);
        }
        self.improve.iter().for_each(|improve| improve(&mut clustering, original, search));
        clustering
    }
}

/// Everybody as they were.
#[derive(Debug)]
pub(super) struct Original {
    pub(super) events_of: Vec<Range<usize>>,
    /// What each would lose if all their events were suppressed.
    pub(super) most: Vec<i64>,
}

impl Original {
    fn new(data: &Sequences, costs: &Costs) -> Original {
        let suppressing =
            |event: usize| i64::from(costs.suppressed() - costs.event_height(costs.values(event..event + 1)));
        let events_of: Vec<_> = data.iter().collect();
        let most = events_of.iter().map(|events| events.clone().map(suppressing).sum()).collect();
        Original { events_of, most }
    }

    /// What all members of a crowd have lost since they were alone.
    pub(super) fn loss(&self, crowd: &Cluster, costs: &Costs) -> i64 {
        let kept: i64 = crowd.heights.iter().map(|&height| i64::from(costs.suppressed() - height)).sum();
        crowd.members.iter().map(|&person| self.most[person as usize] - kept).sum()
    }
}

/// The clusters of the beginning, as they are put into blocks.
struct Start<'a> {
    clusters: &'a [Cluster],
    limits: &'a Limits,
    everybody: Census,
}

impl Units for Start<'_> {
    fn count(&self) -> usize {
        self.clusters.len()
    }

    fn events(&self, unit: u32) -> &[u32] {
        &self.clusters[unit as usize].events
    }

    fn needed(&self) -> Option<usize> {
        // The others of a crowd.
        Some(self.limits.k.saturating_sub(1))
    }

    fn fit(&self, units: &[u32], room: Room) -> bool {
        let part = self.limits.census(units.iter().map(|&unit| &self.clusters[unit as usize]));
        self.limits.leave_room(&part, &self.everybody, room)
    }
}

/// What is the same for all blocks.
pub(super) struct Shared<'a, M> {
    pub(super) costs: &'a Costs,
    pub(super) limits: &'a Limits,
    matching: &'a M,
    pub(super) progress: &'a dyn Progress,
}

impl<M: Matching> Shared<'_, M> {
    /// Does something in all blocks, on all cores, and puts the results together in the order of the blocks. Each has
    /// signatures of its own: other nodes tell near people apart than people of all kinds.
    pub(super) fn in_blocks(
        &self,
        blocks: &[Vec<u32>],
        clusters: Vec<Cluster>,
        each: impl Fn(Vec<Cluster>, &Search<'_, M>) -> Clustering + Sync,
    ) -> Clustering {
        let mut clusters: Vec<Option<Cluster>> = clusters.into_iter().map(Some).collect();
        let mut take = |unit: &u32| clusters[*unit as usize].take();
        let parts: Vec<Vec<Cluster>> =
            blocks.iter().map(|units| units.iter().filter_map(&mut take).collect()).collect();
        let grain = blocks::grain(parts.len(), 1);
        let done = blocks::each(parts, Vec::len, |clusters| {
            let signatures = Signatures::new(self.costs, &clusters);
            let search = Search {
                costs: self.costs,
                limits: self.limits,
                signatures: &signatures,
                matching: self.matching,
                progress: Unseen(self.progress),
                grain,
            };
            each(clusters, &search)
        });
        let mut all = Clustering { finished: Vec::new(), left: None, work: Work::default() };
        for block in done {
            all.finished.extend(block.finished.into_iter().filter(Option::is_some));
            // One of them is enough to say why nothing could be published.
            all.left = all.left.or(block.left);
            all.work += block.work;
        }
        all
    }
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
