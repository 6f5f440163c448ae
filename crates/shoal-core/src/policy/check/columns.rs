use super::fail;
use crate::policy::{Policy, PolicyError};
use crate::{DateFormat, Kind, Role};

/// What the columns of a table, or of a table of events, must satisfy.
pub(super) fn columns(policy: &Policy) -> Result<(), PolicyError> {
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
            return fail(&key("role"), cannot("personal k"), "use one k for all: [privacy] k = …");
        }
    }
    if policy.columns_of(Role::QuasiIdentifier).is_empty() {
        let hint =
            "give role = \"quasi-identifier\" to what others may know about a person: age, sex, zip, …";
        return fail("columns", "no column is a quasi-identifier", hint);
    }
    Ok(())
}

/// What is said of a promise that has no verifier yet.
pub(super) fn cannot(promise: &str) -> String {
    format!("this version cannot keep or verify {promise}")
}
