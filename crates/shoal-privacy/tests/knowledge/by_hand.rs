//! Files whose answer is known: the attack that the papers' count did not see, and the cases at each bound.

use shoal_core::{Bound, Limit, Support};
use shoal_privacy::BoundedKnowledge;

use crate::twin::{Case, verify};

/// This number of people, each with these events: place, stay, illness.
fn crowd<'a>(people: usize, events: &'a [[&'a str; 3]]) -> impl Iterator<Item = Vec<[String; 4]>> + 'a {
    (0..people).map(move |_| {
        let event = |[place, stay, illness]: &[&str; 3]| [place, stay, illness, "east"].map(str::to_owned);
        events.iter().map(|cells| event(&[cells[0], cells[1], cells[2]])).collect()
    })
}

fn case(people: Vec<Vec<[String; 4]>>, k: u32, length: usize, bound: Option<Bound>) -> Case {
    let limit = |bound| Limit { column: "illness".into(), values: Some(vec!["HIV".into()]), bound };
    Case {
        people,
        k,
        length,
        limits: bound.into_iter().map(limit).collect(),
        support: Support::Compatible,
        others: Vec::new(),
    }
}

fn holds(case: &Case) -> [bool; 2] {
    [Support::Compatible, Support::Paper].map(|support| {
        let case = Case { support, ..case.clone() };
        verify(&case, BoundedKnowledge::WORK).0.holds
    })
}

fn chain(crowds: Vec<Vec<Vec<[String; 4]>>>) -> Vec<Vec<[String; 4]>> {
    crowds.into_iter().flatten().collect()
}

#[test]
fn whoever_is_published_as_a_star_among_twenty_sevens_is_found() {
    // Twenty people publish `Bonn`, one publishes `*` and has HIV. Whoever knows of Kiel has found her.
    let people = crowd(20, &[["Bonn", "1", "flu"]]).chain(crowd(1, &[["*", "1", "HIV"]])).collect();
    let case = case(people, 2, 1, None);
    assert_eq!(holds(&case), [false, true]);
    let (_, _, worst) = verify(&case, BoundedKnowledge::WORK);
    assert_eq!((worst[0].size, worst[0].rows.as_slice()), (1, &[21][..]));
    assert_eq!(worst[0].events[0][0].text, "Köln", "a value that no cell names");
}

#[test]
fn a_crowd_of_stars_is_a_crowd_of_its_own() {
    let stars =
        |count| crowd(20, &[["Bonn", "1", "flu"]]).chain(crowd(count, &[["*", "1", "flu"]])).collect();
    // Exactly k is enough, one fewer is not.
    assert_eq!(holds(&case(stars(3), 3, 1, None)), [true, true]);
    assert_eq!(holds(&case(stars(2), 3, 1, None)), [false, true]);
}

#[test]
fn few_are_safe_among_those_who_say_less() {
    // One publishes `Bonn`, two more only `Rhine`: whoever knows of Bonn finds three, of Köln two.
    let people = || crowd(1, &[["Bonn", "1", "flu"]]).chain(crowd(2, &[["Rhine", "1", "flu"]])).collect();
    assert_eq!(holds(&case(people(), 2, 1, None)), [true, false]);
    assert_eq!(holds(&case(people(), 3, 1, None)), [false, false]);
    // However much is known.
    assert_eq!(holds(&case(people(), 2, 9, None)), [true, false]);
}

#[test]
fn a_share_exactly_at_its_bound_is_allowed() {
    let people = |with: usize, without: usize| {
        let shown = crowd(20, &[["Bonn", "1", "flu"]]).collect();
        let (with, without) = (crowd(with, &[["*", "1", "HIV"]]), crowd(without, &[["*", "1", "flu"]]));
        chain(vec![shown, with.collect(), without.collect()])
    };
    assert_eq!(holds(&case(people(2, 2), 2, 1, Some(Bound::Share(0.5)))), [true, true]);
    // Whoever is known by Bonn hides them well, whoever is known by Kiel does not.
    assert_eq!(holds(&case(people(3, 2), 2, 1, Some(Bound::Share(0.5)))), [false, true]);
    // p = 2/24 and β = 5: six times as frequent is allowed, half of four is exactly that.
    assert_eq!(holds(&case(people(2, 2), 2, 1, Some(Bound::Gain(5.0)))), [false, true]);
    assert_eq!(holds(&case(people(2, 8), 2, 1, Some(Bound::Gain(5.0)))), [true, true]);
}

#[test]
fn the_number_of_events_tells_people_apart() {
    let star = ["*", "*", "flu"];
    let people = |twice: usize| crowd(5, &[star]).chain(crowd(twice, &[star, star])).collect();
    // Somebody who knows two events knows that it is one of those who have two.
    assert_eq!(holds(&case(people(1), 2, 1, None)), [true, true]);
    assert_eq!(holds(&case(people(1), 2, 2, None)), [false, true]);
    assert_eq!(holds(&case(people(2), 2, 2, None)), [true, true]);
    assert_eq!(holds(&case(people(2), 2, 99, None)), [true, true]);
}

#[test]
fn what_is_known_may_be_as_long_as_a_sequence() {
    // Two who share every pair of values, and one who differs in the third.
    let (a, b) = (["Bonn", "1", "flu"], ["Kiel", "9", "flu"]);
    let people = || crowd(2, &[a, b]).chain(crowd(2, &[a])).chain(crowd(1, &[a, a])).collect();
    assert_eq!(holds(&case(people(), 2, 1, None)), [true, true]);
    assert_eq!(holds(&case(people(), 2, 2, None)), [false, false]);
}

#[test]
fn a_missing_value_can_be_known() {
    // Every value of the tree is named, and one person publishes `*`: the value may be missing.
    let names = ["Bonn", "Köln", "Aachen", "Kiel"];
    let named = || chain(names.iter().map(|place| crowd(2, &[[place, "1", "flu"]]).collect()).collect());
    assert_eq!(holds(&case(named(), 2, 1, None)), [true, true]);
    let with = |more| chain(vec![named(), crowd(more, &[["*", "1", "flu"]]).collect()]);
    assert_eq!(holds(&case(with(1), 2, 1, None)), [false, true]);
    assert_eq!(holds(&case(with(2), 2, 1, None)), [true, true]);
    // So may it where the top of the tree is published: `any` is not above what is missing.
    let any = |stay| {
        chain(vec![
            crowd(3, &[["Bonn", "any", "flu"]]).collect(),
            crowd(1, &[["Bonn", stay, "flu"]]).collect(),
        ])
    };
    assert_eq!(holds(&case(any("any"), 2, 1, None)), [true, true]);
    assert_eq!(holds(&case(any("*"), 2, 1, None)), [false, true]);
}
