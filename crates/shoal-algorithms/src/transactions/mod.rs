//! Algorithms for transactions: a set of items a person.
//!
//! [`pcta`], [`upcta`] and [`coat`] share one engine. It holds the clusters of items that are
//! published as one, looks for sets that break the promise, and fixes them one after the other,
//! round after round, until there are none. The three differ only in what they may do to fix a set.
//! [`apriori`] looks for the same sets, but fixes them along a hierarchy.

pub mod apriori;
mod clusters;
pub mod coat;
mod constrained;
mod error;
mod gains;
mod itemsets;
mod leaving;
mod objective;
mod pair_leaving;
mod pairs;
mod params;
mod partners;
pub mod pcta;
mod queue;
mod recheck;
mod rounds;
mod transaction_set;
pub mod upcta;
mod utility;
mod violations;

pub use constrained::ConstrainedParams;
pub use error::{ParamsError, TransactionsError};
pub use objective::Objective;
pub use utility::{UtilityConstraints, UtilityError};

use crate::Anonymized;
use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding};

/// An algorithm with its checked parameters, ready to run on transactions.
pub trait TransactionsAlgorithm: Sync {
    /// The name in a policy.
    fn name(&self) -> &'static str;

    /// Decides what every item is published as, so that the promise is kept. The trace says which of several
    /// results was taken; it is empty where there was one, which the recoding shows.
    fn anonymize(
        &self,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TransactionsRecoding>, TransactionsError>;
}
