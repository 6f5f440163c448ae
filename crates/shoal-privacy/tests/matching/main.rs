//! Looking for origins: whatever is found is true, and where nothing is found there is nothing.

#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "the second verifier is for other tests")]
mod support;

mod people;
mod sequences;
mod transactions;

use proptest::prelude::*;
use shoal_core::{Column, Kind, Place, RawColumnBuilder, RawTable, Role};
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
                .map(|from| {
                    conservation::check(&original, &one, &[from], original.rows - 1, &shoal_core::Silent)
                        .is_ok()
                })
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
        let found = match_table(&original, &published, &[], &shoal_core::Silent).unwrap();
        prop_assert_eq!(found.left_out, release.left_out);
        prop_assert!(conservation::check(&original, &published, &found.origin, found.left_out, &shoal_core::Silent).is_ok());
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
        match match_table(&original, &published, &[], &shoal_core::Silent) {
            Ok(found) => {
                prop_assert!(conservation::check(&original, &published, &found.origin, found.left_out, &shoal_core::Silent).is_ok());
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
    assert_eq!(match_table(&original, &file, &[], &shoal_core::Silent).unwrap().origin, [0, 1]);
    let short = match_table(&original, &file, &[0], &shoal_core::Silent).unwrap_err();
    assert_eq!(short, NoOrigin::TooFew { row: 1, published: 2, originals: 1, record: "record" });
    assert!(short.to_string().contains("doubled or made up"));
}

/// One record a year of age; more values than a word has bits.
fn seventy() -> Vec<Vec<String>> {
    let row = |age: usize| ["x", &age.to_string(), "f", "Bonn", "flu", ""].map(str::to_owned).to_vec();
    (20..90).map(row).collect()
}

#[test]
fn more_values_than_a_word_has_bits() {
    let rows = seventy();
    let original = table(&rows);
    let file = |texts: &dyn Fn(usize) -> String| {
        let row = |at: usize| {
            let mut row = rows[at][1..].to_vec();
            row[0] = texts(at);
            row
        };
        RawTable::from_rows(&NAMES[1..], &(0..70).rev().map(row).collect::<Vec<_>>())
    };
    let exact = file(&|at| rows[at][1].clone());
    let backwards: Vec<u32> = (0..70).rev().collect();
    assert_eq!(match_table(&original, &exact, &[], &shoal_core::Silent).unwrap().origin, backwards);
    let ranges = file(&|at| format!("[{}, {}]", 20 + at, (22 + at).min(89)));
    let found = match_table(&original, &ranges, &[], &shoal_core::Silent).unwrap();
    assert_eq!(conservation::check(&original, &ranges, &found.origin, 0, &shoal_core::Silent), Ok(()));
    // One too many for the oldest.
    let crowded = file(&|at| if at > 67 { "89".to_owned() } else { rows[at][1].clone() });
    let short = NoOrigin::TooFew { row: 1, published: 2, originals: 1, record: "record" };
    assert_eq!(match_table(&original, &crowded, &[], &shoal_core::Silent), Err(short));
}

/// A null is the missing value, whatever its label: it is not true of an empty text.
#[test]
fn a_null_among_quasi_identifiers_is_nobodys_empty_text() {
    let row = |sex: &str| ["x", "20", sex, "Bonn", "flu", ""].map(str::to_owned).to_vec();
    let original = table(&[row(""), row("?")]);
    let published = vec![row("")[1..].to_vec(); 2];
    let mut file = RawTable::from_rows(&NAMES[1..], &published);
    file.columns[1].null = Some(file.columns[1].codes[0]);
    let short = NoOrigin::TooFew { row: 1, published: 2, originals: 1, record: "record" };
    assert_eq!(match_table(&original, &file, &[], &shoal_core::Silent), Err(short));
}

/// In a column that nobody touches, a reader cannot tell a null from an empty text.
#[test]
fn a_null_and_an_empty_text_that_are_published_alike_find_their_origins() {
    let row = |name: &str| [name, "20", "f", "Bonn", "flu", ""].map(str::to_owned).to_vec();
    let mut original = table(&[row("a"), row("b")]);
    let mut note = RawColumnBuilder::new("note".to_owned());
    note.push("", Place::default());
    note.push_null(Place::default());
    let raw = note.finish();
    original.columns[5] = Column::encode(&raw, Role::Insensitive, Kind::Text, &[]).unwrap();
    let file = RawTable::from_rows(&NAMES[1..], &vec![row("a")[1..].to_vec(); 2]);
    assert_eq!(match_table(&original, &file, &[], &shoal_core::Silent).unwrap().origin.len(), 2);
}
