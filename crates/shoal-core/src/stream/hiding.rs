use thiserror::Error;

use super::{DesignError, SetDesign, Strata};

/// All that everybody may know about how a hardened stream hides values: the values, the strata of people, and in each
/// stratum how sets are drawn. What is secret is the key alone.
///
/// Without strata there is one for everybody.
#[derive(Clone, Debug)]
pub struct StreamDesign {
    /// Ascending.
    labels: Vec<String>,
    strata: Strata,
    sets: Vec<SetDesign>,
    /// People of the prior in each stratum.
    people: Vec<u64>,
    shows_strata: bool,
}

/// A stratum in which values cannot be hidden.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("in the stratum ({stratum}): {error}")]
pub struct StratumError {
    /// Its texts.
    pub stratum: String,
    /// Why not.
    pub error: DesignError,
}

impl StreamDesign {
    /// The same design for everybody. `labels` are ascending.
    pub fn for_everybody(labels: Vec<String>, sets: SetDesign) -> StreamDesign {
        StreamDesign {
            labels,
            strata: Strata::everybody(),
            sets: vec![sets],
            people: vec![1],
            shows_strata: false,
        }
    }

    /// A calibrated design for each stratum, from the counts of the values in it (`counts[stratum][value]`). With
    /// `shows_strata`, lines carry a stratum's texts instead of the exact quasi-identifiers.
    pub fn conditional(
        labels: Vec<String>,
        strata: Strata,
        counts: &[Vec<u64>],
        l: usize,
        seed: u64,
        shows_strata: bool,
    ) -> Result<StreamDesign, StratumError> {
        let design = |(stratum, counts): (usize, &Vec<u64>)| {
            // A seed of its own for each, so that equal shares do not mean equal orders.
            SetDesign::calibrated(counts, l, seed.wrapping_add(stratum as u64))
                .map_err(|error| StratumError { stratum: strata.texts(stratum).join(", "), error })
        };
        let sets = counts.iter().enumerate().map(design).collect::<Result<_, _>>()?;
        let people = counts.iter().map(|counts| counts.iter().sum()).collect();
        Ok(StreamDesign { labels, strata, sets, people, shows_strata })
    }

    /// The values, ascending; a code is a place here.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The code of a value.
    pub fn code(&self, label: &str) -> Option<u32> {
        self.labels.binary_search_by(|known| known.as_str().cmp(label)).ok().map(|at| at as u32)
    }

    /// How people are parted.
    pub fn strata(&self) -> &Strata {
        &self.strata
    }

    /// How sets are drawn in a stratum.
    pub fn sets(&self, stratum: usize) -> &SetDesign {
        &self.sets[stratum]
    }

    /// The designs of all strata.
    pub fn all_sets(&self) -> &[SetDesign] {
        &self.sets
    }

    /// The share of people in a stratum under the prior.
    pub fn share(&self, stratum: usize) -> f64 {
        self.people[stratum] as f64 / self.people.iter().map(|people| *people as f64).sum::<f64>()
    }

    /// How many values are shown.
    pub fn l(&self) -> usize {
        self.sets.first().map_or(0, SetDesign::l)
    }

    /// Whether lines carry a stratum's texts, and `*` for every other quasi-identifier.
    pub fn shows_strata(&self) -> bool {
        self.shows_strata
    }

    /// The stratum of a published line; none where its cells are in no stratum.
    pub fn stratum_of_line<C: AsRef<str>>(&self, cells: &[C]) -> Option<usize> {
        if self.shows_strata { self.strata.of_line(cells) } else { self.strata.of_tuple(cells) }
    }
}

impl SetDesign {
    /// l times the share of a value under the design's prior: how likely it is shown when values follow that.
    pub fn shown(&self, value: u32) -> f64 {
        match self {
            SetDesign::Uniform { values, l } => *l as f64 / *values as f64,
            SetDesign::Calibrated(design) => {
                let count = design.counts().get(value as usize).copied().unwrap_or(0);
                count as f64 * design.l() as f64 / design.total() as f64
            }
        }
    }
}
