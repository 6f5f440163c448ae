use serde::{Deserialize, Serialize};
use shoal_algorithms::stream::delay_free::Published;
use shoal_core::stream::StreamTuple;
use shoal_io::stream::StreamLayout;
use shoal_measure::stream::sau_bound;

use super::{Arrival, Dictionary, KernelFigures, Unreleasable};

/// The paper's algorithm.
pub(crate) struct PublishedEngine {
    kernel: Published,
    values: Dictionary,
    /// How often each value has come. The pool counts what was given or learned beforehand, too.
    came: Vec<u64>,
    quasi: Vec<bool>,
    /// What quasi-identifiers are named with: their names are written down.
    key: [u8; 32],
}

#[derive(Serialize, Deserialize)]
pub(crate) struct PublishedState {
    kernel: Published,
    labels: Vec<String>,
    came: Vec<u64>,
}

impl PublishedEngine {
    /// `key` is what the names of quasi-identifiers are made with.
    pub(crate) fn new(
        kernel: Published,
        labels: Vec<String>,
        layout: &StreamLayout,
        key: [u8; 32],
    ) -> PublishedEngine {
        let (values, quasi) = (Dictionary::of_values(labels), layout.quasi());
        PublishedEngine { kernel, values, came: Vec::new(), quasi, key }
    }

    pub(super) fn take<'a>(
        &mut self,
        layout: &StreamLayout,
        arrival: Arrival<'a>,
        out: &mut Vec<u8>,
    ) -> Result<Vec<StreamTuple<'a>>, Unreleasable> {
        let tuple = arrival.tuple;
        let quasi = self.fingerprint(&tuple.cells);
        let Some(code) = self.values.code(&tuple.value()) else {
            return Err(Unreleasable::TooManyValues { column: "value".to_owned() });
        };
        if self.came.len() <= code as usize {
            self.came.resize(code as usize + 1, 0);
        }
        self.came[code as usize] += 1;
        let placement = self.kernel.push(arrival.position, quasi, code);
        let group = placement.group;
        // The values stand before the tuple, and in an order that does not tell which of them is its own.
        if let Some(codes) = placement.opened {
            let mut values: Vec<&str> = codes.iter().map(|code| self.values.label(*code)).collect();
            values.sort_unstable();
            for value in values {
                layout.write_slot(group, value, 1, out);
            }
        }
        layout.write_member(group, &tuple, out);
        Ok(vec![tuple.at(arrival.position)])
    }

    pub(super) fn figures(&self) -> KernelFigures {
        let figures = self.kernel.figures();
        let total: u64 = self.came.iter().sum();
        let largest = self.came.iter().max().copied().unwrap_or_default();
        let commonest = largest as f64 / total.max(1) as f64;
        KernelFigures {
            groups_open: Some(figures.open()),
            groups_given_up: Some(figures.given_up),
            sau: Some(figures.sau()),
            sau_bound: Some(sau_bound(self.kernel.params().get().l, commonest)),
            ..KernelFigures::default()
        }
    }

    pub(super) fn state(&self) -> PublishedState {
        PublishedState {
            kernel: self.kernel.clone(),
            labels: self.values.labels().to_vec(),
            came: self.came.clone(),
        }
    }

    pub(super) fn resume(&mut self, state: PublishedState) {
        self.kernel = state.kernel;
        self.values = Dictionary::of_values(state.labels);
        self.came = state.came;
    }

    /// The quasi-identifiers as one number, the same in every run.
    fn fingerprint(&self, cells: &[std::borrow::Cow<'_, str>]) -> u128 {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        for (cell, _) in cells.iter().zip(&self.quasi).filter(|(_, quasi)| **quasi) {
            hasher.update(&(cell.len() as u64).to_le_bytes());
            hasher.update(cell.as_bytes());
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        u128::from_le_bytes(bytes)
    }
}
