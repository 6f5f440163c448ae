//! The verifier of sequences against a second one that shares no code with it, on sound and on broken releases.

mod by_hand;
mod paper;
mod second_verifier;

use proptest::prelude::*;
use proptest::sample::Index;
use second_verifier::{
    NAMES, PUBLISHED, QUASI, Release, Row, crowd_sizes, file, is_private, is_sound, models, releases, role,
    shares, verify,
};
use shoal_core::{RawTable, Role};
use shoal_privacy::{Figure, SequencesVerdict, Unverifiable, verify_sequences_file};

/// Texts that a broken release might hold: some true, some readable, some neither.
const TEXTS: [&str; 19] = [
    "*",
    "?",
    "",
    "1",
    "2",
    "01",
    "p1",
    "2009",
    "[2007, 2012]",
    "[2012, 2007]",
    "{f, m}",
    "{?, f}",
    "f",
    "Rhine",
    "Bonn",
    "HIV",
    "flu",
    "west",
    "zebra",
];

/// Two rows of a file.
fn pair(release: &Release, at: &(Index, Index)) -> (usize, usize) {
    (at.0.index(release.published.len()), at.1.index(release.published.len()))
}

fn anything(release: &Release) -> Result<(), TestCaseError> {
    prop_assume!(!release.published.is_empty());
    Ok(())
}

/// Whether the ids are the numbers from 1 on, each in rows that stand together.
fn is_numbered(rows: &[Row]) -> bool {
    let mut ids: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    ids.dedup();
    ids.iter().enumerate().all(|(at, id)| *id == (at + 1).to_string())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn sound_releases_pass_and_say_what_they_are(release in releases()) {
        prop_assert!(is_sound(&release));
        let verified = verify(&release).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let ticket = verified.findings();
        let crowds = crowd_sizes(&release.published);
        prop_assert_eq!(ticket.rows_published(), crowds.len());
        let ids: std::collections::BTreeSet<&String> = release.original.iter().map(|row| &row[0]).collect();
        prop_assert_eq!(ticket.rows_in(), ids.len());
        prop_assert_eq!(ticket.is_vacuous(), crowds.is_empty());
        prop_assert_eq!(verified.events_published(), release.published.len());
        prop_assert_eq!(verified.events_left_out(), release.left_out);
        prop_assert_eq!(verified.classes().class_of.len(), crowds.len());
        prop_assert!(ticket.promises().iter().all(|promise| promise.holds));
    }

    #[test]
    fn a_changed_cell_is_noticed_exactly_when_it_matters(
        mut release in releases(),
        at in any::<(Index, Index)>(),
        column in 0..PUBLISHED.len(),
        text in prop::option::of(0..TEXTS.len()),
    ) {
        anything(&release)?;
        let (row, other) = pair(&release, &at);
        let text = text.map_or_else(|| release.published[other][column].clone(), |text| TEXTS[text].to_owned());
        release.published[row][column] = text;
        prop_assert_eq!(verify(&release).is_ok(), is_sound(&release));
    }

    #[test]
    fn a_moved_event_is_noticed_exactly_when_it_matters(
        release in releases(),
        at in any::<(Index, Index)>(),
    ) {
        anything(&release)?;
        let (from, to) = pair(&release, &at);
        let mut moved = release.clone();
        let row = moved.published.remove(from);
        moved.published.insert(to, row);
        prop_assert_eq!(verify(&moved).is_ok(), is_sound(&moved), "the witness does not know");
        let origin = moved.origin.remove(from);
        moved.origin.insert(to, origin);
        prop_assert_eq!(verify(&moved).is_ok(), is_sound(&moved), "the witness knows");
        moved.published[to][0].clone_from(&release.published[to][0]);
        prop_assert_eq!(verify(&moved).is_ok(), is_sound(&moved), "and the event is given to somebody else");
    }

    #[test]
    fn swapped_cells_are_noticed_exactly_when_they_matter(
        mut release in releases(),
        at in any::<(Index, Index)>(),
        columns in prop_oneof![Just(0..1), Just(QUASI), Just(4..5), Just(5..6), Just(4..7), Just(0..4)],
    ) {
        anything(&release)?;
        let (one, two) = pair(&release, &at);
        for column in columns {
            let kept = release.published[one][column].clone();
            release.published[one][column] = std::mem::replace(&mut release.published[two][column], kept);
        }
        prop_assert_eq!(verify(&release).is_ok(), is_sound(&release));
    }

    #[test]
    fn lost_doubled_and_misattributed_events_are_noticed(
        release in releases(),
        at in any::<(Index, Index)>(),
    ) {
        anything(&release)?;
        let (one, two) = pair(&release, &at);
        let mut lost = release.clone();
        lost.published.remove(one);
        prop_assert!(verify(&lost).is_err());
        lost.origin.remove(one);
        prop_assert!(verify(&lost).is_err(), "also when the witness knows nothing of it");
        lost.left_out += 1;
        prop_assert_eq!(verify(&lost).is_ok(), is_sound(&lost), "left out openly: the crowd decides");

        let mut doubled = release.clone();
        doubled.published.insert(one, doubled.published[one].clone());
        doubled.origin.insert(one, doubled.origin[one]);
        prop_assert!(verify(&doubled).is_err());
        doubled.left_out = doubled.left_out.saturating_sub(1);
        prop_assert!(verify(&doubled).is_err(), "also where the number of events is right");

        let mut swapped = release.clone();
        swapped.origin.swap(one, two);
        prop_assert_eq!(verify(&swapped).is_ok(), is_sound(&swapped));

        let mut elsewhere = release.clone();
        elsewhere.origin[one] = at.1.index(elsewhere.original.len()) as u32;
        prop_assert_eq!(verify(&elsewhere).is_ok(), is_sound(&elsewhere));
    }

    #[test]
    fn people_cannot_be_cut_in_two_joined_or_renamed(release in releases(), at in any::<(Index, Index)>()) {
        anything(&release)?;
        let (one, two) = pair(&release, &at);
        let (first, second) = (release.published[one][0].clone(), release.published[two][0].clone());
        let renamed = |rename: &dyn Fn(usize, &Row) -> String| {
            let mut renamed = release.clone();
            for (row, cells) in release.published.iter().enumerate() {
                renamed.published[row][0] = rename(row, cells);
            }
            (verify(&renamed).is_ok(), is_sound(&renamed))
        };
        let swapped = renamed(&|_, cells| match &cells[0] {
            id if *id == first => second.clone(),
            id if *id == second => first.clone(),
            id => id.clone(),
        });
        prop_assert_eq!(swapped, (first == second, first == second));
        let joined = renamed(&|_, cells| if cells[0] == second { first.clone() } else { cells[0].clone() });
        prop_assert_eq!(joined.0, joined.1);
        // Whoever starts or goes on at this row becomes somebody new, and all who follow are counted on.
        let cut = renamed(&|row, cells| {
            let id: usize = cells[0].parse().unwrap();
            let goes_on = one > 0 && release.published[one - 1][0] == release.published[one][0];
            (id + usize::from(goes_on && row >= one)).to_string()
        });
        prop_assert_eq!(cut.0, cut.1);
        let originals = renamed(&|row, _| release.original[release.origin[row] as usize][0].clone());
        prop_assert_eq!(originals, (false, false));
    }

    #[test]
    fn a_file_is_judged_by_its_texts_alone(
        mut release in releases(),
        order in prop::collection::vec(any::<u32>(), 60),
        at in any::<(Index, Index)>(),
        column in 0..PUBLISHED.len(),
        k in 2..4u32,
        c in prop::sample::select(vec![0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0]),
    ) {
        release.k = k;
        release.limits[0].2 = c;
        // Any order of people, and of the events of each: what stands above belongs to an earlier event.
        let key = |row: usize| order[row % order.len()];
        let person = |row: &Row| row[0].parse::<usize>().unwrap();
        let mut rows: Vec<(u32, usize, u32, Row)> = (0..)
            .zip(release.published.clone())
            .map(|(at, row)| (key(person(&row)), person(&row), key(at), row))
            .collect();
        rows.sort_by_key(|(of_person, person, of_row, _)| (*of_person, *person, *of_row));
        let mut people: Vec<usize> = rows.iter().map(|(_, person, ..)| *person).collect();
        people.dedup();
        for (_, person, _, row) in &mut rows {
            row[0] = (1 + people.iter().position(|other| other == person).unwrap()).to_string();
        }
        release.published = rows.into_iter().map(|(.., row)| row).collect();
        if !release.published.is_empty() {
            let (one, two) = pair(&release, &at);
            release.published[one][column] = release.published[two][column].clone();
        }
        let verdict = verdict(&release, &file(&release.published));
        if !is_numbered(&release.published) {
            let refused = matches!(verdict, Err(Unverifiable::NotNumbered { .. }));
            prop_assert!(refused);
            return Ok(());
        }
        let verdict = verdict.unwrap();
        prop_assert_eq!(verdict.holds(), is_private(&release));
        let crowds = crowd_sizes(&release.published);
        prop_assert_eq!((verdict.records, verdict.events), (crowds.len(), release.published.len()));
        let smallest = crowds.iter().min().map_or(Figure::Nothing, |&size| Figure::Count(size as u64));
        prop_assert_eq!(&verdict.promises[0].found, &smallest);
        for (promise, limit) in verdict.promises[1..].iter().zip(&release.limits) {
            let worst = shares(&release.published, limit).into_iter().max_by(f64::total_cmp);
            prop_assert_eq!(&promise.found, &worst.map_or(Figure::Nothing, Figure::Number));
            prop_assert_eq!(promise.holds, worst.is_none_or(|worst| worst <= limit.2));
        }
        // Everybody counts for one part of their crowd, so the parts add up to the number of crowds.
        let classes: f64 = crowds.iter().map(|&size| 1.0 / size as f64).sum();
        prop_assert_eq!(verdict.classes, classes.round() as usize);
        for violation in verdict.broken.iter().flat_map(|broken| &broken.violations.worst) {
            let first = &release.published[violation.rows[0] as usize - 1];
            let texts: Vec<&str> = violation.events[0].iter().map(|cell| cell.text.as_str()).collect();
            prop_assert_eq!(texts, first[QUASI].iter().map(String::as_str).collect::<Vec<_>>());
            let events = release.published.iter().filter(|row| row[0] == first[0]).count();
            prop_assert_eq!(violation.events.len(), events);
            prop_assert_eq!(violation.rows.len(), violation.size.min(5) as usize);
        }
    }
}

/// What is said of a file without its original.
fn verdict(release: &Release, file: &RawTable) -> Result<SequencesVerdict, Unverifiable> {
    let roles: Vec<(&str, Role)> = NAMES.iter().map(|name| (*name, role(name))).collect();
    verify_sequences_file(file, "pid", &roles, &models(release), &shoal_core::Silent)
}
