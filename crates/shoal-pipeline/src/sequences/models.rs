//! The promises of a policy, as models that can be checked.

use std::sync::Arc;

use shoal_core::{Bound, Hierarchy, Limit, Role, SequencesPromise};
use shoal_privacy::{BoundedKnowledge, Confidence, SequenceAnonymity, SequencesModel};

use crate::{PipelineError, Request};

/// The promise as models that can be checked on the published file alone. Where to look for a proof may be said by
/// `parts`, a number for each published row; see [`BoundedKnowledge::in_parts`].
pub(crate) fn models(
    request: &Request,
    promise: &SequencesPromise,
    parts: Option<Vec<u32>>,
) -> Result<Vec<Box<dyn SequencesModel>>, PipelineError> {
    // The policy's check has refused a k below 2, a c that is not a share and a β that is not a gain.
    let k = u32::try_from(promise.k).unwrap_or(u32::MAX);
    let mut models: Vec<Box<dyn SequencesModel>> = Vec::new();
    if let Some(length) = promise.length {
        let model =
            BoundedKnowledge::new(k, length, promise.limits.clone(), trees(request), BoundedKnowledge::WORK);
        let model = model?.counting(promise.support).among(promise.distributions.clone());
        let model = model.without(request.policy().data.missing_texts());
        models.push(Box::new(match parts {
            Some(parts) => model.in_parts(parts),
            None => model,
        }));
        return Ok(models);
    }
    models.push(Box::new(SequenceAnonymity::new(k)?));
    for Limit { column, values, bound } in &promise.limits {
        match bound {
            Bound::Share(c) => {
                let values = values.clone().unwrap_or_default();
                models.push(Box::new(Confidence::new(column, &values, *c)?));
            }
            // The policy's check refuses β without a length; were it not to, β must not be dropped.
            Bound::Gain(beta) => {
                let why = format!("β = {beta} for `{column}` needs privacy.length");
                return Err(PipelineError::Promise { why });
            }
        }
    }
    Ok(models)
}

/// The hierarchies of the policy, by column: what somebody may know is said in their nodes.
fn trees(request: &Request) -> Vec<(String, Arc<Hierarchy>)> {
    let quasi = request.policy().columns.iter().filter(|(_, column)| column.role == Role::QuasiIdentifier);
    let files = quasi.filter_map(|(name, column)| Some((name, column.hierarchy.as_ref()?)));
    files.map(|(name, file)| (name.clone(), Arc::clone(request.hierarchy(file).content))).collect()
}
