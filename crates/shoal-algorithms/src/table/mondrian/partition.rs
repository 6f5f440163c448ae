//! Cuts, and cuts what comes of it, until nothing can be cut.

use shoal_core::Progress;

use super::axis::Axis;
use super::cut::{Cut, Scratch};
use super::guard::Guard;
use super::space::Part;

/// Parts with more points than this are worth a thread of their own. Chosen by hand; no influence on what is published.
const PARALLEL_POINTS: usize = 4096;

/// How deep calls nest. There are data of which every cut takes off only a few records, and the stack must not grow with
/// them; beyond this depth a loop goes on. Balanced cuts reach it only with 2^64 parts.
const PARALLEL_DEPTH: usize = 64;

/// What all cuts have in common.
pub(super) struct Cutter<'a> {
    pub(super) axes: &'a [Axis<'a>],
    pub(super) k: u64,
    /// What counts besides k, if anything does.
    pub(super) guard: Option<Guard<'a>>,
    /// Parts of no more points than this are not cut.
    pub(super) small: usize,
    pub(super) progress: &'a dyn Progress,
}

impl Cutter<'_> {
    /// Moves the points of the part so that each class is one piece, and returns the number of points in
    /// each, from front to back.
    pub(super) fn partition(&self, part: Part<'_>) -> Vec<u32> {
        let mut scratch = Scratch::new(self.axes);
        self.split(part, PARALLEL_DEPTH, &mut scratch)
    }

    fn find_cut(&self, part: &Part<'_>, scratch: &mut Scratch) -> Option<Cut> {
        if part.len() <= self.small {
            return None;
        }
        scratch.find_cut(part, self.axes, self.k, self.guard)
    }

    fn split(&self, part: Part<'_>, depth: usize, scratch: &mut Scratch) -> Vec<u32> {
        if part.len() <= PARALLEL_POINTS || depth == 0 {
            return self.split_here(part, scratch);
        }
        self.progress.check();
        let Some(cut) = self.find_cut(&part, scratch) else {
            // Finds no cut either, and counts the records as done.
            return self.split_here(part, scratch);
        };
        let (low, high) = part.cut(cut.dim, cut.after);
        let (mut classes, more) = rayon::join(
            || self.split(low, depth - 1, scratch),
            || self.split(high, depth - 1, &mut Scratch::new(self.axes)),
        );
        // The order of the parts, whichever thread was first.
        classes.extend(more);
        classes
    }

    fn split_here(&self, part: Part<'_>, scratch: &mut Scratch) -> Vec<u32> {
        let records = part.records();
        let mut classes = Vec::new();
        let mut waiting = vec![part];
        while let Some(part) = waiting.pop() {
            self.progress.check();
            match self.find_cut(&part, scratch) {
                Some(cut) => {
                    let (low, high) = part.cut(cut.dim, cut.after);
                    // The lower part is next, so that classes come out from front to back.
                    waiting.push(high);
                    waiting.push(low);
                }
                None => classes.push(part.len() as u32),
            }
        }
        self.progress.advance(records);
        classes
    }
}
