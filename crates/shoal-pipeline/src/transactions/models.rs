//! The promise of a policy, as a model that can be checked, and what the release must stay good for.

use shoal_privacy::{
    CompleteAnonymity, ItemConstraints, ItemsetAnonymity, KnownShare, TransactionsModel, Utility,
};

use super::sets::item_names;
use crate::{PipelineError, Request};

/// The promise of the policy as a model that can be checked on the published file alone.
pub(crate) fn models(request: &Request) -> Result<Vec<Box<dyn TransactionsModel>>, PipelineError> {
    let (privacy, seed) = (&request.policy().privacy, request.policy().algorithm.seed);
    // The policy's check has refused a k below 2, an m of 0 and a share outside of 0 to 1.
    let k = u32::try_from(privacy.k.unwrap_or_default()).unwrap_or(u32::MAX);
    let model: Box<dyn TransactionsModel> = if let Some(file) = &privacy.constraints {
        Box::new(ItemConstraints::new(k, item_names(request, file))?)
    } else if let Some(share) = privacy.share {
        let share = Some(KnownShare { share, seed });
        Box::new(ItemsetAnonymity::new(k, 2, share)?)
    } else if let Some(m) = privacy.m {
        Box::new(ItemsetAnonymity::new(k, m, None)?)
    } else {
        Box::new(CompleteAnonymity::new(k)?)
    };
    Ok(vec![model])
}

/// What the release must stay good for.
pub(crate) fn utility(request: &Request) -> Utility {
    let utility = &request.policy().utility;
    let Some(file) = &utility.constraints else { return Utility::default() };
    let constraints = Some(item_names(request, file));
    Utility { constraints, max_suppressed: Some(utility.max_suppressed()) }
}
