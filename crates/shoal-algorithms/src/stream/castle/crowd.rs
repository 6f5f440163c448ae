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
    let mut rest: Vec<u32> = pool.iter().copied().filter(|slot| *slot != seed).collect();
    while crowd.persons.len() < needs.k || crowd.values.len() < needs.l {
        let mut nearest = None;
        let mut least = f64::INFINITY;
        // A tuple that would widen the box beyond the limit will do so ever after.
        rest.retain(|slot| {
            let Some(loss) = space.loss_within(region.view(), window.cells(*slot), limit) else {
                return false;
            };
            if loss < least && crowd.wants(needs, *slot, window) {
                (nearest, least) = (Some(*slot), loss);
            }
            true
        });
        let slot = nearest?;
        rest.retain(|other| *other != slot);
        crowd.add(slot, window);
        chosen.push(slot);
        if growing {
            space.include(&mut region, window.cells(slot));
        }
    }
    Some(chosen)
}
