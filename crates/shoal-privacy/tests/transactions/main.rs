//! The verifier of transactions against a second one that shares no code with it, on sound and on broken
//! releases.

mod by_hand;
mod second_verifier;

use proptest::prelude::*;
use proptest::sample::Index;
use second_verifier::{
    ITEMS, Promise, Release, Row, is_private, is_sound, items, model, one_image, releases,
    releases_of_people, supports, transactions, tree, verify,
};
use shoal_privacy::{Figure, Refusal, TransactionsVerdict, Utility, verify_transactions_file};

/// Texts that a broken release might hold: some true, some not, some unreadable.
const TEXTS: [&str; 14] =
    ["a", "b", "c", "(a,b)", "(b,a)", "(a,b,c)", "(c,d)", "(a,x)", "AB", "DEF", "*", "x", "z", "(e,f)"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn releases_pass_exactly_when_they_are_sound(release in releases(1)) {
        let verified = verify(&release);
        prop_assert_eq!(verified.is_ok(), is_sound(&release), "{:?}", verified.err());
    }

    #[test]
    fn crowds_pass_and_say_what_they_are(mut release in releases(3)) {
        release.k = release.k.min(3);
        prop_assert!(is_sound(&release), "three of each hide up to three");
        let verified = verify(&release).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let ticket = verified.findings();
        prop_assert_eq!((ticket.rows_in(), ticket.rows_published()), (release.original.len(), release.published.len()));
        prop_assert!(ticket.promises()[0].holds);
        prop_assert_eq!(verified.items_published(), items(&release.published).len());
        let known = items(&release.original);
        prop_assert_eq!(verified.image_of().len(), known.len());
        let visible = |item: &&String| {
            items(&release.published).iter().any(|text| second_verifier::meaning(text, Some(&known)).contains(*item))
        };
        prop_assert_eq!(verified.items_suppressed(), known.len() - known.iter().filter(visible).count());
    }

    #[test]
    fn what_is_found_is_what_all_subsets_show(release in releases(1)) {
        let verdict = verify_alone(&release.published, &release);
        let known = supports(&release, None);
        // Sets are looked at by size, up to the first size that breaks the promise.
        let breaks = |(_, support): &&(Row, usize)| *support < release.k as usize;
        let broken_at = known.iter().filter(breaks).map(|(set, _)| set.len()).min();
        let last = match (&release.promise, broken_at) {
            (Promise::Itemsets { .. }, Some(size)) => size,
            _ => usize::MAX,
        };
        let seen: Vec<_> = known.iter().filter(|(set, _)| set.len() <= last).collect();
        let smallest = seen.iter().map(|(_, support)| *support).min();
        let expected = smallest.map_or(Figure::Nothing, |support| Figure::Count(support as u64));
        prop_assert_eq!(&verdict.promises[0].found, &expected);
        prop_assert_eq!(verdict.promises[0].holds, broken_at.is_none());
        let total = seen.iter().filter(|pair| breaks(&&***pair)).count();
        prop_assert_eq!(verdict.broken.iter().map(|broken| broken.violations.total).sum::<usize>(), total);
        for violation in verdict.broken.iter().flat_map(|broken| &broken.violations.worst) {
            let set: Row = violation.items.iter().cloned().collect();
            prop_assert!(seen.contains(&&(set.clone(), violation.support as usize)));
            let rows = release.published.iter().enumerate().filter(|(_, row)| set.is_subset(row));
            let rows: Vec<u64> = rows.map(|(at, _)| at as u64 + 1).take(5).collect();
            prop_assert_eq!(&violation.rows, &rows);
        }
    }

    #[test]
    fn a_file_is_judged_by_its_texts_alone(release in releases(2), at in any::<Index>(), text in 0..TEXTS.len()) {
        let mut release = release;
        let row = at.index(release.published.len());
        release.published[row].insert(TEXTS[text].to_owned());
        let verdict = verify_alone(&release.published, &release);
        let unique = one_image(&items(&release.published), None);
        prop_assert_eq!(verdict.items_in_two_images.total == 0, unique);
        if unique {
            let private = supports(&release, None).iter().all(|(_, support)| *support >= release.k as usize);
            prop_assert_eq!(verdict.holds(), private);
        } else {
            prop_assert!(!verdict.holds());
        }
    }

    #[test]
    fn one_item_more_or_less_is_noticed_exactly_when_it_matters(
        release in releases(2),
        at in any::<(Index, Index)>(),
        text in 0..TEXTS.len(),
    ) {
        let row = at.0.index(release.published.len());
        let mut more = release.clone();
        more.published[row].insert(TEXTS[text].to_owned());
        prop_assert_eq!(verify(&more).is_ok(), is_sound(&more));

        let mut less = release.clone();
        let texts: Vec<String> = less.published[row].iter().cloned().collect();
        if !texts.is_empty() {
            less.published[row].remove(&texts[at.1.index(texts.len())]);
        }
        prop_assert_eq!(verify(&less).is_ok(), is_sound(&less));
    }

    #[test]
    fn an_image_that_differs_in_one_row_is_noticed(
        release in releases(2),
        at in any::<(Index, Index)>(),
        text in 0..TEXTS.len(),
    ) {
        let row = at.0.index(release.published.len());
        let texts: Vec<String> = release.published[row].iter().cloned().collect();
        prop_assume!(!texts.is_empty());
        let old = &texts[at.1.index(texts.len())];
        let mut local = release.clone();
        local.published[row].remove(old);
        local.published[row].insert(TEXTS[text].to_owned());
        prop_assert_eq!(verify(&local).is_ok(), is_sound(&local), "in one row");

        let mut global = release.clone();
        for row in &mut global.published {
            if row.remove(old) {
                row.insert(TEXTS[text].to_owned());
            }
        }
        prop_assert_eq!(verify(&global).is_ok(), is_sound(&global), "in all rows");
    }

    #[test]
    fn swapped_and_doubled_rows_are_noticed(release in releases(2), pair in any::<(Index, Index)>()) {
        let rows = release.published.len();
        let (one, two) = (pair.0.index(rows), pair.1.index(rows));

        let mut swapped = release.clone();
        swapped.published.swap(one, two);
        prop_assert_eq!(
            is_private(&swapped, &items(&swapped.original)),
            is_private(&release, &items(&release.original)),
            "a swap leaves the supports as they are"
        );
        prop_assert_eq!(verify(&swapped).is_ok(), is_sound(&swapped));

        let mut doubled = release.clone();
        doubled.published[two] = doubled.published[one].clone();
        prop_assert_eq!(verify(&doubled).is_ok(), is_sound(&doubled));
        doubled.origin[two] = doubled.origin[one];
        prop_assert_eq!(verify(&doubled).is_ok(), is_sound(&doubled));

        let mut lost = release.clone();
        lost.published.remove(one);
        prop_assert!(verify(&lost).is_err());
        lost.origin.remove(one);
        prop_assert!(verify(&lost).is_err(), "no transaction is ever left out");
    }

    #[test]
    fn releases_of_people_pass_exactly_when_they_are_sound(release in releases_of_people(1), crowded in releases_of_people(4)) {
        for release in [release, crowded] {
            let verified = verify(&release);
            prop_assert_eq!(verified.is_ok(), is_sound(&release), "{:?}", verified.err());
            if let Err(Refusal::BrokenTransactions { broken }) = verified {
                let known = supports(&release, Some(&items(&release.original)));
                for violation in &broken[0].violations.worst {
                    let set: Row = violation.items.iter().cloned().collect();
                    prop_assert!(known.contains(&(set, violation.support as usize)) && violation.people);
                }
            }
        }
    }

    #[test]
    fn the_crowd_that_is_found_counts_people(mut release in releases_of_people(3)) {
        // Everything is looked at where nothing is broken.
        release.k = 2;
        let known = supports(&release, None);
        prop_assume!(known.iter().all(|(_, support)| *support >= 2));
        let persons = release.persons.as_ref().unwrap();
        let of_published = release.origin.iter().map(|&from| persons[from as usize]).collect();
        let published = transactions(&release.published).with_persons(of_published);
        let verdict = verify_transactions_file(&published, None, Some(&tree()), &model(2, &release.promise), &shoal_core::Silent).unwrap();
        let smallest = known.iter().map(|(_, support)| *support as u64).min();
        prop_assert_eq!(&verdict.promises[0].found, &smallest.map_or(Figure::Nothing, Figure::Count));
    }

    /// Two who turn out to be one, one who turns out to be two, and somebody else's transaction.
    #[test]
    fn other_people_are_noticed_exactly_when_it_matters(
        release in releases_of_people(3),
        at in any::<(Index, Index)>(),
        new in any::<bool>(),
    ) {
        let rows = release.original.len();
        let (one, two) = (at.0.index(rows), at.1.index(rows));
        let persons = release.persons.clone().unwrap();

        let mut moved = persons.clone();
        moved[one] = if new { 99 } else { persons[two] };
        let moved = Release { persons: Some(moved), ..release.clone() };
        prop_assert_eq!(verify(&moved).is_ok(), is_sound(&moved));

        let joined = persons.iter().map(|&person| if person == persons[one] { persons[two] } else { person });
        let joined = Release { persons: Some(joined.collect()), ..release.clone() };
        prop_assert_eq!(verify(&joined).is_ok(), is_sound(&joined));

        // Origins lead to people: a wrong one is noticed unless the two are published alike.
        let mut swapped = release.clone();
        swapped.origin.swap(one, two);
        prop_assert_eq!(verify(&swapped).is_ok(), is_sound(&swapped));
    }

    #[test]
    fn everybody_with_one_transaction_is_as_without_people(release in releases(2)) {
        let mut named = release.clone();
        named.persons = Some((0..release.original.len() as u32).map(|person| 1000 - person).collect());
        prop_assert_eq!(verify(&named).is_ok(), verify(&release).is_ok());
    }

    #[test]
    fn utility_is_guarded(
        release in releases(3),
        // The last of four parts stands in no constraint.
        parts in prop::collection::vec(0..4usize, ITEMS.len()),
        allowed in prop::option::of(0..=4u32),
    ) {
        let mut release = release;
        release.k = 2;
        let part = |n: usize| {
            ITEMS.iter().zip(&parts).filter(|(_, p)| **p == n).map(|(item, _)| (*item).to_owned()).collect()
        };
        release.utility = Utility {
            constraints: Some((0..3).map(part).collect()),
            max_suppressed: allowed.map(|n| f64::from(n) / 4.0),
        };
        prop_assert_eq!(verify(&release).is_ok(), is_sound(&release));
    }
}

pub(crate) fn verify_alone(published: &[Row], release: &Release) -> TransactionsVerdict {
    let models = model(release.k, &release.promise);
    verify_transactions_file(&transactions(published), None, Some(&tree()), &models, &shoal_core::Silent)
        .unwrap()
}
