//! Every small change to a sound stream is refused, and the refusal says what is wrong and where.

use shoal_core::stream::StreamPromise;
use shoal_privacy::stream::StreamViolation as V;

use super::support::{Event, Line, Tuple, crowds_of, member, row, run, set, slot, tuple};

fn admit(lines: Vec<Line>, tuples: &[&Tuple]) -> Event {
    Event::Admit { lines, tuples: tuples.iter().map(|tuple| (*tuple).clone()).collect() }
}

fn ann() -> Tuple {
    tuple(0, Some("Ann"), ["30", "Bonn", "red", "x"], "flu")
}

fn bob() -> Tuple {
    tuple(1, Some("Bob"), ["31", "Jena", "red", "y"], "cold")
}

fn as_set(values: &[&str]) -> Result<(), V> {
    run(StreamPromise::Sets { l: 3 }, &[admit(vec![set(&ann(), values)], &[&ann()])])
}

#[test]
fn a_set_holds_l_values_in_order_and_the_true_one() {
    assert_eq!(as_set(&["cold", "flu", "gout"]), Ok(()));
    assert_eq!(as_set(&["cold", "flu"]), Err(V::SetSize { line: 1, values: 2, l: 3 }));
    assert_eq!(as_set(&["cold", "cough", "flu", "gout"]), Err(V::SetSize { line: 1, values: 4, l: 3 }));
    assert_eq!(as_set(&["cold", "flu", "flu"]), Err(V::SetOrder { line: 1, value: "flu".into() }));
    assert_eq!(as_set(&["flu", "cold", "gout"]), Err(V::SetOrder { line: 1, value: "cold".into() }));
    assert_eq!(as_set(&["cold", "cough", "gout"]), Err(V::NotInSet { line: 1, position: 0 }));
}

#[test]
fn a_tuple_of_sets_leaves_once_in_turn_and_unchanged() {
    let promise = StreamPromise::Sets { l: 2 };
    let (first, second) = (set(&ann(), &["cold", "flu"]), set(&bob(), &["cold", "flu"]));
    let go = |events: &[Event]| run(promise, events);
    let both = admit(vec![first.clone(), second.clone()], &[&ann(), &bob()]);
    assert_eq!(go(std::slice::from_ref(&both)), Ok(()));
    assert_eq!(go(&[both.clone(), both]), Err(V::OutOfTurn { position: 0, expected: 2 }));
    assert_eq!(go(&[admit(vec![second], &[&bob()])]), Err(V::OutOfTurn { position: 1, expected: 0 }));
    assert_eq!(go(&[admit(vec![first.clone()], &[])]), Err(V::Unpaired { lines: 1, tuples: 0 }));
    assert_eq!(go(&[admit(vec![], &[&ann()])]), Err(V::Unpaired { lines: 0, tuples: 1 }));
    let mut older = ann();
    older.cells[0] = "31".into();
    assert_eq!(
        go(&[admit(vec![set(&older, &["cold", "flu"])], &[&ann()])]),
        Err(V::Changed { line: 1, position: 0, column: "age".into(), text: "31".into() })
    );
    let mut short = ann();
    short.cells.pop();
    assert_eq!(
        go(&[admit(vec![set(&short, &["cold", "flu"])], &[&ann()])]),
        Err(V::Ragged { line: 1, position: 0, cells: 3, columns: 4 })
    );
    let alien = go(&[admit(vec![row(["30", "Bonn", "red", "x"], "flu")], &[&ann()])]);
    assert_eq!(alien, Err(V::Alien { line: 1, found: "generalized tuple" }));
}

/// Ann opens group 4 with the given values, all in one step.
fn opened(values: &[(&str, u64)]) -> Event {
    let slots = values.iter().map(|(value, count)| slot(4, value, *count));
    admit(slots.chain([member(4, &ann())]).collect(), &[&ann()])
}

fn go(events: &[Event]) -> Result<(), V> {
    run(StreamPromise::Groups { l: 2, max_open_groups: 1 }, events)
}

#[test]
fn a_group_is_diverse_when_its_first_member_is_shown() {
    assert_eq!(go(&[opened(&[("cold", 1), ("flu", 1)])]), Ok(()));
    assert_eq!(go(&[opened(&[("cold", 2), ("cough", 1), ("flu", 1)])]), Ok(()));
    let small = go(&[opened(&[("flu", 1)])]);
    assert_eq!(small, Err(V::GroupTooSmall { line: 2, group: 4, values: 1, l: 2 }));
    let frequent = go(&[opened(&[("cold", 2), ("flu", 1)])]);
    let value = "cold".to_owned();
    assert_eq!(frequent, Err(V::TooFrequent { line: 3, group: 4, value, count: 2, sum: 3, l: 2 }));
    let order = |value: &str| Err(V::SlotOrder { line: 2, group: 4, value: value.into() });
    assert_eq!(go(&[opened(&[("flu", 1), ("flu", 1)])]), order("flu"));
    assert_eq!(go(&[opened(&[("flu", 1), ("cold", 1)])]), order("cold"));
    let nobody = V::SlotCount { line: 2, group: 4, value: "flu".into(), count: 0 };
    assert_eq!(go(&[opened(&[("cold", 1), ("flu", 0)])]), Err(nobody));
    let untrue = go(&[opened(&[("cold", 1), ("gout", 1)])]);
    assert_eq!(untrue, Err(V::NoFreeSlot { line: 3, position: 0, group: 4 }));
}

#[test]
fn the_values_of_a_group_stand_complete_above_its_members() {
    let (cold, flu) = (slot(4, "cold", 1), slot(4, "flu", 1));
    let late = V::GroupNotOpen { line: 1, position: 0, group: 4 };
    assert_eq!(
        go(&[admit(vec![member(4, &ann()), cold.clone(), flu.clone()], &[&ann()])]),
        Err(late.clone())
    );
    assert_eq!(go(&[admit(vec![member(4, &ann())], &[&ann()])]), Err(late));
    assert_eq!(go(&[admit(vec![cold.clone(), flu.clone()], &[])]), Err(V::NoMember { group: 4 }));
    let other = vec![cold, flu, slot(5, "cold", 1), slot(5, "flu", 1), member(5, &ann())];
    assert_eq!(go(&[admit(other, &[&ann()])]), Err(V::NoMember { group: 4 }));
    let third = admit(vec![slot(4, "gout", 1), member(4, &bob())], &[&bob()]);
    assert_eq!(
        go(&[opened(&[("cold", 1), ("flu", 1)]), third]),
        Err(V::LateSlot { line: 4, group: 4, value: "gout".into() })
    );
}

#[test]
fn a_member_has_a_place_of_its_own_in_an_open_group() {
    let open = opened(&[("cold", 1), ("flu", 1)]);
    let join = |tuple: &Tuple| go(&[open.clone(), admit(vec![member(4, tuple)], &[tuple])]);
    assert_eq!(join(&bob()), Ok(()));
    let mut also_flu = bob();
    also_flu.value = "flu".into();
    assert_eq!(join(&also_flu), Err(V::NoFreeSlot { line: 4, position: 1, group: 4 }));
    let mut same = bob();
    same.cells[..3].clone_from_slice(&ann().cells[..3]);
    assert_eq!(join(&same), Err(V::QuasiTwice { line: 4, position: 1, group: 4 }));
    let mut third = bob();
    third.position = 2;
    third.cells[0] = "40".into();
    let full = [open.clone(), admit(vec![member(4, &bob()), member(4, &third)], &[&bob(), &third])];
    assert_eq!(go(&full), Err(V::GroupNotOpen { line: 5, position: 2, group: 4 }));
    let stranger = [open, admit(vec![member(9, &bob())], &[&bob()])];
    assert_eq!(go(&stranger), Err(V::GroupNotOpen { line: 4, position: 1, group: 9 }));
}

#[test]
fn the_oldest_group_is_given_up_and_no_number_is_used_again() {
    let open = opened(&[("cold", 1), ("flu", 1)]);
    let with = |id: u64| {
        let lines = vec![slot(id, "cold", 1), slot(id, "flu", 1), member(id, &bob())];
        admit(lines, &[&bob()])
    };
    let mut third = tuple(2, None, ["50", "Jena", "red", "y"], "cold");
    let join = |tuple: &Tuple| go(&[open.clone(), with(5), admit(vec![member(4, tuple)], &[tuple])]);
    assert_eq!(join(&third), Err(V::GroupNotOpen { line: 7, position: 2, group: 4 }));
    third.value = "flu".into();
    let in_new = [open.clone(), with(5), admit(vec![member(5, &third)], &[&third])];
    assert_eq!(go(&in_new), Ok(()));
    assert_eq!(go(&[open, with(3)]), Err(V::GroupNotNew { line: 4, group: 3 }));
}

/// Three people whose ages and colours meet.
fn crowd() -> [Tuple; 3] {
    [ann(), bob(), tuple(2, None, ["31", "Köln", "green", "z"], "flu")]
}

const CELLS: [&str; 3] = ["[30, 31]", "*", "{green, red}"];

fn shown(tuple: &Tuple) -> Line {
    row([CELLS[0], CELLS[1], CELLS[2], &tuple.cells[3]], &tuple.value)
}

/// The crowd arrives and leaves as these lines.
fn leaves_as(change: impl FnOnce(&mut Vec<Line>, &mut Vec<Tuple>)) -> Result<(), V> {
    let mut tuples = crowd().to_vec();
    let mut events: Vec<Event> = tuples.iter().cloned().map(Event::Arrive).collect();
    let mut lines: Vec<Line> = tuples.iter().map(shown).collect();
    change(&mut lines, &mut tuples);
    events.push(Event::Admit { lines, tuples });
    run(crowds_of(3, 2, 3), &events)
}

#[test]
fn a_crowd_is_true_of_its_tuples() {
    assert_eq!(leaves_as(|_, _| ()), Ok(()));
    let not_covered = |column: &str, text: &str| {
        Err(V::NotCovered { line: 1, position: 0, column: column.into(), text: text.into() })
    };
    let changed = |column: &str, text: &str| {
        Err(V::Changed { line: 1, position: 0, column: column.into(), text: text.into() })
    };
    let first_as = |cells: [&str; 4], value: &str| leaves_as(|lines, _| lines[0] = row(cells, value));
    assert_eq!(first_as(["[31, 40]", "*", "*", "x"], "flu"), not_covered("age", "[31, 40]"));
    assert_eq!(first_as(["[30, Köln]", "*", "*", "x"], "flu"), not_covered("age", "[30, Köln]"));
    assert_eq!(first_as(["30", "East", "*", "x"], "flu"), not_covered("town", "East"));
    assert_eq!(first_as(["30", "West", "{blue, green}", "x"], "flu"), not_covered("colour", "{blue, green}"));
    assert_eq!(first_as(["30", "West", "*", "*"], "flu"), changed("note", "*"));
    assert_eq!(first_as(["*", "*", "*", "x"], "cold"), changed("value", "cold"));
    assert_eq!(first_as(["*", "*", "*", "x"], "*"), changed("value", "*"));
}

#[test]
fn a_tuple_leaves_once_and_as_it_arrived() {
    let again = leaves_as(|lines, tuples| {
        lines.push(shown(&ann()));
        tuples.push(ann());
    });
    assert_eq!(again, Err(V::NotWaiting { line: 4, position: 0 }));
    let lost = leaves_as(|lines, tuples| {
        lines[1] = row(["*"; 4], "*");
        lines[2] = row(["*"; 4], "*");
        lines.remove(0);
        tuples.remove(0);
    });
    assert_eq!(lost, Err(V::LeftBehind { tuples: 1, position: 0 }));
    let swapped = leaves_as(|lines, tuples| {
        tuples[0].value = "gout".into();
        lines[0] = shown(&tuples[0]);
    });
    assert_eq!(swapped, Err(V::Swapped { line: 1, position: 0 }));
    let never = leaves_as(|_, tuples| tuples[2].position = 3);
    assert_eq!(never, Err(V::NotWaiting { line: 3, position: 3 }));
}

#[test]
fn a_crowd_of_fewer_people_or_values_is_refused_and_nothing_needs_no_crowd() {
    let class = "([30, 31]; *; {green, red})".to_owned();
    let one_hidden = leaves_as(|lines, _| lines[0] = row(["*"; 4], "*"));
    assert_eq!(one_hidden, Err(V::SmallCrowd { line: 2, class: class.clone(), people: 2, k: 3 }));
    let all_hidden = leaves_as(|lines, _| lines.iter_mut().for_each(|line| *line = row(["*"; 4], "*")));
    assert_eq!(all_hidden, Ok(()));
    let [first, mut second, third] = crowd();
    second.person = Some("Ann".into());
    let go = |tuples: [Tuple; 3]| {
        let lines = tuples.iter().map(shown).collect();
        let arrive = tuples.iter().cloned().map(Event::Arrive);
        let events: Vec<Event> = arrive.chain([Event::Admit { lines, tuples: tuples.to_vec() }]).collect();
        run(crowds_of(3, 2, 3), &events)
    };
    let of_two = go([first.clone(), second.clone(), third.clone()]);
    assert_eq!(of_two, Err(V::SmallCrowd { line: 1, class: class.clone(), people: 2, k: 3 }));
    second.person = None;
    second.value = "flu".into();
    assert_eq!(go([first, second, third]), Err(V::PoorCrowd { line: 1, class, values: 1, l: 2 }));
}

#[test]
fn nobody_waits_longer_than_delta_and_a_good_class_may_be_joined_alone() {
    let promise = crowds_of(2, 1, 2);
    let [first, second, third] = crowd();
    let arrive = |tuple: &Tuple| Event::Arrive(tuple.clone());
    let leave = |tuples: &[&Tuple]| admit(tuples.iter().map(|tuple| shown(tuple)).collect(), tuples);
    let nothing = || admit(vec![], &[]);
    let sound = [
        arrive(&first),
        nothing(),
        arrive(&second),
        leave(&[&first, &second]),
        arrive(&third),
        leave(&[&third]),
    ];
    assert_eq!(run(promise, &sound), Ok(()));
    let late = [arrive(&first), nothing(), arrive(&second), nothing(), arrive(&third), nothing()];
    assert_eq!(run(promise, &late), Err(V::Late { position: 0, arrived: 2, delta: 2 }));
    assert_eq!(run(promise, &[arrive(&second)]), Err(V::OutOfTurn { position: 1, expected: 0 }));
}

#[test]
fn what_leaves_together_stands_in_the_order_of_what_it_says() {
    let swapped = |at: usize| leaves_as(|lines, tuples| (lines.swap(0, at), tuples.swap(0, at)).1);
    assert_eq!(swapped(0), Ok(()));
    assert_eq!(swapped(1), Err(V::CrowdOrder { line: 2 }));
    assert_eq!(swapped(2), Err(V::CrowdOrder { line: 2 }));
    // Equal lines say nothing, however they stand; of lines with the same cells the value decides.
    let go = |values: [&str; 3]| {
        let tuples: Vec<Tuple> =
            (0..3).map(|at| tuple(at, None, ["30", "Bonn", "red", "x"], values[at as usize])).collect();
        let lines = tuples.iter().map(shown).collect();
        let arrive = tuples.iter().cloned().map(Event::Arrive);
        let events: Vec<Event> = arrive.chain([Event::Admit { lines, tuples: tuples.clone() }]).collect();
        run(crowds_of(3, 2, 3), &events)
    };
    assert_eq!(go(["cold", "cold", "flu"]), Ok(()));
    assert_eq!(go(["cold", "flu", "cold"]), Err(V::CrowdOrder { line: 3 }));
}

#[test]
fn where_classes_are_not_joined_later_every_line_leaves_with_its_crowd() {
    let [first, second, third] = crowd();
    let arrive = |tuple: &Tuple| Event::Arrive(tuple.clone());
    let leave = |tuples: &[&Tuple]| admit(tuples.iter().map(|tuple| shown(tuple)).collect(), tuples);
    let events =
        [arrive(&first), arrive(&second), leave(&[&first, &second]), arrive(&third), leave(&[&third])];
    let promise = |reuse| StreamPromise::Crowds { k: 2, l: 1, delta: 2, max_wait: None, reuse };
    assert_eq!(run(promise(true), &events), Ok(()));
    let class = "([30, 31]; *; {green, red})".to_owned();
    assert_eq!(run(promise(false), &events), Err(V::SmallCrowd { line: 3, class, people: 1, k: 2 }));
}

#[test]
fn nobody_waits_longer_than_the_clock_allows() {
    let promise = StreamPromise::Crowds { k: 2, l: 1, delta: 9, max_wait: Some(50), reuse: false };
    let [first, second, _] = crowd();
    let arrive = |tuple: &Tuple| Event::Arrive(tuple.clone());
    let at = |now: u64| Event::Advance(now);
    let nothing = || admit(vec![], &[]);
    let both = || admit(vec![shown(&first), shown(&second)], &[&first, &second]);
    let until = |now: u64| [at(1000), arrive(&first), nothing(), at(1020), arrive(&second), at(now)];
    let go = |now: u64, last: Event| run(promise, &[&until(now)[..], &[last.clone(), both()]].concat());
    assert_eq!(go(1049, nothing()), Ok(()));
    assert_eq!(go(1050, nothing()), Err(V::Overdue { position: 0, waited: 50, limit: 50 }));
    assert_eq!(run(promise, &[&until(1050)[..], &[both()]].concat()), Ok(()));
    // A clock that goes back stands still.
    assert_eq!(go(5, nothing()), Ok(()));
    // Without a limit only further tuples count.
    assert_eq!(run(crowds_of(2, 1, 9), &[&until(9_000_000)[..], &[nothing(), both()]].concat()), Ok(()));
}

#[test]
fn a_refusal_says_what_to_do_and_shows_no_original_value() {
    let error = as_set(&["cold", "cough", "gout"]).unwrap_err();
    assert_eq!(error.to_string(), "line 1: the value of tuple 0 is not among those that are shown");
    assert!(error.hint().starts_with("nothing was released"));
}

/// Two spellings of one value are no two values, and the places of both are places of that value.
#[test]
fn spellings_of_one_value_are_counted_together() {
    let alone = go(&[opened(&[("Flu", 1), ("flu", 1)])]);
    assert_eq!(alone, Err(V::GroupTooSmall { line: 3, group: 4, values: 1, l: 2 }));
    assert_eq!(go(&[opened(&[("Flu", 1), ("cold", 2), ("flu", 1)])]), Ok(()));
    let frequent = go(&[opened(&[("Flu", 1), ("cold", 2), ("flu", 2)])]);
    let value = "flu".to_owned();
    assert_eq!(frequent, Err(V::TooFrequent { line: 4, group: 4, value, count: 3, sum: 5, l: 2 }));
}

/// Several tuples may arrive, and the clock may go far, before anybody looks.
#[test]
fn whoever_has_waited_much_too_long_is_found_as_well() {
    let arrivals = crowd().map(Event::Arrive);
    let nothing = admit(vec![], &[]);
    let late = run(crowds_of(2, 1, 1), &[&arrivals[..], std::slice::from_ref(&nothing)].concat());
    assert_eq!(late, Err(V::Late { position: 0, arrived: 2, delta: 1 }));
    let promise = StreamPromise::Crowds { k: 2, l: 1, delta: 9, max_wait: Some(50), reuse: false };
    let overdue = run(promise, &[arrivals[0].clone(), Event::Advance(80), nothing]);
    assert_eq!(overdue, Err(V::Overdue { position: 0, waited: 80, limit: 50 }));
}
