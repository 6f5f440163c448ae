use shoal_core::mix;

/// Numbers that look random and are the same for the same seed.
pub(in crate::table) struct Dice(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Dice {
    /// One of many sequences of a seed.
    pub(in crate::table) fn new(seed: u64, sequence: u64) -> Dice {
        Dice(mix(seed ^ mix(sequence.wrapping_add(STEP))))
    }

    /// A number below `n`, which is not 0.
    pub(in crate::table) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(STEP);
        ((u128::from(mix(self.0)) * n as u128) >> 64) as usize
    }
}
