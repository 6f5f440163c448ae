//! One level of generalization for each quasi-identifier of a cluster, then suppression: what the paper publishes.

use super::crowd::{Crowd, Draft};
use super::search::{Budget, Invalid, Until, invalid};
use super::suppression::suppress;
use super::tree::Forest;
use crate::sequences::terms::Terms;

/// What a search through the lattice found.
#[derive(Debug)]
pub(super) struct Levelled {
    pub(super) draft: Draft,
    /// Invalid sequences of the original and those that came to light when these were gone.
    pub(super) found: u64,
    pub(super) items_suppressed: u64,
}

/// Goes down the lattice from the top, then suppresses items until nothing invalid is left; `None` when that takes more
/// than the budget.
pub(super) fn generalize(
    original: &Draft,
    forest: &Forest,
    terms: &Terms,
    budget: &mut Budget<'_>,
) -> Option<Levelled> {
    let mine = |draft: &Draft, budget: &mut Budget<'_>| {
        invalid(&Crowd::new(draft, forest, terms), forest, terms, Until::All, budget)
    };
    let first = mine(original, budget)?;
    let mut draft = at_levels(original, &descend(original, &first, forest), forest);
    let mut found = first.len() as u64;
    let mut items_suppressed = 0;
    // Suppressing an item removes people from the crowds of more general patterns, which may break these. So the search
    // is repeated, and the last one that finds nothing is the proof.
    loop {
        let left = mine(&draft, budget)?;
        if left.is_empty() {
            return Some(Levelled { draft, found, items_suppressed });
        }
        found += left.iter().filter(|pattern| !first.contains(pattern)).count() as u64;
        items_suppressed += suppress(&mut draft, &left, forest);
    }
}

/// The levels where the search ends: from the top, always to the child with the best ratio of invalid sequences removed
/// and loss, as long as there is one that loses no more. What a node does not remove is suppressed, and that
/// is part of its loss.
fn descend(original: &Draft, invalid: &[Invalid], forest: &Forest) -> Vec<usize> {
    let mut levels: Vec<usize> = (0..forest.quasi()).map(|quasi| forest.levels(quasi) - 1).collect();
    let mut loss = f64::INFINITY;
    loop {
        let mut best: Option<(f64, f64, usize)> = None;
        for quasi in 0..levels.len() {
            if levels[quasi] == 0 {
                continue;
            }
            levels[quasi] -= 1;
            let (removed, child) = weigh(original, invalid, &levels, forest);
            levels[quasi] += 1;
            let score = removed as f64 / child.max(f64::MIN_POSITIVE);
            if child <= loss && best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, child, quasi));
            }
        }
        let Some((_, child, quasi)) = best else { return levels };
        levels[quasi] -= 1;
        loss = child;
    }
}

/// How many invalid sequences the levels remove, and the loss when the others are suppressed.
fn weigh(original: &Draft, invalid: &[Invalid], levels: &[usize], forest: &Forest) -> (usize, f64) {
    let mut draft = at_levels(original, levels, forest);
    let survives = |pattern: &&Invalid| {
        pattern.items().all(|item| forest.top_level(item) >= levels[forest.quasi_of(item)])
    };
    let left: Vec<Invalid> = invalid.iter().filter(survives).cloned().collect();
    suppress(&mut draft, &left, forest);
    (invalid.len() - left.len(), draft.loss(forest))
}

/// The original with every value on its level.
fn at_levels(original: &Draft, levels: &[usize], forest: &Forest) -> Draft {
    let events = original.codes.chunks_exact(levels.len());
    let codes =
        events.flat_map(|event| event.iter().zip(levels)).map(|(&leaf, &level)| forest.at_level(leaf, level));
    Draft { codes: codes.collect(), ..original.clone() }
}
