use super::columns::{cannot, columns};
use super::fail;
use crate::policy::{Policy, PolicyError};

/// What a policy for a table must satisfy.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
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
