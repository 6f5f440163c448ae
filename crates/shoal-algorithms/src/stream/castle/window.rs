//! The tuples that wait inside.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Waiting tuples in reused slots: a slot number stays while its tuple waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Window {
    columns: usize,
    tuples: Vec<Waiting>,
    /// The cells of all slots, one slot after the other, as bits, so that no format can round them.
    #[serde(with = "super::bits")]
    cells: Vec<f64>,
    free: Vec<u32>,
    /// Positions and slots in the order of arrival; a tuple that has left stays here until it is the oldest.
    order: VecDeque<(u64, u32)>,
}

/// A tuple without its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    pub(super) position: u64,
    pub(super) person: u64,
    pub(super) value: u32,
    /// When it came, in milliseconds.
    pub(super) since: u64,
    /// Its cluster, where there are clusters.
    pub(super) cluster: u32,
    /// Whether it is still inside.
    pub(super) waits: bool,
}

impl Window {
    pub(super) fn new(columns: usize) -> Window {
        Window { columns, ..Window::default() }
    }

    pub(super) fn insert(&mut self, tuple: Waiting, cells: &[f64]) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.tuples.push(tuple);
            self.cells.resize(self.tuples.len() * self.columns, 0.0);
            self.tuples.len() as u32 - 1
        });
        self.tuples[slot as usize] = tuple;
        self.cells[slot as usize * self.columns..][..self.columns].copy_from_slice(cells);
        self.order.push_back((tuple.position, slot));
        slot
    }

    pub(super) fn remove(&mut self, slot: u32) {
        self.tuples[slot as usize].waits = false;
        self.free.push(slot);
    }

    pub(super) fn tuple(&self, slot: u32) -> &Waiting {
        &self.tuples[slot as usize]
    }

    pub(super) fn assign(&mut self, slot: u32, cluster: u32) {
        self.tuples[slot as usize].cluster = cluster;
    }

    pub(super) fn cells(&self, slot: u32) -> &[f64] {
        &self.cells[slot as usize * self.columns..][..self.columns]
    }

    /// The tuple that has waited longest.
    pub(super) fn oldest(&mut self) -> Option<u32> {
        while let Some(&(position, slot)) = self.order.front() {
            let tuple = self.tuple(slot);
            if tuple.position == position && tuple.waits {
                return Some(slot);
            }
            self.order.pop_front();
        }
        None
    }

    /// All that wait, in the order of arrival.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> {
        let waits = |&&(position, slot): &&(u64, u32)| {
            let tuple = self.tuple(slot);
            tuple.position == position && tuple.waits
        };
        self.order.iter().filter(waits).map(|(_, slot)| *slot)
    }
}
