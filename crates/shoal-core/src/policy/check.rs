//! What a policy must satisfy beyond having the right keys and types.

mod belongs;
mod columns;
mod database;
mod person;
mod preset;
mod ranges;
mod sequences;
mod stream;
mod table;
mod transactions;
mod transparent;

use super::{
    Policy, PolicyError, PolicyProblem, SequencesAlgorithmName, Shape, StreamAlgorithmName,
    TableAlgorithmName, TransactionsAlgorithmName,
};

/// The first thing in the policy that makes no sense.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    version(policy)?;
    data(policy)?;
    // Before k, which the preset may have set.
    preset::check(policy)?;
    k(policy)?;
    algorithm(policy)?;
    belongs::check(policy)?;
    database::check(policy)?;
    match policy.data.shape {
        Shape::Table => table::check(policy),
        Shape::Transactions => transactions::check(policy),
        Shape::Sequences => sequences::check(policy),
        Shape::Stream => stream::check(policy),
    }
}

/// A complaint about one key's value.
pub(super) fn value_error(key: &str, message: String, hint: Option<String>) -> PolicyError {
    PolicyError { problem: PolicyProblem::Value { message }, key: Some(key.to_owned()), span: None, hint }
}

fn fail(key: &str, message: impl Into<String>, hint: impl Into<String>) -> Result<(), PolicyError> {
    Err(value_error(key, message.into(), Some(hint.into())))
}

fn version(policy: &Policy) -> Result<(), PolicyError> {
    match policy.version {
        1 => Ok(()),
        other => fail("version", format!("version {other} is not known"), "this program reads version = 1"),
    }
}

fn data(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    separator("data.separator", data.separator())?;
    if !data.header() && data.names.is_empty() && !data.is_basket() {
        let hint = "add  names = [\"age\", …]  in the order of the columns";
        return fail("data.header", "without a header the columns need names", hint);
    }
    if let Some(decimal) = data.decimal.as_deref().filter(|decimal| ![",", "."].contains(decimal)) {
        let message = format!("{decimal:?} does not stand before the fraction of a number");
        return fail("data.decimal", message, "use \",\" for 1,5; a point is usual and needs no key");
    }
    if data.table.is_some() && data.query.is_some() {
        return fail("data.query", "`table` and `query` are two answers to one question", "keep one of them");
    }
    Ok(())
}

fn separator(key: &str, separator: &str) -> Result<(), PolicyError> {
    let mut characters = separator.chars();
    let one = characters.next().is_some_and(|c| c.is_ascii() && !matches!(c, '"' | '\n' | '\r'));
    if !one || !characters.all(|c| c == ' ') {
        let message = format!("the separator {separator:?} is not one character");
        return fail(key, message, "use one of \",\" \";\" \"|\" \"\\t\"; blanks may follow it");
    }
    Ok(())
}

fn k(policy: &Policy) -> Result<(), PolicyError> {
    match policy.privacy.k {
        // A stream may promise l values instead of a crowd; its own check asks for one of them.
        None if policy.data.shape == Shape::Stream => Ok(()),
        None => fail("privacy", "the policy makes no promise", "add  [privacy]  k = 10"),
        Some(k) if k < 2 => {
            let message = format!("k = {k} hides nobody: a crowd has at least 2 members");
            fail("privacy.k", message, "5 to 20 is usual; 2 is the least")
        }
        Some(_) => Ok(()),
    }
}

fn algorithm(policy: &Policy) -> Result<(), PolicyError> {
    let name = policy.algorithm_name();
    if name.shape() != policy.data.shape {
        let (name, shape) = (name.name(), policy.data.shape.name());
        let message = format!("`{name}` does not work on data of shape `{shape}`");
        let (data, names): (&str, Vec<&str>) = match policy.data.shape {
            Shape::Table => ("tables", TableAlgorithmName::names().collect()),
            Shape::Transactions => ("transactions", TransactionsAlgorithmName::names().collect()),
            Shape::Sequences => ("sequences", SequencesAlgorithmName::names().collect()),
            Shape::Stream => ("streams", StreamAlgorithmName::names().collect()),
        };
        return fail("algorithm.name", message, format!("for {data} there are {}", names.join(", ")));
    }
    if let Some(limit) = policy.algorithm.max_suppressed {
        share("algorithm.max-suppressed", limit)?;
    }
    share("utility.max-suppressed", policy.utility.max_suppressed())
}

fn share(key: &str, share: f64) -> Result<(), PolicyError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    fail(key, format!("{share} is not a share between 0 and 1"), "0.01 is one in a hundred")
}
