//! The promises of a policy, as models that can be checked.

use std::sync::Arc;

use shoal_core::{Policy, Role, TablePromise};
use shoal_privacy::{KAnonymity, OfPeople, SensitiveColumn, SuppressionLimit, TableModel, table};

use crate::columns::parser;
use crate::{PipelineError, Request};

/// What every class of the published file must satisfy. What each person asks for is added by the verifier, which
/// finds it in the original.
pub(crate) fn models(request: &Request) -> Result<Vec<Box<dyn TableModel>>, PipelineError> {
    let models = models_of_records(request)?;
    let Some(person) = request.policy().table_promise().person else { return Ok(models) };
    let all_rows = request.policy().knows_all_rows();
    let of_people = |model| {
        let model = OfPeople::new(model, person.clone());
        Box::new(if all_rows { model } else { model.by_rows() }) as Box<dyn TableModel>
    };
    Ok(models.into_iter().map(of_people).collect())
}

/// The same promises about records, which can be checked on a file alone. A promise about people is at least as strong where sizes and different values
/// are counted; shares of people are other shares than those of records, and neither bounds the other.
pub(crate) fn models_of_records(request: &Request) -> Result<Vec<Box<dyn TableModel>>, PipelineError> {
    models_of(request, request.policy(), &request.table_promise())
}

/// The same for a promise about a release with another policy: about the sensitive columns that it publishes. Hierarchies are those of
/// the request.
pub(super) fn models_of(
    request: &Request,
    policy: &Policy,
    promise: &TablePromise,
) -> Result<Vec<Box<dyn TableModel>>, PipelineError> {
    let k = u32::try_from(promise.k).unwrap_or(u32::MAX);
    let mut models: Vec<Box<dyn TableModel>> = Vec::new();
    // The policy's check has refused a k below 2.
    models.push(Box::new(KAnonymity::new(k)?));
    for condition in &promise.conditions {
        let Some(spec) = policy.columns.get(&condition.column).filter(|spec| spec.role == Role::Sensitive)
        else {
            continue;
        };
        let named = request.policy().columns.get(&condition.column).and_then(|spec| spec.hierarchy.as_ref());
        let hierarchy = named.map(|file| Arc::clone(request.hierarchy(file).content));
        let ground =
            SensitiveColumn { parser: parser(spec), missing: policy.data.missing_texts(), hierarchy };
        // They are about the data of the request only.
        let is_own = std::ptr::eq(policy, request.policy());
        let everybody = promise.distributions.get(&condition.column).filter(|_| is_own).cloned();
        models.push(table::model_against(condition, ground, everybody)?);
    }
    Ok(models)
}

/// How many records may be left out, where the policy limits it; `incomplete` are left out because a value is
/// missing and do not count.
pub(crate) fn suppression_limit(request: &Request, incomplete: usize) -> Option<SuppressionLimit> {
    let starred = request.policy().output.keeps_suppressed();
    let share = request.policy().algorithm.max_suppressed?;
    Some(SuppressionLimit { share, incomplete, starred })
}
