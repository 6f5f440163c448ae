/// Scatters the bits of a number: the finalizer of SplitMix64. Fixed for good, unlike a library's hash, so that choices
/// made with it can be repeated anywhere. It keeps no secret.
pub fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_split_mix_from_seed_0() {
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        assert_eq!(mix(step), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(step.wrapping_mul(2)), 0x6e78_9e6a_a1b9_65f4);
    }
}
