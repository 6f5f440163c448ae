//! UPCTA, privacy-constrained clustering of items inside utility constraints.
//!
//! Like [`pcta`](super::pcta), but items are merged only where they share a utility constraint. Where a set of
//! items still has too little support when no such merge is left, its least supported cluster is suppressed,
//! and what remains of the set must hold. When more items would go than allowed, it gives up and names them.
//!
//! It follows A. Gkoulalas-Divanis and G. Loukides, *Utility-guided Clustering-based Transaction Data
//! Anonymization*, §4.2, Algorithm 2, with the departures of [`pcta`](super::pcta): so with `Ncp` the merge is
//! made that costs least for each transaction that the set gains, since one that does not lift its support is
//! wasted, and with `Ul` the cheapest, as in the paper. With `Ncp` items also leave their clusters again at the end,
//! wherever the promise holds without them there, since the NCP falls with each; suppressed items stay
//! suppressed. And one departure more: the suppressed items are all items of a suppressed cluster.
//!
//! Every published count of a utility constraint whose items are all published is true: as many transactions
//! hold any of its items as before. Cost: as for [`pcta`](super::pcta), with fewer candidates for each merge.

mod params;

pub use params::{UpctaParams, ValidUpctaParams};

use shoal_core::{Progress, Transactions, TransactionsPromise, TransactionsRecoding};

use super::rounds::MergeCandidates;
use super::{TransactionsAlgorithm, TransactionsError};
use crate::Anonymized;

impl TransactionsAlgorithm for ValidUpctaParams {
    fn name(&self) -> &'static str {
        "upcta"
    }

    fn anonymize(
        &self,
        data: &Transactions,
        promise: &TransactionsPromise,
        progress: &dyn Progress,
    ) -> Result<Anonymized<TransactionsRecoding>, TransactionsError> {
        self.0.anonymize(MergeCandidates::AnyOfSet, data, promise, progress).map(Anonymized::from)
    }
}
