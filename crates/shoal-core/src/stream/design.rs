//! How the l values that hide a tuple's own are chosen: the *design*, which everybody may know. The kernel draws from
//! it with a secret key, the analyst inverts it, and an adversary who knows it all learns nothing beyond 1/l.

use thiserror::Error;

use crate::SplitMix64;

/// A way to choose l of the values such that one of them is the true one.
#[derive(Clone, Debug, PartialEq)]
pub enum SetDesign {
    /// Every set of l values that holds the true one is as likely as any other. The posterior is the prior
    /// within the set: 1/l only where all values are equally frequent.
    Uniform {
        /// How many values there are.
        values: usize,
        /// How many are shown.
        l: usize,
    },
    /// Sets are chosen such that the posterior is exactly 1/l for a given prior.
    Calibrated(Calibrated),
}

/// Systematic sampling with probability proportional to size: every value owns an arc of length l·count on a ring
/// of length l·total, a point is put into the true value's arc, and the set is what lies at that point and at every
/// further `total` around the ring.
///
/// Whatever the order of the arcs, the point is uniform on the ring when values follow the prior; so, given where it
/// lies modulo `total`, each of the l values there is the true one with probability 1/l. That holds for each order by
/// itself: the orders need not be secret, and a fixed number of them is as safe as a fresh one for every tuple. They
/// are drawn from a public seed, all of them where there are few, so that counts can be estimated by whoever has
/// the prior.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibrated {
    l: usize,
    counts: Vec<u64>,
    total: u64,
    rings: Vec<Ring>,
}

/// One order of the arcs, cut where the set changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// Where each value's arc starts.
    starts: Vec<u64>,
    /// The first residue of each piece, ascending; the first piece starts at 0.
    cuts: Vec<u64>,
    /// The sets of the pieces, l codes each, ascending.
    sets: Vec<u32>,
}

/// Why there is no such design.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DesignError {
    /// Too few values to hide among.
    #[error("{known} distinct sensitive values are known, and l = {l} are needed to hide one of them")]
    TooFewValues {
        /// How many are known.
        known: usize,
        /// How many are needed.
        l: usize,
    },
    /// A value is so frequent that guessing it beats 1/l.
    #[error("value {code} has a share of {share:.4}, above 1/l = {limit:.4}")]
    TooFrequent {
        /// The value.
        code: u32,
        /// Its share of all tuples.
        share: f64,
        /// The greatest share that can be hidden.
        limit: f64,
    },
    /// The counts are too large to be added up.
    #[error("the counts of the prior add up to more than can be represented")]
    TooLarge,
}

/// Orders in a calibrated design, where there are more than that.
const ORDERS: usize = 120;

impl SetDesign {
    /// All sets equally likely.
    pub fn uniform(values: usize, l: usize) -> Result<SetDesign, DesignError> {
        enough(values, l)?;
        Ok(SetDesign::Uniform { values, l })
    }

    /// The posterior is exactly 1/l when values come with these counts. A value whose count is 0 is never shown and
    /// cannot be hidden.
    pub fn calibrated(counts: &[u64], l: usize, seed: u64) -> Result<SetDesign, DesignError> {
        enough(counts.iter().filter(|count| **count > 0).count(), l)?;
        let total = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
        let total = total.filter(|t| t.checked_mul(l as u64).is_some()).ok_or(DesignError::TooLarge)?;
        if let Some(code) = counts.iter().position(|count| count.saturating_mul(l as u64) > total) {
            return Err(DesignError::TooFrequent {
                code: code as u32,
                share: counts[code] as f64 / total as f64,
                limit: 1.0 / l as f64,
            });
        }
        let present: Vec<u32> = (0..counts.len() as u32).filter(|v| counts[*v as usize] > 0).collect();
        let rings = orders(&present, seed).iter().map(|order| Ring::new(order, counts, l, total)).collect();
        Ok(SetDesign::Calibrated(Calibrated { l, counts: counts.to_vec(), total, rings }))
    }

    /// How many values are shown.
    pub fn l(&self) -> usize {
        match self {
            SetDesign::Uniform { l, .. } => *l,
            SetDesign::Calibrated(design) => design.l,
        }
    }

    /// How many values there are, those that are never shown included.
    pub fn values(&self) -> usize {
        match self {
            SetDesign::Uniform { values, .. } => *values,
            SetDesign::Calibrated(design) => design.counts.len(),
        }
    }

    /// Whether a tuple with this value can be hidden.
    pub fn holds(&self, value: u32) -> bool {
        match self {
            SetDesign::Uniform { values, .. } => (value as usize) < *values,
            SetDesign::Calibrated(design) => design.counts.get(value as usize).is_some_and(|c| *c > 0),
        }
    }
}

impl Calibrated {
    /// How many values are shown.
    pub fn l(&self) -> usize {
        self.l
    }

    /// How often each value occurs under the prior.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The sum of the counts: a ring is l times as long.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The orders; each is used equally often.
    pub fn rings(&self) -> &[Ring] {
        &self.rings
    }

    /// The set on a ring, for a point at `offset` in the arc of `value`; offsets run below `l · counts[value]`.
    pub fn set_at(&self, ring: usize, value: u32, offset: u64) -> &[u32] {
        let ring = &self.rings[ring];
        let residue = (ring.starts[value as usize] + offset) % self.total;
        let piece = ring.cuts.partition_point(|cut| *cut <= residue) - 1;
        &ring.sets[piece * self.l..][..self.l]
    }

    /// The pieces of a ring: their widths and sets. A value of the set has a share of `width / (l · count)` of its
    /// arc there.
    pub fn pieces(&self, ring: usize) -> impl Iterator<Item = (u64, &[u32])> {
        let ring = &self.rings[ring];
        let ends = ring.cuts.iter().skip(1).chain(std::iter::once(&self.total));
        let widths = ring.cuts.iter().zip(ends).map(|(start, end)| end - start);
        widths.zip(ring.sets.chunks_exact(self.l))
    }
}

impl Ring {
    fn new(order: &[u32], counts: &[u64], l: usize, total: u64) -> Ring {
        let mut starts = vec![0; counts.len()];
        let mut cuts = vec![0];
        let mut end = 0;
        for value in order {
            starts[*value as usize] = end;
            cuts.push(end % total);
            end += counts[*value as usize] * l as u64;
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut sets = Vec::with_capacity(cuts.len() * l);
        for cut in &cuts {
            let set = sets.len();
            sets.extend((0..l as u64).map(|turn| {
                let point = cut + turn * total;
                order[order.partition_point(|v| starts[*v as usize] <= point) - 1]
            }));
            sets[set..].sort_unstable();
        }
        Ring { starts, cuts, sets }
    }
}

fn enough(known: usize, l: usize) -> Result<(), DesignError> {
    if known < l { Err(DesignError::TooFewValues { known, l }) } else { Ok(()) }
}

/// All orders of the values where there are at most [`ORDERS`], otherwise that many random ones.
fn orders(values: &[u32], seed: u64) -> Vec<Vec<u32>> {
    if (1..=values.len())
        .try_fold(1, |product: usize, n| Some(product * n).filter(|p| *p <= ORDERS))
        .is_some()
    {
        let mut all = Vec::new();
        permute(&mut values.to_vec(), 0, &mut all);
        return all;
    }
    let mut numbers = SplitMix64(seed);
    let draws = (0..ORDERS).map(|_| {
        let mut order = values.to_vec();
        for last in (1..order.len()).rev() {
            // Modulo is not quite even, and need not be: every order is as safe as any other.
            order.swap(last, numbers.below(last as u64 + 1) as usize);
        }
        order
    });
    draws.collect()
}

fn permute(order: &mut Vec<u32>, fixed: usize, all: &mut Vec<Vec<u32>>) {
    if fixed == order.len() {
        all.push(order.clone());
    }
    for next in fixed..order.len() {
        order.swap(fixed, next);
        permute(order, fixed + 1, all);
        order.swap(fixed, next);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn calibrated(counts: &[u64], l: usize) -> Calibrated {
        match SetDesign::calibrated(counts, l, 7).unwrap() {
            SetDesign::Calibrated(design) => design,
            SetDesign::Uniform { .. } => unreachable!(),
        }
    }

    /// How often each set comes with each true value, over all orders, all tuples of the prior and all points.
    fn joint(design: &Calibrated) -> BTreeMap<Vec<u32>, BTreeMap<u32, u64>> {
        let mut joint: BTreeMap<Vec<u32>, BTreeMap<u32, u64>> = BTreeMap::new();
        for ring in 0..design.rings().len() {
            for (value, count) in design.counts().iter().enumerate() {
                for offset in 0..count * design.l() as u64 {
                    let set = design.set_at(ring, value as u32, offset).to_vec();
                    *joint.entry(set).or_default().entry(value as u32).or_default() += 1;
                }
            }
        }
        joint
    }

    #[test]
    fn the_posterior_is_one_in_l_in_every_one_of_the_six_sets() {
        let joint = joint(&calibrated(&[4, 3, 2, 1], 2));
        assert_eq!(joint.len(), 6);
        for (set, by_value) in &joint {
            assert_eq!(by_value.keys().copied().collect::<Vec<_>>(), *set);
            assert_eq!(by_value[&set[0]], by_value[&set[1]], "{set:?}");
        }
    }

    #[test]
    fn random_orders_keep_the_posterior_too() {
        for (set, by_value) in joint(&calibrated(&[5, 9, 1, 7, 3, 3, 8, 6], 3)) {
            assert_eq!(by_value.keys().copied().collect::<Vec<_>>(), set);
            let first = by_value[&set[0]];
            assert!(by_value.values().all(|n| *n == first), "{set:?}: {by_value:?}");
        }
    }

    #[test]
    fn pieces_tell_the_same_as_points() {
        let design = calibrated(&[5, 9, 1, 7, 3, 3, 8, 6], 3);
        let mut from_pieces: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        for ring in 0..design.rings().len() {
            let mut whole = 0;
            for (width, set) in design.pieces(ring) {
                whole += width;
                *from_pieces.entry(set.to_vec()).or_default() += width;
            }
            assert_eq!(whole, design.total());
        }
        let from_points: BTreeMap<Vec<u32>, u64> =
            joint(&design).into_iter().map(|(set, by_value)| (set.clone(), by_value[&set[0]])).collect();
        assert_eq!(from_pieces, from_points);
    }

    #[test]
    fn a_value_that_cannot_be_hidden_is_named() {
        assert_eq!(
            SetDesign::calibrated(&[1, 5, 2], 2, 0).unwrap_err(),
            DesignError::TooFrequent { code: 1, share: 0.625, limit: 0.5 }
        );
        assert_eq!(SetDesign::uniform(2, 3).unwrap_err(), DesignError::TooFewValues { known: 2, l: 3 });
        assert_eq!(
            SetDesign::calibrated(&[1, 0, 1], 3, 0).unwrap_err(),
            DesignError::TooFewValues { known: 2, l: 3 }
        );
        assert_eq!(SetDesign::calibrated(&[u64::MAX, 1], 2, 0).unwrap_err(), DesignError::TooLarge);
    }

    #[test]
    fn a_value_of_exactly_one_in_l_is_in_every_set_and_one_of_none_in_no_set() {
        let design = SetDesign::calibrated(&[4, 2, 0, 1, 1], 2, 0).unwrap();
        assert!(design.holds(0) && !design.holds(2) && !design.holds(9));
        let SetDesign::Calibrated(design) = design else { unreachable!() };
        for ring in 0..design.rings().len() {
            assert!(design.pieces(ring).all(|(_, set)| set.contains(&0) && !set.contains(&2)));
        }
    }
}
