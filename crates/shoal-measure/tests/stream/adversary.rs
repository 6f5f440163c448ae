//! The adversary who learns from the lines: it finds what is there to be found, and nothing where there is nothing.

use shoal_core::stream::{SetDesign, Strata, StrataColumn, StreamDesign, StreamLine};
use shoal_core::{DateFormat, Kind, ValueParser};
use shoal_measure::stream::{Guesses, Sightings};

use super::support::{Line, column, member, set, slot};

/// Not random, but without a pattern that matters here.
fn scatter(n: u64) -> u64 {
    let z = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33
}

const LABELS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// People whose value goes with their sex: `f` has mostly the first half of the values.
fn person(n: u64) -> (&'static str, u32) {
    let sex = if scatter(n).is_multiple_of(2) { "f" } else { "m" };
    let half = if scatter(n + 1_000_000) % 10 < 8 { u32::from(sex == "m") } else { u32::from(sex == "f") };
    (sex, 3 * half + (scatter(n + 2_000_000) % 3) as u32)
}

fn labels() -> Vec<String> {
    LABELS.map(String::from).to_vec()
}

fn draw(design: &SetDesign, value: u32, n: u64) -> Vec<&'static str> {
    let SetDesign::Calibrated(sets) = design else { unreachable!() };
    let ring = (scatter(n + 3_000_000) % sets.rings().len() as u64) as usize;
    let offset = scatter(n + 4_000_000) % (sets.l() as u64 * sets.counts()[value as usize]);
    sets.set_at(ring, value, offset).iter().map(|code| LABELS[*code as usize]).collect()
}

const PEOPLE: u64 = 8_000;

fn guesses(lines: &[Line], design: &StreamDesign, truth: &[u32]) -> Guesses {
    let columns = [column("sex", Kind::Text, None)];
    let seen = Sightings::of_sets(&columns, lines, design).unwrap();
    Guesses::of(&seen.guess(), 2, Some(truth))
}

#[test]
fn what_values_go_with_is_learned_from_exact_cells_and_not_in_strata() {
    let mut counts = [vec![0_u64; 6], vec![0; 6]];
    (0..PEOPLE).map(person).for_each(|(sex, value)| counts[usize::from(sex == "m")][value as usize] += 1);
    let all: Vec<u64> = (0..6).map(|value| counts[0][value] + counts[1][value]).collect();
    let truth: Vec<u32> = (0..PEOPLE).map(|n| person(n).1).collect();

    let sets = SetDesign::calibrated(&all, 2, 1).unwrap();
    let lines: Vec<Line> = (0..PEOPLE).map(|n| set(&[person(n).0], &draw(&sets, person(n).1, n))).collect();
    let everybody = StreamDesign::for_everybody(labels(), sets);
    let found = guesses(&lines, &everybody, &truth);
    // Where a set holds a value of each half, sex decides with 0.8; about half of the sets do.
    let right = found.right.unwrap();
    assert!(right.all > 0.58 && right.surest_tenth > 0.7, "{right:?}");
    assert!((found.confidence - right.all).abs() < 0.05, "it knows how sure it may be");

    let parser = ValueParser::new(Kind::Text, DateFormat::default());
    let sex = StrataColumn { name: "sex".to_owned(), cell: 0, parser, hierarchy: None };
    let strata = Strata::new(vec![sex], vec![vec!["f".to_owned()], vec!["m".to_owned()]]).unwrap();
    let design = StreamDesign::conditional(labels(), strata, &counts, 2, 1, true).unwrap();
    let line = |n: u64| {
        let (sex, value) = person(n);
        set(&[sex], &draw(design.sets(usize::from(sex == "m")), value, n))
    };
    let lines: Vec<Line> = (0..PEOPLE).map(line).collect();
    let right = guesses(&lines, &design, &truth).right.unwrap();
    assert!((right.all - 0.5).abs() < 4.0 * right.standard_error, "{right:?}");
}

#[test]
fn a_skewed_prior_is_learned_from_uniform_sets() {
    // With l = 2 of four values and shares of .8, .1, .05, .05 the best guess is right with .883.
    let value =
        |n: u64| [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3][(scatter(n) % 20) as usize];
    let lines: Vec<Line> = (0..PEOPLE)
        .map(|n| {
            let other = (value(n) + 1 + scatter(n + 9) as u32 % 3) % 4;
            let (low, high) = (value(n).min(other), value(n).max(other));
            set(&["x"], &[LABELS[low as usize], LABELS[high as usize]])
        })
        .collect();
    let truth: Vec<u32> = (0..PEOPLE).map(value).collect();
    let design = StreamDesign::for_everybody(labels()[..4].to_vec(), SetDesign::uniform(4, 2).unwrap());
    let right = guesses(&lines, &design, &truth).right.unwrap();
    assert!((right.all - 0.883).abs() < 0.02, "{right:?}");
}

#[test]
fn groups_are_guessed_too_and_lines_of_others_are_refused() {
    let columns = [column("sex", Kind::Text, None)];
    let (mut lines, mut truth): (Vec<Line>, Vec<u32>) = (Vec::new(), Vec::new());
    for n in 0..2_000 {
        let (sex, value) = person(n);
        let other = (value + 1 + scatter(n + 9) as u32 % 5) % 6;
        let (low, high) = (value.min(other), value.max(other));
        lines.extend([
            slot(n, LABELS[low as usize], 1),
            slot(n, LABELS[high as usize], 1),
            member(n, &[sex]),
        ]);
        truth.push(value);
    }
    let (seen, labels) = Sightings::of_groups(&columns, &lines).unwrap();
    assert_eq!(labels, LABELS);
    let found = Guesses::of(&seen.guess(), 2, Some(&truth));
    assert_eq!(found.lines, 2_000);
    assert!(found.right.unwrap().all > 0.56);
    let design = StreamDesign::for_everybody(labels, SetDesign::uniform(6, 2).unwrap());
    assert!(Sightings::of_sets(&columns, &lines, &design).is_err());
    assert!(
        Sightings::of_groups(&columns, &[StreamLine::Row { cells: Vec::new(), value: "a".into() }]).is_err()
    );
    let unknown = [set(&["f"], &["a", "z"])];
    assert!(Sightings::of_sets(&columns, &unknown, &design).is_err());
}
