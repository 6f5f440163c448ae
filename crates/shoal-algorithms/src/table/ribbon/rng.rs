//! Random numbers for parallel work: every piece has its own sequence.

use shoal_core::mix;

/// Numbers that look random and are the same for the same seed (SplitMix64).
pub(in crate::table) struct Rng(u64);

/// The increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

impl Rng {
    /// One of many sequences of a seed.
    pub(in crate::table) fn new(seed: u64, sequence: u64) -> Rng {
        // Mixed twice: neighbouring sequences of neighbouring seeds must not be the same sequence, shifted.
        Rng(mix(seed ^ mix(sequence.wrapping_add(INCREMENT))))
    }

    /// A number below `n`, which is not 0.
    pub(in crate::table) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(INCREMENT);
        // The high half of the product instead of a remainder: no division, and a bias below n / 2^64.
        ((u128::from(mix(self.0)) * n as u128) >> 64) as usize
    }
}
