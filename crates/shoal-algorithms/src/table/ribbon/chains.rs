//! Moves records that costly classes can spare to cheap ones, also through others.
//!
//! A record that a costly class can spare may fit into no cheaper class, while a class that it does fit into, however costly, has a record that a cheap one
//! covers. Moved along such a chain, one record leaves the costly class and one joins the cheap one, and those between keep their sizes. Covers stay as
//! they are meanwhile, so that all that counts is where a chain begins and ends; afterwards they can only become cheaper.
//!
//! Only where k is all that is asked for.

use rayon::prelude::*;

use super::class::{Class, loss};
use super::class_rule::ClassRule;
use super::coverage::{Coverage, Values};
use super::space::Space;

/// Which classes can give records to which.
struct Links<'a> {
    coverage: Coverage<'a>,
    classes: usize,
    /// How many words a set of classes has.
    words: usize,
    /// For each pair, from and to: how many members of the first the second covers.
    members: Vec<u32>,
    /// For each class the set of those that can give it something.
    givers: Vec<u64>,
}

/// The classes that have records, the cheapest first.
pub(super) fn by_cost(classes: &[Class]) -> Vec<u32> {
    let mut order: Vec<u32> =
        (0..classes.len() as u32).filter(|&class| classes[class as usize].size > 0).collect();
    order.sort_by_key(|&class| (classes[class as usize].cost, class));
    order
}

/// Moves records along chains until no more can be gained by it. Returns what was gained.
pub(super) fn move_along_chains(
    space: &Space,
    values: &Values<'_>,
    rule: &ClassRule<'_>,
    classes: &mut [Class],
) -> i64 {
    let before = loss(classes);
    let order = by_cost(classes);
    let mut links = Links::of(values, classes, rule);
    let mut is_changed = vec![false; classes.len()];
    // The cheapest class takes in whatever can reach it, then the next one. That is enough: once nothing more reaches a class, none of those from which
    // there are chains to it has anything to spare for a costlier one, and what moves between the others is covered by none of them.
    for last in order {
        while let Some(chain) = links.chain_to(last as usize, classes, rule.k()) {
            rule.check_cancelled();
            links.carry_out(rule.k(), &chain, classes);
            chain.iter().for_each(|&class| is_changed[class] = true);
        }
    }
    for (class, _) in classes.iter_mut().zip(is_changed).filter(|(_, is_changed)| *is_changed) {
        class.refresh(space);
    }
    before as i64 - loss(classes) as i64
}

impl<'a> Links<'a> {
    fn of(values: &'a Values<'a>, classes: &[Class], rule: &ClassRule<'_>) -> Links<'a> {
        let coverage = Coverage::of(values, classes, by_cost(classes), rule);
        let (n, words) = (classes.len(), classes.len().div_ceil(64));
        let mut members = vec![0_u32; n * n];
        members.par_chunks_exact_mut(n.max(1)).zip(classes).for_each(|(row, class)| {
            rule.check_cancelled();
            for m in &class.members {
                coverage.covering(m.point).for_each(|to| row[to as usize] += 1);
            }
        });
        let mut givers = vec![0; n * words];
        for from in 0..n {
            // A class covers its own members, which leads nowhere.
            for to in (0..n).filter(|&to| to != from && members[from * n + to] > 0) {
                givers[to * words + from / 64] |= 1 << (from % 64);
            }
        }
        Links { coverage, classes: n, words, members, givers }
    }

    /// Those that can give something to a class and were not seen yet, each once.
    fn each_giver(&self, to: usize, is_seen: &mut [u64], mut each: impl FnMut(usize)) {
        for (at, seen) in is_seen.iter_mut().enumerate() {
            let mut fresh = self.givers[to * self.words + at] & !*seen;
            *seen |= fresh;
            while fresh != 0 {
                each(at * 64 + fresh.trailing_zeros() as usize);
                fresh &= fresh - 1;
            }
        }
    }

    /// A chain to a class from the costliest one that has records to spare and costs more, from its end to its beginning.
    fn chain_to(&self, last: usize, classes: &[Class], k: u32) -> Option<Vec<usize>> {
        let mut next = vec![usize::MAX; self.classes];
        let mut is_seen = vec![0_u64; self.words];
        is_seen[last / 64] |= 1 << (last % 64);
        let mut queue = vec![last];
        let mut first = last;
        let mut at = 0;
        while at < queue.len() {
            let to = queue[at];
            at += 1;
            self.each_giver(to, &mut is_seen, |from| {
                next[from] = to;
                queue.push(from);
                if classes[from].size > k && classes[from].cost > classes[first].cost {
                    first = from;
                }
            });
        }
        if first == last {
            return None;
        }
        let mut chain = vec![first];
        while first != last {
            first = next[first];
            chain.push(first);
        }
        chain.reverse();
        Some(chain)
    }

    /// Moves records from each class of a chain to the one before it, as many as all of them can move.
    fn carry_out(&mut self, k: u32, chain: &[usize], classes: &mut [Class]) {
        let mut count = classes[chain[chain.len() - 1]].size - k;
        let mut moves = Vec::with_capacity(chain.len());
        for pair in chain.windows(2) {
            let (to, from) = (pair[0], pair[1]);
            let covered = |point: u32| self.coverage.covering(point).any(|class| class as usize == to);
            // The most records, so that there are few chains; the first of equal ones.
            let members = classes[from].members.iter().filter(|m| covered(m.point));
            let best = members.max_by_key(|m| (m.count.min(count), std::cmp::Reverse(m.point)));
            // Without an end here the same chain would be found again and again.
            let &member = best.expect("`members` counts those that are covered");
            count = count.min(member.count);
            moves.push((to, from, member.point));
        }
        for (to, from, point) in moves {
            let (had, has) = (classes[from].members.len(), classes[to].members.len());
            classes[from].take(point, count);
            classes[from].size -= count;
            classes[to].add_covered(point, count);
            if classes[from].members.len() < had {
                self.change(from, point, false);
            }
            if classes[to].members.len() > has {
                self.change(to, point, true);
            }
        }
    }

    /// A point has become a member of a class, or is one no longer.
    fn change(&mut self, from: usize, point: u32, is_member: bool) {
        for to in self.coverage.covering(point).map(|to| to as usize).filter(|&to| to != from) {
            let members = &mut self.members[from * self.classes + to];
            *members = if is_member { *members + 1 } else { *members - 1 };
            let bit = 1 << (from % 64);
            let givers = &mut self.givers[to * self.words + from / 64];
            *givers = if *members > 0 { *givers | bit } else { *givers & !bit };
        }
    }
}
