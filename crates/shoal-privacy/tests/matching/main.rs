//! Looking for origins: whatever is found is true, and where nothing is found there is nothing.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the second verifier is for other tests")]
mod support;

use proptest::prelude::*;
use shoal_core::RawTable;
use shoal_privacy::matching::{NoOrigin, match_table};
use shoal_privacy::table::conservation;

use support::{NAMES, Release, published, releases, table};

/// Whether everybody can have an original, found the slow way: each pair of a published row and a record is shown to the
/// conservation check on its own, and then one row after the other looks for a place.
fn has_origins(release: &Release) -> bool {
    let original = table(&release.original);
    let is_true: Vec<Vec<bool>> = release
        .published
        .iter()
        .map(|row| {
            let one = RawTable::from_rows(&NAMES[1..], std::slice::from_ref(row));
            let rows = original.rows as u32;
            (0..rows)
                .map(|from| conservation::check(&original, &one, &[from], original.rows - 1).is_ok())
                .collect()
        })
        .collect();
    let mut taken: Vec<Option<usize>> = vec![None; original.rows];
    (0..is_true.len()).all(|row| place(row, &is_true, &mut taken, &mut vec![false; original.rows]))
}

fn place(row: usize, is_true: &[Vec<bool>], taken: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for from in 0..taken.len() {
        if !is_true[row][from] || std::mem::replace(&mut seen[from], true) {
            continue;
        }
        if taken[from].is_none_or(|other| place(other, is_true, taken, seen)) {
            taken[from] = Some(row);
            return true;
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn correct_releases_have_origins_that_stand_the_check(release in releases()) {
        let (original, published) = (table(&release.original), published(&release));
        let found = match_table(&original, &published, &[]).unwrap();
        prop_assert_eq!(found.left_out, release.left_out);
        prop_assert!(conservation::check(&original, &published, &found.origin, found.left_out).is_ok());
    }

    #[test]
    fn a_changed_cell_is_noticed_exactly_where_nobody_fits(
        release in releases(), row in any::<prop::sample::Index>(), other in any::<prop::sample::Index>(),
        column in 0..5_usize, doubled in any::<bool>(),
    ) {
        let mut release = release;
        prop_assume!(!release.published.is_empty());
        let (row, other) = (row.index(release.published.len()), other.index(release.published.len()));
        if doubled {
            release.published[row] = release.published[other].clone();
        } else {
            release.published[row][column] = release.published[other][column].clone();
        }
        let (original, published) = (table(&release.original), published(&release));
        match match_table(&original, &published, &[]) {
            Ok(found) => {
                prop_assert!(conservation::check(&original, &published, &found.origin, found.left_out).is_ok());
            }
            Err(NoOrigin::TrueOfNobody { .. } | NoOrigin::TooFew { .. }) => prop_assert!(!has_origins(&release)),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn what_is_left_out_by_policy_is_nobodys_origin() {
    let row = |name: &str, age: &str| [name, age, "f", "Bonn", "flu", ""].map(str::to_owned).to_vec();
    let original = table(&[row("a", "20"), row("b", "20"), row("c", "23")]);
    let rows = vec![["20", "f", "Bonn", "flu", ""].map(str::to_owned).to_vec(); 2];
    let file = RawTable::from_rows(&NAMES[1..], &rows);
    assert_eq!(match_table(&original, &file, &[]).unwrap().origin, [0, 1]);
    let short = match_table(&original, &file, &[0]).unwrap_err();
    assert_eq!(short, NoOrigin::TooFew { row: 1, published: 2, originals: 1, record: "record" });
    assert!(short.to_string().contains("doubled or made up"));
}
