//! Which items are suppressed wherever they stand.
//!
//! The score of an item is the number of patterns that it hides by what is lost with it.

use shoal_core::{Sequences, Support};

use super::decision::Decision;
use super::items::{Items, LeafLoss};

/// What a decision loses in all.
pub(super) fn loss(decision: &Decision, items: &Items<'_>, data: &Sequences) -> u64 {
    if decision.support == Support::Compatible {
        let each = each_value(decision, items);
        let kept = decision.kept(items, data);
        let of_event = |event: usize| {
            let of_leaf = |quasi: usize| each[quasi][items.leaf(event, quasi) as usize];
            let lost = |leaf: LeafLoss| leaf.generalized + if kept[event] { 0 } else { leaf.suppressed };
            (0..items.quasi()).map(|quasi| lost(of_leaf(quasi))).sum::<u64>()
        };
        return (0..items.events()).map(of_event).sum();
    }
    let of_quasi = |quasi: usize| {
        let of_leaf = items.losses(quasi, decision.levels[quasi]);
        of_leaf
            .map(|leaf| {
                let gone = decision.suppresses(leaf.code, items);
                leaf.generalized + if gone { leaf.suppressed } else { 0 }
            })
            .sum::<u64>()
    };
    (0..items.quasi()).map(of_quasi).sum()
}

/// What one event of each leaf loses, by quasi-identifier.
fn each_value(decision: &Decision, items: &Items<'_>) -> Vec<Vec<LeafLoss>> {
    (0..items.quasi()).map(|quasi| items.loss_of_each(quasi, decision.levels[quasi]).collect()).collect()
}

/// Suppresses items until all patterns are hidden: always the one with the highest score, counting only
/// patterns that are left and values that are not yet suppressed.
pub(super) fn suppress(decision: &mut Decision, left: &[&[u32]], items: &Items<'_>) {
    let mut prices = Prices::new(decision, items);
    let mut hides = counts(left, items);
    let with = Index::new(left, &hides);
    let mut is_left = vec![true; left.len()];
    let score = |hides: u32, price: u64| f64::from(hides) / price as f64;
    loop {
        let useful = (0..items.len()).filter(|&code| hides[code] > 0);
        // Of equal scores the most general item, so that fewer are needed: codes above are smaller.
        let best = useful
            .rev()
            .max_by(|&a, &b| score(hides[a], prices.of[a]).total_cmp(&score(hides[b], prices.of[b])));
        let Some(best) = best else { return };
        decision.suppressed[best] = true;
        prices.pay(best as u32);
        for &pattern in with.patterns(best) {
            if std::mem::take(&mut is_left[pattern as usize]) {
                left[pattern as usize].iter().for_each(|&code| hides[code as usize] -= 1);
            }
        }
    }
}

/// The same with scores that are counted once: quick, and close enough to compare levels.
///
/// Whoever goes through the items by falling score, and takes each that still hides something, takes for each
/// pattern the one with the highest score.
pub(super) fn suppress_by_first_scores(decision: &mut Decision, left: &[&[u32]], items: &Items<'_>) {
    let (hides, prices) = (counts(left, items), Prices::new(decision, items));
    let scores: Vec<f64> =
        hides.iter().zip(&prices.of).map(|(&hides, &price)| f64::from(hides) / price as f64).collect();
    let better = |a: &&u32, b: &&u32| scores[**a as usize].total_cmp(&scores[**b as usize]);
    for codes in left {
        let best = codes.iter().rev().max_by(better).expect("a pattern has an item");
        decision.suppressed[*best as usize] = true;
    }
}

/// How many patterns each code hides.
fn counts(patterns: &[&[u32]], items: &Items<'_>) -> Vec<u32> {
    let mut counts = vec![0; items.len()];
    patterns.iter().flat_map(|codes| codes.iter()).for_each(|&code| counts[code as usize] += 1);
    counts
}

/// What is lost when an item is suppressed, on top of what is lost already.
struct Prices<'a> {
    items: &'a Items<'a>,
    of: Vec<u64>,
    /// For each published code the price of its own values.
    own: Vec<u64>,
}

impl<'a> Prices<'a> {
    fn new(decision: &Decision, items: &'a Items<'a>) -> Prices<'a> {
        let mut own = vec![0; items.len()];
        for quasi in 0..items.quasi() {
            for leaf in items.losses(quasi, decision.levels[quasi]) {
                own[leaf.code as usize] += leaf.suppressed;
            }
        }
        if decision.support == Support::Compatible {
            // With an item goes the whole event. What goes with two items is counted twice, which is close enough.
            own = vec![0; items.len()];
            let each = each_value(decision, items);
            for event in 0..items.events() {
                let leaves =
                    || (0..items.quasi()).map(|quasi| each[quasi][items.leaf(event, quasi) as usize]);
                let price: u64 = leaves().map(|leaf| leaf.suppressed).sum();
                leaves().for_each(|leaf| own[leaf.code as usize] += price);
            }
        }
        let mut prices = Prices { items, of: vec![0; items.len()], own };
        for code in 0..items.len() as u32 {
            if decision.suppresses(code, items) {
                prices.own[code as usize] = 0;
            }
            let price = prices.own[code as usize];
            items.upwards(code).for_each(|above| prices.of[above as usize] += price);
        }
        prices
    }

    /// The values below a code are suppressed, and cost nothing from now on.
    fn pay(&mut self, code: u32) {
        let quasi = self.items.quasi_of(code);
        for below in code..self.items.codes(quasi).end {
            let price = self.own[below as usize];
            if price > 0 && self.items.upwards(below).any(|above| above == code) {
                self.own[below as usize] = 0;
                self.items.upwards(below).for_each(|above| self.of[above as usize] -= price);
            }
        }
    }
}

/// Which patterns each code hides.
struct Index {
    starts: Vec<u32>,
    patterns: Vec<u32>,
}

impl Index {
    fn new(left: &[&[u32]], counts: &[u32]) -> Index {
        let mut starts = vec![0; counts.len() + 1];
        for (code, &count) in counts.iter().enumerate() {
            starts[code + 1] = starts[code] + count;
        }
        let mut patterns = vec![0; starts[counts.len()] as usize];
        let mut next = starts.clone();
        for (pattern, codes) in left.iter().enumerate() {
            for &code in *codes {
                patterns[next[code as usize] as usize] = pattern as u32;
                next[code as usize] += 1;
            }
        }
        Index { starts, patterns }
    }

    fn patterns(&self, code: usize) -> &[u32] {
        &self.patterns[self.starts[code] as usize..self.starts[code + 1] as usize]
    }
}
