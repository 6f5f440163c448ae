use crate::transactions::params::{check_max_suppressed, check_weights};
use crate::transactions::{Objective, ParamsError, UtilityConstraints};

/// What UPCTA can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct UpctaParams {
    /// What is kept small.
    pub objective: Objective,
    /// How much each item matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
    /// Which items may be published as one.
    pub utility: UtilityConstraints,
    /// The share of the items that may be suppressed, from 0 to 1: `s` in the paper.
    pub max_suppressed: f64,
}

impl UpctaParams {
    /// The usual way to keep these utility constraints: nothing is suppressed.
    pub fn new(utility: UtilityConstraints) -> Self {
        UpctaParams { objective: Objective::default(), weights: None, utility, max_suppressed: 0.0 }
    }

    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidUpctaParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        check_max_suppressed(self.max_suppressed)?;
        Ok(ValidUpctaParams(self))
    }
}

/// Checked parameters: UPCTA, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidUpctaParams(pub(super) UpctaParams);
