//! Measures of published transactions against the original, each a pure function with its formula.
//!
//! A published text stands for items of the original ([`PublishedItems`]); nothing else of the release is
//! looked at, least of all what an algorithm says about it. No measure needs to know which published
//! transaction was which original one.

pub mod are;
pub mod attack;
mod error;
pub mod file;
pub mod guarantee;
mod itemsets;
pub mod ncp;
mod published;
mod queries;
pub mod risk;
pub mod sizes;
pub mod suppressed;
pub mod ul;

use std::collections::BTreeMap;

use serde::Serialize;
use shoal_core::Transactions;

pub use are::Estimator;
pub use error::TransactionsMeasureError;
pub use guarantee::UtilityConstraint;
pub use published::PublishedItems;
pub use queries::{Query, Workload};
pub use risk::{SmallestCrowd, TransactionsRisk};

/// What published transactions lost, as `report.json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsLoss {
    /// Normalized certainty penalty, see [`ncp`]; in [0, 1].
    pub ncp: f64,
    /// 1 − NCP.
    pub utility: f64,
    /// Utility loss, see [`ul`]. None where it is too small for a plain number; then see its logarithm.
    pub ul: Option<f64>,
    /// log₂ of the utility loss. None where that is 0.
    pub ul_log2: Option<f64>,
    /// Average relative error of counts of pairs, see [`are`]. None where there is no pair.
    pub are: Option<f64>,
    /// How many queries it is the average of.
    pub are_queries: usize,
    /// How counts are estimated from the published file, in words and as a formula; see [`are::Estimator`]. None where there
    /// is no pair.
    pub are_estimator: Option<&'static str>,
    /// The same for sets of five items, or all items of smaller transactions.
    #[serde(rename = "are-5-itemsets")]
    pub are_5_itemsets: Option<f64>,
    /// Items that are not published.
    pub items_suppressed: u64,
    /// How often they occurred.
    pub occurrences_suppressed: u64,
    /// For each size of generalized items, how many there are; see [`sizes`].
    pub generalized_items: BTreeMap<usize, u64>,
    /// What became of the utility constraints, see [`guarantee`]. None where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility_constraints: Option<Vec<UtilityConstraint>>,
}

/// Takes all measures of loss. `weights` are one per item of the original, 1 where nothing is given;
/// `pairs` and `larger` are the queries of the two errors, and of all estimators of counts the one is used that errs least on
/// the queries `held_out`; `constraints` are the utility constraints, if any, in items of the original.
pub fn measure_transactions(
    items: &PublishedItems<'_>,
    weights: Option<&[f64]>,
    pairs: &Workload,
    larger: &Workload,
    held_out: &Workload,
    constraints: Option<&[Vec<u32>]>,
) -> Result<TransactionsLoss, TransactionsMeasureError> {
    let original = items.original();
    let equal = vec![1.0; original.items().len()];
    let weights = weights.unwrap_or(&equal);
    check_weights(weights, original)?;
    let asked = [pairs, larger, held_out].into_iter().flat_map(Workload::queries).map(Query::items);
    check_items(asked.chain(constraints.into_iter().flatten().map(Vec::as_slice)), original)?;

    items.check_wanted();
    let ncp = ncp::of(items);
    items.check_wanted();
    let ul_log2 = ul::log2(items, weights);
    items.check_wanted();
    // Where no pair occurs, single items may still be asked for; the paper's estimator is as good as any then.
    let chosen = Estimator::choose(items, held_out);
    let estimator = chosen.unwrap_or(Estimator::AnySubset);
    Ok(TransactionsLoss {
        ncp,
        utility: 1.0 - ncp,
        ul: ul::linear(ul_log2),
        ul_log2,
        are: are::of(items, pairs, estimator),
        are_queries: pairs.queries().len(),
        are_estimator: chosen.map(Estimator::formula),
        are_5_itemsets: are::of(items, larger, estimator),
        items_suppressed: suppressed::items(items),
        occurrences_suppressed: suppressed::occurrences(items),
        generalized_items: sizes::of(items),
        utility_constraints: constraints.map(|constraints| guarantee::of(items, constraints)),
    })
}

fn check_weights(weights: &[f64], original: &Transactions) -> Result<(), TransactionsMeasureError> {
    let items = original.items().len();
    if weights.len() != items {
        return Err(TransactionsMeasureError::WeightCount { weights: weights.len(), items });
    }
    match weights.iter().position(|weight| !(0.0..=1.0).contains(weight)) {
        None => Ok(()),
        Some(at) => Err(TransactionsMeasureError::Weight {
            item: original.items().get(at as u32).to_owned(),
            weight: weights[at],
        }),
    }
}

fn check_items<'a>(
    mut sets: impl Iterator<Item = &'a [u32]>,
    original: &Transactions,
) -> Result<(), TransactionsMeasureError> {
    let items = original.items().len();
    let unknown = sets.find_map(|set| set.iter().find(|&&item| item as usize >= items));
    unknown.map_or(Ok(()), |&item| Err(TransactionsMeasureError::NoSuchItem { item, items }))
}
