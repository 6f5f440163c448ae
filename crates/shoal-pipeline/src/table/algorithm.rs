//! From the policy's words to an algorithm that is ready to run.

use shoal_algorithms::table::TableAlgorithm;
use shoal_algorithms::table::datafly::DataflyParams;
use shoal_algorithms::table::incognito::{Choice, IncognitoParams};
use shoal_algorithms::table::mondrian::MondrianParams;
use shoal_algorithms::table::ribbon::{Outliers, RibbonParams};
use shoal_algorithms::table::sbc::{Remainder, SbcParams};
use shoal_algorithms::table::transparent::TransparentParams;
use shoal_core::TablePromise;
use shoal_core::policy::{ChoicePolicy, OutliersPolicy, RemainderPolicy, ShapeAlgorithm, TableAlgorithmName};

use crate::{PipelineError, ReleaseKey, Request};

/// The algorithm that the policy asks for, its parameters checked. Of the key only `transparent` draws.
pub(crate) fn algorithm(
    request: &Request,
    key: &ReleaseKey,
) -> Result<Box<dyn TableAlgorithm>, PipelineError> {
    algorithm_for(request, key, request.table_promise())
}

/// The same for another promise.
pub(super) fn algorithm_for(
    request: &Request,
    key: &ReleaseKey,
    promise: TablePromise,
) -> Result<Box<dyn TableAlgorithm>, PipelineError> {
    let policy = request.policy();
    let asked = &policy.algorithm;
    let max_suppressed = asked.max_suppressed;
    let ShapeAlgorithm::Table(name) = policy.algorithm_name().by_shape() else {
        return Err(PipelineError::other_shape(policy));
    };
    Ok(match name {
        TableAlgorithmName::Ribbon => {
            let outliers = match asked.outliers.unwrap_or_default() {
                OutliersPolicy::Keep => Outliers::Keep,
                OutliersPolicy::Suppress => {
                    Outliers::Suppress { max_share: max_suppressed.unwrap_or(Outliers::USUAL_SHARE) }
                }
            };
            let until_deadline = asked.seconds.is_some();
            let (seed, rounds) = (asked.seed, asked.rounds);
            Box::new(RibbonParams { promise, outliers, seed, rounds, until_deadline }.check()?)
        }
        TableAlgorithmName::Mondrian => Box::new(MondrianParams { promise }.check()?),
        TableAlgorithmName::Sbc => {
            let remainder = match asked.remainder.unwrap_or_default() {
                RemainderPolicy::Nearest => Remainder::Nearest,
                RemainderPolicy::Last => Remainder::Last,
                RemainderPolicy::Suppress => Remainder::Suppress,
            };
            let separate_normalization = asked.separate_distances.unwrap_or_default();
            Box::new(SbcParams { promise, remainder, separate_normalization, max_suppressed }.check()?)
        }
        TableAlgorithmName::Incognito => {
            let choose = match asked.choose.unwrap_or_default() {
                ChoicePolicy::Ncp => Choice::Ncp,
                ChoicePolicy::Height => Choice::Height,
            };
            let max_suppressed = max_suppressed.unwrap_or(0.0);
            Box::new(IncognitoParams { promise, max_suppressed, choose }.check()?)
        }
        TableAlgorithmName::Transparent => {
            Box::new(TransparentParams { promise, seed: asked.seed, key: key.draws() }.check()?)
        }
        TableAlgorithmName::Datafly => Box::new(DataflyParams { promise, max_suppressed }.check()?),
    })
}
