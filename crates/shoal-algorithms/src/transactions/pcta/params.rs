use crate::transactions::params::check_weights;
use crate::transactions::{Objective, ParamsError};

/// What PCTA can be asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PctaParams {
    /// What is kept small.
    pub objective: Objective,
    /// How much each item matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
}

impl PctaParams {
    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidPctaParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        Ok(ValidPctaParams(self))
    }
}

/// Checked parameters: PCTA, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidPctaParams(pub(super) PctaParams);
