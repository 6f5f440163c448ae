//! The verifier against a second one that shares no code with it, on correct and on broken releases.

mod by_hand;
#[path = "../support/mod.rs"]
mod support;

use proptest::prelude::*;
use shoal_privacy::Classes;
use support::{NAMES, QUASI, Release, brute_force, published, releases, verify};

/// Texts that a broken release might hold: some readable, some true, some neither.
const TEXTS: [&str; 18] = [
    "*",
    "?",
    "",
    "20",
    "26",
    "[20, 50]",
    "[23, 29]",
    "[50, 20]",
    "{f, m}",
    "{?, m}",
    "{f, zebra}",
    "f",
    "Bonn",
    "Rhine",
    "Coast",
    "zebra",
    "flu",
    "{20, 23, 26}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn correct_releases_pass_and_say_what_they_are(release in releases()) {
        prop_assert!(brute_force(&release));
        let verified = verify(&release).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let ticket = verified.findings();
        prop_assert_eq!(ticket.rows_in(), release.original.len());
        prop_assert_eq!(ticket.rows_published(), release.published.len());
        prop_assert_eq!(ticket.rows_left_out(), release.left_out);
        prop_assert!(ticket.promises().iter().all(|promise| promise.holds));
        let stars = |row: &&Vec<String>| row[..QUASI].iter().all(|text| text == "*");
        prop_assert_eq!(verified.rows_starred(), release.published.iter().filter(stars).count());
    }

    #[test]
    fn one_broken_cell_is_noticed_exactly_when_it_matters(
        release in releases(),
        at in any::<(prop::sample::Index, prop::sample::Index)>(),
        text in prop_oneof![prop::sample::select(TEXTS.to_vec()).prop_map(Some), Just(None)],
        other in any::<prop::sample::Index>(),
    ) {
        let mut broken = release.clone();
        let row = at.0.index(broken.published.len());
        let column = at.1.index(NAMES.len() - 1);
        let neighbour = other.index(broken.published.len());
        let new = text.map_or_else(|| release.published[neighbour][column].clone(), str::to_owned);
        broken.published[row][column] = new;
        prop_assert_eq!(verify(&broken).is_ok(), brute_force(&broken));
    }

    #[test]
    fn swapped_quasi_identifiers_are_noticed_where_they_are_untrue(
        release in releases(),
        pair in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let mut broken = release.clone();
        let rows = broken.published.len();
        let (one, two) = (pair.0.index(rows), pair.1.index(rows));
        for column in 0..QUASI {
            let kept = broken.published[one][column].clone();
            broken.published[one][column] = std::mem::replace(&mut broken.published[two][column], kept);
        }
        let sizes = |release: &Release| classes(release).sizes.iter().copied().min();
        prop_assert_eq!(sizes(&release), sizes(&broken), "a swap leaves the class sizes as they are");
        prop_assert_eq!(verify(&broken).is_ok(), brute_force(&broken));
    }

    #[test]
    fn lost_doubled_and_misattributed_records_are_noticed(
        release in releases(),
        pair in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let rows = release.published.len();
        let (one, two) = (pair.0.index(rows), pair.1.index(rows));

        let mut lost = release.clone();
        lost.published.remove(one);
        prop_assert!(verify(&lost).is_err());
        lost.origin.remove(one);
        prop_assert!(verify(&lost).is_err(), "also when the witness knows nothing of it");
        lost.left_out += 1;
        prop_assert_eq!(verify(&lost).is_ok(), brute_force(&lost), "left out openly: the crowd decides");

        let mut doubled = release.clone();
        doubled.published[two] = doubled.published[one].clone();
        prop_assert_eq!(verify(&doubled).is_ok(), brute_force(&doubled));
        doubled.origin[two] = doubled.origin[one];
        prop_assert_eq!(verify(&doubled).is_ok(), one == two, "nobody may be published twice");

        let mut added = release.clone();
        added.published.push(added.published[one].clone());
        added.origin.push(added.origin[one]);
        prop_assert!(verify(&added).is_err());

        let mut swapped = release.clone();
        swapped.origin.swap(one, two);
        prop_assert_eq!(verify(&swapped).is_ok(), brute_force(&swapped));
    }

    #[test]
    fn classes_are_what_pairwise_comparison_finds(
        (rows, columns) in (0..30usize, 0..6usize).prop_flat_map(|(rows, columns)| {
            let code = prop_oneof![0..3u32, Just(u32::MAX), Just(1 << 20)];
            let column = prop::collection::vec(code, rows);
            (Just(rows), prop::collection::vec(column, columns))
        })
    ) {
        let slices: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
        let classes = Classes::of_codes(rows, &slices);
        let alike = |a: usize, b: usize| columns.iter().all(|column| column[a] == column[b]);
        let mut next = 0;
        for row in 0..rows {
            let earlier = (0..row).find(|&other| alike(row, other));
            let expected = earlier.map_or(next, |other| classes.class_of[other]);
            next += u32::from(earlier.is_none());
            prop_assert_eq!(classes.class_of[row], expected);
            let size = (0..rows).filter(|&other| alike(row, other)).count();
            prop_assert_eq!(classes.sizes[expected as usize] as usize, size);
        }
        prop_assert_eq!(classes.len(), next as usize);
    }
}

fn classes(release: &Release) -> Classes {
    let file = published(release);
    let quasi: Vec<_> = file.columns[..QUASI].iter().collect();
    Classes::of(file.rows, &quasi)
}
