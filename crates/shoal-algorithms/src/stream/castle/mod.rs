//! CASTLE: every tuple waits, for at most δ further ones, until it can leave in a crowd.
//!
//! Tuples arrive one by one; each leaves with its quasi-identifiers generalized to a box that it shares with tuples of at
//! least k people and, among them, at least l sensitive values, at every moment of the published stream. A tuple whose time
//! is up leaves either together with others that wait, as a new class, or alone into a class that is out already and
//! covers it (*reuse*). What is lost is measured against the domain seen so far, because the domain of a
//! stream is not known beforehand. At the end of the stream everything that waits is released, split into crowds. Nothing of a tuple is
//! shown only where neither a crowd is inside nor a class covers it.
//!
//! **Paper**: J. Cao, B. Carminati, E. Ferrari, K.-L. Tan, *CASTLE: Continuously Anonymizing Data Streams*, IEEE TDSC
//! 8(3), 2011. [`CastleRules::Paper`] follows it, as far as it could be rebuilt without its text at hand: best selection,
//! the threshold τ, β clusters, reuse of a random class that covers, merging, splitting by nearest neighbours.
//!
//! **Where we depart**, under both rules:
//! - A suppressed tuple shows nothing, not even its sensitive value, which beside `*` would be a crowd of one.
//! - The classes that may be reused are bounded in number; the one not used for longest is forgotten.
//! - What leaves in one push is given back by position, so that nobody sees whose time was up. That is the order of arrival:
//!   whoever publishes it must put it into an order that says nothing, for instance that of what is published.
//! - A tuple's time is up after δ further tuples or, where `max_wait` is given, after that many milliseconds: otherwise those
//!   that wait would wait for ever when nothing more comes.
//!
//! [`CastleRules::Nearest`], the default, is ours. It keeps no clusters (β and μ do nothing): a tuple whose time is up
//! gathers its crowd from all that wait, one nearest tuple after the other, which is close to what FADS does (Guo and
//! Zhang, 2013); but it prefers a class that is out already, the best one that covers it, as long as that loses less than
//! 1.6 times as much, because then the others can wait for closer company. Every class may be reused. Who would be left with
//! too few companions joins a crowd early. On the six numeric columns of Adult with k = 10 it loses 0.125 for δ = 100 and
//! 0.079 for δ = 1000; the rules of the paper lose 0.206 and 0.132.
//!
//! The paper suppresses a tuple when more than half of the clusters are larger than its own. On Adult with k = 10, over
//! eight seeds, that loses 0.206 (26 tuples suppressed) for δ = 100, and always merging instead loses 0.207 (2 suppressed);
//! for δ = 1000 both lose 0.132. Suppression of outliers hardly buys anything, so our rules do without.
//!
//! **Cost** per tuple: O(β) boxes to select a cluster (paper), and when its time is up O(classes remembered) boxes, and
//! at worst O(k·δ) to gather a crowd (ours), mostly far less, because whoever is farther than the best class allows is
//! dropped at first sight. Where columns name values, a class is one bit for each of them, and only the boxes of classes that
//! name all values of the tuple are looked at. The length of the stream does not matter. Memory: δ tuples and the classes
//! remembered.
//!
//! **When another is better**: where a tuple may not wait, or its quasi-identifiers must stay exact and only the sensitive
//! value has to be hidden, use delay-free. k and l do not protect a person who returns: the classes of one person can be
//! intersected.

mod bits;
mod cluster;
mod crowd;
mod error;
mod leave;
mod merge;
mod names;
mod nearest;
mod paper;
mod params;
mod region;
mod release;
mod reuse;
mod selection;
mod space;
mod split;
mod tree;
mod usual;
mod window;

use serde::{Deserialize, Serialize};
use shoal_core::SplitMix64;

pub use error::CastleError;
pub use params::{CastleParams, CastleParamsError, CastleRules, ValidCastleParams};
pub use release::{CastleCell, CastleFigures, CastleRelease, CastleValue};
pub use space::CastleColumn;

use cluster::Clusters;
use reuse::Reusable;
use selection::best_cluster;
use space::Space;
use usual::UsualLoss;
use window::{Waiting, Window};

/// The whole state: tuples go in, and leave in crowds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Castle {
    params: ValidCastleParams,
    space: Space,
    window: Window,
    clusters: Clusters,
    reusable: Reusable,
    usual: UsualLoss,
    /// Choices that a replay repeats. No promise depends on them: each leads to crowds.
    draws: SplitMix64,
    last: Option<u64>,
    /// What time it is, in milliseconds; it never goes back.
    now: u64,
    figures: CastleFigures,
}

impl Castle {
    /// An empty window.
    pub fn new(params: ValidCastleParams, columns: &[CastleColumn<'_>]) -> Result<Castle, CastleError> {
        let space = Space::new(columns)?;
        Ok(Castle {
            window: Window::new(space.width()),
            space,
            clusters: Clusters::default(),
            reusable: Reusable::new(params.0.max_reusable),
            usual: UsualLoss::new(params.0.mu),
            draws: SplitMix64(params.0.seed),
            last: None,
            now: 0,
            figures: CastleFigures::default(),
            params,
        })
    }

    /// Says what time it is, in milliseconds from any beginning, and adds to `out` what has waited too long by the clock.
    /// Time that goes back stands still. Whoever never calls this has no limit of time.
    pub fn advance(&mut self, now: u64, out: &mut Vec<CastleRelease>) {
        self.now = self.now.max(now);
        let first = out.len();
        while let Some(oldest) = self.window.oldest()
            && self.is_overdue(oldest)
        {
            self.expire(oldest, out);
        }
        out[first..].sort_unstable_by_key(|release| release.position);
    }

    /// Whether [`Castle::advance`] to this time would let somebody out.
    pub fn is_due(&self, now: u64) -> bool {
        let oldest = self.window.waiting().next();
        let limit = self.params.0.max_wait;
        oldest
            .zip(limit)
            .is_some_and(|(oldest, limit)| now.max(self.now) - self.window.tuple(oldest).since >= limit)
    }

    /// Takes a tuple and adds to `out` what leaves now, by position. What leaves together must be shown together.
    pub fn push(
        &mut self,
        position: u64,
        person: u64,
        quasi: &[CastleValue],
        value: u32,
        out: &mut Vec<CastleRelease>,
    ) -> Result<(), CastleError> {
        if let Some(last) = self.last.filter(|last| *last >= position) {
            return Err(CastleError::Backwards { position, last });
        }
        let cells = self.space.encode(quasi)?;
        self.last = Some(position);
        self.figures.tuples += 1;
        self.space.observe(&cells);
        self.admit(Waiting { position, person, value, since: self.now, cluster: 0, waits: true }, &cells);
        let first = out.len();
        while let Some(oldest) = self.window.oldest()
            && position - self.window.tuple(oldest).position >= self.params.0.delta
        {
            self.expire(oldest, out);
        }
        out[first..].sort_unstable_by_key(|release| release.position);
        Ok(())
    }

    /// Lets everything out: the stream has ended.
    pub fn flush(&mut self, out: &mut Vec<CastleRelease>) {
        let first = out.len();
        self.release_all(out);
        out[first..].sort_unstable_by_key(|release| release.position);
    }

    /// What has happened so far.
    pub fn figures(&self) -> CastleFigures {
        self.figures
    }

    /// How many tuples wait inside.
    pub fn waiting(&self) -> u64 {
        self.figures.tuples - self.figures.released
    }

    /// How many published classes are remembered for reuse.
    pub fn reusable(&self) -> usize {
        self.reusable.len()
    }

    fn is_overdue(&self, slot: u32) -> bool {
        self.params.0.max_wait.is_some_and(|limit| self.now - self.window.tuple(slot).since >= limit)
    }

    /// Lets a tuple in; only the paper's rules keep clusters.
    fn admit(&mut self, tuple: Waiting, cells: &[f64]) {
        let slot = self.window.insert(tuple, cells);
        if self.params.0.rules == CastleRules::Nearest {
            return;
        }
        let (tau, beta) = (self.usual.mean(), self.params.0.beta);
        match best_cluster(&self.space, &self.clusters, cells, tau, beta) {
            Some(cluster) => self.clusters.join(cluster, slot, &self.space, &mut self.window),
            None => self.clusters.open(slot, &self.space, &mut self.window),
        }
    }
}
