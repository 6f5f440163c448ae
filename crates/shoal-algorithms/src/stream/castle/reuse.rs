//! Published classes that may take further tuples: Ω in the paper.

use serde::{Deserialize, Serialize};

use super::region::{Region, RegionView, Regions};
use super::space::Space;

/// Boxes of classes that are out and good: whoever joins one joins its crowd. Bounded: the one not used for longest goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Reusable {
    regions: Regions,
    /// When each was used last.
    used: Vec<u64>,
    clock: u64,
    most: usize,
}

impl Reusable {
    pub(super) fn new(most: usize) -> Reusable {
        Reusable { most, ..Reusable::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn remember(&mut self, region: &Region) {
        if self.most == 0 {
            return;
        }
        let known = self.regions.iter().position(|other| other == region.view());
        if let Some(known) = known {
            self.reuse(known);
            return;
        }
        if self.regions.len() == self.most {
            let oldest = (0..self.used.len()).min_by_key(|at| self.used[*at]).unwrap_or_default();
            self.regions.swap_remove(oldest);
            self.used.swap_remove(oldest);
        }
        self.clock += 1;
        self.used.push(self.clock);
        self.regions.push(region.clone());
    }

    /// The classes that cover a tuple.
    pub(super) fn covering<'a>(
        &'a self,
        space: &'a Space,
        cells: &'a [f64],
    ) -> impl Iterator<Item = usize> + 'a {
        self.regions.iter().enumerate().filter(|(_, region)| space.covers(*region, cells)).map(|(at, _)| at)
    }

    /// The class that covers a tuple and loses least, with its loss.
    pub(super) fn cheapest(&self, space: &Space, cells: &[f64]) -> Option<(usize, f64)> {
        self.covering(space, cells)
            .map(|at| (at, space.loss(self.regions.get(at))))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The box of a class that is used again.
    pub(super) fn reuse(&mut self, at: usize) -> RegionView<'_> {
        self.clock += 1;
        self.used[at] = self.clock;
        self.regions.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::CastleColumn;
    use super::*;

    fn known(numbers: &[(f64, f64)], most: usize) -> (Space, Reusable) {
        let mut space = Space::new(&[CastleColumn::Number]).unwrap();
        let mut reusable = Reusable::new(most);
        for (lo, hi) in numbers {
            space.observe(&[*lo]);
            space.observe(&[*hi]);
            reusable.remember(&space.around([[*lo], [*hi]].iter().map(|cells| &cells[..])).unwrap());
        }
        (space, reusable)
    }

    #[test]
    fn the_cheapest_class_that_covers_is_found() {
        let (space, reusable) = known(&[(0.0, 10.0), (2.0, 6.0), (5.0, 7.0)], 9);
        assert_eq!(reusable.cheapest(&space, &[3.0]), Some((1, 0.4)));
        assert_eq!(reusable.cheapest(&space, &[6.0]), Some((2, 0.2)));
        assert_eq!(reusable.cheapest(&space, &[11.0]), None);
        assert_eq!(reusable.covering(&space, &[2.5]).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn the_one_not_used_for_longest_is_forgotten() {
        let (space, mut reusable) = known(&[(0.0, 1.0), (2.0, 3.0)], 2);
        reusable.reuse(0);
        reusable.remember(&space.point(&[9.0]));
        assert_eq!(reusable.len(), 2);
        assert!(reusable.cheapest(&space, &[0.5]).is_some());
        assert!(reusable.cheapest(&space, &[2.5]).is_none());
    }

    #[test]
    fn a_class_is_remembered_once() {
        let (_, reusable) = known(&[(0.0, 1.0), (2.0, 3.0), (0.0, 1.0)], 9);
        assert_eq!(reusable.len(), 2);
        assert_eq!(known(&[(0.0, 1.0)], 0).1.len(), 0);
    }
}
