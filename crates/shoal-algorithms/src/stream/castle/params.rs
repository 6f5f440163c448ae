use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What CASTLE can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CastleParams {
    /// How many different people every published class holds.
    pub k: usize,
    /// How many different sensitive values every published class holds; 1 asks for nothing.
    pub l: usize,
    /// The longest delay: the tuple at position p leaves in the push of position p + `delta` or before. `δ` in the paper.
    pub delta: u64,
    /// The longest wait by the clock, in milliseconds, whether further tuples come or not; none where only `delta` counts.
    pub max_wait: Option<u64>,
    /// How many clusters may grow at once. `β` in the paper; only its rules keep clusters.
    pub beta: usize,
    /// Over how many published clusters the loss that is thought usual is averaged. `μ` in the paper; only for its rules.
    pub mu: usize,
    /// How many published classes are remembered for reuse; the one not used for longest is forgotten first.
    pub max_reusable: usize,
    /// What to do with the tuple whose time has come.
    pub rules: CastleRules,
    /// Where random choices start.
    pub seed: u64,
}

/// What to do with the tuple whose time has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CastleRules {
    /// The rules of the paper, suppression of outliers included.
    Paper,
    /// Ours: the cheaper of the best class that covers the tuple and a crowd of the nearest waiting tuples; suppression
    /// only where there is no crowd at all.
    #[default]
    Nearest,
}

impl CastleParams {
    /// The usual way to reach k within a delay.
    pub fn new(k: usize, delta: u64) -> Self {
        CastleParams {
            k,
            l: 1,
            delta,
            max_wait: None,
            beta: 50,
            mu: 100,
            max_reusable: 2048,
            rules: CastleRules::default(),
            seed: 0,
        }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidCastleParams, CastleParamsError> {
        for (name, value) in [("k", self.k), ("l", self.l), ("beta", self.beta), ("mu", self.mu)] {
            if value == 0 {
                return Err(CastleParamsError::Zero { name });
            }
        }
        if self.max_wait == Some(0) {
            return Err(CastleParamsError::Zero { name: "max_wait" });
        }
        let crowd = self.k.max(self.l);
        if self.delta < crowd as u64 - 1 {
            return Err(CastleParamsError::TooHasty { delta: self.delta, crowd });
        }
        Ok(ValidCastleParams(self))
    }
}

/// Checked parameters: CASTLE, ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValidCastleParams(pub(super) CastleParams);

/// Why parameters make no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CastleParamsError {
    /// A parameter that counts something is 0.
    #[error("{name} is 0")]
    Zero {
        /// The parameter.
        name: &'static str,
    },
    /// No crowd can gather in the time.
    #[error("within delta = {delta} further tuples no crowd of {crowd} can gather")]
    TooHasty {
        /// The longest delay.
        delta: u64,
        /// The tuples that are needed, this one included.
        crowd: usize,
    },
}

impl CastleParamsError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            CastleParamsError::Zero { .. } => "use 1 or more",
            CastleParamsError::TooHasty { .. } => "let tuples wait longer, ten times k for instance",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_named() {
        let usual = CastleParams::new(10, 100);
        assert!(usual.check().is_ok());
        let zero =
            |params: CastleParams, name| assert_eq!(params.check(), Err(CastleParamsError::Zero { name }));
        zero(CastleParams { k: 0, ..usual }, "k");
        zero(CastleParams { l: 0, ..usual }, "l");
        zero(CastleParams { beta: 0, ..usual }, "beta");
        zero(CastleParams { mu: 0, ..usual }, "mu");
        zero(CastleParams { max_wait: Some(0), ..usual }, "max_wait");
        assert_eq!(
            CastleParams { l: 12, delta: 10, ..usual }.check(),
            Err(CastleParamsError::TooHasty { delta: 10, crowd: 12 })
        );
        assert!(CastleParams { l: 12, delta: 11, ..usual }.check().is_ok());
    }
}
