//! What a merge of two clusters costs, and what it costs for each transaction gained.

use std::cmp::Ordering;

use super::clusters::{Cluster, Figures};

/// What is kept small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The loss that a merge adds: the sum of occurrences × size over the clusters of more than one item.
    #[default]
    Ncp,
    /// The utility loss of the merged cluster, which is the paper's: (2^size − 1) × weight × support.
    Ul,
}

impl Objective {
    /// What it costs to merge two clusters of which one or the other is in `together` transactions.
    pub(super) fn cost(self, a: &Cluster, b: &Cluster, together: u32) -> Cost {
        match self {
            Objective::Ncp => Cost::plain(added_ncp(a.figures(), b.size(), b.occurrences)),
            Objective::Ul => {
                let size = a.size() + b.size();
                let weight = (a.weight + b.weight) / f64::from(size);
                Cost { bits: size, mass: weight * f64::from(together) }
            }
        }
    }

    /// What it costs at least to merge `a` with any cluster of this size and at least this support, where no
    /// item weighs less than `lightest`. It grows with the size and with the support.
    pub(super) fn at_least(self, a: &Cluster, size: u32, support: u32, lightest: f64) -> Cost {
        match self {
            Objective::Ncp => Cost::plain(added_ncp(a.figures(), size, lightest * f64::from(support))),
            Objective::Ul => {
                let together = support.max(a.support());
                Cost { bits: a.size() + size, mass: lightest * f64::from(together) }
            }
        }
    }
}

/// (occurrences × size) of both as one, less what each loses already. A single item loses nothing by itself,
/// so all its occurrences are new to the sum.
fn added_ncp(a: Figures, size: u32, occurrences: f64) -> f64 {
    let single = |size: u32| f64::from(u8::from(size == 1));
    a.occurrences * (f64::from(size) + single(a.size)) + occurrences * (f64::from(a.size) + single(size))
}

/// What [`Objective::Ncp`] falls by when an item with these occurrences leaves a cluster of two or more.
pub(super) fn saved_ncp(cluster: &Cluster, occurrences: f64) -> f64 {
    let size = f64::from(cluster.size());
    let rest = if cluster.size() > 2 { (cluster.occurrences - occurrences) * (size - 1.0) } else { 0.0 };
    cluster.occurrences * size - rest
}

/// (2^bits − 1) × mass, which no floating-point number holds where clusters have thousands of items. Costs are
/// compared without being computed: exactly where masses are whole numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    bits: u32,
    mass: f64,
}

impl Cost {
    fn plain(cost: f64) -> Cost {
        Cost { bits: 1, mass: cost }
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Cost) -> Ordering {
        if self.bits > other.bits {
            return other.cmp(self).reverse();
        }
        // A factor of 2^1000 decides already, and stays finite.
        let gap = (other.bits - self.bits).min(1000) as i32;
        if gap == 0 {
            return self.mass.total_cmp(&other.mass);
        }
        // (2^a − 1)·x against (2^b − 1)·y is x − y·2^(b−a) against (x − y)·2^−a.
        let leading = self.mass - other.mass * 2_f64.powi(gap);
        let trailing = (self.mass - other.mass) * 2_f64.powi(-(self.bits as i32));
        leading.total_cmp(&trailing)
    }
}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Cost) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cost {
    fn eq(&self, other: &Cost) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cost {}

/// What a merge adds to the loss of [`Objective::Ncp`], for each transaction that a set gains by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    cost: f64,
    gain: u32,
}

impl Rate {
    /// The rate of merging two clusters for a gain of one transaction or more.
    pub(super) fn new(a: Figures, b: Figures, gain: u32) -> Rate {
        Rate { cost: added_ncp(a, b.size, b.occurrences), gain }
    }

    /// Whether it is certainly the higher one. Much cheaper than to compare exactly, and nearly always enough.
    pub(super) fn is_clearly_above(&self, other: &Rate) -> bool {
        // The products are off by far less than this, so what is nearly equal is left to the exact comparison.
        const SLACK: f64 = 1.0 + 1e-9;
        self.cost * f64::from(other.gain) > other.cost * f64::from(self.gain) * SLACK
    }
}

impl Ord for Rate {
    /// Exact where costs are whole numbers, which they are unless weights are not.
    fn cmp(&self, other: &Rate) -> Ordering {
        if self.cost.fract() == 0.0 && other.cost.fract() == 0.0 {
            let times = |cost: f64, gain: u32| cost as u128 * u128::from(gain);
            return times(self.cost, other.gain).cmp(&times(other.cost, self.gain));
        }
        (self.cost * f64::from(other.gain)).total_cmp(&(other.cost * f64::from(self.gain)))
    }
}

impl PartialOrd for Rate {
    fn partial_cmp(&self, other: &Rate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rate {
    fn eq(&self, other: &Rate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rate {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn costs_compare_like_whole_numbers(a in 1_u32..60, b in 1_u32..60, x in 0_u32..5000, y in 0_u32..5000) {
            let exact = |bits: u32, mass: u32| ((1_u128 << bits) - 1) * u128::from(mass);
            let cost = |bits, mass| Cost { bits, mass: f64::from(mass) };
            prop_assert_eq!(cost(a, x).cmp(&cost(b, y)), exact(a, x).cmp(&exact(b, y)));
            // Twice the support is a little more than one item fewer: ties of the leading term.
            let (fewer, more) = (cost(a, 2 * x), cost(a + 1, x));
            prop_assert_eq!(fewer.cmp(&more), exact(a, 2 * x).cmp(&exact(a + 1, x)));
        }
    }

    #[test]
    fn rates_compare_like_fractions() {
        let rate = |cost, gain| Rate { cost, gain };
        assert!(rate(10.0, 2) == rate(5.0, 1));
        assert!(rate(10.0, 3) < rate(7.0, 2));
        assert!(rate(0.5, 3) < rate(0.25, 1));
        // No floating-point number tells these products apart.
        let large = 9_007_199_254_740_991.0;
        assert!(rate(large - 1.0, 1_000_000) < rate(large, 1_000_000));
        assert!(rate(large, 3_000_001) < rate(large, 3_000_000));
        assert!(rate(large - 1.0, 3) < rate(large, 3));
    }

    #[test]
    fn thousands_of_items_do_not_overflow() {
        let cost = |bits, mass| Cost { bits, mass };
        assert!(cost(3000, 1.0) < cost(3001, 1.0));
        assert!(cost(10, 5e4) < cost(3000, 1.0));
        assert!(cost(3000, 0.0) < cost(1, 1.0));
        assert!(cost(3000, 2.0) < cost(3000, 3.0));
    }
}
