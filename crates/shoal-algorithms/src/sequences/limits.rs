//! How many of a crowd may show a highly sensitive value.

use std::ops::Range;

use shoal_core::{Bound, SequencesPromise, Table};

use super::SequencesError;
use super::blocks::Room;
use super::cluster::Cluster;
use super::limited::limited_values;
use super::matching::Pair;

/// The promise in codes: the size of a crowd and a share for each limited column.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) k: usize,
    shares: Vec<Share>,
}

/// The limit of one column.
#[derive(Clone, Debug)]
struct Share {
    column: String,
    /// c in the paper.
    most: f64,
    /// For each event whether its value is highly sensitive (in Ω).
    sensitive: Vec<bool>,
}

/// The members of a cluster who show a highly sensitive value.
#[derive(Clone, Debug)]
pub(super) struct Carriers {
    /// How many they are.
    count: usize,
    /// How many still are when all but one event of the representative are suppressed, at the least.
    fewest: usize,
    /// For each event of the representative, how many show their first such value there.
    first: Vec<u32>,
}

/// People, and for each limit how many of them show a highly sensitive value.
#[derive(Clone, Debug)]
pub(super) struct Census {
    people: usize,
    showing: Vec<usize>,
}

/// What is known about two clusters as one before they are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// All limits are kept, whatever is suppressed.
    Allowed,
    /// A limit is broken, whatever is suppressed.
    Forbidden,
    /// It depends on which events are suppressed.
    Open,
}

impl Limits {
    /// Reads a promise of crowds and shares.
    pub(super) fn new(
        promise: &SequencesPromise,
        events: &Table,
        algorithm: &'static str,
    ) -> Result<Limits, SequencesError> {
        if promise.length.is_some() {
            return Err(SequencesError::UnsupportedPromise { algorithm });
        }
        let mut shares = Vec::with_capacity(promise.limits.len());
        for limit in &promise.limits {
            let Bound::Share(most) = limit.bound else {
                return Err(SequencesError::UnsupportedPromise { algorithm });
            };
            let name = || limit.column.clone();
            if !(0.0..=1.0).contains(&most) {
                return Err(SequencesError::NotAShare { column: name(), share: most });
            }
            let (column, highly) = limited_values(limit, events, false)?;
            let sensitive = column.codes.iter().map(|&code| highly[code as usize]).collect();
            shares.push(Share { column: name(), most, sensitive });
        }
        Ok(Limits { k: promise.k, shares })
    }

    /// Who of some people shows a highly sensitive value; `len` events of each survive.
    pub(super) fn carriers(&self, survivors: &[u32], len: usize) -> Vec<Carriers> {
        let of_share = |share: &Share| {
            let mut first = vec![0; len];
            let mut at_event = vec![0; len];
            for own in survivors.chunks_exact(len.max(1)) {
                let mut unseen = true;
                for (at, &event) in own.iter().enumerate() {
                    // Only the first counts a person: whoever shows several values is one carrier.
                    if share.sensitive[event as usize] {
                        first[at] += u32::from(std::mem::take(&mut unseen));
                        at_event[at] += 1;
                    }
                }
            }
            let count = first.iter().sum::<u32>() as usize;
            Carriers { count, fewest: at_event.iter().copied().min().unwrap_or(0), first }
        };
        self.shares.iter().map(of_share).collect()
    }

    /// Whether the cluster is a crowd that keeps every limit.
    pub(super) fn satisfied(&self, cluster: &Cluster) -> bool {
        let kept = |(share, carriers): (&Share, &Carriers)| share.allows(carriers.count, cluster.size());
        cluster.size() >= self.k && self.shares.iter().zip(&cluster.carriers).all(kept)
    }

    /// Whether two clusters keep every limit as one, as far as it can be said without aligning them.
    pub(super) fn outlook(&self, one: &Cluster, other: &Cluster) -> Outlook {
        let size = one.size() + other.size();
        let mut outlook = Outlook::Allowed;
        for (share, (a, b)) in self.shares.iter().zip(one.carriers.iter().zip(&other.carriers)) {
            if !share.allows(a.fewest + b.fewest, size) {
                return Outlook::Forbidden;
            }
            if !share.allows(a.count + b.count, size) {
                outlook = Outlook::Open;
            }
        }
        outlook
    }

    /// Whether two clusters keep every limit as one, when all events but those of the pairs are suppressed.
    pub(super) fn kept_together(&self, older: &Cluster, younger: &Cluster, pairs: &[Pair]) -> bool {
        let size = older.size() + younger.size();
        let left = |&(left, _): &Pair| left as usize;
        let right = |&(_, right): &Pair| right as usize;
        self.shares.iter().enumerate().all(|(at, share)| {
            let (a, b) = (&older.carriers[at], &younger.carriers[at]);
            if share.allows(a.count + b.count, size) {
                return true;
            }
            // A member stops being a carrier only by losing every such value, so at least the first one: counting first
            // values that stay gives a lower bound, which is cheaper than going through all members.
            let bound = a.at_least(pairs.iter().map(left)) + b.at_least(pairs.iter().map(right));
            if !share.allows(bound, size) {
                return false;
            }
            share.allows(share.count(older, pairs, left) + share.count(younger, pairs, right), size)
        })
    }

    /// How many people some clusters have, and for each limit how many of them show a highly sensitive value.
    pub(super) fn census<'a>(&self, clusters: impl Iterator<Item = &'a Cluster>) -> Census {
        let mut census = Census { people: 0, showing: vec![0; self.count()] };
        for cluster in clusters {
            census.people += cluster.size();
            let shows = census.showing.iter_mut().zip(&cluster.carriers);
            shows.for_each(|(showing, carriers)| *showing += carriers.count);
        }
        census
    }

    /// Whether some of everybody can be put into crowds by themselves: there are enough of them, and highly sensitive
    /// values are no more frequent than half-way between what they are among everybody and what is allowed, or at least
    /// no more than is allowed.
    pub(super) fn leave_room(&self, part: &Census, everybody: &Census, room: Room) -> bool {
        part.people >= room.least_people(self.k)
            && self.shares.iter().zip(part.showing.iter().zip(&everybody.showing)).all(
                |(share, (&showing, &all))| {
                    let usual = all as f64 / everybody.people as f64;
                    showing as f64 / part.people as f64 <= room.most(usual, share.most)
                },
            )
    }

    /// How many limits there are.
    pub(super) fn count(&self) -> usize {
        self.shares.len()
    }

    /// For each limit whether some events show a highly sensitive value.
    pub(super) fn shown(&self, events: Range<usize>) -> impl Iterator<Item = bool> {
        self.shares.iter().map(move |share| share.shown(events.clone()))
    }

    /// Whether a cluster may have these numbers of carriers, one for each limit.
    pub(super) fn allow(&self, counts: &[usize], size: usize) -> bool {
        self.shares.iter().zip(counts).all(|(share, &count)| share.allows(count, size))
    }

    /// Why nothing can be published: the limit that is broken when all people stand together.
    pub(super) fn infeasible(
        &self,
        together: Option<&Cluster>,
        events_of: &[Range<usize>],
    ) -> SequencesError {
        let broken = |&at: &usize| {
            together.is_some_and(|all| !self.shares[at].allows(all.carriers[at].count, all.size()))
        };
        let Some(share) = (0..self.count()).find(broken).map(|at| &self.shares[at]) else {
            return SequencesError::TooFewPersons { k: self.k, persons: events_of.len() };
        };
        SequencesError::Infeasible {
            k: self.k,
            column: share.column.clone(),
            share: share.most,
            sensitive: events_of.iter().filter(|events| share.shown((*events).clone())).count(),
            persons: events_of.len(),
        }
    }
}

impl Share {
    fn shown(&self, mut events: Range<usize>) -> bool {
        events.any(|event| self.sensitive[event])
    }

    fn allows(&self, count: usize, size: usize) -> bool {
        count as f64 / size as f64 <= self.most
    }

    /// How many members show a highly sensitive value in their events of the pairs.
    fn count(&self, cluster: &Cluster, pairs: &[Pair], side: fn(&Pair) -> usize) -> usize {
        let shows = |own: &&[u32]| pairs.iter().any(|pair| self.sensitive[own[side(pair)] as usize]);
        cluster.survivors.chunks_exact(cluster.len().max(1)).filter(shows).count()
    }
}

impl Carriers {
    /// How many carriers there are at least when only the events at these positions survive.
    fn at_least(&self, kept: impl Iterator<Item = usize>) -> usize {
        kept.map(|at| self.first[at] as usize).sum()
    }
}
