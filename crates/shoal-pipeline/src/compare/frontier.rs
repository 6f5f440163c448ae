//! Which cells are not beaten: no other one has at most the same risk and at most the same loss, and less of one of them.

/// For each pair of two figures that should be small, whether no other pair is at least as good in both and better in one.
/// Equal pairs do not beat each other.
///
/// ```
/// use shoal_pipeline::compare::frontier;
///
/// assert_eq!(frontier(&[(0.1, 0.5), (0.2, 0.3), (0.2, 0.4)]), [true, true, false]);
/// ```
pub fn frontier(points: &[(f64, f64)]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        let ((risk, loss), (other_risk, other_loss)) = (points[a], points[b]);
        risk.total_cmp(&other_risk).then(loss.total_cmp(&other_loss))
    });
    let mut unbeaten = vec![false; points.len()];
    let mut best: Option<(f64, f64)> = None;
    // By rising risk: whoever comes later must lose less than all before, or be equal to the one that loses least.
    for at in order {
        let point = points[at];
        if best.is_none_or(|best| point.1 < best.1 || point == best) {
            unbeaten[at] = true;
            best = Some(point);
        }
    }
    unbeaten
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By the definition, pair by pair.
    fn by_definition(points: &[(f64, f64)]) -> Vec<bool> {
        let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 <= b.1 && (a.0 < b.0 || a.1 < b.1);
        points.iter().map(|point| !points.iter().any(|other| beats(*other, *point))).collect()
    }

    proptest! {
        /// Few different figures, so that ties are frequent.
        #[test]
        fn the_frontier_is_what_the_definition_says(points in prop::collection::vec((0_u8..6, 0_u8..6), 0..30)) {
            let points: Vec<(f64, f64)> = points.iter().map(|(x, y)| (f64::from(*x) / 5.0, f64::from(*y))).collect();
            prop_assert_eq!(frontier(&points), by_definition(&points));
        }
    }
}
