//! Suppression: the items that are no longer in the file at all.

use super::PublishedItems;

/// How many items of the original no published text stands for.
pub fn items(items: &PublishedItems<'_>) -> u64 {
    items.suppressed().count() as u64
}

/// How often they occurred: Σ C_p over the suppressed items p.
pub fn occurrences(items: &PublishedItems<'_>) -> u64 {
    let supports = items.original().supports();
    items.suppressed().map(|item| u64::from(supports[item as usize])).sum()
}
