/// Sensitive attribute uncertainty (equation 8): the share of the published values that nobody has, (slots − tuples) /
/// slots, where slots is the sum of all counts. 0 before anything is published.
pub fn sau(slots: u64, tuples: u64) -> f64 {
    if slots == 0 { 0.0 } else { slots.saturating_sub(tuples) as f64 / slots as f64 }
}

/// What no method can go below: 1 − 1/(l · p), where p is the share of the commonest value.
///
/// Of n tuples n·p have it, and no group may have more than 1/l of its counts for it, so that there are at least
/// l·n·p slots for n tuples. 0 where that is less than n.
pub fn sau_bound(l: usize, commonest: f64) -> f64 {
    let slots = l as f64 * commonest;
    if slots <= 1.0 { 0.0 } else { 1.0 - 1.0 / slots }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_adult() {
        // So many people have the commonest pair of salary and occupation.
        let commonest = 3_263.0 / 32_561.0;
        let bounds = [5, 10, 15, 20, 25].map(|l| (sau_bound(l, commonest) * 1000.0).round() / 1000.0);
        assert_eq!(bounds, [0.0, 0.002, 0.335, 0.501, 0.601]);
    }

    #[test]
    fn uncertainty_is_the_share_of_counterfeits() {
        // Example 1: one tuple, two values.
        assert_eq!(sau(2, 1), 0.5);
        assert_eq!(sau(8, 8), 0.0);
        assert_eq!(sau(0, 0), 0.0);
    }
}
