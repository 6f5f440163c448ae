//! Publishing more where it harms nobody.
//!
//! Making a cluster valid as a whole generalizes more than needed: where five of nine members share a value, those five
//! may show it; an event that found no partner may show what everybody shows elsewhere. So values go back down,
//! towards what they were, one step of the hierarchy at a time, and every step is kept that leaves the cluster valid:
//! first all values of the cluster that lie below the same node, then those at the same place of the sequences,
//! then single ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::crowd::{Crowd, Draft};
use super::search::{Budget, Until, invalid};
use super::tree::Forest;
use crate::sequences::terms::Terms;

/// Which values go down together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Together {
    Cluster,
    Place,
    Single,
}

/// Refines a valid draft as far as the budget goes.
pub(super) fn refine(
    draft: &mut Draft,
    original: &Draft,
    forest: &Forest,
    terms: &Terms,
    budget: &mut Budget<'_>,
) {
    for together in [Together::Cluster, Together::Place, Together::Single] {
        let mut tried = std::collections::BTreeSet::new();
        loop {
            let mut steps: Vec<(Reverse<u64>, Step)> = steps(draft, original, together, forest)
                .into_iter()
                .filter(|(key, _)| !tried.contains(key))
                .map(|(key, cells)| (Reverse(gain(draft, key.0, &cells, forest)), Step { key, cells }))
                .collect();
            if steps.is_empty() {
                break;
            }
            steps.sort_unstable_by(|(gain, a), (other, b)| (gain, a.key).cmp(&(other, b.key)));
            // The largest gain first: what an early step shows may forbid a later one.
            for (_, step) in steps {
                tried.insert(step.key);
                if attempt(draft, &step, forest, terms, budget).is_none() {
                    return;
                }
            }
        }
    }
}

/// The node that values become, and which of them: all of it that go down together have the same number.
type Key = (u32, usize);

struct Step {
    key: Key,
    cells: Vec<usize>,
}

/// Where values of the draft can go: each a step down towards the original.
fn steps(draft: &Draft, original: &Draft, together: Together, forest: &Forest) -> BTreeMap<Key, Vec<usize>> {
    let quasi = forest.quasi();
    let places = places(draft, forest);
    let mut steps: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (cell, (&code, &leaf)) in draft.codes.iter().zip(&original.codes).enumerate() {
        let Some(below) = forest.items(leaf).take_while(|&item| item != code).last() else { continue };
        let set = match together {
            Together::Cluster => 0,
            Together::Place => places[cell / quasi],
            Together::Single => cell,
        };
        steps.entry((below, set)).or_default().push(cell);
    }
    steps
}

/// For each event how many before it say something.
fn places(draft: &Draft, forest: &Forest) -> Vec<usize> {
    let says: Vec<bool> = draft
        .codes
        .chunks_exact(forest.quasi())
        .map(|event| event.iter().any(|&code| forest.root(code) != code))
        .collect();
    let own = |bounds: &[usize]| {
        let mut place = 0;
        says[bounds[0]..bounds[1]]
            .iter()
            .map(|&says| {
                place += usize::from(says);
                if says { place } else { 0 }
            })
            .collect::<Vec<_>>()
    };
    draft.starts.windows(2).flat_map(own).collect()
}

/// What is won, in millionths of a value.
fn gain(draft: &Draft, below: u32, cells: &[usize], forest: &Forest) -> u64 {
    let won: f64 = cells.iter().map(|&cell| forest.loss(draft.codes[cell]) - forest.loss(below)).sum();
    (won * 1e6) as u64
}

/// Takes a step and takes it back when the cluster is no longer valid; `None` when the budget is used up.
fn attempt(
    draft: &mut Draft,
    step: &Step,
    forest: &Forest,
    terms: &Terms,
    budget: &mut Budget<'_>,
) -> Option<()> {
    let before: Vec<u32> = step.cells.iter().map(|&cell| draft.codes[cell]).collect();
    step.cells.iter().for_each(|&cell| draft.codes[cell] = step.key.0);
    let valid = if shown(draft, step.key.0, forest, terms) {
        let crowd = Crowd::new(draft, forest, terms);
        invalid(&crowd, forest, terms, Until::First, budget).map(|found| found.is_empty())
    } else {
        Some(false)
    };
    if valid != Some(true) {
        step.cells.iter().zip(before).for_each(|(&cell, code)| draft.codes[cell] = code);
    }
    valid.map(|_| ())
}

/// Whether those who show an item are a crowd that keeps the terms: without that nothing else needs to be looked at.
fn shown(draft: &Draft, item: u32, forest: &Forest, terms: &Terms) -> bool {
    let quasi = forest.quasi();
    let at = forest.quasi_of(item);
    let mut tally = terms.nobody();
    for (&person, bounds) in draft.people.iter().zip(draft.starts.windows(2)) {
        let own = draft.codes[bounds[0] * quasi..bounds[1] * quasi].chunks_exact(quasi);
        if own.into_iter().any(|event| forest.items(event[at]).any(|code| code == item)) {
            terms.add(person, &mut tally);
        }
    }
    tally.people >= terms.k && terms.kept(&tally)
}
