//! Records of the source that are not in the file.

use shoal_core::policy::{MissingPolicy, Shape};
use shoal_core::{Policy, Role};

use super::transparency::looks_at_values;
use super::{Leak, LeakKind, LeftOut, Unit};

/// Says that `count` of `all` records of the source, or people of sequences, are not in the file: that somebody is missing
/// reveals something about them, above all where it was decided by sensitive values.
pub(crate) fn left_out(policy: &Policy, count: usize, all: usize) -> Option<Leak> {
    let unit = match policy.data.shape {
        Shape::Sequences => Unit::People,
        Shape::Table | Shape::Transactions | Shape::Stream => Unit::Records,
    };
    let is_suppressed_sensitive = |name: &str| policy.columns[name].missing == MissingPolicy::Suppress;
    let reason = match () {
        () if looks_at_values(policy) => LeftOut::SensitiveValues,
        () if policy.columns_of(Role::Sensitive).into_iter().any(is_suppressed_sensitive) => {
            LeftOut::MissingSensitiveValue
        }
        () => LeftOut::FewAlike,
    };
    (count > 0).then(|| LeakKind::LeftOut { count, of: all, unit, reason }.into())
}
