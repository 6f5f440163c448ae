//! Parts that the published file shows by itself.
//!
//! By the papers' count, people who were put together as a crowd of just k share all that can be known of any of them, up to L
//! items: whatever fewer than all of them had would find fewer than k. So they have the same items, the same pairs of items in
//! one event, and the same pairs of items one of which comes before the other. Others hardly ever do. Nobody has to believe
//! that these were put together: like all parts, they are a place to look for a proof.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use rayon::prelude::*;
use shoal_core::Progress;

use super::Published;
use super::groups::Step;
use super::items::Items;
use crate::Classes;

/// A number for each group, the same where the same items can be known and, for a `length` of two or more, the same pairs.
pub(super) fn parts(file: &Published, length: usize, progress: &dyn Progress) -> Vec<u32> {
    let of = |group: u32| {
        progress.check();
        signature(file.groups.whole(group), &file.items, length)
    };
    let signatures: Vec<u64> = (0..file.groups.len() as u32).into_par_iter().map(of).collect();
    Classes::of_keys(signatures.iter().copied()).class_of
}

/// A number for what can be known by one item or two. Different sequences may have the same number by accident, which does no
/// harm here.
fn signature(whole: &[Step], items: &Items, length: usize) -> u64 {
    let mut at: Vec<(u32, u32)> = Vec::new();
    let mut event = 0;
    for step in whole {
        event += step % 2;
        at.extend(items.upwards(step / 2).iter().map(|&item| (item, event)));
    }
    at.sort_unstable();
    // Each item with the first and the last event that has it.
    let mut spans: Vec<(u32, u32, u32)> = at
        .chunk_by(|one, two| one.0 == two.0)
        .map(|run| (run[0].0, run[0].1, run[run.len() - 1].1))
        .collect();
    // Sums, since they do not depend on the order.
    let mut sum = spans.iter().fold(0_u64, |sum, &(item, ..)| sum.wrapping_add(number(item)));
    if length > 1 {
        sum = sum.wrapping_add(followed(&mut spans)).wrapping_add(joined(&mut at, items));
    }
    sum
}

/// Which items come after which: one does where its last event is behind the first of the other.
fn followed(spans: &mut [(u32, u32, u32)]) -> u64 {
    spans.sort_unstable_by_key(|&(item, first, _)| (std::cmp::Reverse(first), item));
    let mut by_last: Vec<(u32, u32)> = spans.iter().map(|&(item, _, last)| (last, item)).collect();
    by_last.sort_unstable();
    // From the latest first event backwards, more and more items come after it.
    let (mut after, mut sum) = (0_u64, 0_u64);
    for &(item, first, _) in spans.iter() {
        while let Some((_, later)) = by_last.pop_if(|(last, _)| *last > first) {
            after = after.wrapping_add(number(later));
        }
        sum = sum.wrapping_add(number((item, after)));
    }
    sum
}

/// Which items are in one event.
fn joined(at: &mut [(u32, u32)], items: &Items) -> u64 {
    at.sort_unstable_by_key(|&(item, event)| (event, item));
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    let mut most = PAIRS;
    for event in at.chunk_by(|one, two| one.1 == two.1) {
        for (place, &(one, _)) in event.iter().enumerate() {
            let others = event[place + 1..].iter().map(|&(two, _)| two);
            // Two items of one quasi-identifier are never known of one event.
            pairs.extend(others.filter(|&two| items.quasi(two) != items.quasi(one)).map(|two| (one, two)));
        }
        // Ten thousand events have the same few pairs again and again.
        if pairs.len() > most {
            pairs.sort_unstable();
            pairs.dedup();
            most = PAIRS.max(2 * pairs.len());
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().fold(0, |sum, pair| sum.wrapping_add(number((pair, 1))))
}

/// Pairs of one person, 8 MiB of them, before those are taken out that are there already.
const PAIRS: usize = 1 << 20;

fn number(of: impl std::hash::Hash) -> u64 {
    FixedState::default().hash_one(of)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use shoal_core::{Bound, Limit, Silent, Support};

    use super::super::search::{Search, Work};
    use super::super::tests::{read, tree};
    use super::super::{by_revealed_parts, whole};
    use super::*;

    /// The cells of somebody's events by number, and an illness.
    type Person = (Vec<(u8, u8)>, u8);

    fn file(people: &[Person], k: u32, bound: Bound) -> Published {
        let rows = people.iter().enumerate().flat_map(|(person, (events, illness))| {
            let cell = move |&(place, stay): &(u8, u8)| {
                let (place, stay) =
                    (["a", "b", "ab", "c", "*"][place as usize], ["1", "2", "*"][stay as usize]);
                [&person.to_string(), place, stay, &illness.to_string()].map(str::to_owned).to_vec()
            };
            events.iter().map(cell)
        });
        let trees = [tree(&["a ab *", "b ab *", "c c *"]), tree(&["1 *", "2 *"])];
        let limit = Limit { column: "illness".into(), values: None, bound };
        let rows: Vec<Vec<String>> = rows.collect();
        read(&["id", "place", "stay", "illness"], &rows, &trees, k, limit, Support::Paper)
    }

    /// For each group all that can be known by up to this number of items, one or two.
    fn known(file: &Published, length: usize) -> Vec<BTreeSet<Vec<Step>>> {
        let items = || 0..file.items.len() as u32;
        let mut all: Vec<Vec<Step>> = items().map(|item| vec![2 * item + 1]).collect();
        if length > 1 {
            for one in items() {
                all.extend(items().map(|two| vec![2 * one + 1, 2 * two + 1]));
                let joins = |two: &u32| file.items.quasi(*two) > file.items.quasi(one);
                all.extend(items().filter(joins).map(|two| vec![2 * one + 1, 2 * two]));
            }
        }
        let mut known = vec![BTreeSet::new(); file.groups.len()];
        for steps in all {
            for group in file.index().supporters(&steps) {
                known[group as usize].insert(steps.clone());
            }
        }
        known
    }

    fn mixed_people() -> impl Strategy<Value = Vec<Person>> {
        prop::collection::vec((prop::collection::vec((0..5_u8, 0..3_u8), 1..6), 0..2_u8), 1..8)
    }

    /// People who were at the same two places, in many orders: two values hardly tell them apart, and more may.
    fn alike_people() -> impl Strategy<Value = Vec<Person>> {
        let stays = prop::collection::vec((0..2_u8, Just(2_u8)), 5..8);
        prop::collection::vec((stays, 0..2_u8), 4..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn parts_are_those_of_whom_the_same_can_be_known(people in mixed_people(), length in 1..4_usize) {
            let file = file(&people, 2, Bound::Share(1.0));
            let (parts, known) = (parts(&file, length, &Silent), known(&file, length));
            for one in 0..known.len() {
                for two in 0..one {
                    prop_assert_eq!(parts[one] == parts[two], known[one] == known[two]);
                }
            }
        }

    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(700))]

        /// The search of these parts finds what the search of the whole file finds.
        #[test]
        fn parts_that_are_shown_change_no_answer(
            mut people in alike_people(),
            other in mixed_people(),
            at in any::<prop::sample::Index>(),
            is_changed in any::<bool>(),
            k in 2..4_u32,
            length in 1..7_usize,
            share in prop::sample::select(vec![0.6, 0.8, 1.0]),
        ) {
            if is_changed {
                let person = at.index(people.len());
                people[person].clone_from(&other[0]);
            }
            let file = file(&people, k, Bound::Share(share));
            let found = by_revealed_parts(&file, length, u64::MAX, &Silent);
            // Too many cases without an answer make this test fail.
            prop_assume!(found.is_some());
            let found = found.unwrap();
            let (everybody, work) = (vec![true; file.groups.len()], Work::new(u64::MAX, &Silent));
            let plainly =
                whole::search(Search { file: &file, is_open: &everybody, length, work: &work }).found;
            prop_assert_eq!(found.length.is_some(), plainly.length.is_some());
            for how in &found.worst {
                let again = file.break_of(&file.index().supporters(&how.known), &how.known);
                prop_assert_eq!(again.as_ref(), Some(how));
            }
            if plainly.length.is_none() {
                prop_assert!(found.smallest <= plainly.smallest);
                prop_assert!(found.shares.iter().zip(&plainly.shares).all(|(bound, share)| share <= bound));
            }
        }
    }

    #[test]
    fn parts_are_no_answer_where_hardly_anybody_is_in_one() {
        let person = |place: u8, stay: u8| (vec![(place, stay)], 0);
        let answered =
            |people: &[Person]| by_revealed_parts(&file(people, 2, Bound::Share(1.0)), 2, 1000, &Silent);
        let apart = [person(0, 0), person(1, 1), person(2, 0), person(3, 1)];
        assert!(answered(&apart).is_none());
        // Whoever was there twice cannot be told from somebody who was there three times: nobody knows three values.
        let times = |times: usize| (vec![(0, 0); times], 0);
        assert_eq!(answered(&[times(2), times(3)]).unwrap().length, None);
        // A third person joins the nearest, whether that is enough or not.
        assert_eq!(answered(&[times(2), times(3), times(1)]).unwrap().length, None);
        assert_eq!(answered(&[times(2), times(3), person(3, 1)]).unwrap().length, Some(1));
    }
}
