//! Normalized certainty penalty of transactions: how far an occurrence of an item is from being published exactly.

use super::PublishedItems;

/// NCP = Σ_p C_p · ncp(p) / Σ_p C_p over the items p of the original, where C_p is the number of transactions
/// that held p, and ncp(p) is 0 where p is published alone, |c| / |I| where it is published in a cluster c of
/// several items, and 1 where it is suppressed. |I| is the number of items of the original. In [0, 1]; 0
/// where there is no item.
pub fn of(items: &PublishedItems<'_>) -> f64 {
    let all = items.image().len() as f64;
    let (mut lost, mut held) = (0.0, 0.0);
    for (item, support) in (0..).zip(items.original().supports()) {
        let penalty = match items.size_of_image(item) {
            None => 1.0,
            Some(1) => 0.0,
            Some(size) => size as f64 / all,
        };
        lost += f64::from(support) * penalty;
        held += f64::from(support);
    }
    if held == 0.0 { 0.0 } else { lost / held }
}
