//! Numbers that scatter and that a replay repeats. None of them keeps a secret.

use serde::{Deserialize, Serialize};

/// The step of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd, so that all 2⁶⁴ states come before one returns.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Scatters the bits of a number: the finalizer of SplitMix64. Fixed for good, unlike a library's hash, so that choices
/// made with it can be repeated anywhere. It keeps no secret.
pub fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// SplitMix64 (Steele, Lea, Flood 2014): a sequence of numbers from a seed. Whoever knows one of them knows all that
/// follow, so it is for choices on which no promise depends.
///
/// The state is its only content and is written down as a plain number: what continues from a stored state gets the
/// numbers that it would have got without the break.
///
/// ```
/// use shoal_core::SplitMix64;
///
/// let mut numbers = SplitMix64(0);
/// assert_eq!(numbers.next(), 0xe220_a839_7b1d_cdaf);
/// assert!(numbers.below(6) < 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitMix64(
    /// The state; at the beginning the seed.
    pub u64,
);

impl SplitMix64 {
    /// The next number.
    // Not an `Iterator`: the sequence has no end, and callers draw from several places.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `bound`; 0 where that is 0. The remainder prefers small numbers by at most `bound` in 2⁶⁴, which is
    /// good enough for every use that this generator is good enough for.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_split_mix_from_seed_0() {
        let mut numbers = SplitMix64(0);
        let first = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!(first.map(|_| numbers.next()), first);
        assert_eq!(mix(STEP), first[0]);
    }

    #[test]
    fn a_bounded_draw_is_the_remainder_of_the_next_number() {
        let (mut bounded, mut free) = (SplitMix64(7), SplitMix64(7));
        assert!((1..100).all(|bound| bounded.below(bound) == free.next() % bound));
        assert_eq!(bounded.below(0), 0);
    }
}
