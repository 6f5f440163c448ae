use shoal_core::Hierarchy;

use crate::transactions::ParamsError;
use crate::transactions::params::check_weights;

/// What Apriori needs.
///
/// ```
/// use shoal_algorithms::transactions::TransactionsAlgorithm;
/// use shoal_algorithms::transactions::apriori::AprioriParams;
/// use shoal_core::{Hierarchy, Silent, Transactions, TransactionsPromise};
///
/// let lines = [["milk", "dairy", "*"], ["cream", "dairy", "*"], ["wine", "drinks", "*"], ["beer", "drinks", "*"]];
/// let hierarchy = Hierarchy::from_rows(&lines.map(Vec::from))?;
/// // One person buys milk, one cream, two buy wine.
/// let data = Transactions::from_texts(&["milk", "cream", "wine", "wine"].map(|item| vec![item]));
/// let promise = TransactionsPromise::Itemsets { k: 2, m: 1, linkable: None };
///
/// let apriori = AprioriParams { hierarchy, weights: None }.check()?;
/// let recoding = apriori.anonymize(&data, &promise, &Silent)?.recoding;
/// let names: Vec<Option<&str>> = recoding.clusters.iter().map(|cluster| cluster.name.as_deref()).collect();
/// // Milk and cream are published as their node; wine stays what it is.
/// assert_eq!(names, [Some("dairy"), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AprioriParams {
    /// The hierarchy of items. Every item of the data must be one of its leaves.
    pub hierarchy: Hierarchy,
    /// How much each item of the data matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
}

impl AprioriParams {
    /// Refuses weights that are not between 0 and 1.
    pub fn check(self) -> Result<ValidAprioriParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        Ok(ValidAprioriParams(self))
    }
}

/// Checked parameters: Apriori, ready to run.
#[derive(Clone, Debug)]
pub struct ValidAprioriParams(pub(super) AprioriParams);
