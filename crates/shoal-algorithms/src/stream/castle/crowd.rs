//! Who is in a crowd, and how one gathers around a tuple.

use super::space::Space;
use super::window::Window;

/// What makes a crowd.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) k: usize,
    pub(super) l: usize,
}

impl Needs {
    /// Whether these tuples are of k people and have l sensitive values.
    pub(super) fn met_by(self, slots: impl Iterator<Item = u32>, window: &Window) -> bool {
        let mut crowd = Crowd::default();
        slots.for_each(|slot| crowd.add(slot, window));
        crowd.persons.len() >= self.k && crowd.values.len() >= self.l
    }
}

/// The people and the values of a crowd, ascending.
#[derive(Default)]
struct Crowd {
    persons: Vec<u64>,
    values: Vec<u32>,
}

impl Crowd {
    fn add(&mut self, slot: u32, window: &Window) {
        let tuple = window.tuple(slot);
        if let Err(place) = self.persons.binary_search(&tuple.person) {
            self.persons.insert(place, tuple.person);
        }
        if let Err(place) = self.values.binary_search(&tuple.value) {
            self.values.insert(place, tuple.value);
        }
    }

    /// Whether a tuple brings what is lacking most. Values are what lacks where every further member must bring one.
    fn wants(&self, needs: Needs, slot: u32, window: &Window) -> bool {
        let tuple = window.tuple(slot);
        let persons = needs.k.saturating_sub(self.persons.len());
        let values = needs.l.saturating_sub(self.values.len());
        if values > 0 && values >= persons {
            self.values.binary_search(&tuple.value).is_err()
        } else {
            self.persons.binary_search(&tuple.person).is_err()
        }
    }
}

/// How a crowd gathers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gathering {
    pub(super) needs: Needs,
    /// Near is what widens the box of the whole crowd least (ours); otherwise the box of the seed (the paper's distance).
    pub(super) growing: bool,
    /// The greatest loss of the crowd's box.
    pub(super) limit: f64,
}

/// The seed and the tuples of the pool that are nearest to it, until they are a crowd; `None` where there is no crowd
/// within the limit. Ties go to the first in the pool.
pub(super) fn gather(
    seed: u32,
    pool: &[u32],
    how: Gathering,
    space: &Space,
    window: &Window,
) -> Option<Vec<u32>> {
    let Gathering { needs, growing, limit } = how;
    let mut crowd = Crowd::default();
    crowd.add(seed, window);
    let mut region = space.point(window.cells(seed));
    let mut chosen = vec![seed];
    // Each with the loss that the box had with it when that was last computed. The box only grows, and with it every term of a
    // loss and every rounded sum of terms: so that is never more than the loss now, and whoever is behind the nearest with it need not be looked at.
    let mut rest: Vec<(u32, f64)> =
        pool.iter().filter(|slot| **slot != seed).map(|slot| (*slot, 0.0)).collect();
    while crowd.persons.len() < needs.k || crowd.values.len() < needs.l {
        let mut nearest = None;
        let mut least = f64::INFINITY;
        // Who was nearest but one in the last round is near in this one, too: what it loses now is a first limit for the others. It decides
        // nothing, since the nearest never has a bound above it.
        let likely = rest.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(slot, _)| *slot);
        let likely = likely.filter(|slot| crowd.wants(needs, *slot, window));
        let most = likely.map_or(limit, |slot| limit.min(space.loss_with(region.view(), window.cells(slot))));
        // A tuple that would widen the box beyond the limit will do so ever after.
        rest.retain_mut(|(slot, bound)| {
            if *bound >= least || *bound > most {
                return true;
            }
            let Some(loss) = space.loss_within(region.view(), window.cells(*slot), limit) else {
                return false;
            };
            *bound = loss;
            if loss < least && crowd.wants(needs, *slot, window) {
                (nearest, least) = (Some(*slot), loss);
            }
            true
        });
        let slot = nearest?;
        rest.retain(|(other, _)| *other != slot);
        crowd.add(slot, window);
        chosen.push(slot);
        if growing {
            space.include(&mut region, window.cells(slot));
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::Hierarchy;

    use super::super::CastleColumn;
    use super::super::window::Waiting;
    use super::*;

    /// The same by computing every loss in every round.
    fn gather_slowly(
        seed: u32,
        pool: &[u32],
        how: Gathering,
        space: &Space,
        window: &Window,
    ) -> Option<Vec<u32>> {
        let mut chosen = vec![seed];
        let mut region = space.point(window.cells(seed));
        while !how.needs.met_by(chosen.iter().copied(), window) {
            let mut crowd = Crowd::default();
            chosen.iter().for_each(|slot| crowd.add(*slot, window));
            let candidates =
                pool.iter().filter(|slot| !chosen.contains(slot) && crowd.wants(how.needs, **slot, window));
            let losses = candidates.map(|slot| (*slot, space.loss_with(region.view(), window.cells(*slot))));
            let (nearest, _) = losses
                .filter(|(_, loss)| *loss <= how.limit)
                // Of equal ones the first.
                .reduce(|best, other| if other.1 < best.1 { other } else { best })?;
            chosen.push(nearest);
            if how.growing {
                space.include(&mut region, window.cells(nearest));
            }
        }
        Some(chosen)
    }

    proptest! {
        #[test]
        fn bounds_do_not_change_who_is_in_a_crowd(
            tuples in proptest::collection::vec((0_u32..30, 0_u32..6, 0_u32..4, 0_u64..12, 0_u32..4), 1..40),
            k in 1_usize..8,
            l in 1_usize..4,
            growing in any::<bool>(),
            limit in prop_oneof![Just(f64::INFINITY), 0.0..1.0_f64],
        ) {
            let rows = ["a;A;*", "b;A;*", "c;C;*", "d;C;*"].map(|row| row.split(';').collect::<Vec<_>>());
            let tree = Hierarchy::from_rows(&rows).unwrap();
            let columns = [CastleColumn::Number, CastleColumn::Set, CastleColumn::Tree(&tree)];
            let mut space = Space::new(&columns).unwrap();
            let mut window = Window::new(space.width());
            let mut pool = Vec::new();
            for (position, &(number, name, leaf, person, value)) in (0..).zip(&tuples) {
                let cells = [f64::from(number), f64::from(name), f64::from(leaf)];
                space.observe(&cells);
                let tuple = Waiting { position, person, value, since: 0, cluster: 0, waits: true };
                pool.push(window.insert(tuple, &cells));
            }
            let how = Gathering { needs: Needs { k, l }, growing, limit };
            prop_assert_eq!(
                gather(pool[0], &pool, how, &space, &window),
                gather_slowly(pool[0], &pool, how, &space, &window)
            );
        }
    }
}
