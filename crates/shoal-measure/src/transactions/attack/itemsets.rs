use std::collections::HashMap;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shoal_core::Progress;

use super::candidates::Candidates;
use super::{TransactionsTarget, Tried};
use crate::attack::Attack;

/// Itemsets that are all tried; more are drawn. Each costs an intersection of two or more lists of transactions.
const MOST_ITEMSETS: u64 = 3_000_000;
/// Pairs that are counted all at once, in a map.
const MOST_PAIRS: u64 = 30_000_000;
/// Itemsets that are drawn where they are too many to try all.
const DRAWN: usize = 50_000;

/// Tries itemsets of up to `m` of the images that are known of each transaction.
///
/// Who fits more items fits fewer, so of nobody's items smaller sets are tried than can be known; but where a file is not true, all
/// together may fit nobody and fewer of them somebody, so single items and pairs are always tried.
pub(super) fn try_all(
    candidates: &Candidates,
    known: &[Vec<u32>],
    m: usize,
    k: usize,
    seed: u64,
    progress: &dyn Progress,
) -> Tried {
    let singles: Vec<u64> =
        (0..candidates.postings.len() as u32).map(|image| candidates.crowd(&[image])).collect();
    let mut crowds: Vec<u64> =
        known.iter().map(|images| least(images.iter().map(|&image| singles[image as usize]))).collect();
    if m < 2 {
        return Tried { crowds, drawn: None };
    }
    let pairs = |rows: &[Vec<u32>]| rows.iter().map(|row| choose(row.len(), 2)).sum::<u64>();
    if pairs(known) <= MOST_PAIRS && pairs(&candidates.rows) <= MOST_PAIRS {
        let counts = count_pairs(candidates, progress);
        let of_pairs = known.par_iter().map(|images| {
            let pairs =
                images.iter().enumerate().flat_map(|(at, &a)| images[at + 1..].iter().map(move |&b| (a, b)));
            least(pairs.map(|pair| counts.get(&pair).map_or(0, |&(count, _)| count)))
        });
        join(&mut crowds, &of_pairs.collect::<Vec<u64>>());
        if m == 2 {
            return Tried { crowds, drawn: None };
        }
    }
    let sets: u64 = known.iter().map(|images| choose(images.len(), m.min(images.len()))).sum();
    if sets <= MOST_ITEMSETS {
        let of_sets = known.par_iter().map(|images| {
            progress.check();
            let mut smallest = 0;
            each_subset(images, m.min(images.len()), &mut |set| {
                smallest = least([smallest, candidates.crowd(set)].into_iter());
            });
            smallest
        });
        join(&mut crowds, &of_sets.collect::<Vec<u64>>());
        return Tried { crowds, drawn: None };
    }
    let (tries, beating) = draw(candidates, known, m, k, seed, progress, &mut crowds);
    Tried { crowds, drawn: Some((tries, beating)) }
}

/// Draws itemsets, and tries the rarest items of everybody. Gives how many were drawn and how many of them beat k.
fn draw(
    candidates: &Candidates,
    known: &[Vec<u32>],
    m: usize,
    k: usize,
    seed: u64,
    progress: &dyn Progress,
    crowds: &mut [u64],
) -> (u64, u64) {
    let rarest = known.par_iter().map(|images| {
        progress.check();
        let mut rare = images.clone();
        rare.sort_by_key(|&image| candidates.postings[image as usize].len());
        rare.truncate(m);
        if rare.is_empty() { 0 } else { candidates.crowd(&rare) }
    });
    join(crowds, &rarest.collect::<Vec<u64>>());
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let somebody: Vec<usize> = (0..known.len()).filter(|&at| !known[at].is_empty()).collect();
    let (mut tries, mut beating) = (0, 0);
    for _ in 0..DRAWN {
        progress.check();
        if somebody.is_empty() {
            break;
        }
        let at = somebody[random.random_range(0..somebody.len())];
        let mut set = known[at].clone();
        // Fewer items than m are known as well, now and then.
        let size = if random.random_bool(0.9) { m } else { random.random_range(1..=m) };
        let size = size.min(set.len());
        // The first steps of a Fisher-Yates shuffle.
        for place in 0..size {
            let other = random.random_range(place..set.len());
            set.swap(place, other);
        }
        set.truncate(size);
        let crowd = candidates.crowd(&set);
        crowds[at] = least([crowds[at], crowd].into_iter());
        tries += 1;
        beating += u64::from(crowd > 0 && crowd < k as u64);
    }
    (tries, beating)
}

/// Tries everything that is known of each transaction.
pub(super) fn try_whole(candidates: &Candidates, known: &[Vec<u32>], progress: &dyn Progress) -> Tried {
    let crowd = |images: &Vec<u32>| {
        progress.check();
        // Whoever knows nothing finds everybody; the promise asks for no crowd there.
        if images.is_empty() { 0 } else { candidates.crowd(images) }
    };
    Tried { crowds: known.par_iter().map(crowd).collect(), drawn: None }
}

/// Looks for transactions that say exactly what is known.
pub(super) fn try_equal(candidates: &Candidates, known: &[Vec<u32>], progress: &dyn Progress) -> Tried {
    progress.check();
    let mut alike: HashMap<&[u32], (u64, Option<u32>)> = HashMap::new();
    for (row, at) in candidates.rows.iter().zip(0..) {
        let person = candidates.persons.as_ref().map(|persons| persons[at]);
        let (count, last) = alike.entry(row).or_default();
        *count += u64::from(person.is_none() || *last != person);
        *last = person;
    }
    let crowd = |images: &Vec<u32>| match images.is_empty() {
        true => 0,
        false => alike.get(images.as_slice()).map_or(0, |&(count, _)| count),
    };
    Tried { crowds: known.iter().map(crowd).collect(), drawn: None }
}

/// Tries the listed sets, also those that nobody has.
pub(super) fn try_sets(
    candidates: &Candidates,
    target: &TransactionsTarget<'_>,
    sets: &[Vec<u32>],
    k: usize,
    progress: &dyn Progress,
) -> (Attack, Vec<u64>) {
    let mut crowds = vec![0; target.original.len()];
    let mut worst: Option<(u64, Option<u32>)> = None;
    let holders = target.original.postings();
    for set in sets {
        progress.check();
        let images = candidates.images(set.iter().copied());
        // A set of suppressed items tells nothing.
        let crowd = if images.is_empty() { 0 } else { candidates.crowd(&images) };
        let rarest = set.iter().min_by_key(|&&item| holders[item as usize].len());
        let has_all = |row: &&u32| {
            let items = target.original.transaction(**row as usize);
            set.iter().all(|item| items.binary_search(item).is_ok())
        };
        let people: Vec<u32> =
            rarest.map_or(&[][..], |&item| &holders[item as usize]).iter().filter(has_all).copied().collect();
        people
            .iter()
            .for_each(|&row| crowds[row as usize] = least([crowds[row as usize], crowd].into_iter()));
        if crowd > 0 && worst.is_none_or(|(least, _)| crowd < least) {
            worst = Some((crowd, people.first().map(|&row| target.source_rows[row as usize])));
        }
    }
    let question = format!(
        "Whoever knows one of {} listed sets of items looks for the transactions that may hold it.",
        sets.len()
    );
    let attack = match worst {
        None => Attack::exact("listed sets of items", question, 0.0)
            .worst("no published transaction may hold any of the sets", None),
        Some((crowd, record)) => Attack::exact("listed sets of items", question, 1.0 / crowd as f64)
            .worst(format!("{crowd} {} may hold one of the sets", candidates.unit()), record),
    };
    (attack.promised(1.0 / k as f64), crowds)
}

/// In how many transactions, or with how many people, two images are together.
fn count_pairs(candidates: &Candidates, progress: &dyn Progress) -> HashMap<(u32, u32), (u64, Option<u32>)> {
    let mut counts: HashMap<(u32, u32), (u64, Option<u32>)> = HashMap::new();
    for (row, at) in candidates.rows.iter().zip(0_usize..) {
        progress.check();
        let person = candidates.persons.as_ref().map(|persons| persons[at]);
        for (place, &a) in row.iter().enumerate() {
            for &b in &row[place + 1..] {
                let (count, last) = counts.entry((a, b)).or_default();
                // The rows of a person are next to each other, so that the last one who was counted tells.
                *count += u64::from(person.is_none() || *last != person);
                *last = person;
            }
        }
    }
    counts
}

/// The smallest that is not 0, or 0: nobody fits what is not true.
fn least(crowds: impl Iterator<Item = u64>) -> u64 {
    crowds.filter(|&crowd| crowd > 0).min().unwrap_or_default()
}

fn join(crowds: &mut [u64], others: &[u64]) {
    crowds.iter_mut().zip(others).for_each(|(crowd, &other)| *crowd = least([*crowd, other].into_iter()));
}

/// n over k, or the greatest number where it is larger.
pub(super) fn choose(n: usize, k: usize) -> u64 {
    (0..k as u64).fold(1_u64, |product, at| product.saturating_mul((n as u64).saturating_sub(at)) / (at + 1))
}

/// Calls `each` for every subset of this size.
pub(super) fn each_subset(items: &[u32], size: usize, each: &mut impl FnMut(&[u32])) {
    fn extend(items: &[u32], size: usize, chosen: &mut Vec<u32>, each: &mut impl FnMut(&[u32])) {
        if chosen.len() == size {
            if size > 0 {
                each(chosen);
            }
            return;
        }
        for (at, &item) in items.iter().enumerate() {
            chosen.push(item);
            extend(&items[at + 1..], size, chosen, each);
            chosen.pop();
        }
    }
    extend(items, size, &mut Vec::with_capacity(size), each);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_as_many_as_there_are() {
        for (n, size) in [(5, 2), (6, 3), (4, 4), (3, 0)] {
            let items: Vec<u32> = (0..n).collect();
            let mut seen = std::collections::BTreeSet::new();
            each_subset(&items, size, &mut |set| assert!(seen.insert(set.to_vec())));
            let expected = if size == 0 { 0 } else { choose(n as usize, size) };
            assert_eq!(seen.len() as u64, expected);
        }
        assert!(choose(400, 60) > MOST_ITEMSETS, "saturates and does not overflow");
    }
}
