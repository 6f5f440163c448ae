//! Which level each quasi-identifier is published on.
//!
//! The levels of all quasi-identifiers together are a node of a lattice. The search goes from the top, where
//! everything is a root and nothing can be known, one level of one quasi-identifier down at a time, each time to
//! the child with the highest score: broken patterns that it hides by loss. The loss of a node is that of its
//! levels and of the items that must be suppressed there for the other patterns. The node with the least
//! loss of all that were looked at is taken.

use rayon::prelude::*;
use shoal_core::Sequences;

use super::decision::Decision;
use super::items::Items;
use super::known::Known;
use super::miner::Meter;
use super::suppression::{loss, suppress, suppress_by_first_scores};

/// Hides all known patterns. No level is lower than it is now; where all stay, all suppressed items do.
pub(super) fn hide(
    known: &Known,
    now: &Decision,
    items: &Items<'_>,
    data: &Sequences,
    meter: &Meter<'_>,
) -> Decision {
    let start = |levels: &[usize]| {
        if levels == now.levels { now.clone() } else { now.at(levels.to_vec()) }
    };
    let look = |levels: Vec<usize>| {
        meter.check_wanted();
        let mut decision = start(&levels);
        let left = known.left_by(&decision, items);
        let hidden = known.len() - left.len();
        suppress_by_first_scores(&mut decision, &left, items);
        let loss = loss(&decision, items, data);
        Node { levels, loss, score: hidden as f64 / loss as f64 }
    };
    let top = (0..items.quasi()).map(|quasi| items.highest(quasi)).collect();
    let mut node = look(top);
    let mut best = node.clone();
    loop {
        let lower = (0..items.quasi()).filter(|&quasi| node.levels[quasi] > now.levels[quasi]);
        let below = |quasi: usize| {
            let mut levels = node.levels.clone();
            levels[quasi] -= 1;
            levels
        };
        let children: Vec<Vec<usize>> = lower.map(below).collect();
        let children: Vec<Node> = children.into_par_iter().map(look).collect();
        for child in &children {
            if child.loss < best.loss {
                best = child.clone();
            }
        }
        // `max_by` takes the last of equal ones; reversed, the first column of the table wins.
        let better = |a: &Node, b: &Node| a.score.total_cmp(&b.score).then(b.loss.cmp(&a.loss));
        match children.into_iter().rev().max_by(better) {
            Some(child) => node = child,
            None => break,
        }
    }
    // Levels were compared with quick scores; the items of the best ones are chosen with exact ones.
    let mut decision = start(&best.levels);
    let left = known.left_by(&decision, items);
    suppress(&mut decision, &left, items);
    decision
}

#[derive(Clone, Debug)]
struct Node {
    levels: Vec<usize>,
    loss: u64,
    score: f64,
}
