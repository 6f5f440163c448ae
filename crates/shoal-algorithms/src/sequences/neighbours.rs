//! The closest pair of clusters, kept up to date while clusters come and go.
//!
//! Every cluster owns the pairs with older ones and remembers the nearest of them. When that one goes, the
//! rest can only be farther away, so what was remembered stays a bound. It waits in the queue at its old
//! place, and only when it comes first is there a new search. Several that come first together are searched
//! together, on all cores; how many does not depend on the number of threads.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::Work;
use super::active::Active;
use super::matching::{Matching, Numbered};
use super::nearest::{Kind, Neighbour, Search, Space};

/// How many searches are made together at most, so that several cores have something to do. It is a constant, since what
/// is searched together must not depend on the number of threads.
const TOGETHER: usize = 16;

/// For each cluster its nearest older one.
#[derive(Debug)]
pub(super) struct Neighbours {
    kind: Kind,
    /// Distance, the younger, the older. It is a bound where the older one is gone.
    queue: BinaryHeap<Reverse<(i64, u32, u32)>>,
}

impl Neighbours {
    /// Searches for every active cluster.
    pub(super) fn new<M: Matching>(
        kind: Kind,
        active: &Active,
        search: &Search<'_, M>,
        work: &mut Work,
    ) -> Neighbours {
        let mut neighbours = Neighbours { kind, queue: BinaryHeap::new() };
        neighbours.search(active.ids().to_vec(), active, search, work);
        neighbours
    }

    /// A cluster that is younger than all others; its neighbour is searched when it is asked for.
    pub(super) fn add(&mut self, id: u32) {
        self.queue.push(Reverse((0, id, NOBODY)));
    }

    /// The closest pair: the older one and the younger one.
    pub(super) fn closest<M: Matching>(
        &mut self,
        active: &Active,
        search: &Search<'_, M>,
        work: &mut Work,
    ) -> Option<(u32, u32)> {
        loop {
            let mut owners = Vec::new();
            while let Some(&Reverse((_, younger, older))) = self.queue.peek() {
                // Where the older one is gone, the distance is only a bound and the search must be repeated.
                let known = active.get(older).is_some();
                if active.get(younger).is_some() {
                    if known && owners.is_empty() {
                        return Some((older, younger));
                    }
                    if known || owners.len() == TOGETHER {
                        break;
                    }
                    owners.push(younger);
                }
                self.queue.pop();
            }
            if owners.is_empty() {
                return None;
            }
            self.search(owners, active, search, work);
        }
    }

    fn search<M: Matching>(
        &mut self,
        owners: Vec<u32>,
        active: &Active,
        search: &Search<'_, M>,
        work: &mut Work,
    ) {
        let (pool, clusters) = active.view();
        let found: Vec<(u32, Option<Neighbour>, u64)> = owners
            .into_par_iter()
            .with_min_len(search.grain)
            .with_max_len(1)
            .filter_map(|id| {
                let of = Numbered { id, cluster: active.get(id)? };
                let (nearest, aligned) =
                    SPACE.with_borrow_mut(|space| search.nearest(of, pool, clusters, self.kind, space));
                Some((id, nearest, aligned))
            })
            .collect();
        for (id, nearest, aligned) in found {
            work.count(active.older_than(id), aligned);
            // Who has no neighbour now will have none later: all that come are younger.
            self.queue.extend(nearest.map(|(loss, older)| Reverse((loss, id, older))));
        }
    }
}

/// Stands for the older one of a pair that was never searched: no cluster has this number.
const NOBODY: u32 = u32::MAX;

thread_local! {
    static SPACE: RefCell<Space> = RefCell::default();
}
