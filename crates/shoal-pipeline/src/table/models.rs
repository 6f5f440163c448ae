//! The promises of a policy, as models that can be checked.

use std::sync::Arc;

use shoal_core::Rule;
use shoal_core::policy::SuppressedPolicy;
use shoal_privacy::{KAnonymity, OfPeople, SensitiveColumn, SuppressionLimit, TableModel, table};

use crate::columns::parser;
use crate::{PipelineError, Request};

/// What every class of the published file must satisfy. What each person asks for is added by the verifier, which
/// finds it in the original.
pub(crate) fn models(request: &Request) -> Result<Vec<Box<dyn TableModel>>, PipelineError> {
    let models = models_of_records(request)?;
    let Some(person) = request.policy().table_promise().person else { return Ok(models) };
    let of_people = |model| Box::new(OfPeople::new(model, person.clone())) as Box<dyn TableModel>;
    Ok(models.into_iter().map(of_people).collect())
}

/// The same promises about records, which can be checked on a file alone. A promise about people is at least as strong where sizes and different values
/// are counted; shares of people are other shares than those of records, and neither bounds the other.
pub(crate) fn models_of_records(request: &Request) -> Result<Vec<Box<dyn TableModel>>, PipelineError> {
    let promise = request.table_promise();
    let k = u32::try_from(promise.k).unwrap_or(u32::MAX);
    let mut models: Vec<Box<dyn TableModel>> = Vec::new();
    // The policy's check has refused a k below 2.
    models.push(Box::new(KAnonymity::new(k)?));
    for condition in &promise.conditions {
        let spec = &request.policy().columns[&condition.column];
        let hierarchy = match (&spec.hierarchy, condition.rule) {
            (Some(file), Rule::Close { .. }) => Some(Arc::clone(request.hierarchy(file).content)),
            _ => None,
        };
        let ground = SensitiveColumn {
            parser: parser(spec),
            missing: request.policy().data.missing.clone(),
            hierarchy,
        };
        let everybody = promise.distributions.get(&condition.column).cloned();
        models.push(table::model_against(condition, ground, everybody)?);
    }
    Ok(models)
}

/// How many records may be left out, where the policy limits it; `incomplete` are left out because a value is
/// missing and do not count.
pub(crate) fn suppression_limit(request: &Request, incomplete: usize) -> Option<SuppressionLimit> {
    let starred = request.policy().output.suppressed == SuppressedPolicy::Star;
    let share = request.policy().algorithm.max_suppressed?;
    Some(SuppressionLimit { share, incomplete, starred })
}
