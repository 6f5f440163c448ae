//! What the borders of blocks have parted.
//!
//! At the border of two blocks people stand in crowds with those who were near on their own side, although others on the
//! other side are nearer. So the crowds are cut into blocks again, as a whole and at features at which they were not cut before, and those of a new block, which come
//! from both sides of the old borders, exchange people. That never loses more than before, and nobody is left out who was not.
//!
//! To take the costliest half of the crowds apart and cluster their people anew in new blocks was tried as well: blocks of twice the
//! size take less time and lose less.

use std::collections::BTreeSet;

use super::Work;
use super::agglomeration::{Clustering, Improve, Original, Shared};
use super::blocks::{self, BlockSizes, Feature, Room, Units};
use super::cluster::Cluster;
use super::matching::Matching;

/// How often crowds are cut and exchange people; each time at other features.
const ROUNDS: usize = 2;

/// Lets people move between the crowds of several blocks of at most this size, which were cut at these features.
pub(super) fn exchange<M: Matching>(
    all: &mut Clustering,
    sizes: BlockSizes,
    mut cuts: BTreeSet<Feature>,
    improve: &Improve<M>,
    original: &Original,
    shared: &Shared<'_, M>,
) {
    // About as many people in a block as before.
    let most = sizes.most / shared.limits.k.max(1);
    let sizes = BlockSizes { uncut: most, most, ..sizes };
    for _ in 0..ROUNDS {
        let crowds: Vec<Cluster> = std::mem::take(&mut all.finished).into_iter().flatten().collect();
        let plan = blocks::plan(&Crowds(&crowds), shared.costs, sizes, &cuts);
        shared.progress.stage("improving across blocks", plan.blocks.len() as u64);
        let better = shared.in_blocks(&plan.blocks, crowds, |crowds, search| {
            let finished = crowds.into_iter().map(Some).collect();
            let mut clustering = Clustering { finished, left: None, work: Work::default() };
            improve(&mut clustering, original, search);
            shared.progress.advance(1);
            clustering
        });
        all.finished = better.finished;
        all.work += better.work;
        cuts.extend(plan.cuts);
    }
}

/// Finished crowds, each of which keeps the promise by itself.
struct Crowds<'a>(&'a [Cluster]);

impl Units for Crowds<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn events(&self, unit: u32) -> &[u32] {
        &self.0[unit as usize].events
    }

    fn needed(&self) -> Option<usize> {
        // People move to the nearest other crowd.
        Some(1)
    }

    fn fit(&self, _units: &[u32], _room: Room) -> bool {
        true
    }
}
