use crate::transactions::ParamsError;
use crate::transactions::constrained::{ConstrainedParams, ValidConstrainedParams};

/// What COAT can be asked for.
///
/// ```
/// use shoal_algorithms::transactions::coat::CoatParams;
/// use shoal_algorithms::transactions::{
///     ConstrainedParams, TransactionsAlgorithm, TransactionsError, UtilityConstraints,
/// };
/// use shoal_core::{Silent, Transactions, TransactionsPromise};
///
/// // Only one person buys milk, so the item alone gives that person away.
/// let data = Transactions::from_texts(&["milk", "cream", "cream", "wine", "wine"].map(|item| vec![item]));
/// let promise = TransactionsPromise::Itemsets { k: 2, m: 1, linkable: None };
/// let [cream, milk, wine] = ["cream", "milk", "wine"].map(|item| data.item(item).unwrap());
///
/// // Milk may be published as one with cream, and not with wine.
/// let dairy = UtilityConstraints::new(3, vec![vec![milk, cream], vec![wine]])?;
/// let coat = CoatParams(ConstrainedParams::new(dairy)).check()?;
/// let recoding = coat.anonymize(&data, &promise, &Silent)?.recoding;
/// assert_eq!(recoding.clusters.len(), 2);
/// assert_eq!(recoding.cluster_of[milk as usize], recoding.cluster_of[cream as usize]);
///
/// // Where no item may join milk it would have to be suppressed, which was not allowed.
/// let apart = UtilityConstraints::new(3, vec![vec![milk], vec![cream], vec![wine]])?;
/// let coat = CoatParams(ConstrainedParams::new(apart)).check()?;
/// let refused = coat.anonymize(&data, &promise, &Silent);
/// assert!(matches!(refused, Err(TransactionsError::Infeasible { items, .. }) if items == [milk]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CoatParams(pub ConstrainedParams);

impl CoatParams {
    /// Refuses weights and shares that are not between 0 and 1.
    pub fn check(self) -> Result<ValidCoatParams, ParamsError> {
        Ok(ValidCoatParams(self.0.check()?))
    }
}

/// Checked parameters: COAT, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidCoatParams(pub(super) ValidConstrainedParams);
