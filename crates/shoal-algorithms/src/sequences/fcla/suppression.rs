//! Items that are published as `*`, chosen so that much that is invalid goes with little loss.

use super::crowd::Draft;
use super::search::Invalid;
use super::tree::Forest;

/// Suppresses items until none of the invalid sequences is left, each time the item with the best ratio of invalid
/// sequences removed and loss; returns how many. An item is suppressed in all events of the cluster that publish it or
/// something below it.
pub(super) fn suppress(draft: &mut Draft, invalid: &[Invalid], forest: &Forest) -> u64 {
    let mut left: Vec<Vec<u32>> = invalid.iter().map(|pattern| above(pattern, forest)).collect();
    let mut candidates: Vec<u32> = invalid.iter().flat_map(Invalid::items).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut suppressed = 0;
    while !left.is_empty() {
        let Some(item) = best(draft, &left, &candidates, forest) else { break };
        draft.codes.iter_mut().for_each(|code| {
            if forest.items(*code).any(|above| above == item) {
                *code = forest.root(*code);
            }
        });
        left.retain(|items| items.binary_search(&item).is_err());
        suppressed += 1;
    }
    suppressed
}

/// The items of a pattern and all above them, ascending: whichever of them is suppressed, the pattern is gone.
fn above(pattern: &Invalid, forest: &Forest) -> Vec<u32> {
    let mut items: Vec<u32> = pattern.items().flat_map(|item| forest.items(item)).collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The candidate that removes most for its loss; of equally good ones the first.
fn best(draft: &Draft, left: &[Vec<u32>], candidates: &[u32], forest: &Forest) -> Option<u32> {
    let place = |item: u32| candidates.binary_search(&item).ok();
    let mut removed = vec![0_u32; candidates.len()];
    for at in left.iter().flatten().filter_map(|&item| place(item)) {
        removed[at] += 1;
    }
    let mut loss = vec![0.0; candidates.len()];
    for &code in &draft.codes {
        for at in forest.items(code).filter_map(place) {
            loss[at] += 1.0 - forest.loss(code);
        }
    }
    let better = |a: usize, b: usize| f64::from(removed[a]) * loss[b] > f64::from(removed[b]) * loss[a];
    let useful = (0..candidates.len()).filter(|&at| removed[at] > 0);
    useful.reduce(|best, at| if better(at, best) { at } else { best }).map(|at| candidates[at])
}
