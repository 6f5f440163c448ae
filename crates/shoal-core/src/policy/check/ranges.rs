use super::fail;
use crate::policy::{Policy, PolicyError, RangesPolicy};
use crate::range_ends;

/// What `ranges = "columns"` asks of the columns of a table, or of a table of events.
pub(super) fn ranges(policy: &Policy) -> Result<(), PolicyError> {
    if policy.output.ranges == RangesPolicy::Text {
        return Ok(());
    }
    let key = "output.ranges";
    if policy.range_columns().next().is_none() {
        let message = "no column is published as ranges";
        let hint = "it is about quasi-identifiers of kind integer, decimal or date that have no hierarchy; remove it, or give a \
                    column such a kind";
        return fail(key, message, hint);
    }
    for (name, _) in policy.range_columns() {
        // Also where the other column is not published: the verifier knows columns that must not be there by their names.
        if let Some(taken) = range_ends(name).iter().find(|end| policy.columns.contains_key(*end)) {
            let message =
                format!("`{name}` would be published as `{taken}`, and the data have such a column");
            return fail(key, message, format!("rename `{taken}` in the data, or set  ranges = \"text\""));
        }
    }
    Ok(())
}
