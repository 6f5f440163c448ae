//! Whoever is not in the file.

use shoal_core::policy::{MissingPolicy, Shape};
use shoal_core::{Policy, Role};

use super::Leak;
use super::transparency::looks_at_values;

/// Says that `count` of `all` records of the source, or people of sequences, are not in the file: that somebody is missing
/// reveals something about them, above all where it was decided by sensitive values.
pub(crate) fn left_out(policy: &Policy, count: usize, all: usize) -> Option<Leak> {
    let who = match policy.data.shape {
        Shape::Sequences => "people",
        Shape::Table | Shape::Transactions | Shape::Stream => "records",
    };
    let is_suppressed_sensitive = |name: &str| policy.columns[name].missing == MissingPolicy::Suppress;
    let text = if looks_at_values(policy) {
        format!(
            "{count} of {all} {who} are left out, and who is left out may depend on their sensitive values, since the promise speaks of \
             them: those who are not in the file have rare values more often than others. Whoever knows that somebody was in the \
             source and finds nothing that fits them learns that; keep secret who was in the source, or ask for less, so that fewer \
             are left out"
        )
    } else if policy.columns_of(Role::Sensitive).into_iter().any(is_suppressed_sensitive) {
        format!(
            "{count} of {all} {who} are left out, some perhaps because a sensitive value is missing: whoever knows that somebody was in \
             the source and finds nothing that fits them learns that they may have none"
        )
    } else {
        format!(
            "{count} of {all} {who} are left out because too few others are like them or a value is missing: whoever knows that \
             somebody was in the source and finds nothing that fits them knows that they are one of these"
        )
    };
    (count > 0).then(|| Leak::new("left-out", text).counted(count))
}
