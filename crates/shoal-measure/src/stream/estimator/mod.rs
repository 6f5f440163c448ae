//! Counting in a stream of sets, of which each was drawn for its tuple by a known design.
//!
//! Let M\[v\]\[v'\] = P(v ∈ W | the true value is v'). A set W, as the vector of its members, has the expectation M·e for
//! a tuple whose value is e. So the *score* y_v(W) = row v of M⁻¹ times W has expectation 1 where the tuple's
//! value is v, and 0 elsewhere; and for any tuples that are chosen without a look at their values
//!
//! - n̂_v = Σ y_v(W_i) is unbiased: E n̂_v = Σ 1{v_i = v} = n_v;
//! - sets are drawn independently, so Var n̂_v = Σ (E y_v(W_i)² − (E y_v(W_i))²) = Σ (E y_v(W_i)² − 1{v_i = v}), of which
//!   Σ y_v(W_i)² − n̂_v is an unbiased estimate.
//!
//! The same person with the same value has the same set each time. Where people return, their sets are not
//! independent: counts stay unbiased, but standard errors are too small, by a factor of √m if everybody comes m
//! times with one value.
//!
//! **Uniform**: M = (1 − q)·I + q·J with q = (l−1)/(d−1), and y_v(W) = (1{v ∈ W} − q) / (1 − q).
//!
//! **Calibrated**: given W each of its values is the true one with probability 1/l, so that P(v ∈ W, true value v') =
//! G\[v\]\[v'\]/l with G = E 1_W·1_Wᵀ, the probability that two values are shown together. Hence M = G·diag(1/(l·p)),
//! M⁻¹ = diag(l·p)·G⁻¹, and E y_v² = (l·p_v)²·(G⁻¹)_vv under the prior. G is symmetric and, where counts can be told
//! apart at all, positive definite: its Cholesky factor is taken once, a row of G⁻¹ for each value that is asked
//! about.
//!
//! Nothing better can be had by looking at sets as wholes: among all scores that are unbiased, the one with the least
//! Σ P(W)·y(W)² is a combination of the P(W | u)/P(W) (Lagrange), and these are 1{u ∈ W}/(l·p_u), since P(u | W) = 1/l. So it
//! is linear in the members of W, and unbiasedness leaves only the score above.

mod cholesky;
mod error;

use rayon::prelude::*;
use serde::Serialize;
use shoal_core::stream::{Calibrated, SetDesign};

pub use error::EstimatorError;

use self::cholesky::Cholesky;

/// More values are refused: the factor of 2,000 takes seconds and 32 MB, and both grow fast.
const MOST_VALUES: usize = 2_000;

/// Knows a design, and so what a set says about counts.
#[derive(Clone, Debug)]
pub struct CountEstimator {
    values: usize,
    inverse: Inverse,
}

#[derive(Clone, Debug)]
enum Inverse {
    Uniform {
        /// The chance that another value than the true one is shown.
        q: f64,
    },
    Calibrated {
        /// The values that occur.
        present: Vec<u32>,
        /// l times the share of each of them.
        weights: Vec<f64>,
        l: f64,
        factor: Cholesky,
    },
}

/// What each set says about the count of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Scorer {
    constant: f64,
    /// By code; codes beyond its end weigh nothing.
    row: Vec<f64>,
}

impl Scorer {
    /// The score of a set: the sum over tuples is the estimate.
    pub fn score(&self, set: &[u32]) -> f64 {
        let weight = |code: &u32| self.row.get(*code as usize).copied().unwrap_or(0.0);
        self.constant + set.iter().map(weight).sum::<f64>()
    }
}

/// How far counts will be off.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExpectedError {
    /// The standard error of each value's count.
    pub by_value: Vec<f64>,
    /// The greatest of them.
    pub worst: f64,
}

impl CountEstimator {
    /// Prepares for a design, where its sets can tell counts apart.
    pub fn new(design: &SetDesign) -> Result<CountEstimator, EstimatorError> {
        let values = design.values();
        let inverse = match design {
            SetDesign::Uniform { l: 1, .. } => Inverse::Uniform { q: 0.0 },
            SetDesign::Uniform { values, l } if values == l => {
                return Err(EstimatorError::NoChoice { values: *values });
            }
            SetDesign::Uniform { values, l } => {
                Inverse::Uniform { q: (*l as f64 - 1.0) / (*values as f64 - 1.0) }
            }
            SetDesign::Calibrated(design) => invert(design)?,
        };
        Ok(CountEstimator { values, inverse })
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.values
    }

    /// What sets say about the count of a value. A value that the design never shows has count 0 whatever they say.
    pub fn scorer(&self, value: u32) -> Scorer {
        match &self.inverse {
            Inverse::Uniform { q } => {
                let mut row = vec![0.0; value as usize + 1];
                row[value as usize] = 1.0 / (1.0 - q);
                Scorer { constant: -q / (1.0 - q), row }
            }
            Inverse::Calibrated { present, weights, factor, .. } => {
                let mut row = vec![0.0; self.values];
                if let Ok(at) = present.binary_search(&value) {
                    let column = factor.inverse_column(at);
                    present.iter().zip(column).for_each(|(code, x)| row[*code as usize] = weights[at] * x);
                }
                Scorer { constant: 0.0, row }
            }
        }
    }

    /// The standard errors that are to be expected of the counts of `tuples` tuples, when values come as the design
    /// thinks: with its prior, or all alike. They grow with the root of `tuples`, so that whoever asks often asks once,
    /// for one tuple.
    pub fn standard_error(&self, tuples: u64) -> ExpectedError {
        let by_value: Vec<f64> = match &self.inverse {
            Inverse::Uniform { q } => {
                let others = 1.0 - 1.0 / self.values as f64;
                vec![(tuples as f64 * others * q / (1.0 - q)).sqrt(); self.values]
            }
            Inverse::Calibrated { present, weights, l, factor } => {
                let variance =
                    |at: usize| weights[at].powi(2) * factor.inverse_diagonal(at) - weights[at] / l;
                let each: Vec<f64> = (0..present.len()).into_par_iter().map(variance).collect();
                let mut by_value = vec![0.0; self.values];
                for (code, variance) in present.iter().zip(each) {
                    by_value[*code as usize] = (tuples as f64 * variance.max(0.0)).sqrt();
                }
                by_value
            }
        };
        let worst = by_value.iter().copied().fold(0.0, f64::max);
        ExpectedError { by_value, worst }
    }
}

fn invert(design: &Calibrated) -> Result<Inverse, EstimatorError> {
    let (l, total) = (design.l(), design.total());
    let counts = design.counts();
    let present: Vec<u32> = (0..counts.len() as u32).filter(|code| counts[*code as usize] > 0).collect();
    if present.len() > MOST_VALUES {
        return Err(EstimatorError::TooMany { values: present.len(), most: MOST_VALUES });
    }
    if l > 1 && present.len() == l {
        return Err(EstimatorError::NoChoice { values: l });
    }
    let weight = |code: u32| counts[code as usize] as f64 * l as f64 / total as f64;
    if let Some(&code) = present.iter().find(|code| l > 1 && counts[**code as usize] * l as u64 == total) {
        return Err(EstimatorError::AlwaysShown { code });
    }
    let factor = Cholesky::new(present.len(), together(design, &present))
        .map_err(|at| EstimatorError::Singular { code: present[at] })?;
    let weights = present.iter().map(|&code| weight(code)).collect();
    Ok(Inverse::Calibrated { present, weights, l: l as f64, factor })
}

/// G: how likely two values are shown together, row by row.
fn together(design: &Calibrated, present: &[u32]) -> Vec<f64> {
    let size = present.len();
    let mut place = vec![0; design.counts().len()];
    present.iter().enumerate().for_each(|(at, code)| place[*code as usize] = at);
    let mut widths = vec![0.0; size * size];
    for ring in 0..design.rings().len() {
        for (width, set) in design.pieces(ring) {
            for a in set {
                let row = &mut widths[place[*a as usize] * size..][..size];
                set.iter().for_each(|b| row[place[*b as usize]] += width as f64);
            }
        }
    }
    let whole = design.total() as f64 * design.rings().len() as f64;
    widths.iter_mut().for_each(|width| *width /= whole);
    widths
}
