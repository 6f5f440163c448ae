use shoal_algorithms::stream::delay_free::Hardened;
use shoal_core::stream::{SetDesign, StreamTuple};
use shoal_io::stream::StreamLayout;
use shoal_measure::stream::CountEstimator;

use super::{Arrival, Dictionary, KernelFigures, Unreleasable};

/// Every tuple by itself; nothing to remember but the key.
pub(crate) struct HardenedEngine {
    kernel: Hardened,
    values: Dictionary,
    /// The greatest standard error of a count over one tuple, where it is known; it grows with the square root of their
    /// number.
    error_of_one: Option<f64>,
    person: Vec<u8>,
    set: Vec<u32>,
}

impl HardenedEngine {
    /// `labels` are the values of the design, ascending.
    pub(crate) fn new(design: SetDesign, key: [u8; 32], labels: Vec<String>) -> HardenedEngine {
        // The estimator inverts a matrix of values by values; with very many that would hold up the start.
        let estimator = if labels.len() <= 500 { CountEstimator::new(&design).ok() } else { None };
        let error_of_one = estimator.map(|estimator| estimator.standard_error(1).worst);
        HardenedEngine {
            kernel: Hardened::new(design, key),
            values: Dictionary::new(labels),
            error_of_one,
            person: Vec::new(),
            set: Vec::new(),
        }
    }

    pub(super) fn take<'a>(
        &mut self,
        layout: &StreamLayout,
        arrival: Arrival<'a>,
        out: &mut Vec<u8>,
    ) -> Result<Vec<StreamTuple<'a>>, Unreleasable> {
        let tuple = &arrival.tuple;
        self.name(&arrival);
        let value = tuple.value();
        let code = self.values.find(&value);
        let drawn = code.and_then(|code| self.kernel.draw(&self.person, code, &mut self.set).ok());
        if drawn.is_none() {
            return Err(Unreleasable::UnknownValue { value: value.into_owned() });
        }
        // Codes ascend as their labels do.
        let values: Vec<&str> = self.set.iter().map(|code| self.values.label(*code)).collect();
        layout.write_set(tuple, &values, out);
        Ok(vec![arrival.tuple.at(arrival.position)])
    }

    pub(super) fn figures(&self, tuples: u64) -> KernelFigures {
        let standard_error = self.error_of_one.map(|error| error * (tuples as f64).sqrt());
        KernelFigures { standard_error, ..KernelFigures::default() }
    }

    /// Whose tuple it is. Where the policy names no person, every tuple is its own; its place in the source makes it
    /// unique and a replay repeats it, and its cells keep two sources under one key apart.
    fn name(&mut self, arrival: &Arrival<'_>) {
        self.person.clear();
        match &arrival.tuple.person {
            Some(person) => {
                self.person.push(b'p');
                self.person.extend_from_slice(person.as_bytes());
            }
            None => {
                self.person.push(b't');
                self.person.extend_from_slice(&arrival.origin.0.to_le_bytes());
                self.person.extend_from_slice(&arrival.origin.1.to_le_bytes());
                for cell in &arrival.tuple.cells {
                    self.person.extend_from_slice(&(cell.len() as u64).to_le_bytes());
                    self.person.extend_from_slice(cell.as_bytes());
                }
            }
        }
    }
}
