use shoal_core::Hierarchy;

use crate::transactions::ParamsError;
use crate::transactions::params::check_weights;

/// What Apriori needs.
#[derive(Clone, Debug)]
pub struct AprioriParams {
    /// The hierarchy of items. Every item of the data must be one of its leaves.
    pub hierarchy: Hierarchy,
    /// How much each item of the data matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
}

impl AprioriParams {
    /// Parameters that make sense.
    pub fn check(self) -> Result<ValidAprioriParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        Ok(ValidAprioriParams(self))
    }
}

/// Checked parameters: Apriori, ready to run.
#[derive(Clone, Debug)]
pub struct ValidAprioriParams(pub(super) AprioriParams);
