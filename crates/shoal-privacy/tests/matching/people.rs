//! Origins where rows could be several people's: what is said to be certain is so for every assignment that fits.

use std::collections::BTreeMap;

use proptest::prelude::*;
use shoal_core::RawTable;
use shoal_core::Silent;
use shoal_privacy::Classes;
use shoal_privacy::matching::{Membership, MembershipUse, match_people};
use shoal_privacy::table::conservation;

use crate::support::{NAMES, QUASI, Release, published, releases, releases_of, table};

/// How many rows each person has in each class.
type Members = BTreeMap<(u32, u32), u32>;

fn classes(published: &RawTable) -> Classes {
    Classes::of(published.rows, &published.columns[..QUASI].iter().collect::<Vec<_>>())
}

fn members(class_of: &[u32], origin: &[u32], persons: &[u32]) -> Members {
    let mut members = Members::new();
    for (&class, &from) in class_of.iter().zip(origin) {
        *members.entry((class, persons[from as usize])).or_default() += 1;
    }
    members
}

fn membership(class_of: &[u32], persons: &[u32], members: &Members) -> Membership {
    Membership {
        class_of: class_of.to_vec(),
        person_of: persons.to_vec(),
        members: members.iter().map(|(&(class, person), &rows)| (class, person, rows)).collect(),
    }
}

/// The people in the class with the fewest.
fn smallest_crowd(members: &Members) -> Option<u32> {
    let mut crowds: BTreeMap<u32, u32> = BTreeMap::new();
    members.keys().for_each(|&(class, _)| *crowds.entry(class).or_default() += 1);
    crowds.into_values().min()
}

/// A number below `people` for each original.
fn persons(release: &Release, seeds: &[u32], people: u32) -> Vec<u32> {
    (0..release.original.len()).map(|row| seeds[row] % people).collect()
}

/// Every assignment of rows to different records that fits, found by trying.
fn assignments(release: &Release) -> Vec<Vec<u32>> {
    let original = table(&release.original);
    let mut found: Vec<Vec<u32>> = vec![Vec::new()];
    for row in &release.published {
        let one = RawTable::from_rows(&NAMES[1..], std::slice::from_ref(row));
        let fits: Vec<u32> = (0..original.rows as u32)
            .filter(|&from| conservation::check(&original, &one, &[from], original.rows - 1, &Silent).is_ok())
            .collect();
        let longer = |before: Vec<u32>| {
            let free = fits.iter().filter(|from| !before.contains(from));
            free.map(|&from| before.iter().copied().chain([from]).collect::<Vec<u32>>()).collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The people of a genuine release are found again in each class by its membership, and nothing is ever said against it.
    #[test]
    fn with_the_membership_each_class_has_its_true_people(
        release in releases(), seeds in prop::collection::vec(any::<u32>(), 40), people in 1..12_u32,
    ) {
        let persons = persons(&release, &seeds, people);
        let (original, published) = (table(&release.original), published(&release));
        let classes = classes(&published);
        let truth = members(&classes.class_of, &release.origin, &persons);
        let known = membership(&classes.class_of, &persons, &truth);
        let found = match_people(&original, &published, &[], &persons, Some(&known), &Silent).unwrap();

        prop_assert!(found.certainty.membership != MembershipUse::Contradicted);
        if found.certainty.membership == MembershipUse::None { return Ok(()); }
        prop_assert_eq!(found.certainty.crowd_at_most, smallest_crowd(&truth));
        let origin = &found.origins.origin;
        prop_assert!(conservation::check(&original, &published, origin, found.origins.left_out, &Silent).is_ok());
        prop_assert_eq!(members(&classes.class_of, origin, &persons), truth);
    }

    #[test]
    fn without_it_what_is_certain_is_so_for_all_assignments(
        release in releases_of(4..8), seeds in prop::collection::vec(any::<u32>(), 8), people in 1..5_u32,
    ) {
        let persons = persons(&release, &seeds, people);
        let (original, published) = (table(&release.original), published(&release));
        let classes = classes(&published);
        let found = match_people(&original, &published, &[], &persons, None, &Silent).unwrap();
        let mut all = assignments(&release);
        prop_assert!(all.contains(&release.origin) && all.contains(&found.origins.origin));
        all.iter_mut().for_each(|origin| *origin = origin.iter().map(|&from| persons[from as usize]).collect());
        let itself: Vec<u32> = (0..people).collect();
        for origin in &all {
            let members = members(&classes.class_of, origin, &itself);
            prop_assert!(smallest_crowd(&members) <= found.certainty.crowd_at_most);
        }
        if found.certainty.only_one {
            // Rows that say the same may be exchanged; who is behind them together may not.
            let behind = |origin: &Vec<u32>| {
                let mut rows: Vec<(&Vec<String>, u32)> = release.published.iter().zip(origin.iter().copied()).collect();
                rows.sort_unstable();
                rows
            };
            prop_assert!(all.iter().all(|origin| behind(origin) == behind(&all[0])));
        }
    }

    /// A membership that is made up leads to origins that are as it says, or nowhere.
    #[test]
    fn a_wrong_membership_is_followed_only_where_it_could_be_true(
        release in releases_of(4..8), seeds in prop::collection::vec(any::<u32>(), 8), people in 1..5_u32,
        from in any::<prop::sample::Index>(), to in 0..5_u32,
    ) {
        let persons = persons(&release, &seeds, people);
        let (original, published) = (table(&release.original), published(&release));
        let classes = classes(&published);
        let mut said = members(&classes.class_of, &release.origin, &persons);
        prop_assume!(!said.is_empty());
        let (class, person) = *said.keys().nth(from.index(said.len())).unwrap();
        let rows = said.remove(&(class, person)).unwrap();
        *said.entry((class, to)).or_default() += rows;
        let known = membership(&classes.class_of, &persons, &said);
        let found = match_people(&original, &published, &[], &persons, Some(&known), &Silent).unwrap();
        let could_be =
            assignments(&release).iter().any(|origin| members(&classes.class_of, origin, &persons) == said);
        match found.certainty.membership {
            MembershipUse::Followed => {
                prop_assert_eq!(members(&classes.class_of, &found.origins.origin, &persons), said);
            }
            MembershipUse::Contradicted => prop_assert!(!could_be),
            MembershipUse::None => {}
        }
    }
}

/// Two people with a record each in both of two classes: a flow that does not know who is where gives each class to one.
#[test]
fn what_could_be_one_persons_is_told_apart_by_the_membership() {
    let row = |name: &str, age: &str, illness: &str| {
        ["", age, "f", "Bonn", illness, name].map(str::to_owned).to_vec()
    };
    let rows = [row("", "20", "flu"), row("", "20", "flu"), row("", "23", "flu"), row("", "23", "flu")];
    let original = table(&rows);
    let publish = |ages: &str| [ages, "f", "Bonn", "flu", ""].map(str::to_owned).to_vec();
    let rows = [publish("[20, 23]"), publish("[20, 23]"), publish("[20, 26]"), publish("[20, 26]")];
    let file = RawTable::from_rows(&NAMES[1..], &rows);
    let persons = [0, 0, 1, 1];
    let found = match_people(&original, &file, &[], &persons, None, &Silent).unwrap();
    assert_eq!((found.certainty.only_one, found.certainty.crowd_at_most), (false, Some(2)));
    let class_of = vec![0, 0, 1, 1];
    let members = vec![(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)];
    let known = Membership { class_of, person_of: persons.to_vec(), members };
    let found = match_people(&original, &file, &[], &persons, Some(&known), &Silent).unwrap();
    let people: Vec<u32> = found.origins.origin.iter().map(|&row| persons[row as usize]).collect();
    assert!(people[0] != people[1] && people[2] != people[3], "{people:?}");
}
