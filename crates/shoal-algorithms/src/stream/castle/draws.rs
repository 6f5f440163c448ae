use serde::{Deserialize, Serialize};
use shoal_core::mix;

/// Random choices that a replay repeats: SplitMix64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Draws(pub(super) u64);

impl Draws {
    /// A number below `bound`. Modulo is not quite even, and need not be: no promise rests on these choices.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) % bound.max(1) as u64) as usize
    }
}
