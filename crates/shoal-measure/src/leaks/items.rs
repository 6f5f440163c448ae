//! How well a reader who knows items of a person guesses an item that is a secret.

use std::collections::{HashMap, HashSet};

use shoal_core::Transactions;

/// Sets of two items are counted as long as there are no more of them than this with a secret; then only single items.
const MOST_PAIRS: usize = 20_000_000;

/// The best guesses of secret items in published transactions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemGuesses {
    /// How many items the reader knows at most.
    pub known: usize,
    /// The greatest share of the transactions with the known items that have the secret, too.
    pub share: f64,
    /// The share of all transactions that have that secret.
    pub of_all: f64,
    /// How many transactions with a secret hold items that make the guess right more often than wrong.
    pub likely: usize,
}

/// The best guesses of these items from up to `known` items that are no secrets, at most two; none where no transaction
/// holds a secret.
pub fn item_guesses(published: &Transactions, secrets: &HashSet<u32>, known: usize) -> Option<ItemGuesses> {
    let open = |items: &[u32]| -> Vec<u32> {
        items.iter().copied().filter(|item| !secrets.contains(item)).collect()
    };
    let pairs_of = |items: &[u32]| items.len() * items.len().saturating_sub(1) / 2;
    let has_secret = |items: &&[u32]| items.iter().any(|item| secrets.contains(item));
    let pairs: usize = published.iter().filter(has_secret).map(pairs_of).sum();
    let known = if pairs > MOST_PAIRS { known.min(1) } else { known.min(2) };
    let mut likely = HashSet::new();
    let mut worst: Option<ItemGuesses> = None;
    for &secret in secrets {
        let holders: Vec<usize> =
            (0..published.len()).filter(|&row| published.transaction(row).contains(&secret)).collect();
        if holders.is_empty() {
            continue;
        }
        // How many hold a set together with the secret, and how many hold it at all.
        let mut counts: HashMap<[u32; 2], [usize; 2]> = HashMap::new();
        for &row in &holders {
            for_each_set(&open(published.transaction(row)), known, |set| {
                counts.entry(set).or_default()[0] += 1;
            });
        }
        for items in published.iter() {
            for_each_set(&open(items), known, |set| {
                if let Some([_, all]) = counts.get_mut(&set) {
                    *all += 1;
                }
            });
        }
        let share = |[with, all]: [usize; 2]| with as f64 / all as f64;
        let best = counts.values().map(|&count| share(count)).fold(0.0, f64::max);
        for &row in &holders {
            for_each_set(&open(published.transaction(row)), known, |set| {
                if share(counts[&set]) > 0.5 {
                    likely.insert(row);
                }
            });
        }
        if worst.is_none_or(|worst| worst.share < best) {
            let of_all = holders.len() as f64 / published.len() as f64;
            worst = Some(ItemGuesses { known, share: best, of_all, likely: 0 });
        }
    }
    worst.map(|worst| ItemGuesses { likely: likely.len(), ..worst })
}

/// Each set of up to `known` items, the empty one too. `u32::MAX` stands where there is none.
fn for_each_set(items: &[u32], known: usize, mut see: impl FnMut([u32; 2])) {
    const NONE: u32 = u32::MAX;
    see([NONE, NONE]);
    if known == 0 {
        return;
    }
    for (at, &first) in items.iter().enumerate() {
        see([first, NONE]);
        if known > 1 {
            items[at + 1..].iter().for_each(|&second| see([first, second]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guesses(baskets: &[&[&str]], secrets: &[&str], known: usize) -> Option<ItemGuesses> {
        let baskets: Vec<Vec<&str>> = baskets.iter().map(|items| items.to_vec()).collect();
        let published = Transactions::from_texts(&baskets);
        let secrets = secrets.iter().filter_map(|item| published.item(item)).collect();
        item_guesses(&published, &secrets, known)
    }

    #[test]
    fn two_items_may_tell_what_none_of_them_tells_alone() {
        let baskets: &[&[&str]] = &[
            &["bread", "milk", "hiv"],
            &["bread", "milk", "hiv"],
            &["bread", "beer"],
            &["bread", "beer"],
            &["beer", "milk"],
            &["beer", "milk"],
        ];
        let two = guesses(baskets, &["hiv"], 5).unwrap();
        assert_eq!((two.known, two.share, two.likely), (2, 1.0, 2));
        assert!((two.of_all - 1.0 / 3.0).abs() < 1e-12);
        let one = guesses(baskets, &["hiv"], 1).unwrap();
        assert_eq!((one.known, one.share, one.likely), (1, 0.5, 0));
        assert_eq!(guesses(baskets, &["flu"], 2), None);
    }

    #[test]
    fn secrets_are_not_known_and_whoever_has_only_secrets_is_guessed_from_nothing() {
        let baskets: &[&[&str]] = &[&["hiv", "flu"], &["hiv", "flu"], &["flu"]];
        let found = guesses(baskets, &["hiv", "flu"], 2).unwrap();
        assert_eq!((found.share, found.of_all, found.likely), (1.0, 1.0, 3));
    }
}
