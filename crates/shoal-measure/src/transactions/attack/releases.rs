//! Two releases of the same people, whose transactions may have grown between them.
//!
//! Whoever knows some items of somebody who is in both has the lines of the earlier release that may hold them, and those of the later one. A line of the
//! earlier release *goes with* a line of the later one if the items of the first may all be among those of the second: for every text of the first
//! the second has a text that stands for one of its items, or one of its items is suppressed there. A line that goes with none of the other release is
//! not the person's. What is left in each release must still be a crowd.

use std::collections::{BTreeSet, HashSet};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use shoal_core::{Progress, Transactions, TransactionsPromise, parse_group, unquote_item};

use super::TransactionsTarget;
use super::candidates::Candidates;
use super::itemsets::{choose, each_subset};
use crate::attack::Attack;
use crate::transactions::published::meaning;

/// An earlier release.
#[derive(Clone, Copy, Debug)]
pub struct EarlierTransactions<'a> {
    /// Its transactions, with whose they are where that is known.
    pub published: &'a Transactions,
    /// For each transaction of the new original the lines of its person in the earlier release, where people are known in both; empty for who was
    /// not in it.
    pub lines_of: Option<&'a [Vec<u32>]>,
}

/// Sets that are all tried; more are drawn. Each is held against the lines of two files.
const MOST_SETS: u64 = 20_000;
/// Sets that are drawn.
const DRAWN: usize = 4_000;
/// Sets that are tried before the smallest crowd so far is looked at again: counting ends there.
const CHUNK: usize = 512;

/// Attacks a release together with an earlier one.
pub fn attack_transactions_together(
    target: &TransactionsTarget<'_>,
    earlier: &EarlierTransactions<'_>,
    progress: &dyn Progress,
) -> Attack {
    let k = target.promise.k();
    let pair = Pair::read(target, earlier);
    let (cases, drawn) = cases(target, earlier, &pair);
    // Counting ends at the smallest crowd so far, which cannot grow smaller by what is not smaller itself.
    let (mut least, mut at) = (u64::MAX, None);
    let mut beating = 0;
    for chunk in cases.chunks(CHUNK) {
        progress.check();
        let crowds: Vec<u64> =
            chunk.par_iter().map(|case| pair.crowd(&case.items, least.max(k as u64))).collect();
        for (case, &crowd) in chunk.iter().zip(&crowds) {
            beating += u64::from(crowd > 0 && crowd < k as u64);
            if crowd > 0 && crowd < least {
                (least, at) = (crowd, Some(case.record));
            }
        }
    }
    let question = "Whoever has two releases, and knows some items of somebody who is in both, keeps the lines of each that may hold them and go with a line of the \
                    other.";
    let (success, words, record) = match at {
        None => (0.0, "no line of the two releases may be of anybody who is in both".to_owned(), None),
        Some(record) => {
            let words = format!("{least} {} are left in one of the releases", pair.unit());
            (1.0 / least as f64, words, Some(target.source_rows[record as usize]))
        }
    };
    let attack = Attack::exact("several releases, items", question, success).worst(words, record);
    let attack = attack.promised(1.0 / k as f64);
    if drawn { attack.searched(beating, cases.len() as u64) } else { attack }
}

/// Something known about somebody.
struct Case {
    record: u32,
    items: Vec<u32>,
}

/// What is tried, and whether it was drawn.
fn cases(
    target: &TransactionsTarget<'_>,
    earlier: &EarlierTransactions<'_>,
    pair: &Pair<'_>,
) -> (Vec<Case>, bool) {
    // Of items that came later nothing is known in the earlier release.
    let known: Vec<(u32, Vec<u32>)> = target
        .original
        .iter()
        .zip(0..)
        .filter_map(|(items, record)| {
            let linkable = |item: &&u32| match target.promise {
                TransactionsPromise::Itemsets { linkable: Some(linkable), .. } => linkable[**item as usize],
                _ => true,
            };
            let items = items.iter().filter(linkable).copied();
            let items: Vec<u32> = match earlier.lines_of {
                None => items.collect(),
                Some(lines_of) => {
                    let lines = &lines_of[record as usize];
                    items.filter(|&item| lines.iter().any(|&line| pair.may_hold_before(line, item))).collect()
                }
            };
            (!items.is_empty()).then_some((record, items))
        })
        .collect();
    match target.promise {
        TransactionsPromise::Complete { .. } => {
            (known.into_iter().map(|(record, items)| Case { record, items }).collect(), false)
        }
        TransactionsPromise::Constraints { sets, .. } => {
            let mut cases = Vec::new();
            for (record, items) in &known {
                let has = |set: &&Vec<u32>| set.iter().all(|item| items.binary_search(item).is_ok());
                cases.extend(sets.iter().filter(has).map(|set| Case { record: *record, items: set.clone() }));
            }
            // The same set of another person leads to the same lines.
            let mut seen = HashSet::new();
            cases.retain(|case| seen.insert(case.items.clone()));
            (cases, false)
        }
        TransactionsPromise::Itemsets { m, .. } => any_items(&known, *m, target.seed, pair),
    }
}

fn any_items(known: &[(u32, Vec<u32>)], m: usize, seed: u64, pair: &Pair<'_>) -> (Vec<Case>, bool) {
    let sizes = |items: &[u32]| 1..=m.min(items.len());
    let all: u64 = known
        .iter()
        .map(|(_, items)| sizes(items).map(|size| choose(items.len(), size)).fold(0, u64::saturating_add))
        .fold(0, u64::saturating_add);
    let mut cases = Vec::new();
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    if all <= MOST_SETS {
        for (record, items) in known {
            for size in sizes(items) {
                each_subset(items, size, &mut |set| {
                    if seen.insert(set.to_vec()) {
                        cases.push(Case { record: *record, items: set.to_vec() });
                    }
                });
            }
        }
        return (cases, false);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..DRAWN {
        let (record, items) = &known[random.random_range(0..known.len())];
        let mut set = items.clone();
        if random.random_bool(0.5) {
            // The rarest items make the smallest crowds.
            set.sort_by_key(|&item| pair.rarity(item));
        } else {
            for place in 0..m.min(set.len()) {
                let other = random.random_range(place..set.len());
                set.swap(place, other);
            }
        }
        set.truncate(m);
        set.sort_unstable();
        if seen.insert(set.clone()) {
            cases.push(Case { record: *record, items: set });
        }
    }
    (cases, true)
}

/// Two releases, as the new original's items are in them.
struct Pair<'a> {
    now: Candidates,
    before: &'a Transactions,
    /// For each text of the earlier release the images of its items in the later one, ascending; none where one of its items has no image, so
    /// that the text asks for nothing.
    goes_with: Vec<Option<Vec<u32>>>,
    /// For each item of the original the earlier texts that stand for it.
    texts_of: Vec<Vec<u32>>,
    /// The earlier lines that hold each text.
    postings: Vec<Vec<u32>>,
}

impl<'a> Pair<'a> {
    fn read(target: &TransactionsTarget<'_>, earlier: &EarlierTransactions<'a>) -> Pair<'a> {
        let now = Candidates::read(target);
        let before = earlier.published;
        let mut texts_of: Vec<Vec<u32>> = vec![Vec::new(); target.original.items().len()];
        let mut goes_with = Vec::with_capacity(before.items().len());
        for (text, code) in before.items().iter().zip(0..) {
            let (members, all) = still_known(text, target);
            members.iter().for_each(|&item| texts_of[item as usize].push(code));
            let images: Option<Vec<u32>> = members.iter().map(|&item| now.image_of(item)).collect();
            goes_with.push(images.filter(|_| all).map(|mut images| {
                images.sort_unstable();
                images.dedup();
                images
            }));
        }
        Pair { now, before, goes_with, texts_of, postings: before.postings() }
    }

    fn unit(&self) -> &'static str {
        if self.before.persons().is_some() && self.now.persons.is_some() { "people" } else { "lines" }
    }

    fn may_hold_before(&self, line: u32, item: u32) -> bool {
        let line = self.before.transaction(line as usize);
        self.texts_of[item as usize].iter().any(|text| line.binary_search(text).is_ok())
    }

    /// In how many earlier lines an item may be.
    fn rarity(&self, item: u32) -> usize {
        self.texts_of[item as usize].iter().map(|&text| self.postings[text as usize].len()).sum()
    }

    /// The smaller of the two crowds, counted up to `enough`; 0 where nothing fits, since then what is known is not true of the files.
    fn crowd(&self, items: &[u32], enough: u64) -> u64 {
        // An item that no text of a release stands for was suppressed there, and rules no line out.
        let before = items.iter().map(|&item| self.texts_of[item as usize].clone());
        let before = holding(before.collect(), &self.postings, self.before.len());
        let now = items.iter().map(|&item| self.now.image_of(item).into_iter().collect());
        let now = holding(now.collect(), &self.now.postings, self.now.rows.len());
        let left = before.iter().copied().filter(|&line| now.iter().any(|&row| self.go_together(line, row)));
        let left = count(left, self.before.persons(), enough);
        if left == 0 {
            return 0;
        }
        let rows = now.iter().copied().filter(|&row| before.iter().any(|&line| self.go_together(line, row)));
        left.min(count(rows, self.now.persons.as_deref(), enough))
    }

    fn go_together(&self, line: u32, row: u32) -> bool {
        let row = &self.now.rows[row as usize];
        self.before.transaction(line as usize).iter().all(|&text| match &self.goes_with[text as usize] {
            None => true,
            Some(images) => images.iter().any(|image| row.binary_search(image).is_ok()),
        })
    }
}

/// The lines that hold one of each of these lists, of so many lines; an empty list asks for nothing.
fn holding(mut asked: Vec<Vec<u32>>, postings: &[Vec<u32>], lines: usize) -> Vec<u32> {
    let held = |texts: &Vec<u32>| -> BTreeSet<u32> {
        texts.iter().flat_map(|&text| &postings[text as usize]).copied().collect()
    };
    asked.retain(|texts| !texts.is_empty());
    asked.sort_by_key(|texts| texts.iter().map(|&text| postings[text as usize].len()).sum::<usize>());
    let Some((rarest, others)) = asked.split_first() else { return (0..lines as u32).collect() };
    let holds = |line: &u32| {
        let in_one =
            |texts: &Vec<u32>| texts.iter().any(|&text| postings[text as usize].binary_search(line).is_ok());
        others.iter().all(in_one)
    };
    held(rarest).into_iter().filter(holds).collect()
}

/// Counts lines, or the people whose they are, up to `enough`.
fn count(lines: impl Iterator<Item = u32>, persons: Option<&[u32]>, enough: u64) -> u64 {
    let enough = enough as usize;
    let Some(persons) = persons else { return lines.take(enough).count() as u64 };
    let mut people = HashSet::new();
    lines.map(|line| persons[line as usize]).filter(|&person| people.insert(person)).take(enough).count()
        as u64
}

/// The items of the new original that an earlier text stands for, and whether these are all that it stands for.
fn still_known(text: &str, target: &TransactionsTarget<'_>) -> (Vec<u32>, bool) {
    if let Ok(members) = meaning(text, target.original, target.hierarchy) {
        // A node stands for leaves that the new original need not have.
        let node = target.hierarchy.and_then(|tree| Some(tree.leaves_below(tree.node(text)?).len()));
        let all = node.is_none_or(|leaves| leaves == members.len());
        return (members, all);
    }
    let named =
        parse_group(text).unwrap_or_else(|| vec![unquote_item(text).unwrap_or_else(|| text.to_owned())]);
    let members: Vec<u32> = named.iter().filter_map(|item| target.original.item(item)).collect();
    let all = members.len() == named.len();
    (members, all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shoal_core::Silent;

    use super::*;

    const ITEMS: usize = 5;
    const NAMES: [&str; ITEMS] = ["a", "b", "c", "d", "e"];

    /// A recoding of five items: the group of each, or none where it is suppressed.
    type Recoding = [Option<usize>; ITEMS];

    fn text(recoding: &Recoding, group: usize) -> String {
        let members: Vec<&str> =
            (0..ITEMS).filter(|&item| recoding[item] == Some(group)).map(|item| NAMES[item]).collect();
        if let [only] = members.as_slice() { (*only).to_owned() } else { format!("({})", members.join(",")) }
    }

    /// What a set of items, given by its bits, is published as: the bits of its groups.
    fn image(recoding: &Recoding, items: u32) -> u32 {
        let groups = (0..ITEMS).filter(|item| items >> item & 1 == 1).filter_map(|item| recoding[item]);
        groups.fold(0, |image, group| image | 1 << group)
    }

    fn published(recoding: &Recoding, lines: &[u32]) -> Transactions {
        let texts = |&line: &u32| -> Vec<String> {
            let image = image(recoding, line);
            (0..ITEMS).filter(|group| image >> group & 1 == 1).map(|group| text(recoding, group)).collect()
        };
        Transactions::from_texts(&lines.iter().map(texts).collect::<Vec<_>>())
    }

    /// The smallest crowd, slowly: for every known set and every pair of lines, all pairs of sets of items are tried that may be behind them.
    fn slow(one: &Recoding, first: &[u32], two: &Recoding, second: &[u32], m: u32) -> Option<usize> {
        // Items that no line shows are suppressed to whoever reads the file.
        let seen = |recoding: &Recoding, lines: &[u32]| {
            let shown = lines.iter().fold(0, |all, &line| all | image(recoding, line));
            recoding.map(|group| group.filter(|group| shown >> group & 1 == 1))
        };
        let (one, two) = (&seen(one, first), &seen(two, second));
        let held = second.iter().fold(0, |all, &line| all | line);
        let everything = 1_u32 << ITEMS;
        let mut least = None;
        for &own in second {
            for known in (1..everything).filter(|known| known & own == *known && known.count_ones() <= m) {
                let possible = |a: u32, b: u32| {
                    (0..everything)
                        .filter(|before| image(one, *before) == image(one, a) && before & known == known)
                        .any(|before| {
                            // The new original has no other items than its lines hold.
                            (0..everything).any(|now| {
                                now & before == before & held
                                    && now & known == known
                                    && image(two, now) == image(two, b)
                            })
                        })
                };
                let left = first.iter().filter(|&&a| second.iter().any(|&b| possible(a, b))).count();
                let right = second.iter().filter(|&&b| first.iter().any(|&a| possible(a, b))).count();
                let crowd = left.min(right);
                if crowd > 0 {
                    least = Some(least.map_or(crowd, |least: usize| least.min(crowd)));
                }
            }
        }
        least
    }

    fn recoding() -> impl Strategy<Value = Recoding> {
        proptest::array::uniform5(proptest::option::weighted(0.9, 0..ITEMS))
    }

    fn lines() -> impl Strategy<Value = Vec<u32>> {
        proptest::collection::vec(1_u32..1 << ITEMS, 1..7)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn two_releases_leave_what_trying_everything_leaves(
            one in recoding(), first in lines(), two in recoding(), second in lines(), m in 1_u32..4,
        ) {
            let names = |&line: &u32| (0..ITEMS).filter(|item| line >> item & 1 == 1).map(|item| NAMES[item]).collect();
            let original = Transactions::from_texts(&second.iter().map(names).collect::<Vec<Vec<&str>>>());
            // A text of the new release names no item that the new original does not have; one of the earlier release may.
            let held = second.iter().fold(0, |all, &line| all | line);
            let two: Recoding = std::array::from_fn(|item| two[item].filter(|_| held >> item & 1 == 1));
            let (before, now) = (published(&one, &first), published(&two, &second));
            let promise = TransactionsPromise::Itemsets { k: 2, m: m as usize, linkable: None };
            let source_rows: Vec<u32> = (0..second.len() as u32).collect();
            let target = TransactionsTarget {
                original: &original, source_rows: &source_rows, published: &now, hierarchy: None, promise: &promise, seed: 0,
            };
            let attack = attack_transactions_together(&target, &EarlierTransactions { published: &before, lines_of: None }, &Silent);
            let expected = slow(&one, &first, &two, &second, m).map_or(0.0, |least| 1.0 / least as f64);
            prop_assert_eq!(attack.success, expected);
        }
    }
}
