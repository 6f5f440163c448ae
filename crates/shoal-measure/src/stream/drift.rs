//! Whether the values that come are those that a design was made for.
//!
//! A calibrated design hides values with the shares p of its prior: with other shares q, the best guess of a line is the
//! value of W with the greatest q/p, and it is right with probability (1/l)·E\[max over v in W of q_v/p_v\], W as the design
//! draws it under its prior. A uniform design is the case p = 1/d. The stream itself sees the true values, so it can know
//! how well it is guessed, while it runs.
//!
//! Shares are counted with forgetting: after every [`BLOCK`] tuples, all that was counted before loses a fifth, so that about
//! the last five blocks count. A share that differs from the prior's by chance would look like a drift; so each is moved
//! towards the prior's by three of its standard errors, and what is left is what can be said for sure. Everything is in whole
//! numbers: a replay counts the same.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shoal_core::stream::{SetDesign, StreamDesign};

/// Tuples after which shares are judged, and older counts lose a fifth.
pub const BLOCK: u64 = 1000;
/// How many times 1/l the best guess may be right before it is said.
pub const SAID_ABOVE: f64 = 1.1;
/// How many times 1/l the best guess may be right before the stream stops.
pub const STOPS_ABOVE: f64 = 1.5;

/// What one tuple adds to a count: small fractions of it survive the forgetting.
const ONE: u64 = 1 << 20;
/// Standard errors that chance explains.
const CHANCE: f64 = 3.0;

/// Counts values as they come, and compares them with a design.
#[derive(Clone, Debug)]
pub struct DriftMonitor {
    design: Arc<StreamDesign>,
    state: DriftState,
    last: Option<Drift>,
}

/// The counts, to be written down and taken up again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftState {
    /// Of each stratum the weighted count of each value, and of its tuples' squared weights.
    strata: Vec<(Vec<u64>, u64)>,
    /// Tuples since the last judgement.
    since: u64,
}

/// How well the values of the worst stratum can be guessed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// How often the best guess is right, as far as chance does not explain it.
    pub success: f64,
    /// 1/l.
    pub promised: f64,
    /// The stratum.
    pub stratum: usize,
    /// The value whose share has grown most.
    pub value: u32,
    /// Its share among the tuples of late.
    pub share: f64,
    /// Its share in the design.
    pub expected: f64,
}

impl Drift {
    /// Whether it should be said.
    pub fn is_notable(&self) -> bool {
        self.success > SAID_ABOVE * self.promised
    }

    /// Whether values are no longer hidden as promised.
    pub fn is_too_much(&self) -> bool {
        self.success > STOPS_ABOVE * self.promised
    }
}

impl DriftMonitor {
    /// A monitor that has seen nothing.
    pub fn new(design: Arc<StreamDesign>) -> DriftMonitor {
        let strata = vec![(vec![0; design.labels().len()], 0); design.strata().len()];
        DriftMonitor { design, state: DriftState { strata, since: 0 }, last: None }
    }

    /// Goes on from counts that were written down; `false` where they are those of another design.
    pub fn resume(&mut self, state: DriftState) -> bool {
        let fits = state.strata.len() == self.state.strata.len()
            && state.strata.iter().all(|(counts, _)| counts.len() == self.design.labels().len());
        if fits {
            self.state = state;
            // At the end of a block the judgement is that of then; within one there will be one at its end.
            self.last = if self.state.since == 0 { self.judge() } else { None };
        }
        fits
    }

    /// The counts as they stand.
    pub fn state(&self) -> &DriftState {
        &self.state
    }

    /// The last judgement; none before the first block is full.
    pub fn last(&self) -> Option<Drift> {
        self.last
    }

    /// Counts a tuple. Says how well values can be guessed when a block is full.
    pub fn count(&mut self, stratum: usize, value: u32) -> Option<Drift> {
        let (counts, squares) = &mut self.state.strata[stratum];
        counts[value as usize] += ONE;
        *squares += ONE;
        self.state.since += 1;
        if self.state.since < BLOCK {
            return None;
        }
        self.last = self.judge();
        self.state.since = 0;
        for (counts, squares) in &mut self.state.strata {
            counts.iter_mut().for_each(|count| *count = *count / 5 * 4);
            *squares = *squares / 25 * 16;
        }
        self.last
    }

    fn judge(&self) -> Option<Drift> {
        let each = (0..self.state.strata.len()).filter_map(|stratum| self.judge_stratum(stratum));
        each.max_by(|a, b| a.success.total_cmp(&b.success))
    }

    fn judge_stratum(&self, stratum: usize) -> Option<Drift> {
        let (counts, squares) = &self.state.strata[stratum];
        let total = counts.iter().map(|count| *count as f64).sum::<f64>();
        if total == 0.0 || *squares == 0 {
            return None;
        }
        let sets = self.design.sets(stratum);
        let l = sets.l() as f64;
        // As many tuples of weight 1 would tell as much.
        let tuples = total * total / (*squares as f64 * ONE as f64);
        let mut grown = (0, f64::NEG_INFINITY, 0.0, 0.0);
        let mut ratios = Vec::with_capacity(counts.len());
        for (value, count) in (0..).zip(counts) {
            let (share, expected) = (*count as f64 / total, sets.shown(value) / l);
            let error = CHANCE * (share.max(expected) / tuples).sqrt();
            let sure =
                if share > expected { (share - error).max(expected) } else { (share + error).min(expected) };
            ratios.push(if expected > 0.0 { sure / expected } else { 0.0 });
            if share - expected > grown.1 {
                grown = (value, share - expected, share, expected);
            }
        }
        let (value, _, share, expected) = grown;
        let success = (best_ratio(sets, &ratios) / l).min(1.0);
        Some(Drift { success, promised: 1.0 / l, stratum, value, share, expected })
    }
}

/// The mean over the sets of a design of the greatest ratio in a set.
fn best_ratio(design: &SetDesign, ratios: &[f64]) -> f64 {
    match design {
        SetDesign::Calibrated(calibrated) => {
            let mut sum = 0.0;
            for ring in 0..calibrated.rings().len() {
                for (width, set) in calibrated.pieces(ring) {
                    let most = set.iter().map(|value| ratios[*value as usize]).fold(0.0, f64::max);
                    sum += width as f64 * most;
                }
            }
            sum / (calibrated.total() as f64 * calibrated.rings().len() as f64)
        }
        SetDesign::Uniform { values, l } => {
            // The value with the r-th greatest ratio is the greatest in the sets that hold it and l − 1 lesser ones.
            let mut sorted = ratios.to_vec();
            sorted.sort_unstable_by(|a, b| b.total_cmp(a));
            let mut chance = *l as f64 / *values as f64;
            let mut sum = 0.0;
            for (rank, ratio) in sorted.iter().enumerate() {
                sum += chance * ratio;
                let lesser = values - 1 - rank;
                if lesser < *l {
                    break;
                }
                // C(n−2−r, l−1) / C(n−1−r, l−1)
                chance *= (lesser - (l - 1)) as f64 / lesser as f64;
            }
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn monitor(sets: SetDesign) -> DriftMonitor {
        let labels = (0..sets.values()).map(|value| format!("v{value}")).collect();
        DriftMonitor::new(Arc::new(StreamDesign::for_everybody(labels, sets)))
    }

    /// So many tuples with values in turn by these parts of 20.
    fn feed(monitor: &mut DriftMonitor, tuples: usize, parts: &[usize]) -> Drift {
        let turn: Vec<u32> = (0..).zip(parts).flat_map(|(value, part)| vec![value; *part]).collect();
        for tuple in 0..tuples {
            monitor.count(0, turn[tuple % turn.len()]);
        }
        monitor.last().unwrap()
    }

    /// The mean of the best guess over all sets, the obvious way.
    fn twin(design: &SetDesign, ratios: &[f64]) -> f64 {
        let SetDesign::Uniform { values, l } = design else { unreachable!() };
        let sets = (0_u32..1 << values).filter(|set| set.count_ones() as usize == *l);
        let best =
            |set: u32| (0..*values).filter(|v| set >> v & 1 == 1).map(|v| ratios[v]).fold(0.0, f64::max);
        let all: Vec<f64> = sets.map(best).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }

    #[test]
    fn the_best_ratio_of_uniform_sets_is_that_of_all_sets() {
        for (values, l) in [(4, 2), (5, 3), (6, 1), (6, 6), (7, 4)] {
            let design = SetDesign::uniform(values, l).unwrap();
            let ratios: Vec<f64> = (0..values).map(|v| ((v * 7 + 3) % 5) as f64 / 2.0).collect();
            assert!((best_ratio(&design, &ratios) - twin(&design, &ratios)).abs() < 1e-12, "{values} {l}");
        }
    }

    #[test]
    fn a_skewed_prior_under_a_uniform_design_is_too_much() {
        // Shares of .8, .1, .05, .05: the best guess is right with .8 + .1·2/3 + .05·1/3 = .883, a little less for sure.
        let drift = feed(&mut monitor(SetDesign::uniform(4, 2).unwrap()), 20_000, &[16, 2, 1, 1]);
        assert!(drift.is_too_much() && (drift.success - 0.85).abs() < 0.05, "{drift:?}");
        assert_eq!((drift.value, drift.expected), (0, 0.25));
        let drift = feed(&mut monitor(SetDesign::uniform(4, 2).unwrap()), 20_000, &[5, 5, 5, 5]);
        assert!(!drift.is_notable() && (drift.success - 0.5).abs() < 1e-9, "{drift:?}");
    }

    #[test]
    fn a_value_that_grows_is_noticed_and_named() {
        let design = || SetDesign::calibrated(&[2, 6, 6, 6], 2, 1).unwrap();
        let mut drifting = monitor(design());
        assert!(!feed(&mut drifting, 10_000, &[2, 6, 6, 6]).is_notable());
        let drift = feed(&mut drifting, 20_000, &[15, 2, 2, 1]);
        assert!(drift.is_too_much() && drift.success > 0.8, "{drift:?}");
        assert_eq!(drift.value, 0);
        assert!((drift.share - 0.75).abs() < 0.01 && (drift.expected - 0.1).abs() < 1e-12, "{drift:?}");
    }

    #[test]
    fn counts_are_taken_up_where_they_were_written_down() {
        let design = || SetDesign::calibrated(&[2, 6, 6, 6], 2, 1).unwrap();
        let (mut whole, mut first, mut second) = (monitor(design()), monitor(design()), monitor(design()));
        let values = |from: usize, to: usize| (from..to).map(|n| (n * n % 7 % 4) as u32);
        for value in values(0, 3_500) {
            whole.count(0, value);
        }
        for value in values(0, 1_700) {
            first.count(0, value);
        }
        assert!(second.resume(first.state().clone()));
        for value in values(1_700, 3_500) {
            second.count(0, value);
        }
        assert_eq!(whole.state(), second.state());
        assert_eq!(whole.last(), second.last());
        assert!(!monitor(SetDesign::uniform(5, 2).unwrap()).resume(first.state().clone()));
    }

    #[test]
    fn chance_among_many_values_is_no_drift() {
        // A thousand values, each seen some five times: their shares are all off, and that means nothing.
        let mut monitor = monitor(SetDesign::calibrated(&[7; 1000], 5, 1).unwrap());
        let mut state = 9_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            monitor.count(0, ((state >> 33) % 1000) as u32);
        }
        assert!(!monitor.last().unwrap().is_notable(), "{:?}", monitor.last());
    }
}
