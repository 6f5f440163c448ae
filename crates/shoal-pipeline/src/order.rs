//! The order in which records are published.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;
use shoal_core::Policy;

/// Shuffles the records that are published, unless the policy keeps their order: the place in a file can name
/// a person as well as any other value.
pub(crate) fn shuffled(policy: &Policy, mut rows: Vec<u32>) -> Vec<u32> {
    if !policy.output.keep_order {
        rows.shuffle(&mut ChaCha20Rng::seed_from_u64(policy.algorithm.seed));
    }
    rows
}
