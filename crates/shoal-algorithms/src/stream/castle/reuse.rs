//! Published classes that may take further tuples: Ω in the paper.

use serde::{Deserialize, Serialize};

use super::names::NameIndex;
use super::region::{Region, RegionView, Regions};
use super::space::Space;

/// Boxes of classes that are out and good: whoever joins one joins its crowd. Bounded: the one not used for longest goes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Reusable {
    regions: Regions,
    /// When each was used last.
    used: Vec<u64>,
    clock: u64,
    most: usize,
    /// Made from the boxes by [`Reusable::prepare`]; no part of a snapshot.
    #[serde(skip)]
    index: Option<NameIndex>,
    /// What each class loses; likewise.
    #[serde(skip)]
    losses: Option<Losses>,
}

/// The losses of classes, as long as no domain has grown.
#[derive(Clone, Debug)]
struct Losses {
    units: Vec<f64>,
    of: Vec<f64>,
}

impl PartialEq for Reusable {
    fn eq(&self, other: &Reusable) -> bool {
        let all = |of: &Reusable| (of.clock, of.most);
        all(self) == all(other) && self.used == other.used && self.regions == other.regions
    }
}

impl Reusable {
    pub(super) fn new(most: usize) -> Reusable {
        Reusable { most, ..Reusable::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    /// Makes the index where there is none, at the beginning and after a snapshot was read, and the losses also where a domain
    /// has grown.
    pub(super) fn prepare(&mut self, space: &Space) {
        if self.most == 0 {
            return;
        }
        if self.index.is_none() {
            self.index = NameIndex::of(space, self.regions.iter());
        }
        if !self.losses.as_ref().is_some_and(|losses| losses.units.iter().copied().eq(space.units())) {
            let of = self.regions.iter().map(|region| space.loss(region)).collect();
            self.losses = Some(Losses { units: space.units().collect(), of });
        }
    }

    pub(super) fn remember(&mut self, region: &Region, space: &Space) {
        if self.most == 0 {
            return;
        }
        let is_same = |at: &usize| self.regions.get(*at) == region.view();
        let known = match &self.index {
            Some(index) => index.holding(space.some_names(region.view())).into_iter().find(is_same),
            None => (0..self.regions.len()).find(is_same),
        };
        if let Some(known) = known {
            self.reuse(known);
            return;
        }
        if self.regions.len() == self.most {
            let oldest = (0..self.used.len()).min_by_key(|at| self.used[*at]).unwrap_or_default();
            self.forget(oldest, space);
        }
        self.clock += 1;
        self.used.push(self.clock);
        if let Some(index) = &mut self.index {
            index.insert(space, self.regions.len(), region.view());
        }
        if let Some(losses) = &mut self.losses {
            losses.of.push(space.loss(region.view()));
        }
        self.regions.push(region.clone());
    }

    /// The last class takes the number of one that is forgotten.
    fn forget(&mut self, at: usize, space: &Space) {
        let last = self.regions.len() - 1;
        if let Some(index) = &mut self.index {
            index.remove(space, at, self.regions.get(at));
            if at != last {
                index.remove(space, last, self.regions.get(last));
                index.insert(space, at, self.regions.get(last));
            }
        }
        if let Some(losses) = &mut self.losses {
            losses.of.swap_remove(at);
        }
        self.regions.swap_remove(at);
        self.used.swap_remove(at);
    }

    /// The classes that cover a tuple, ascending.
    pub(super) fn covering<'a>(
        &'a self,
        space: &'a Space,
        cells: &'a [f64],
    ) -> impl Iterator<Item = usize> + 'a {
        self.candidates(space, cells).filter(|at| self.covers(space, *at, cells))
    }

    /// The classes that may cover a tuple, ascending: those that hold all of its names.
    fn candidates(&self, space: &Space, cells: &[f64]) -> impl Iterator<Item = usize> + use<> {
        let held = self.index.as_ref().map(|index| index.holding(space.names(cells)));
        let all = 0..if held.is_none() { self.regions.len() } else { 0 };
        held.into_iter().flatten().chain(all)
    }

    /// Whether one of these covers the tuple.
    fn covers(&self, space: &Space, at: usize, cells: &[f64]) -> bool {
        match self.index {
            Some(_) => space.covers_numbers(self.regions.get(at), cells),
            None => space.covers(self.regions.get(at), cells),
        }
    }

    /// The class that covers a tuple and loses least, with its loss.
    pub(super) fn cheapest(&self, space: &Space, cells: &[f64]) -> Option<(usize, f64)> {
        let loss = |at: usize| match &self.losses {
            Some(losses) => losses.of[at],
            None => space.loss(self.regions.get(at)),
        };
        let mut best: Option<(usize, f64)> = None;
        for at in self.candidates(space, cells) {
            let loss = loss(at);
            // Of equal ones the first. Whether it covers is asked last, since it takes longest.
            let is_less = best.is_none_or(|(_, least)| loss.total_cmp(&least).is_lt());
            if is_less && self.covers(space, at, cells) {
                best = Some((at, loss));
            }
        }
        best
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
    use proptest::prelude::*;
    use shoal_core::Hierarchy;

    use super::super::CastleColumn;
    use super::*;

    proptest! {
        /// Against a look at every class: the same classes are found, remembered and forgotten, after a snapshot, too.
        #[test]
        fn the_index_agrees_with_looking_at_every_class(
            steps in proptest::collection::vec(
                (any::<bool>(), proptest::collection::vec((0_u32..4, 0_u32..4, 0_u32..4), 1..4)), 1..60,
            ),
            most in 1_usize..70,
            snapshot in 0_usize..60,
        ) {
            let rows = ["a;A;*", "b;A;*", "c;C;*", "d;C;*"].map(|row| row.split(';').collect::<Vec<_>>());
            let tree = Hierarchy::from_rows(&rows).unwrap();
            let columns = [CastleColumn::Set, CastleColumn::Number, CastleColumn::Tree(&tree)];
            let mut space = Space::new(&columns).unwrap();
            let (mut indexed, mut plain) = (Reusable::new(most), Reusable::new(most));
            for (step, (remembers, tuples)) in steps.iter().enumerate() {
                let cells: Vec<[f64; 3]> =
                    tuples.iter().map(|&(a, b, c)| [f64::from(a), f64::from(b), f64::from(c)]).collect();
                cells.iter().for_each(|cells| space.observe(cells));
                if step == snapshot {
                    indexed = serde_json::from_str(&serde_json::to_string(&indexed).unwrap()).unwrap();
                }
                indexed.prepare(&space);
                prop_assert!(indexed.index.is_some() && plain.index.is_none());
                if *remembers {
                    let region = space.around(cells.iter().map(|cells| &cells[..])).unwrap();
                    indexed.remember(&region, &space);
                    plain.remember(&region, &space);
                } else {
                    let covering = |of: &Reusable| of.covering(&space, &cells[0]).collect::<Vec<_>>();
                    prop_assert_eq!(covering(&indexed), covering(&plain));
                    prop_assert_eq!(indexed.cheapest(&space, &cells[0]), plain.cheapest(&space, &cells[0]));
                    if let Some((class, _)) = plain.cheapest(&space, &cells[0]) {
                        indexed.reuse(class);
                        plain.reuse(class);
                    }
                }
                prop_assert_eq!(&indexed, &plain);
            }
        }
    }

    fn known(numbers: &[(f64, f64)], most: usize) -> (Space, Reusable) {
        let mut space = Space::new(&[CastleColumn::Number]).unwrap();
        let mut reusable = Reusable::new(most);
        for (lo, hi) in numbers {
            space.observe(&[*lo]);
            space.observe(&[*hi]);
            reusable.remember(&space.around([[*lo], [*hi]].iter().map(|cells| &cells[..])).unwrap(), &space);
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
        reusable.remember(&space.point(&[9.0]), &space);
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
