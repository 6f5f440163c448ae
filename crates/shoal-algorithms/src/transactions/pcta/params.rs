use crate::transactions::params::check_weights;
use crate::transactions::{Objective, ParamsError};

/// What PCTA can be asked for.
///
/// ```
/// use shoal_algorithms::transactions::TransactionsAlgorithm;
/// use shoal_algorithms::transactions::pcta::PctaParams;
/// use shoal_core::{Silent, Transactions, TransactionsPromise};
///
/// // Whoever knows that somebody bought tea and milk knows which line is theirs.
/// let lines = [vec!["tea", "milk"], vec!["tea", "wine"], vec!["tea"], vec!["wine"], vec!["wine"]];
/// let data = Transactions::from_texts(&lines);
/// let pcta = PctaParams::default().check()?;
///
/// // With k = 2 and m = 2, any two items of a person are to be found in two transactions, or in none.
/// let promise = TransactionsPromise::Itemsets { k: 2, m: 2, linkable: None };
/// let recoding = pcta.anonymize(&data, &promise, &Silent)?.recoding;
/// let [milk, tea, wine] = ["milk", "tea", "wine"].map(|item| recoding.cluster_of[data.item(item).unwrap() as usize]);
/// assert_eq!(milk, wine);
/// assert_ne!(milk, tea);
///
/// // A weight is between 0 and 1.
/// assert!(PctaParams { weights: Some(vec![1.0, 7.0, 1.0]), ..PctaParams::default() }.check().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PctaParams {
    /// What is kept small.
    pub objective: Objective,
    /// How much each item matters, from 0 to 1; all matter alike where nothing is given.
    pub weights: Option<Vec<f64>>,
}

impl PctaParams {
    /// Refuses weights that are not between 0 and 1.
    pub fn check(self) -> Result<ValidPctaParams, ParamsError> {
        check_weights(self.weights.as_deref())?;
        Ok(ValidPctaParams(self))
    }
}

/// Checked parameters: PCTA, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidPctaParams(pub(super) PctaParams);
