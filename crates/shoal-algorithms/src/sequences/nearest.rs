//! The nearest of many clusters, with as few alignments as possible.
//!
//! Bounds come from the signatures and from the lengths: every event that one representative has more than the
//! other is suppressed. The tree of the pool with the least bound is looked at next. Where it branches, both
//! branches get bounds of their own; where it ends, its clusters are aligned in the order of their bounds. That goes on
//! until no bound is below what was found.
//!
//! At the ends of trees two short ones of one length get another bound: they are matched event by event, the loss of which is quickly looked
//! up, or each side suppresses an event.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use shoal_core::{Progress, Unseen};

use super::cluster::Cluster;
use super::costs::Costs;
use super::limits::{Limits, Outlook};
use super::matching::{Matching, Numbered, Query};
use super::pool::{Below, Entry, Pool, Summary, Tree};
use super::signature::{Charges, Mask, Signatures};

/// All that distances depend on.
#[derive(Debug)]
pub(super) struct Search<'a, M> {
    pub(super) costs: &'a Costs,
    pub(super) limits: &'a Limits,
    pub(super) signatures: &'a Signatures,
    pub(super) matching: &'a M,
    /// Whether somebody still wants what is searched.
    pub(super) progress: Unseen<'a>,
    /// How many searches a thread makes at least before another one helps.
    pub(super) grain: usize,
}

/// Which pairs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Those that keep every limit as one.
    Allowed,
    /// All.
    Any,
    /// All but those with the cluster of this number.
    AnyBut(u32),
}

/// A distance to a cluster; of equally near ones the older is the nearer.
pub(super) type Neighbour = (i64, u32);

/// Buffers that searches use one after the other.
#[derive(Debug, Default)]
pub(super) struct Space {
    heights: Vec<u32>,
    line: Vec<i64>,
    queue: BinaryHeap<Reverse<Waiting>>,
    candidates: Vec<Neighbour>,
}

/// A tree that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    /// No cluster there is nearer.
    bound: Neighbour,
    tree: u32,
    /// What a person of the own cluster and one of the others pay for the bits of their signatures.
    own: i64,
    others: i64,
}

impl<M: Matching> Search<'_, M> {
    /// The nearest cluster of the pool among those older than this one, and how many of them were aligned.
    pub(super) fn nearest(
        &self,
        of: Numbered<'_>,
        pool: &Pool,
        clusters: &[Option<Cluster>],
        kind: Kind,
        space: &mut Space,
    ) -> (Option<Neighbour>, u64) {
        let mut best = FAR;
        let aligned = self.find(of, pool, clusters, kind, space, &mut best);
        ((best != FAR).then_some(best), aligned)
    }

    /// As many of the nearest ones, the nearest first, and how many were aligned.
    pub(super) fn several(
        &self,
        of: Numbered<'_>,
        pool: &Pool,
        clusters: &[Option<Cluster>],
        count: usize,
        space: &mut Space,
    ) -> (Vec<Neighbour>, u64) {
        let mut best = Several { count, nearest: Vec::with_capacity(count + 1) };
        let aligned = self.find(of, pool, clusters, Kind::Any, space, &mut best);
        (best.nearest, aligned)
    }

    /// Goes through the pool as long as something there may be nearer than what was found.
    fn find(
        &self,
        of: Numbered<'_>,
        pool: &Pool,
        clusters: &[Option<Cluster>],
        kind: Kind,
        space: &mut Space,
        found: &mut impl Found,
    ) -> u64 {
        self.progress.check();
        let Space { heights, line, queue, candidates } = space;
        let query = Query::new(of, self.costs, heights);
        let afar = Afar {
            id: of.id,
            size: of.cluster.size() as i64,
            len: of.cluster.len(),
            cheapest: of.cluster.cheapest_suppression(self.costs),
            heights: of.cluster.heights.iter().map(|&height| i64::from(height)).sum::<i64>()
                * of.cluster.size() as i64,
            charges: self.signatures.charges(of.cluster, self.costs),
        };
        let mut aligned = 0;
        queue.clear();
        let roots = pool.roots();
        queue.extend(
            roots.filter_map(|root| afar.enter(root, pool.tree(root), &Step::START, found.farthest())),
        );
        while let Some(Reverse(next)) = queue.pop().filter(|next| next.0.bound < found.farthest()) {
            let tree = pool.tree(next.tree);
            let step = next.step(&tree.summary);
            match &tree.below {
                Below::Branch { trees, .. } => {
                    let best = found.farthest();
                    queue.extend(trees.iter().filter_map(|&at| afar.enter(at, pool.tree(at), &step, best)));
                }
                Below::Leaf(few) => {
                    candidates.clear();
                    let best = found.farthest();
                    let bound = |entry: &Entry| Some(afar.bound(&entry.summary(), tree.len, &step)?.0);
                    match few.with_values().filter(|_| tree.len == afar.len) {
                        Some(clusters) => candidates.extend(clusters.filter_map(|(entry, values)| {
                            let (paired, gaps) = afar.event_by_event(entry, values, &query);
                            let loss = if paired <= gaps {
                                paired
                            } else if gaps >= best.0 {
                                gaps
                            } else {
                                // Only here do the bits say more: they hold for every way to match events.
                                bound(entry)?.0.max(gaps).min(paired)
                            };
                            Some((loss, entry.id)).filter(|&bound| entry.id < afar.id && bound < best)
                        })),
                        None => candidates
                            .extend(few.entries.iter().filter_map(bound).filter(|&bound| bound < best)),
                    }
                    candidates.sort_unstable();
                    for &(bound, id) in &*candidates {
                        if (bound, id) >= found.farthest() {
                            break;
                        }
                        if kind == Kind::AnyBut(id) {
                            continue;
                        }
                        let Some(cluster) = &clusters[id as usize] else { continue };
                        let outlook = self.outlook(kind, cluster, of.cluster);
                        if outlook != Outlook::Forbidden {
                            aligned += 1;
                            let older = Numbered { id, cluster };
                            let nearer = self.nearer(&query, older, outlook, found.farthest(), line);
                            nearer.into_iter().for_each(|neighbour| found.add(neighbour));
                        }
                    }
                }
            }
        }
        aligned
    }

    fn outlook(&self, kind: Kind, one: &Cluster, other: &Cluster) -> Outlook {
        match kind {
            Kind::Allowed => self.limits.outlook(one, other),
            Kind::Any | Kind::AnyBut(_) => Outlook::Allowed,
        }
    }

    /// The older cluster as a neighbour, if it is nearer than the best one so far and allowed.
    fn nearer(
        &self,
        query: &Query<'_>,
        older: Numbered<'_>,
        outlook: Outlook,
        best: Neighbour,
        line: &mut Vec<i64>,
    ) -> Option<Neighbour> {
        // Of equal distances the older cluster wins: a younger one must be nearer by at least 1.
        let limit = best.0 - i64::from(older.id > best.1);
        let loss = self.matching.distance(query, older, self.costs, limit, line)?;
        let kept = || {
            let younger = Numbered { id: query.id, cluster: query.cluster };
            let pairs = self.matching.pairs(older, younger, self.costs);
            self.limits.kept_together(older.cluster, younger.cluster, &pairs)
        };
        (outlook == Outlook::Allowed || kept()).then_some((loss, older.id))
    }
}

/// What a search has found so far.
trait Found {
    /// What is not nearer than this does not count any more.
    fn farthest(&self) -> Neighbour;

    /// Something nearer.
    fn add(&mut self, nearer: Neighbour);
}

/// The nearest only.
impl Found for Neighbour {
    fn farthest(&self) -> Neighbour {
        *self
    }

    fn add(&mut self, nearer: Neighbour) {
        *self = nearer;
    }
}

/// A number of the nearest, ascending.
struct Several {
    count: usize,
    nearest: Vec<Neighbour>,
}

impl Found for Several {
    fn farthest(&self) -> Neighbour {
        // Until there are enough, everything counts.
        self.nearest.get(self.count - 1).copied().unwrap_or(FAR)
    }

    fn add(&mut self, nearer: Neighbour) {
        let at = self.nearest.partition_point(|known| *known < nearer);
        self.nearest.insert(at, nearer);
        self.nearest.truncate(self.count);
    }
}

/// Farther away than any cluster.
const FAR: Neighbour = (i64::MAX, u32::MAX);

/// A cluster that looks for neighbours, from afar.
struct Afar<'a> {
    id: u32,
    size: i64,
    len: usize,
    cheapest: i64,
    /// The heights of its events, for all members.
    heights: i64,
    charges: Charges<'a>,
}

/// What is paid so far on the way down a tree, and for which bits: further down only the difference counts.
struct Step {
    own: i64,
    others: i64,
    any: Mask,
    all: Mask,
}

impl Afar<'_> {
    /// A tree as it waits, unless nothing in it can be nearer than the best.
    fn enter(&self, at: u32, tree: &Tree, from: &Step, best: Neighbour) -> Option<Reverse<Waiting>> {
        let (bound, own, others) = self.bound(&tree.summary, tree.len, from)?;
        (bound < best).then_some(Reverse(Waiting { bound, tree: at, own, others }))
    }

    /// What is lost when this cluster and another one of the same length are matched event by event, and what they lose at least when
    /// they are not: an event of each side is left without a partner.
    fn event_by_event(&self, entry: &Entry, values: &[u32], query: &Query<'_>) -> (i64, i64) {
        let together: i64 = values.iter().map(|&value| i64::from(query.height_with(value))).sum();
        let paired = (self.size + entry.size) * together - self.heights - entry.heights;
        (paired, self.cheapest + entry.cheapest)
    }

    /// A bound for some clusters, with what is paid for bits; nothing where all are younger. Each side loses what
    /// its bits say, and no less than the events that it has more.
    fn bound(&self, some: &Summary, len: usize, from: &Step) -> Option<(Neighbour, i64, i64)> {
        if some.oldest >= self.id {
            return None;
        }
        let own = from.own + self.charges.own(&from.any, &some.any);
        let others = from.others + self.charges.others(&some.all, &from.all);
        let (more, fewer) = (self.len.saturating_sub(len) as i64, len.saturating_sub(self.len) as i64);
        let loss =
            (own * self.size).max(self.cheapest * more) + (others * some.size).max(some.cheapest * fewer);
        Some(((loss, some.oldest), own, others))
    }
}

impl Waiting {
    fn step(&self, summary: &Summary) -> Step {
        Step { own: self.own, others: self.others, any: summary.any, all: summary.all }
    }
}

impl Step {
    const START: Step = Step { own: 0, others: 0, any: Mask::ALL, all: Mask::NONE };
}
