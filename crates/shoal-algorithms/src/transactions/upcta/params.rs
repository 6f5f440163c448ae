use crate::transactions::ParamsError;
use crate::transactions::constrained::{ConstrainedParams, ValidConstrainedParams};

/// What UPCTA can be asked for.
///
/// ```
/// use shoal_algorithms::transactions::upcta::UpctaParams;
/// use shoal_algorithms::transactions::{ConstrainedParams, TransactionsAlgorithm, UtilityConstraints};
/// use shoal_core::{Silent, Transactions, TransactionsPromise};
///
/// // Only one person buys milk, and the analysis needs milk, cream and wine told apart.
/// let data = Transactions::from_texts(&["milk", "cream", "cream", "wine", "wine"].map(|item| vec![item]));
/// let promise = TransactionsPromise::Itemsets { k: 2, m: 1, linkable: None };
/// let apart = UtilityConstraints::new(3, vec![vec![0], vec![1], vec![2]])?;
///
/// // So milk is suppressed, which is one item in three.
/// let params = ConstrainedParams { max_suppressed: 0.34, ..ConstrainedParams::new(apart) };
/// let upcta = UpctaParams(params.clone()).check()?;
/// let recoding = upcta.anonymize(&data, &promise, &Silent)?.recoding;
/// assert_eq!((recoding.suppressed(), recoding.clusters.len()), (1, 2));
///
/// // A share above 1 is refused before anything runs.
/// assert!(UpctaParams(ConstrainedParams { max_suppressed: 34.0, ..params }).check().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct UpctaParams(pub ConstrainedParams);

impl UpctaParams {
    /// Refuses weights and shares that are not between 0 and 1.
    pub fn check(self) -> Result<ValidUpctaParams, ParamsError> {
        Ok(ValidUpctaParams(self.0.check()?))
    }
}

/// Checked parameters: UPCTA, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidUpctaParams(pub(super) ValidConstrainedParams);
