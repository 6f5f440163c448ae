//! Counts of unique records and people against a reference that compares every record with every other one.

use proptest::prelude::*;
use shoal_measure::table::uniqueness;
use shoal_privacy::Classes;

proptest! {
    #[test]
    fn counts_what_a_comparison_of_all_pairs_counts(
        rows in prop::collection::vec((prop::array::uniform3(0..4_u32), 0..12_u32), 0..30),
        columns in 0..=3_usize,
    ) {
        let codes: Vec<Vec<u32>> = (0..columns).map(|c| rows.iter().map(|row| row.0[c]).collect()).collect();
        let codes: Vec<&[u32]> = codes.iter().map(Vec::as_slice).collect();
        let classes = Classes::of_codes(rows.len(), &codes);
        let alike = |a: usize, b: usize| (0..columns).all(|c| rows[a].0[c] == rows[b].0[c]);

        let alone = |&row: &usize| (0..rows.len()).all(|other| other == row || !alike(row, other));
        prop_assert_eq!(uniqueness::of(&classes, None), (0..rows.len()).filter(alone).count());

        let person_of: Vec<u32> = rows.iter().map(|row| row.1).collect();
        let without_others =
            |row: usize| (0..rows.len()).all(|other| person_of[other] == person_of[row] || !alike(row, other));
        let alone = |&person: &u32| (0..rows.len()).any(|row| person_of[row] == person && without_others(row));
        let expected = (0..12_u32).filter(alone).count();
        prop_assert_eq!(uniqueness::of(&classes, Some(&person_of)), expected);
    }
}
