//! The clusters that grow: Γ in the paper.

use serde::{Deserialize, Serialize};

use super::region::Regions;
use super::space::Space;
use super::window::Window;

/// Boxes and members; a waiting tuple knows the number of its cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Clusters {
    pub(super) regions: Regions,
    /// Slots, in no order.
    pub(super) members: Vec<Vec<u32>>,
}

impl Clusters {
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// A cluster of one tuple.
    pub(super) fn open(&mut self, slot: u32, space: &Space, window: &mut Window) {
        window.assign(slot, self.len() as u32);
        self.regions.push(space.point(window.cells(slot)));
        self.members.push(vec![slot]);
    }

    /// One more tuple in a cluster.
    pub(super) fn join(&mut self, cluster: usize, slot: u32, space: &Space, window: &mut Window) {
        window.assign(slot, cluster as u32);
        self.members[cluster].push(slot);
        let mut region = self.regions.get(cluster).to_region();
        space.include(&mut region, window.cells(slot));
        self.regions.replace(cluster, region);
    }

    /// All members of one cluster become members of another.
    pub(super) fn unite(&mut self, into: usize, from: usize, space: &Space, window: &mut Window) {
        let moved = std::mem::take(&mut self.members[from]);
        moved.iter().for_each(|slot| window.assign(*slot, into as u32));
        self.members[into].extend(moved);
        let mut region = self.regions.get(into).to_region();
        space.include_region(&mut region, self.regions.get(from));
        self.regions.replace(into, region);
        self.close(from, window);
    }

    /// Forgets tuples that have left; their clusters shrink to what is left, and end where nothing is.
    pub(super) fn forget(&mut self, slots: &[u32], space: &Space, window: &mut Window) {
        let mut left: Vec<u32> = slots.iter().map(|slot| window.tuple(*slot).cluster).collect();
        left.sort_unstable();
        left.dedup();
        // From the last one, since closing a cluster moves the last one to its number.
        for cluster in left.into_iter().rev().map(|cluster| cluster as usize) {
            let members = &mut self.members[cluster];
            members.retain(|slot| window.tuple(*slot).waits);
            match space.around(members.iter().map(|slot| window.cells(*slot))) {
                Some(region) => self.regions.replace(cluster, region),
                None => self.close(cluster, window),
            }
        }
    }

    fn close(&mut self, cluster: usize, window: &mut Window) {
        self.members.swap_remove(cluster);
        self.regions.swap_remove(cluster);
        if let Some(moved) = self.members.get(cluster) {
            moved.iter().for_each(|slot| window.assign(*slot, cluster as u32));
        }
    }
}
