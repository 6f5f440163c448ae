//! What can be promised against whoever knows the algorithm, and what cannot.

use super::fail;
use crate::policy::{AlgorithmName, MissingPolicy, Policy, PolicyError};
use crate::{Role, Rule};

/// Refuses what would make crowds depend on sensitive values, or what is not proved not to.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    let name = policy.algorithm.name;
    if !policy.privacy.transparent {
        if name == Some(AlgorithmName::Transparent) {
            let hint = "add  transparent = true  to [privacy]: then the algorithm needs no name";
            return fail("algorithm.name", "`transparent` is for transparent l-diversity", hint);
        }
        return Ok(());
    }
    if let Some(other) = name.filter(|&name| name != AlgorithmName::Transparent) {
        let message = format!("`{}` looks at sensitive values, so it cannot be transparent", other.name());
        return fail("algorithm.name", message, "remove the name, or set privacy.transparent = false");
    }
    conditions(policy)?;
    who_is_published(policy)
}

/// Only l-diversity that bounds what a crowd's shares reveal can be kept without looking at who has which value.
fn conditions(policy: &Policy) -> Result<(), PolicyError> {
    let key = "privacy.transparent";
    let promise = policy.table_promise();
    for condition in &promise.conditions {
        match condition.rule {
            Rule::Distinct { .. } | Rule::Frequency { .. } => {}
            Rule::Entropy { .. } | Rule::Recursive { .. } | Rule::Close { .. } | Rule::Alike(_) => {
                let message = format!("{condition}: that cannot be promised transparently");
                let hint = "transparent is l-diversity of the kind distinct or frequency only; remove the other promises";
                return fail(key, message, hint);
            }
        }
    }
    if promise.conditions.is_empty() {
        let message =
            "without l-diversity no crowd depends on a sensitive value, and transparent adds nothing";
        let hint = "add  l-diversity = { kind = \"frequency\", l = 3 },  or remove it";
        return fail(key, message, hint);
    }
    Ok(())
}

/// Who is published, and where, must not depend on sensitive values either.
fn who_is_published(policy: &Policy) -> Result<(), PolicyError> {
    if policy.data.person.is_some() {
        let message = "transparent crowds of people with several records are not supported";
        let hint = "one record a person is: remove data.person, or set privacy.transparent = false";
        return fail("data.person", message, hint);
    }
    if policy.algorithm.max_suppressed.is_some() {
        let message = "`transparent` leaves nobody out, so there is no share of records to limit";
        return fail("algorithm.max-suppressed", message, "remove it");
    }
    if policy.output.keeps_suppressed() {
        let message = "records published as `*` would form a crowd that depends on sensitive values";
        return fail("output.suppressed", message, "set it to \"drop\", or set privacy.transparent = false");
    }
    if policy.output.keep_order {
        let message = "a row's place in the source names its person, whatever the crowds are";
        return fail("output.keep-order", message, "remove it, or set privacy.transparent = false");
    }
    for (name, column) in &policy.columns {
        if column.role == Role::PersonalK {
            let message =
                format!("`{name}` asks for a k of each person, which transparent crowds cannot follow");
            let hint = "set role = \"identifier\" and one k for all, or set privacy.transparent = false";
            return fail(&format!("columns.{name}.role"), message, hint);
        }
        // Whoever is left out because of a quasi-identifier is known to be; because of a sensitive value they must not be.
        if column.role == Role::Sensitive && column.missing == MissingPolicy::Suppress {
            let message = format!("whoever is left out is known to have no value of `{name}`");
            let hint = "set missing = \"category\" or \"error\", or remove these records before";
            return fail(&format!("columns.{name}.missing"), message, hint);
        }
    }
    Ok(())
}
