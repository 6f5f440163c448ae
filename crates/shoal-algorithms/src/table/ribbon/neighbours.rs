//! Cuts many covers into groups of near ones.

use rayon::prelude::*;
use shoal_core::mix;

use super::dice::Dice;
use super::space::Space;

/// Groups above this are cut in parallel.
const PARALLEL: usize = 4096;

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
        let at = self.cut(items, &mut Dice::new(seed, items.len() as u64));
        let (low, high) = items.split_at_mut(at);
        if !(self.may)(low) || !(self.may)(high) {
            return vec![items.len()];
        }
        let (left, right) = (mix(seed ^ 1), mix(seed ^ 2));
        let (mut sizes, more) = if low.len() + high.len() > PARALLEL {
            rayon::join(|| self.group(low, left), || self.group(high, right))
        } else {
            (self.group(low, left), self.group(high, right))
        };
        sizes.extend(more);
        sizes
    }

    /// Sorts by one column, chosen at random by what it costs to leave it together, and cuts near the middle,
    /// between different values where that can be.
    fn cut(&self, items: &mut [u32], dice: &mut Dice) -> usize {
        let column = self.column(items, dice);
        let mut placed: Vec<(u32, u32)> = items
            .par_iter()
            .with_min_len(PARALLEL)
            .map(|&i| (self.space.place(column, (self.cover)(i)), i))
            .collect();
        if placed.len() > PARALLEL {
            placed.par_sort_unstable();
        } else {
            placed.sort_unstable();
        }
        items.iter_mut().zip(&placed).for_each(|(item, placed)| *item = placed.1);
        let (n, middle) = (items.len(), items.len() / 2);
        let differ = |at: &usize| placed[at - 1].0 != placed[*at].0;
        let near = (0..middle * 3 / 4).flat_map(|off| [middle - off, middle + off]);
        near.filter(|&at| at > 0 && at < n).find(differ).unwrap_or(middle)
    }

    fn column(&self, items: &[u32], dice: &mut Dice) -> usize {
        let mut all = (self.cover)(items[0]).to_vec();
        items.iter().for_each(|&i| self.space.join(&mut all, (self.cover)(i)));
        let costs: Vec<u32> = (0..self.space.dims()).map(|c| self.space.cost_in(c, &all)).collect();
        let total: u64 = costs.iter().map(|&c| u64::from(c)).sum();
        let mut roll = dice.below(total.max(1) as usize) as u64;
        for (column, &cost) in costs.iter().enumerate() {
            if roll < u64::from(cost) {
                return column;
            }
            roll -= u64::from(cost);
        }
        0
    }
}
