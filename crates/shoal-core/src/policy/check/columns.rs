use super::fail;
use crate::policy::{ColumnPolicy, Policy, PolicyError, Shape};
use crate::{DateFormat, Distance, Kind, Role};

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
        if column.hierarchy.is_some()
            && column.role != Role::QuasiIdentifier
            && !is_a_distance(policy, column)
        {
            let fate = match column.role {
                Role::Identifier => "not published",
                Role::PersonalK => "the size of a crowd and not published",
                _ => "published as it is",
            };
            let message = format!("`{name}` has a hierarchy but is {fate}");
            let hint = "only a quasi-identifier is generalized; change the role or remove the hierarchy";
            return fail(&key("hierarchy"), message, hint);
        }
        if column.role == Role::PersonalK {
            personal_k(policy, column, &key("role"), &key("kind"))?;
        }
    }
    // Losses are divided by it.
    if !policy.columns.values().map(|column| column.weight).sum::<f64>().is_finite() {
        let hint = "the usual weight is 1.0; only ratios matter";
        return fail("columns", "the weights of all columns together are too large a number", hint);
    }
    if policy.columns_of(Role::QuasiIdentifier).is_empty() {
        let hint =
            "give role = \"quasi-identifier\" to what others may know about a person: age, sex, zip, …";
        return fail("columns", "no column is a quasi-identifier", hint);
    }
    Ok(())
}

/// Whether the hierarchy of a sensitive column says how far its values are apart.
fn is_a_distance(policy: &Policy, column: &ColumnPolicy) -> bool {
    let closeness = column.t_closeness.or(policy.privacy.t_closeness);
    column.role == Role::Sensitive
        && policy.data.shape == Shape::Table
        && closeness.is_some_and(|closeness| closeness.distance(column) == Distance::Hierarchical)
}

fn personal_k(policy: &Policy, column: &ColumnPolicy, role: &str, kind: &str) -> Result<(), PolicyError> {
    if policy.data.shape != Shape::Table {
        let message = format!("personal k means nothing for data of shape `{}`", policy.data.shape.name());
        return fail(role, message, "use one k for all: [privacy] k = …");
    }
    if column.kind != Kind::Integer {
        let message = format!("a personal k is a whole number, and the kind is {}", column.kind.name());
        return fail(kind, message, "set kind = \"integer\"");
    }
    Ok(())
}
