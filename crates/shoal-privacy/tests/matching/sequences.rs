//! The origins of people and their events.

use proptest::prelude::*;
use shoal_core::{RawTable, Sequences};
use shoal_privacy::SequencesView;
use shoal_privacy::matching::{NoOrigin, Origins, match_sequences};
use shoal_privacy::sequences::conservation;

use crate::support::table;

const PUBLISHED: [&str; 6] = ["pid", "age", "sex", "city", "illness", "note"];

fn event(id: &str, age: &str, illness: &str) -> Vec<String> {
    [id, age, "f", "Bonn", illness, ""].map(str::to_owned).to_vec()
}

fn sequences(people: &[&[(&str, &str)]]) -> Sequences {
    let rows: Vec<Vec<String>> = people
        .iter()
        .flat_map(|events| events.iter().map(|(age, illness)| event("x", age, illness)))
        .collect();
    let ends = people.iter().scan(0, |end, events| {
        *end += events.len() as u32;
        Some(*end)
    });
    Sequences::new(table(&rows), std::iter::once(0).chain(ends).collect()).unwrap()
}

fn file(people: &[&[(&str, &str)]]) -> RawTable {
    let person = |(at, events): (usize, &&[(&str, &str)])| {
        events.iter().map(|(age, illness)| event(&(at + 1).to_string(), age, illness)).collect::<Vec<_>>()
    };
    RawTable::from_rows(&PUBLISHED, &people.iter().enumerate().flat_map(person).collect::<Vec<_>>())
}

fn find(original: &Sequences, file: &RawTable, excluded: &[u32]) -> Result<Origins, NoOrigin> {
    match_sequences(original, file, "pid", excluded, &shoal_core::Silent).unwrap()
}

const FLU: (&str, &str) = ("20", "flu");
const GOUT: (&str, &str) = ("23", "gout");
const ACNE: (&str, &str) = ("23", "acne");

#[test]
fn whoever_has_a_choice_makes_room_for_those_who_have_none() {
    let original = sequences(&[&[FLU, GOUT], &[FLU], &[GOUT, FLU]]);
    let published = file(&[&[FLU], &[FLU, GOUT], &[GOUT, FLU]]);
    let found = find(&original, &published, &[]).unwrap();
    assert_eq!(found, Origins { origin: vec![2, 0, 1, 3, 4], left_out: 0 });
    // What the policy leaves out is nobody's.
    let short = NoOrigin::TooFew { row: 1, published: 3, originals: 2, record: "person" };
    assert_eq!(find(&original, &published, &[2]), Err(short));
    let strange = file(&[&[FLU], &[GOUT, GOUT]]);
    assert_eq!(find(&original, &strange, &[]), Err(NoOrigin::TrueOfNobody { row: 2, record: "person" }));
}

#[test]
fn events_stand_in_their_order_and_each_once() {
    let original = sequences(&[&[ACNE, FLU, ACNE, GOUT]]);
    let found = find(&original, &file(&[&[FLU, GOUT]]), &[]).unwrap();
    assert_eq!(found, Origins { origin: vec![1, 3], left_out: 2 });
    let nobody = Err(NoOrigin::TrueOfNobody { row: 1, record: "person" });
    assert_eq!(find(&original, &file(&[&[FLU, FLU]]), &[]), nobody);
    assert_eq!(find(&original, &file(&[&[GOUT, FLU]]), &[]), nobody);
    assert_eq!(find(&original, &file(&[&[("23", "flu")]]), &[]), nobody, "true of no event as a whole");
}

#[test]
fn people_who_are_alike_have_each_an_origin_of_their_own() {
    let original = sequences(&[&[FLU, GOUT], &[FLU, GOUT], &[FLU, GOUT]]);
    let found = find(&original, &file(&[&[FLU, GOUT], &[FLU, GOUT]]), &[]).unwrap();
    assert_eq!(found, Origins { origin: vec![0, 1, 2, 3], left_out: 2 });
}

proptest! {
    /// Everybody publishes some of their events, more or less exactly, in another order of people.
    #[test]
    fn what_is_true_has_origins_that_stand_the_check(
        people in prop::collection::vec(prop::collection::vec((0..3_usize, 0..3_usize, any::<bool>(), any::<bool>()), 1..5), 1..6),
        turn in 0..6_usize,
    ) {
        let (ages, illnesses) = (["20", "23", "26"], ["flu", "gout", "acne"]);
        let whole: Vec<Vec<(&str, &str)>> =
            people.iter().map(|events| events.iter().map(|e| (ages[e.0], illnesses[e.1])).collect()).collect();
        let mut shown: Vec<Vec<(&str, &str)>> = people
            .iter()
            .map(|events| {
                let kept = events.iter().filter(|e| e.2);
                kept.map(|e| (if e.3 { "[20, 26]" } else { ages[e.0] }, illnesses[e.1])).collect()
            })
            .collect();
        shown.rotate_left(turn % people.len());
        shown.retain(|events| !events.is_empty());
        prop_assume!(!shown.is_empty());
        let original = sequences(&whole.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let published = file(&shown.iter().map(Vec::as_slice).collect::<Vec<_>>());
        // A range names ages that somebody has.
        prop_assume!(["20", "26"].iter().all(|age| whole.iter().flatten().any(|event| event.0 == *age)));
        let found = find(&original, &published, &[]).unwrap();
        let view = SequencesView::new(&published, "pid", &["age", "sex", "city"]).unwrap();
        prop_assert_eq!(conservation::check(&original, &view, &found.origin, found.left_out, &shoal_core::Silent), Ok(()));
    }
}
