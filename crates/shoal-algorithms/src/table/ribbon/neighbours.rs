//! Cuts many covers into groups of near ones.

use rayon::prelude::*;
use shoal_core::mix;

use super::rng::Rng;
use super::space::Space;
use super::tuning::Tuning;

/// Points or classes that are to be grouped with near ones.
pub(in crate::table) struct Neighbours<'a, C, M> {
    pub(in crate::table) space: &'a Space,
    /// The cover of an item.
    pub(in crate::table) cover: C,
    /// Whether some items may be a group of their own.
    pub(in crate::table) may: M,
    /// Groups are cut while they have more items than this.
    pub(in crate::table) most: usize,
}

impl<'a, C, M> Neighbours<'a, C, M>
where
    C: Fn(u32) -> &'a [u64] + Sync,
    M: Fn(&[u32]) -> bool + Sync,
{
    /// Moves the items so that each group is one piece, and returns the size of each, from front to back.
    pub(in crate::table) fn group(&self, items: &mut [u32], seed: u64) -> Vec<usize> {
        if items.len() <= self.most.max(3) {
            return vec![items.len()];
        }
        let at = self.cut(items, &mut Rng::new(seed, items.len() as u64));
        let (low, high) = items.split_at_mut(at);
        // One cut that is not allowed ends the cutting here, although another column might allow one.
        if !(self.may)(low) || !(self.may)(high) {
            return vec![items.len()];
        }
        // Seeds by the place in the tree of cuts, so that threads cannot change them.
        let (left, right) = (mix(seed ^ 1), mix(seed ^ 2));
        let (mut sizes, more) = if low.len() + high.len() > Tuning::PARALLEL_ITEMS {
            rayon::join(|| self.group(low, left), || self.group(high, right))
        } else {
            (self.group(low, left), self.group(high, right))
        };
        sizes.extend(more);
        sizes
    }

    /// Sorts by one column, chosen at random by what it costs to leave it together, and cuts near the middle,
    /// between different values where that can be.
    fn cut(&self, items: &mut [u32], rng: &mut Rng) -> usize {
        let column = self.column(items, rng);
        let mut placed: Vec<(u32, u32)> = items
            .par_iter()
            .with_min_len(Tuning::PARALLEL_ITEMS)
            .map(|&i| (self.space.place(column, (self.cover)(i)), i))
            .collect();
        if placed.len() > Tuning::PARALLEL_ITEMS {
            placed.par_sort_unstable();
        } else {
            placed.sort_unstable();
        }
        items.iter_mut().zip(&placed).for_each(|(item, placed)| *item = placed.1);
        let (n, middle) = (items.len(), items.len() / 2);
        let differ = |at: &usize| placed[at - 1].0 != placed[*at].0;
        // Not nearer to an end than an eighth of the items, or the depth of the cuts could grow with their number.
        let near = (0..middle * 3 / 4).flat_map(|off| [middle - off, middle + off]);
        near.filter(|&at| at > 0 && at < n).find(differ).unwrap_or(middle)
    }

    fn column(&self, items: &[u32], rng: &mut Rng) -> usize {
        let mut all = (self.cover)(items[0]).to_vec();
        items.iter().for_each(|&i| self.space.join(&mut all, (self.cover)(i)));
        let costs: Vec<u32> = (0..self.space.dims()).map(|c| self.space.cost_in(c, &all)).collect();
        let total: u64 = costs.iter().map(|&c| u64::from(c)).sum();
        let mut drawn = rng.below(total.max(1) as usize) as u64;
        for (column, &cost) in costs.iter().enumerate() {
            if drawn < u64::from(cost) {
                return column;
            }
            drawn -= u64::from(cost);
        }
        0
    }
}
