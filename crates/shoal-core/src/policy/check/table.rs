use super::columns::{cannot, columns, no_highly_sensitive};
use super::{fail, refuse};
use crate::policy::{Policy, PolicyError, Shape};

/// What a policy for a table must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    let (data, privacy) = (&policy.data, &policy.privacy);
    refuse(
        Shape::Table,
        &[
            ("data.format", data.format.is_some()),
            ("data.id", data.id.is_some()),
            ("data.order", !data.order.is_empty()),
            ("data.item", data.item.is_some()),
            ("data.items", data.items.is_some()),
            ("data.item-separator", data.item_separator.is_some()),
            ("data.hierarchy", data.hierarchy.is_some()),
            ("privacy.m", privacy.m.is_some()),
            ("privacy.complete", privacy.complete),
            ("privacy.constraints", privacy.constraints.is_some()),
            ("privacy.share", privacy.share.is_some()),
            ("privacy.c", privacy.c.is_some()),
            ("privacy.sensitive-values", !privacy.sensitive_values.is_empty()),
            ("privacy.beta", privacy.beta.is_some()),
            ("privacy.length", privacy.length.is_some()),
            ("utility.constraints", policy.utility.constraints.is_some()),
            ("utility.weights", policy.utility.weights.is_some()),
        ],
    )?;
    no_highly_sensitive(policy)?;
    columns(policy)?;
    not_yet(policy)
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
