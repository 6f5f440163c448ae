//! The remaining points as a trie: one level per column, in sorted order.
//!
//! Distances add up column by column, so a node whose prefix is already as far away as the k-th nearest
//! record found so far is left out with all that lies below it. Since the columns with few values come
//! first, and they set far apart what they set apart, most of the table is never looked at.

use std::collections::BinaryHeap;

use super::distance::Ruler;
use crate::table::points::Points;

/// A trie over points with the number of records that remain below each node. A branch with one point only
/// is not grown any further: it ends in a leaf, and the point itself holds the rest.
pub(super) struct Trie<'a> {
    points: &'a Points,
    levels: Vec<Level>,
    /// Where each point's leaf is: its level and its number there.
    leaves: Vec<(u32, u32)>,
    frames: Vec<Frame>,
}

#[derive(Default)]
struct Level {
    codes: Vec<u32>,
    remaining: Vec<u32>,
    /// The node above.
    parents: Vec<u32>,
    /// Where the nodes below begin; they end where those of the next node begin.
    children: Vec<u32>,
    /// The point of a leaf, [`INNER`] for other nodes.
    points: Vec<u32>,
}

const INNER: u32 = u32::MAX;

/// How far the search is on one level.
#[derive(Clone, Copy, Default)]
struct Frame {
    next: usize,
    end: usize,
    distance: u64,
}

/// Some records of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) point: u32,
    pub(super) records: u32,
}

impl<'a> Trie<'a> {
    /// The trie of all points, at least one column wide.
    pub(super) fn of(points: &'a Points) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        levels.resize_with(points.dims(), Level::default);
        let mut leaves = Vec::with_capacity(points.len());
        let mut shared_before = 0;
        for i in 0..points.len() {
            let shared_after = if i + 1 < points.len() { shared(points, i) } else { 0 };
            // One column beyond what it shares with its neighbours tells a point from all others.
            let leaf = shared_before.max(shared_after);
            for depth in shared_before..=leaf {
                let first_child = levels.get(depth + 1).map_or(0, |below| below.codes.len() as u32);
                let parent = depth.checked_sub(1).map_or(0, |above| levels[above].codes.len() as u32 - 1);
                let point = if depth == leaf { i as u32 } else { INNER };
                levels[depth].push(points.point(i)[depth], parent, first_child, point);
            }
            leaves.push((leaf as u32, levels[leaf].codes.len() as u32 - 1));
            shared_before = shared_after;
        }
        // The end of the last node's children, which no next node marks.
        for depth in 1..levels.len() {
            let end = levels[depth].codes.len() as u32;
            levels[depth - 1].children.push(end);
        }
        let mut trie = Trie { points, levels, leaves, frames: vec![Frame::default(); points.dims()] };
        for i in 0..points.len() {
            trie.on_path(i, |remaining| *remaining += points.weight(i));
        }
        trie
    }

    /// How many records of a point remain.
    pub(super) fn remaining(&self, point: usize) -> u32 {
        let (level, node) = self.leaves[point];
        self.levels[level as usize].remaining[node as usize]
    }

    /// Takes records out.
    pub(super) fn remove(&mut self, taken: Taken) {
        self.on_path(taken.point as usize, |remaining| *remaining -= taken.records);
    }

    /// The `k` nearest records; at least k must remain. Of equally near ones those that
    /// come first in the sorted order, which is the order of the search.
    pub(super) fn nearest(&mut self, rulers: &[Ruler<'_>], k: usize) -> Vec<Taken> {
        let Trie { points, levels, frames, .. } = self;
        let mut nearest = Nearest::new(k);
        let mut depth = 0;
        frames[0] = Frame { next: 0, end: levels[0].codes.len(), distance: 0 };
        loop {
            let frame = &mut frames[depth];
            if frame.next == frame.end {
                if depth == 0 {
                    return nearest.finish();
                }
                depth -= 1;
                continue;
            }
            let node = frame.next;
            frame.next += 1;
            let level = &levels[depth];
            if level.remaining[node] == 0 {
                continue;
            }
            let code = level.codes[node];
            let distance = frame.distance + rulers[depth].distance(code);
            if !nearest.admits(distance) {
                // On a line, beyond the seed, all later siblings are farther still.
                if rulers[depth].only_grows_after(code) {
                    frame.next = frame.end;
                }
            } else if level.points[node] == INNER {
                let (next, end) = (level.children[node] as usize, level.children[node + 1] as usize);
                depth += 1;
                frames[depth] = Frame { next, end, distance };
            } else {
                let rest = &points.point(level.points[node] as usize)[depth + 1..];
                nearest.offer(
                    distance,
                    rest,
                    &rulers[depth + 1..],
                    level.points[node],
                    level.remaining[node],
                );
            }
        }
    }

    fn on_path(&mut self, point: usize, mut change: impl FnMut(&mut u32)) {
        let (level, mut node) = self.leaves[point];
        for level in self.levels[..=level as usize].iter_mut().rev() {
            change(&mut level.remaining[node as usize]);
            node = level.parents[node as usize];
        }
    }
}

impl Level {
    fn push(&mut self, code: u32, parent: u32, first_child: u32, point: u32) {
        self.codes.push(code);
        self.remaining.push(0);
        self.parents.push(parent);
        self.children.push(first_child);
        self.points.push(point);
    }
}

/// In how many columns from the front a point and the next one agree.
fn shared(points: &Points, i: usize) -> usize {
    points.point(i).iter().zip(points.point(i + 1)).take_while(|(a, b)| a == b).count()
}

/// The nearest points found so far that together hold `k` records.
struct Nearest {
    k: u64,
    records: u64,
    /// The farthest, and of equally far ones the last in sorted order, on top.
    heap: BinaryHeap<(u64, u32, u32)>,
    bound: u64,
}

impl Nearest {
    fn new(k: usize) -> Self {
        Nearest { k: k as u64, records: 0, heap: BinaryHeap::new(), bound: u64::MAX }
    }

    /// Whether a record at this distance that comes later in sorted order is among the nearest.
    fn admits(&self, distance: u64) -> bool {
        distance < self.bound
    }

    /// Adds the distances of the rest of a point and takes it if it stays near enough.
    fn offer(&mut self, distance: u64, rest: &[u32], rulers: &[Ruler<'_>], point: u32, records: u32) {
        let mut distance = distance;
        for (ruler, &code) in rulers.iter().zip(rest) {
            distance += ruler.distance(code);
            if !self.admits(distance) {
                return;
            }
        }
        self.push(distance, point, records);
    }

    fn push(&mut self, distance: u64, point: u32, records: u32) {
        self.heap.push((distance, point, records));
        self.records += u64::from(records);
        while let Some(&(farthest, _, records)) = self.heap.peek() {
            // The farthest point goes as soon as the others hold k records without it.
            let without = self.records - u64::from(records);
            if without < self.k {
                if self.records >= self.k {
                    self.bound = farthest;
                }
                break;
            }
            self.heap.pop();
            self.records = without;
        }
    }

    fn finish(self) -> Vec<Taken> {
        let mut left = self.k;
        let nearest_first = self.heap.into_sorted_vec().into_iter();
        nearest_first
            .map(|(_, point, records)| {
                let records = u64::from(records).min(left);
                left -= records;
                Taken { point, records: records as u32 }
            })
            .collect()
    }
}
