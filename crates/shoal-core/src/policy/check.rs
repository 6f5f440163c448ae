//! What a policy must satisfy beyond having the right keys and types.

use super::{Policy, PolicyError, PolicyProblem};
use crate::{DateFormat, Kind, Role};

/// The first thing in the policy that makes no sense.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    version(policy)?;
    data(policy)?;
    columns(policy)?;
    privacy(policy)?;
    algorithm(policy)
}

/// A complaint about one key's value.
pub(super) fn value_error(key: &str, message: String, hint: Option<String>) -> PolicyError {
    PolicyError { problem: PolicyProblem::Value { message }, key: Some(key.to_owned()), span: None, hint }
}

fn fail(key: &str, message: String, hint: &str) -> Result<(), PolicyError> {
    Err(value_error(key, message, Some(hint.to_owned())))
}

fn version(policy: &Policy) -> Result<(), PolicyError> {
    match policy.version {
        1 => Ok(()),
        other => fail("version", format!("version {other} is not known"), "this program reads version = 1"),
    }
}

fn data(policy: &Policy) -> Result<(), PolicyError> {
    let data = &policy.data;
    if data.source.is_empty() {
        return fail("data.source", "the source is empty".to_owned(), "name a file, a glob, or `-`");
    }
    let mut characters = data.separator.chars();
    let one = characters.next().is_some_and(|c| c.is_ascii() && !matches!(c, '"' | '\n' | '\r'));
    if !one || !characters.all(|c| c == ' ') {
        let message = format!("the separator {:?} is not one character", data.separator);
        return fail("data.separator", message, "use one of \",\" \";\" \"|\" \"\\t\"; blanks may follow it");
    }
    if !data.header && data.names.is_empty() {
        let hint = "add  names = [\"age\", …]  in the order of the columns";
        return fail("data.header", "without a header the columns need names".to_owned(), hint);
    }
    Ok(())
}

fn columns(policy: &Policy) -> Result<(), PolicyError> {
    for (name, column) in &policy.columns {
        let key = |last: &str| format!("columns.{name}.{last}");
        if !(column.weight > 0.0 && column.weight.is_finite()) {
            let message = format!("the weight {} is not a positive number", column.weight);
            return fail(&key("weight"), message, "the usual weight is 1.0; an unimportant column is 0.1");
        }
        if let Some(format) = &column.format {
            if column.kind != Kind::Date {
                let message = format!("`format` is for dates, and `{name}` is {}", column.kind.name());
                return fail(&key("format"), message, "set kind = \"date\" or remove the format");
            }
            if let Err(e) = DateFormat::new(format) {
                return fail(&key("format"), e.to_string(), "for example \"%Y-%m-%d\" or \"%d.%m.%Y\"");
            }
        }
        if column.hierarchy.is_some() && column.role != Role::QuasiIdentifier {
            let message = format!("`{name}` has a hierarchy but is published as it is");
            let hint = "only a quasi-identifier is generalized; change the role or remove the hierarchy";
            return fail(&key("hierarchy"), message, hint);
        }
        if column.role == Role::PersonalK {
            return fail(&key("role"), not_yet("personal k"), "use one k for all: [privacy] k = …");
        }
    }
    if policy.columns_of(Role::QuasiIdentifier).is_empty() {
        let hint =
            "give role = \"quasi-identifier\" to what others may know about a person: age, sex, zip, …";
        return fail("columns", "no column is a quasi-identifier".to_owned(), hint);
    }
    Ok(())
}

fn privacy(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    // A promise that is not kept must never be passed over in silence.
    let hint = "remove it, or wait for the version that verifies it";
    if privacy.l_diversity.is_some() {
        return fail("privacy.l-diversity", not_yet("l-diversity"), hint);
    }
    if privacy.t_closeness.is_some() {
        return fail("privacy.t-closeness", not_yet("t-closeness"), hint);
    }
    if privacy.beta_likeness.is_some() {
        return fail("privacy.beta-likeness", not_yet("β-likeness"), hint);
    }
    match privacy.k {
        None => fail("privacy", "the policy makes no promise".to_owned(), "add  [privacy]  k = 10"),
        Some(k) if k < 2 => {
            let message = format!("k = {k} hides nobody: a crowd has at least 2 members");
            fail("privacy.k", message, "5 to 20 is usual; 2 is the least")
        }
        Some(_) => Ok(()),
    }
}

fn not_yet(promise: &str) -> String {
    format!("this version cannot keep or verify {promise}")
}

fn algorithm(policy: &Policy) -> Result<(), PolicyError> {
    let share = policy.algorithm.max_suppressed;
    if !(0.0..=1.0).contains(&share) {
        let message = format!("max-suppressed = {share} is not a share between 0 and 1");
        return fail("algorithm.max-suppressed", message, "0.01 lets one record in a hundred go");
    }
    Ok(())
}
