//! Loss and risk of published transactions.

use shoal_core::{Progress, Transactions, TransactionsPromise};
use shoal_measure::transactions::{
    PublishedItems, TransactionsLoss, TransactionsMeasureError, TransactionsRisk, Workload,
    measure_transactions, risk,
};

use super::algorithm::Prepared;
use crate::Request;

/// How many counts are asked for.
const QUERIES: usize = 1000;

/// What was measured.
pub(crate) struct TransactionsMeasures {
    pub loss: TransactionsLoss,
    pub risk: TransactionsRisk,
}

/// Measures a published file against its original. The queries depend on the original and the policy's seed
/// alone, so that all algorithms in one comparison answer the same ones. The estimator is chosen by other queries than those
/// that are reported, from another seed.
pub(crate) fn take(
    request: &Request,
    prepared: &Prepared,
    original: &Transactions,
    published: &Transactions,
    progress: &dyn Progress,
) -> Result<TransactionsMeasures, TransactionsMeasureError> {
    let items =
        PublishedItems::read(original, published, prepared.hierarchy.as_ref())?.with_progress(progress);
    let seed = request.policy().algorithm.seed;
    let pairs = Workload::pairs(original, QUERIES, seed);
    progress.check();
    let held_out = Workload::pairs(original, QUERIES, !seed);
    progress.check();
    let fives = Workload::itemsets(original, 5, QUERIES, seed);
    let constraints = prepared.utility.as_ref().map(|sets| sets.sets.as_slice());
    let loss = measure_transactions(&items, Some(&prepared.weights), &pairs, &fives, &held_out, constraints)?;
    let (m, linkable) = match &prepared.promise {
        TransactionsPromise::Itemsets { m, linkable, .. } => (*m, linkable.as_deref()),
        TransactionsPromise::Complete { .. } | TransactionsPromise::Constraints { .. } => (2, None),
    };
    Ok(TransactionsMeasures { loss, risk: risk::of(&items, m, linkable) })
}
