//! What the policy promises about sequences.

use shoal_core::{Bound, Limit, Policy, SequencesPromise, Support, nearest};

use super::load::Loaded;
use crate::leaks::{Leak, LeakKind, PAPER_SUPPORT};
use crate::{PipelineError, Request};

/// The policy's promise, in the words that algorithms and verifier share.
pub(crate) fn promise(policy: &Policy) -> SequencesPromise {
    let privacy = &policy.privacy;
    let limit = |name: &String, column: &shoal_core::policy::ColumnPolicy| {
        let values = match column.sensitive_values.is_empty() {
            true => &privacy.sensitive_values,
            false => &column.sensitive_values,
        };
        let share = column.c.or(privacy.c).map(Bound::Share);
        let bound = privacy.beta.map(Bound::Gain).or(share)?;
        // The policy's check has refused a limit without values, except against partial knowledge: all of them.
        let values = (!values.is_empty()).then(|| values.clone());
        Some(Limit { column: name.clone(), values, bound })
    };
    let sensitive = policy.columns.iter().filter(|(_, c)| c.role == shoal_core::Role::Sensitive);
    SequencesPromise {
        k: privacy.k.unwrap_or_default(),
        length: privacy.length,
        support: privacy.support.unwrap_or_default(),
        limits: sensitive.filter_map(|(name, column)| limit(name, column)).collect(),
        distributions: Default::default(),
    }
}

/// The same, and who everybody is where these people are not.
pub(crate) fn promise_of(request: &Request) -> SequencesPromise {
    SequencesPromise { distributions: request.distributions().clone(), ..promise(request.policy()) }
}

/// The same without gains over a distribution that the file does not show: an adversary who knows nothing but the published file has
/// nothing to compare with.
pub(crate) fn promise_of_file(request: &Request) -> SequencesPromise {
    let mut promise = promise(request.policy());
    let is_beyond = |limit: &Limit| {
        matches!(limit.bound, Bound::Gain(_)) && request.distributions().contains_key(&limit.column)
    };
    promise.limits.retain(|limit| !is_beyond(limit));
    promise
}

/// A highly sensitive value that nobody has is most likely misspelt, and would protect nobody.
pub(crate) fn check_values(
    request: &Request,
    promise: &SequencesPromise,
    loaded: &Loaded,
) -> Result<(), PipelineError> {
    for Limit { column, values, .. } in &promise.limits {
        let Some(found) = loaded.column(column) else { continue };
        // Whoever says who everybody is has seen whether somebody has it.
        if promise.distributions.contains_key(column) {
            continue;
        }
        let unknown = values.iter().flatten().find(|value| found.domain.code_of(value).is_none());
        if let Some(value) = unknown {
            let own = request.policy().columns.get(column).is_some_and(|c| !c.sensitive_values.is_empty());
            let key = if own { format!("columns.{column}") } else { "privacy".to_owned() };
            let message = format!("`{value}` is not a value of column `{column}`");
            let hint = match nearest(value, found.domain.labels().iter()) {
                Some(label) => format!("did you mean `{label}`?"),
                None => "a value that nobody has needs no promise; is it the right column?".to_owned(),
            };
            let key = format!("{key}.sensitive-values");
            return Err(request.complain_of_data(&key, message, hint, &[]));
        }
    }
    Ok(())
}

/// What a reader of the plan should know about the promise.
pub(crate) fn notes(promise: &SequencesPromise) -> Vec<String> {
    counts_as_paper(promise).then(|| PAPER_SUPPORT.to_owned()).into_iter().collect()
}

/// The same for the report.
pub(crate) fn leaks(promise: &SequencesPromise) -> Option<Leak> {
    counts_as_paper(promise).then(|| LeakKind::PaperSupport {}.into())
}

fn counts_as_paper(promise: &SequencesPromise) -> bool {
    promise.length.is_some() && promise.support == Support::Paper
}

/// The promise as a person would say it.
pub(crate) fn in_words(promise: &SequencesPromise) -> String {
    let mut words = format!("k = {}", promise.k);
    if let Some(length) = promise.length {
        words.push_str(&format!(" for whoever knows up to {length} values"));
    }
    for Limit { column, values, bound } in &promise.limits {
        let values = values.as_ref().map_or_else(|| "any value".to_owned(), |values| values.join(", "));
        match bound {
            Bound::Share(c) => words.push_str(&format!("; at most {c} of a crowd with {values} in {column}")),
            Bound::Gain(beta) => words.push_str(&format!("; β = {beta} for {values} in {column}")),
        }
    }
    words
}
