//! Whoever knows the algorithm.

use shoal_core::Policy;
use shoal_core::policy::Shape;

use super::{LeakKind, Remedy};

/// Reports that crowds were made by looking at sensitive values, where they were: whoever knows the algorithm can conclude
/// something about the values of a crowd from the fact that the algorithm made this crowd and not another.
pub(crate) fn not_transparent(policy: &Policy) -> Option<LeakKind> {
    let remedy = match policy.data.shape {
        Shape::Table if policy.privacy.transparent || policy.table_promise().conditions.is_empty() => {
            return None;
        }
        Shape::Table => Remedy::Transparent,
        Shape::Sequences if !limits_sensitive_values(policy) => return None,
        Shape::Sequences => Remedy::Nothing,
        // k^m and constraints are about items alone; streams are judged line by line.
        Shape::Transactions | Shape::Stream => return None,
    };
    Some(LeakKind::NotTransparent { remedy })
}

/// Whether a policy asks for something about the sensitive values of a crowd, so that whoever has a value
/// that nobody near them has may be left out.
pub(super) fn looks_at_values(policy: &Policy) -> bool {
    match policy.data.shape {
        Shape::Table => !policy.table_promise().conditions.is_empty(),
        Shape::Sequences => limits_sensitive_values(policy),
        Shape::Transactions | Shape::Stream => false,
    }
}

/// Whether a policy for sequences bounds how frequent a sensitive value is in a crowd.
fn limits_sensitive_values(policy: &Policy) -> bool {
    let privacy = &policy.privacy;
    privacy.c.is_some() || privacy.beta.is_some() || policy.columns.values().any(|column| column.c.is_some())
}
