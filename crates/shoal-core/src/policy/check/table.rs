use super::{fail, refuse};
use crate::policy::{Policy, PolicyError, Shape};
use crate::{DateFormat, Kind, Role};

/// What a policy for a table must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    let (data, privacy) = (&policy.data, &policy.privacy);
    refuse(
        Shape::Table,
        &[
            ("data.format", data.format.is_some()),
            ("data.id", data.id.is_some()),
            ("data.item", data.item.is_some()),
            ("data.items", data.items.is_some()),
            ("data.item-separator", data.item_separator.is_some()),
            ("data.hierarchy", data.hierarchy.is_some()),
            ("privacy.m", privacy.m.is_some()),
            ("privacy.complete", privacy.complete),
            ("privacy.constraints", privacy.constraints.is_some()),
            ("privacy.share", privacy.share.is_some()),
            ("utility.constraints", policy.utility.constraints.is_some()),
            ("utility.weights", policy.utility.weights.is_some()),
        ],
    )?;
    columns(policy)?;
    not_yet(policy)
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

/// A promise that is not kept must never be passed over in silence.
fn not_yet(policy: &Policy) -> Result<(), PolicyError> {
    let privacy = &policy.privacy;
    let promises = [
        ("privacy.l-diversity", "l-diversity", privacy.l_diversity.is_some()),
        ("privacy.t-closeness", "t-closeness", privacy.t_closeness.is_some()),
        ("privacy.beta-likeness", "β-likeness", privacy.beta_likeness.is_some()),
    ];
    match promises.iter().find(|(_, _, asked)| *asked) {
        None => Ok(()),
        Some((key, name, _)) => {
            fail(key, cannot(name), "remove it, or wait for the version that verifies it")
        }
    }
}

fn cannot(promise: &str) -> String {
    format!("this version cannot keep or verify {promise}")
}
