//! Made-up baskets with tens of thousands of items, most of them rare.

use std::collections::BTreeSet;
use std::io::{self, Write};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha20Rng;

/// Writes this many baskets, a line each, always the same for the same seed. The items are the numbers below `items`. Number
/// i is drawn with a probability proportional to 1 / (i + 1), which is Zipf's law with an exponent of 1; the number of draws
/// is geometric with this mean, at least one, and an item that is drawn twice is written once.
pub fn write(
    out: &mut dyn Write,
    baskets: usize,
    items: usize,
    mean_draws: f64,
    seed: u64,
) -> io::Result<()> {
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..items)
        .map(|item| {
            sum += 1.0 / (item + 1) as f64;
            sum
        })
        .collect();
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    for _ in 0..baskets {
        let mut basket = BTreeSet::new();
        loop {
            let at = random.random_range(0.0..sum);
            basket.insert(sums.partition_point(|&sum| sum <= at));
            // Going on with probability 1 − 1/mean gives that mean.
            if random.random_range(0.0..1.0) < 1.0 / mean_draws {
                break;
            }
        }
        let words: Vec<String> = basket.iter().map(usize::to_string).collect();
        writeln!(out, "{}", words.join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_follow_zipf_and_sizes_their_mean() {
        let baskets = |seed| {
            let mut text = Vec::new();
            write(&mut text, 20_000, 1000, 4.0, seed).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(baskets(1), baskets(1));
        assert_ne!(baskets(1), baskets(2));
        let text = baskets(1);
        assert_eq!(text.lines().count(), 20_000);
        let held =
            |item: &str| text.lines().filter(|line| line.split(' ').any(|word| word == item)).count() as f64;
        // Both are so rare that drawing them twice for a basket hardly matters.
        let ratio = held("9") / held("39");
        assert!((3.5..4.5).contains(&ratio), "{ratio}");
        // Of four draws on average some give the same item.
        let mean = text.split_whitespace().count() as f64 / 20_000.0;
        assert!((3.4..4.0).contains(&mean), "{mean}");
        assert!(text.split_whitespace().all(|item| item.parse::<usize>().unwrap() < 1000));
    }
}
