//! Random numbers for parallel work: every piece has its own sequence.

use shoal_core::{SplitMix64, mix};

/// Numbers that look random and are the same for the same seed.
pub(in crate::table) struct Rng(SplitMix64);

impl Rng {
    /// One of many sequences of a seed.
    pub(in crate::table) fn new(seed: u64, sequence: u64) -> Rng {
        // Mixed twice: neighbouring sequences of neighbouring seeds must not be the same sequence, shifted.
        Rng(SplitMix64(mix(seed ^ SplitMix64(sequence).next())))
    }

    /// A number below `n`, which is not 0.
    pub(in crate::table) fn below(&mut self, n: usize) -> usize {
        // The high half of the product instead of a remainder: this is the innermost loop, and a division would be the most
        // costly step of it. The bias is below n / 2^64.
        ((u128::from(self.0.next()) * n as u128) >> 64) as usize
    }
}
