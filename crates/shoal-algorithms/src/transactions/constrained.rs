//! What [`coat`](super::coat) and [`upcta`](super::upcta) share: both keep utility constraints and may suppress a share
//! of the items. They differ in which clusters of a set they merge, see [`MergeCandidates`].

use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding};

use super::params::{allowed, check_max_suppressed, check_weights};
use super::rounds::{MergeCandidates, Task};
use super::{Objective, ParamsError, TransactionsError, UtilityConstraints};

/// The parameters of an algorithm that merges items inside utility constraints.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedParams {
    /// What is kept small.
    pub objective: Objective,
    /// How much each item matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
    /// Which items may be published as one.
    pub utility: UtilityConstraints,
    /// The share of the items that may be suppressed, from 0 to 1: `s` in the paper.
    pub max_suppressed: f64,
}

impl ConstrainedParams {
    /// These utility constraints, with the defaults: all items matter alike, and none is suppressed.
    pub fn new(utility: UtilityConstraints) -> Self {
        ConstrainedParams { objective: Objective::default(), weights: None, utility, max_suppressed: 0.0 }
    }

    /// Refuses weights and shares that are not between 0 and 1.
    pub(super) fn check(self) -> Result<ValidConstrainedParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        check_max_suppressed(self.max_suppressed)?;
        Ok(ValidConstrainedParams(self))
    }
}

/// Checked parameters, to which an algorithm adds which clusters it merges.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ValidConstrainedParams(ConstrainedParams);

impl ValidConstrainedParams {
    /// Merges items inside their utility constraints, and suppresses where no merge is left.
    pub(super) fn anonymize(
        &self,
        candidates: MergeCandidates,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<TransactionsRecoding, TransactionsError> {
        let ConstrainedParams { objective, weights, utility, max_suppressed } = &self.0;
        let task = Task {
            objective: *objective,
            weights: weights.as_deref(),
            utility,
            allowed: allowed(*max_suppressed, data.items().len()),
            candidates,
            leaving: (candidates, *objective) == (MergeCandidates::AnyOfSet, Objective::Ncp),
        };
        task.run(data, promise, progress).map(|merged| merged.recoding)
    }
}
