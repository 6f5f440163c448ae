//! All ways in which the values of some classes can be those of the people who are in them, each person having one value.

use std::collections::{BTreeMap, HashMap};

/// People who are in the same classes.
#[derive(Debug)]
pub(super) struct Cell {
    /// The classes that they may be in, for each of their rows in each release.
    pub places: Vec<Vec<u32>>,
    /// One of their records.
    pub record: u32,
    /// What they have, and how many of them.
    pub own: BTreeMap<u32, u64>,
}

impl Cell {
    pub(super) fn people(&self) -> u64 {
        self.own.values().sum()
    }

    /// Whether it is known which classes they are in.
    pub(super) fn is_known(&self) -> bool {
        self.places.iter().all(|classes| classes.len() == 1)
    }
}

/// How often each value is in each class.
pub(super) type Counts = HashMap<u32, BTreeMap<u32, u64>>;

/// Of each cell how sure an attacker is of each value.
pub(super) type Beliefs = Vec<BTreeMap<u32, f64>>;

/// What is believed in the end: over the worlds that pass, if the real one does, and over all.
pub(super) struct Believed {
    pub judged: Beliefs,
    pub all: Beliefs,
}

/// Hands out the values of classes to cells, in all ways. None where there are more than `steps` allow, or no way at all.
pub(super) fn enumerate(
    cells: &[&Cell],
    left: Counts,
    passes: &dyn Fn(&BTreeMap<u32, u64>) -> bool,
    steps: &mut u64,
) -> Option<Believed> {
    let given = vec![BTreeMap::new(); cells.len()];
    let mut search = Search {
        cells,
        left,
        given,
        passes,
        steps,
        first: None,
        all: Sum::of(cells),
        judged: Sum::of(cells),
    };
    search.cell(0)?;
    let real = cells.iter().all(|cell| passes(&cell.own));
    let all = search.all.beliefs(cells)?;
    // Files that were published without a judge show all worlds.
    let judged = if real { search.judged.beliefs(cells)? } else { all.clone() };
    Some(Believed { judged, all })
}

struct Search<'a> {
    cells: &'a [&'a Cell],
    left: Counts,
    given: Vec<BTreeMap<u32, u64>>,
    passes: &'a dyn Fn(&BTreeMap<u32, u64>) -> bool,
    steps: &'a mut u64,
    /// The logarithm of the weight of the first world, against which others are weighed.
    first: Option<f64>,
    all: Sum,
    judged: Sum,
}

impl Search<'_> {
    /// Values for a cell and all after it. None where it takes too long.
    fn cell(&mut self, at: usize) -> Option<()> {
        let Some(cell) = self.cells.get(at) else {
            self.count();
            return Some(());
        };
        let values: Vec<u32> = self.left[&cell.places[0][0]].keys().copied().collect();
        self.value(at, &values, cell.people())
    }

    /// How many people of a cell have the first of these values, in all ways; so many people have none yet.
    fn value(&mut self, at: usize, values: &[u32], people: u64) -> Option<()> {
        *self.steps = self.steps.checked_sub(1)?;
        if people == 0 {
            return self.cell(at + 1);
        }
        let Some((&value, rest)) = values.split_first() else { return Some(()) };
        let places: Vec<u32> = self.cells[at].places.iter().map(|classes| classes[0]).collect();
        let mut taken = 0;
        loop {
            if taken > 0 {
                self.given[at].insert(value, taken);
            }
            self.value(at, rest, people - taken)?;
            if taken == people || !self.take(&places, value) {
                break;
            }
            taken += 1;
        }
        for place in places {
            *self.left.get_mut(&place)?.entry(value).or_default() += taken;
        }
        self.given[at].remove(&value);
        Some(())
    }

    /// Takes a value out of all these classes, some of which may be the same.
    fn take(&mut self, places: &[u32], value: u32) -> bool {
        for (at, place) in places.iter().enumerate() {
            let count = self.left.get_mut(place).and_then(|counts| counts.get_mut(&value));
            match count.filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => {
                    for place in &places[..at] {
                        *self
                            .left
                            .get_mut(place)
                            .and_then(|counts| counts.get_mut(&value))
                            .expect("taken") += 1;
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Weighs a world by in how many ways people can have these values.
    fn count(&mut self) {
        let ways: f64 = self.given.iter().chain(self.left.values()).map(ln_ways).sum();
        let weight = (ways - *self.first.get_or_insert(ways)).exp();
        self.all.add(weight, &self.given);
        if self.given.iter().all(|given| (self.passes)(given)) {
            self.judged.add(weight, &self.given);
        }
    }
}

/// The logarithm of the number of ways to hand out values to as many people.
fn ln_ways(counts: &BTreeMap<u32, u64>) -> f64 {
    let ln_factorial = |number: u64| (1..=number).map(|factor| (factor as f64).ln()).sum::<f64>();
    ln_factorial(counts.values().sum()) - counts.values().map(|&count| ln_factorial(count)).sum::<f64>()
}

/// What worlds say together.
struct Sum {
    weight: f64,
    people: Beliefs,
}

impl Sum {
    fn of(cells: &[&Cell]) -> Sum {
        Sum { weight: 0.0, people: vec![BTreeMap::new(); cells.len()] }
    }

    fn add(&mut self, weight: f64, given: &[BTreeMap<u32, u64>]) {
        self.weight += weight;
        for (sum, given) in self.people.iter_mut().zip(given) {
            given.iter().for_each(|(&value, &count)| *sum.entry(value).or_default() += weight * count as f64);
        }
    }

    /// None where there is no world.
    fn beliefs(self, cells: &[&Cell]) -> Option<Beliefs> {
        let share = |(sums, cell): (BTreeMap<u32, f64>, &&Cell)| {
            let all = self.weight * cell.people() as f64;
            sums.into_iter().map(|(value, sum)| (value, sum / all)).collect()
        };
        (self.weight > 0.0).then(|| self.people.into_iter().zip(cells).map(share).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(places: &[u32], own: &[(u32, u64)]) -> Cell {
        let places = places.iter().map(|&place| vec![place]).collect();
        Cell { places, record: 0, own: own.iter().copied().collect() }
    }

    fn counts(cells: &[Cell]) -> Counts {
        let mut counts = Counts::new();
        for cell in cells {
            for place in &cell.places {
                let class = counts.entry(place[0]).or_default();
                cell.own.iter().for_each(|(&value, &count)| *class.entry(value).or_default() += count);
            }
        }
        counts
    }

    fn believed(cells: &[Cell], most: f64) -> Believed {
        let passes = move |own: &BTreeMap<u32, u64>| {
            let all: u64 = own.values().sum();
            own.values().all(|&count| count as f64 <= most * all as f64)
        };
        let refs: Vec<&Cell> = cells.iter().collect();
        enumerate(&refs, counts(cells), &passes, &mut 100_000).unwrap()
    }

    #[test]
    fn a_grid_of_different_values_tells_everybody_apart() {
        let people: Vec<Cell> = (0..9).map(|at| cell(&[at / 3, 3 + at % 3], &[(at, 1)])).collect();
        let believed = believed(&people, 0.5);
        assert!(
            believed
                .all
                .iter()
                .zip(&people)
                .all(|(belief, own)| belief[own.own.keys().next().unwrap()] == 1.0)
        );
    }

    #[test]
    fn two_crossing_releases_are_kept_by_the_worlds_that_pass() {
        // Two by two cells of two people each, and half of all have the first value.
        let people = [
            cell(&[0, 2], &[(0, 1), (1, 1)]),
            cell(&[0, 3], &[(0, 1), (2, 1)]),
            cell(&[1, 2], &[(0, 1), (2, 1)]),
            cell(&[1, 3], &[(0, 1), (1, 1)]),
        ];
        let believed = believed(&people, 0.5);
        let most = |beliefs: &Beliefs| beliefs.iter().flat_map(BTreeMap::values).copied().fold(0.0, f64::max);
        assert!((most(&believed.judged) - 0.5).abs() < 1e-9);
        // All worlds by hand: each class has the first value twice, so the cells have 1,1,1,1 or 2,0,0,2 or 0,2,2,0 of it, and the
        // rest follows from how the other values can be handed out.
        assert!(most(&believed.all) >= 0.5);
        assert!(enumerate(&people.iter().collect::<Vec<_>>(), counts(&people), &|_| true, &mut 5).is_none());
    }
}
