//! The broken patterns that were found so far, as far as it matters for hiding them.

use super::decision::Decision;
use super::items::Items;
use super::miner::Step;

/// For each broken pattern its items and all that are more general, each once. To suppress any of these hides
/// the pattern.
#[derive(Clone, Debug)]
pub(super) struct Known {
    codes: Vec<u32>,
    /// Where those of each pattern start, and at the end the number of all.
    starts: Vec<usize>,
}

impl Known {
    /// Nothing is known.
    pub(super) fn new() -> Known {
        Known { codes: Vec::new(), starts: vec![0] }
    }

    /// How many patterns there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds patterns.
    pub(super) fn add(&mut self, patterns: &[Vec<Step>], items: &Items<'_>) {
        for pattern in patterns {
            let mut codes: Vec<u32> = pattern.iter().flat_map(|step| items.upwards(step.code)).collect();
            codes.sort_unstable();
            codes.dedup();
            self.codes.extend(codes);
            self.starts.push(self.codes.len());
        }
    }

    /// The codes of each pattern.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.codes[pair[0]..pair[1]])
    }

    /// The patterns that a decision does not hide.
    pub(super) fn left_by(&self, decision: &Decision, items: &Items<'_>) -> Vec<&[u32]> {
        let hidden: Vec<bool> = (0..items.len() as u32).map(|code| decision.hides(code, items)).collect();
        self.iter().filter(|codes| !codes.iter().any(|&code| hidden[code as usize])).collect()
    }

    /// Forgets the patterns that cannot come back on the levels of a decision or higher ones.
    pub(super) fn forget_below(&mut self, decision: &Decision, items: &Items<'_>) {
        let kept = self.left_by(&decision.at(decision.levels.clone()), items);
        let mut known = Known::new();
        for codes in kept {
            known.codes.extend(codes);
            known.starts.push(known.codes.len());
        }
        *self = known;
    }
}
