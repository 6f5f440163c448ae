use std::sync::Arc;

use shoal_algorithms::stream::delay_free::Hardened;
use shoal_core::stream::{StreamDesign, StreamTuple};
use shoal_io::stream::StreamLayout;
use shoal_measure::stream::{CountEstimator, Drift, DriftMonitor};

use super::{Arrival, KernelFigures, Unreleasable};
use crate::Frontier;

/// Every tuple by itself; nothing to remember but the key. Beside, values are counted, to notice when they are no longer
/// those that the design was made for.
pub(crate) struct HardenedEngine {
    design: Arc<StreamDesign>,
    /// One for each stratum.
    kernels: Vec<Hardened>,
    /// What is published of each stratum's cells, where lines carry strata; none for a cell that is published as it is.
    cells: Vec<Vec<Option<String>>>,
    /// The greatest standard error of a count over one tuple, where it is known; it grows with the square root of their
    /// number.
    error_of_one: Option<f64>,
    drift: DriftMonitor,
    /// Records that were counted before a crash and come again.
    counted: Frontier,
    person: Vec<u8>,
    set: Vec<u32>,
}

impl HardenedEngine {
    /// `quasi` says which cells are quasi-identifiers.
    pub(crate) fn new(design: Arc<StreamDesign>, key: [u8; 32], quasi: &[bool]) -> HardenedEngine {
        let kernels = design.all_sets().iter().map(|sets| Hardened::new(sets.clone(), key)).collect();
        let columns = design.strata().columns();
        let texts = |stratum: usize| {
            let text = |(at, quasi): (usize, &bool)| match columns.iter().position(|column| column.cell == at)
            {
                Some(column) => Some(design.strata().texts(stratum)[column].clone()),
                None => quasi.then(|| "*".to_owned()),
            };
            quasi.iter().enumerate().map(text).collect()
        };
        let strata = if design.shows_strata() { design.strata().len() } else { 0 };
        HardenedEngine {
            kernels,
            cells: (0..strata).map(texts).collect(),
            error_of_one: error_of_one(&design),
            drift: DriftMonitor::new(Arc::clone(&design)),
            counted: Frontier::default(),
            design,
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
        let stratum = self.design.strata().of_tuple(&tuple.cells).ok_or(Unreleasable::NoStratum)?;
        let code = self.design.code(&value);
        let drawn = code.and_then(|code| {
            self.kernels[stratum].draw(&self.person, code, &mut self.set).ok().map(|()| code)
        });
        let Some(code) = drawn else {
            return Err(Unreleasable::UnknownValue { value: value.into_owned() });
        };
        if !self.counted.covers(arrival.origin.0, arrival.origin.1) {
            self.drift.count(stratum, code);
        }
        // Codes ascend as their labels do.
        let labels = self.design.labels();
        let values: Vec<&str> = self.set.iter().map(|code| labels[*code as usize].as_str()).collect();
        match self.cells.get(stratum) {
            Some(cells) => layout.write_set_of_stratum(tuple, cells, &values, out),
            None => layout.write_set(tuple, &values, out),
        }
        Ok(vec![arrival.tuple.at(arrival.position)])
    }

    pub(super) fn figures(&self, tuples: u64) -> KernelFigures {
        let standard_error = self.error_of_one.map(|error| error * (tuples as f64).sqrt());
        let drift = self.drift.last();
        KernelFigures {
            standard_error,
            guess_success: drift.map(|drift| drift.success),
            guess_promised: drift.map(|drift| drift.promised),
            ..KernelFigures::default()
        }
    }

    pub(crate) fn design(&self) -> &Arc<StreamDesign> {
        &self.design
    }

    /// The last judgement about the values that came.
    pub(crate) fn drift(&self) -> Option<Drift> {
        self.drift.last()
    }

    pub(crate) fn monitor(&mut self) -> &mut DriftMonitor {
        &mut self.drift
    }

    /// Says which records have been counted already.
    pub(crate) fn has_counted(&mut self, frontier: Frontier) {
        self.counted = frontier;
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

/// The standard error of the count of the value that can be estimated worst, over one tuple of the prior.
fn error_of_one(design: &StreamDesign) -> Option<f64> {
    // The estimator inverts a matrix of values by values for each stratum; with very many that would hold up the start.
    if design.labels().len() * design.strata().len() > 500 * 8 || design.labels().len() > 500 {
        return None;
    }
    let mut variances = vec![0.0; design.labels().len()];
    for (stratum, sets) in design.all_sets().iter().enumerate() {
        let errors = CountEstimator::new(sets).ok()?.standard_error(1).by_value;
        let share = design.share(stratum);
        variances.iter_mut().zip(errors).for_each(|(sum, error)| *sum += share * error * error);
    }
    Some(variances.into_iter().fold(0.0, f64::max).sqrt())
}
