//! Counting the sensitive values of the first tuples, which are learned from and not published.

use shoal_core::policy::PriorPolicy;
use shoal_io::stream::ReadTuple;
use shoal_pipeline::Request;
use shoal_pipeline::stream::{Counted, SensitiveValues, StreamBinding};

use crate::StreamError;

/// Most sensitive values that are learned: more than any classification of illnesses has, and few enough for memory.
const MOST_VALUES: usize = 100_000;
/// Most bytes of them.
const MOST_VALUE_BYTES: usize = 64 << 20;

/// What has been counted so far.
#[derive(Debug)]
pub(crate) struct Learning {
    wanted: u64,
    conditional: bool,
    /// The cells of the strata, where the prior asks for them.
    strata: Vec<usize>,
    counted: Counted,
    tuples: u64,
    bytes: usize,
}

impl Learning {
    /// Nothing is known yet, and `wanted` tuples are to be learned from.
    pub(crate) fn new(request: &Request, binding: &StreamBinding, wanted: usize) -> Learning {
        let algorithm = &request.policy().algorithm;
        let conditional = algorithm.prior == Some(PriorPolicy::Conditional);
        let place = |name: &String| binding.columns.iter().position(|column| column.name == *name);
        let strata =
            if conditional { algorithm.strata.iter().filter_map(place).collect() } else { Vec::new() };
        Learning { wanted: wanted as u64, conditional, strata, counted: Counted::new(), tuples: 0, bytes: 0 }
    }

    /// Whether no more tuples are wanted.
    pub(crate) fn is_complete(&self) -> bool {
        self.tuples >= self.wanted
    }

    /// How many tuples were learned from.
    pub(crate) fn tuples(&self) -> u64 {
        self.tuples
    }

    /// Learns from one more tuple.
    pub(crate) fn add(&mut self, tuple: &ReadTuple<'_>) -> Result<(), StreamError> {
        let cells: Vec<String> = self.strata.iter().map(|at| tuple.cells[*at].clone().into_owned()).collect();
        let value = tuple.value().into_owned();
        let length = value.len() + cells.iter().map(String::len).sum::<usize>();
        let known = self.counted.len();
        *self.counted.entry((cells, value)).or_default() += 1;
        self.tuples += 1;
        // Only what is new takes room.
        self.bytes += if self.counted.len() > known { length } else { 0 };
        if self.counted.len() > MOST_VALUES || self.bytes > MOST_VALUE_BYTES {
            return Err(StreamError::TooManyValues { tuples: self.tuples as usize, limit: MOST_VALUES });
        }
        Ok(())
    }

    /// The values and how frequent they are.
    pub(crate) fn values(self, binding: &StreamBinding) -> SensitiveValues {
        // A listed value that has not come yet may come.
        let listed = binding.values.iter().flat_map(|values| values.labels.iter().cloned());
        SensitiveValues::learned(self.counted, listed, self.conditional)
    }
}
