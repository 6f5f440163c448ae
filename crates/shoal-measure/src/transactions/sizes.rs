//! How large the generalized items are.

use std::collections::BTreeMap;

use super::PublishedItems;

/// For each size the number of published items that stand for this number of original ones; size 1 are items that
/// are published as they were.
pub fn of(items: &PublishedItems<'_>) -> BTreeMap<usize, u64> {
    let mut sizes = BTreeMap::new();
    for members in items.members() {
        *sizes.entry(members.len()).or_default() += 1;
    }
    sizes
}
