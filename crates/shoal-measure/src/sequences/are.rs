//! Average relative error of COUNT queries: what an analyst notices who asks the published file how many people
//! have an event of one kind and later an event of another.
//!
//! ARE is the mean over the [queries](super::queries) of |estimate − truth| / truth, as it is for
//! transactions. The truth is the count in the original; it is 1 at least, since every query is drawn from
//! somebody who has what it asks for.
//!
//! The estimate is the expected count when all leaves that a published value covers are alike, and cells are
//! independent of each other:
//!
//! - an event is as a predicate over the columns A says with probability Π_A |asked ∩ covered| / |covered|;
//! - a person has the first event and later the second with the probability that follows from one pass over
//!   their events, which is exact: no event is taken for both;
//! - the estimate is the sum of that over all people of the file.

use rayon::prelude::*;
use shoal_core::Progress;

use super::Query;
use super::reading::Reading;

/// ARE; none without a query.
pub(super) fn of(
    original: &Reading,
    published: &Reading,
    queries: &[Query],
    progress: &dyn Progress,
) -> Option<f64> {
    let error = |query: &Query| {
        progress.check();
        let truth = original.expected(query);
        (published.expected(query) - truth).abs() / truth
    };
    // Collected before they are summed, so that the sum has the same order for any thread count.
    let errors: Vec<f64> = queries.par_iter().map(error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}
