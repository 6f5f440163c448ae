//! The verifier of bounded knowledge against a second one that shares no code with it.

mod by_hand;
mod compatible;
mod twin;

use proptest::prelude::*;
use proptest::sample::Index;
use shoal_core::{Bound, Limit, Role, Support};
use shoal_privacy::{
    BoundedKnowledge, Figure, KTooSmall, KnowledgeError, PublishedCell, SequencesModel, SequencesViolation,
    Unverifiable, verify_sequences_file,
};
use twin::{
    Case, Event, Known, NAMES, alike_cases, breaks, broken, cases, file, length, sound_cases,
    sound_cases_in_parts, trees, verify, verify_in_parts,
};

fn known(violation: &SequencesViolation) -> Known {
    let quasi = |name: &str| NAMES[1..].iter().position(|known| *known == name).unwrap();
    let event = |event: &Vec<PublishedCell>| {
        event.iter().map(|cell| (quasi(&cell.column), cell.text.clone())).collect()
    };
    violation.events.iter().map(event).collect()
}

/// Whether everything that can be known of somebody is within the length.
fn is_perfect(case: &Case) -> bool {
    let cells =
        |event: &Event| event[..2].iter().filter(|text| !["*", "any"].contains(&text.as_str())).count();
    case.people.iter().all(|events| events.iter().map(cells).sum::<usize>() <= case.length)
}

fn agrees(case: &Case) -> Result<(), TestCaseError> {
    let (promise, total, worst) = verify(case, BoundedKnowledge::WORK);
    let broken = broken(case);
    prop_assert_eq!(promise.holds, broken.is_empty(), "{:?} {:?}", promise, broken);
    for violation in &worst {
        let known = known(violation);
        let people = match case.support {
            Support::Paper => broken.get(&known).cloned(),
            Support::Compatible => Some(compatible::crowd(case, &known)).filter(|crowd| breaks(case, crowd)),
        };
        prop_assert_eq!(people.map(|people| people.len()), Some(violation.size as usize), "{}", violation);
        prop_assert_eq!(violation.rows.len(), violation.size.min(5) as usize);
    }
    if case.support == Support::Compatible {
        // One of several values that no cell names stands for all of them, so there are no numbers to compare.
        return Ok(());
    }
    let Some(shortest) = broken.keys().map(length).min() else { return Ok(()) };
    if !is_perfect(case) {
        let first: Vec<usize> =
            broken.iter().filter(|(k, _)| length(k) == shortest).map(|(_, p)| p.len()).collect();
        prop_assert_eq!(total, first.len());
        let small = first.iter().filter(|size| **size < case.k as usize).min();
        if let Some(smallest) = small {
            prop_assert_eq!(worst[0].size as usize, *smallest);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn both_verifiers_agree(case in cases()) {
        agrees(&case)?;
    }

    #[test]
    fn a_change_in_a_sound_file_is_noticed_exactly_when_it_matters(
        case in sound_cases(),
        other in cases(),
        at in any::<(Index, Index, Index)>(),
    ) {
        prop_assert!(verify(&case, 0).0.holds, "crowds of one kind need no search");
        let (person, donor) = (at.0.index(case.people.len()), at.1.get(&other.people));
        let event = at.2.index(case.people[person].len());
        for (column, text) in donor[0].iter().enumerate() {
            let mut changed = case.clone();
            changed.people[person][event][column].clone_from(text);
            agrees(&changed)?;
        }
        let mut shorter = case.clone();
        shorter.people[person].remove(event);
        shorter.people.retain(|events| !events.is_empty());
        agrees(&shorter)?;
        let mut longer = case.clone();
        longer.people[person].insert(event, donor[0].clone());
        agrees(&longer)?;
    }

    #[test]
    fn threads_and_a_limit_of_work_change_no_answer(case in cases(), work in 0..2000u64) {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| (verify(&case, work), verify(&case, u64::MAX)))
        };
        let (limited, whole) = with_threads(1);
        prop_assert_eq!(&with_threads(3), &(limited.clone(), whole.clone()));
        let is_undecided = matches!(&limited.0.found, Figure::Words(words) if words.starts_with("undecided"));
        prop_assert!(!is_undecided || (!limited.0.holds && limited.1 == 0 && limited.2.is_empty()));
        prop_assert!(is_undecided || limited.0.holds == whole.0.holds);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn both_verifiers_agree_on_everybody_who_fits(case in cases()) {
        agrees(&case.compatible())?;
    }

    #[test]
    fn both_verifiers_agree_on_a_part_of_everybody(case in cases(), others in cases(), compatible: bool) {
        let part = Case { others: others.people, ..case };
        agrees(&if compatible { part.compatible() } else { part })?;
    }

    /// The disjoint-union rule, on all that anybody can know: what each part keeps with everybody's shares, all keep together.
    #[test]
    fn parts_that_hold_among_everybody_hold_together(
        (whole, kind_of) in sound_cases_in_parts(),
        other in cases(),
        at in any::<(Index, Index, Index)>(),
        cut in 0..3u32,
        compatible: bool,
    ) {
        // Crowds that hold, one of whose cells is changed, so that parts often hold and often do not.
        let mut whole = if compatible { whole.compatible() } else { whole };
        let person = at.0.index(whole.people.len());
        let event = at.1.index(whole.people[person].len());
        whole.people[person][event] = at.2.get(&other.people)[0].clone();
        let part = |is_in: &dyn Fn(u32) -> bool| {
            let of = |wanted: bool| {
                let people = whole.people.iter().zip(&kind_of).filter(|(_, kind)| is_in(**kind) == wanted);
                people.map(|(events, _)| events.clone()).collect::<Vec<_>>()
            };
            Case { people: of(true), others: of(false), ..whole.clone() }
        };
        let parts = [part(&|kind| kind <= cut), part(&|kind| kind > cut)];
        let holds = |case: &Case| case.people.is_empty() || verify(case, BoundedKnowledge::WORK).0.holds;
        if parts.iter().all(holds) {
            prop_assert!(broken(&whole).is_empty(), "{:?}", broken(&whole));
            prop_assert!(verify(&whole, BoundedKnowledge::WORK).0.holds);
        }
    }

    #[test]
    fn a_change_is_noticed_exactly_when_somebody_fits_too_few(
        case in sound_cases(),
        other in cases(),
        at in any::<(Index, Index, Index)>(),
        column in 0..3_usize,
    ) {
        let case = case.compatible();
        prop_assert!(verify(&case, 0).0.holds, "crowds of one kind need no search");
        let (person, donor) = (at.0.index(case.people.len()), at.1.get(&other.people));
        let event = at.2.index(case.people[person].len());
        let mut changed = case.clone();
        changed.people[person][event][column].clone_from(&donor[0][column]);
        agrees(&changed)?;
        let mut shorter = case;
        shorter.people[person].remove(event);
        shorter.people.retain(|events| !events.is_empty());
        agrees(&shorter)?;
    }
}

/// So little work that parts are looked at before anything else has an answer, and enough to look at all of them.
const PARTS_FIRST: u64 = 100_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Parts are a hint that nobody believes.
    #[test]
    fn parts_that_are_drawn_change_no_answer(
        case in cases(),
        parts in prop::collection::vec(0..3_u32, 9),
        is_paper in any::<bool>(),
    ) {
        let case = if is_paper { case } else { case.compatible() };
        let (promise, _, worst) = verify_in_parts(&case, PARTS_FIRST, &parts);
        prop_assert_eq!(promise.holds, verify(&case, BoundedKnowledge::WORK).0.holds);
        prop_assert_eq!(promise.holds, worst.is_empty());
        for violation in &worst {
            let crowd = match case.support {
                Support::Paper => broken(&case).get(&known(violation)).cloned(),
                Support::Compatible => Some(compatible::crowd(&case, &known(violation))),
            };
            prop_assert!(crowd.is_some_and(|crowd| crowd.len() == violation.size as usize && breaks(&case, &crowd)));
        }
    }

    /// Parts that the file shows by itself are not believed either, before and after a change.
    #[test]
    fn parts_that_a_file_shows_change_no_answer(
        case in alike_cases(),
        at in any::<(Index, Index)>(),
        place in prop::option::of(prop::sample::select(vec!["Bonn", "Köln", "Kiel", "West", "*"])),
    ) {
        let mut case = case;
        if let Some(place) = place {
            let person = at.0.index(case.people.len());
            let event = at.1.index(case.people[person].len());
            case.people[person][event][0] = place.to_owned();
        }
        let (promise, _, worst) = verify(&case, PARTS_FIRST);
        let broken = broken(&case);
        prop_assert_eq!(promise.holds, broken.is_empty());
        for violation in &worst {
            let crowd = broken.get(&known(violation));
            prop_assert!(crowd.is_some_and(|crowd| crowd.len() == violation.size as usize));
        }
    }

    /// Parts that were a proof before somebody changed a cell are none afterwards.
    #[test]
    fn a_change_is_noticed_behind_parts_that_were_true(
        (case, parts) in sound_cases_in_parts(),
        other in cases(),
        at in any::<(Index, Index, Index)>(),
        column in 0..3_usize,
        is_paper in any::<bool>(),
    ) {
        let case = if is_paper { case } else { case.compatible() };
        let (person, donor) = (at.0.index(case.people.len()), at.1.get(&other.people));
        let event = at.2.index(case.people[person].len());
        let mut changed = case;
        changed.people[person][event][column].clone_from(&donor[0][column]);
        let (promise, ..) = verify_in_parts(&changed, PARTS_FIRST, &parts);
        prop_assert_eq!(promise.holds, broken(&changed).is_empty());
    }
}

#[test]
fn parts_are_a_proof_or_are_widened() {
    // Twelve crowds of four with places a and b of their own: two people were in a, b, a, b and two in a, b, b, a. Whoever
    // knows two values cannot tell them apart, three values can.
    let places = ["Bonn", "Köln", "Aachen", "Kiel"];
    let person = |at: usize, stays: &[&str]| -> Vec<Event> {
        let crowd = at / 4;
        let order = if at.is_multiple_of(2) { [0, 1, 0, 1] } else { [0, 1, 1, 0] };
        let event = |&of: &usize| [places[(crowd + of) % 4], stays[crowd % stays.len()], "flu", "east"];
        order.iter().map(event).map(|event| event.map(str::to_owned)).collect()
    };
    let parts: Vec<u32> = (0..48).map(|at| at / 4).collect();
    let case = |stays: &[&str], k, length| Case {
        people: (0..48).map(|at| person(at, stays)).collect(),
        k,
        length,
        limits: Vec::new(),
        support: Support::Paper,
        others: Vec::new(),
    };
    let answers = |case: Case| {
        let plainly = verify(&case, BoundedKnowledge::WORK).0.holds;
        // Both orders have the same pairs of places, so the file shows these parts by itself.
        assert_eq!(verify(&case, PARTS_FIRST).0.holds, plainly);
        (plainly, verify_in_parts(&case, PARTS_FIRST, &parts).0.holds)
    };
    // Where each crowd has a stay that tells it from the others with its places, the parts are a proof.
    assert_eq!(answers(case(&["1", "2", "9"], 4, 2)), (true, true));
    assert_eq!(answers(case(&["1", "2", "9"], 4, 3)), (false, false));
    // Where three crowds have the same places and one stay, they hide each other, and no part keeps k = 8 by itself.
    assert_eq!(answers(case(&["1"], 8, 2)), (true, true));
    assert_eq!(answers(case(&["1"], 8, 3)), (false, false));
    // Parts of another file are not looked at.
    let other = case(&["1", "2", "9"], 4, 2);
    assert!(verify_in_parts(&other, BoundedKnowledge::WORK, &parts[..1]).0.holds);
}

fn gain(beta: f64) -> Limit {
    Limit { column: "illness".into(), values: None, bound: Bound::Gain(beta) }
}

fn case(people: &[&[[&str; 4]]], length: usize) -> Case {
    let person = |events: &&[[&str; 4]]| events.iter().map(|event| event.map(str::to_owned)).collect();
    let people = people.iter().map(person).collect();
    Case { people, k: 2, length, limits: vec![gain(6.0)], support: Support::Paper, others: Vec::new() }
}

#[test]
fn what_is_found_is_said_in_words() {
    let (bonn, cologne) = ([["Bonn", "1", "flu", "east"]], [["Köln", "1", "flu", "east"]]);
    let bad = case(&[&bonn, &bonn, &cologne], 1);
    let roles = [("place", Role::QuasiIdentifier), ("stay", Role::QuasiIdentifier)];
    let roles = [&roles[..], &[("illness", Role::Sensitive), ("ward", Role::Sensitive)]].concat();
    let model = BoundedKnowledge::new(2, 1, bad.limits.clone(), trees(), BoundedKnowledge::WORK).unwrap();
    let model = model.counting(Support::Paper);
    let verdict =
        verify_sequences_file(&file(&bad), "id", &roles, &[Box::new(model)], &shoal_core::Silent).unwrap();
    assert_eq!(
        verdict.broken[0].to_string(),
        "(k,β)^L does not hold: asked k = 2, β = 6, L = 1, by the papers' count, found crowds of 1 person, at most a share of 1 with illness = \
         `flu` (1 allowed), violating crowds: 1; who is known by place = `Köln`, is in a crowd of 1 (rows: 3)"
    );
    let good = case(&[&bonn, &bonn, &cologne, &cologne], 1);
    let words = "crowds of at least 2 people, at most a share of 1 with illness = `flu` (1 allowed)";
    assert_eq!(verify(&good, 0).0.found, Figure::Words(words.to_owned()));
    let mut undecided = bad;
    undecided.length = 2;
    undecided.people[0].push(["Kiel", "9", "flu", "east"].map(str::to_owned));
    undecided.people[2].push(["Kiel", "9", "flu", "east"].map(str::to_owned));
    let (promise, total, _) = verify(&undecided, 0);
    assert!(!promise.holds && total == 0);
    assert_eq!(promise.found.to_string(), "undecided after 0 steps; nothing breaks it that is up to 0 long");
}

#[test]
fn names_and_parameters() {
    let limit = |bound| Limit { bound, ..gain(1.0) };
    let made = |limits: Vec<Limit>| BoundedKnowledge::new(5, 3, limits, trees(), 1).unwrap();
    let said = |limits: Vec<Limit>| {
        let promise = made(limits).promise();
        (promise.name(), promise.asked().to_string())
    };
    assert_eq!(said(vec![gain(6.0)]), ("(k,β)^L".into(), "k = 5, β = 6, L = 3".into()));
    let share = limit(Bound::Share(0.7));
    assert_eq!(said(vec![share.clone()]), ("(k,C)^L".into(), "k = 5, C = 0.7, L = 3".into()));
    let ward = Limit { column: "ward".into(), ..share };
    let both = ("(k,β,C)^L".into(), "k = 5, β = 2 for illness, C = 0.7 for ward, L = 3".into());
    assert_eq!(said(vec![gain(2.0), ward]), both);
    assert_eq!(said(Vec::new()), ("(k)^L".into(), "k = 5, L = 3".into()));
    let paper = made(Vec::new()).counting(Support::Paper);
    assert_eq!(paper.promise().asked().to_string(), "k = 5, L = 3, by the papers' count");

    let refused =
        |k, length, limit: Limit| BoundedKnowledge::new(k, length, vec![limit], trees(), 1).unwrap_err();
    assert_eq!(refused(1, 3, gain(1.0)), KTooSmall { k: 1 }.into());
    assert_eq!(refused(2, 0, gain(1.0)), KnowledgeError::NothingKnown);
    for beta in [0.0, -1.0, f64::NAN] {
        assert!(matches!(refused(2, 3, gain(beta)), KnowledgeError::NotAGain { .. }));
    }
    for c in [-0.1, 1.5, f64::NAN] {
        assert!(matches!(refused(2, 3, limit(Bound::Share(c))), KnowledgeError::NotAShare { .. }));
    }
    let none = Limit { values: Some(Vec::new()), ..gain(1.0) };
    assert_eq!(refused(2, 3, none), KnowledgeError::NoValues { column: "illness".into() });
}

#[test]
fn what_cannot_be_asked_of_a_file() {
    let people = case(&[&[["Bonn", "1", "flu", "east"]]], 1);
    let verify = |limit: Limit, trees| {
        let model = BoundedKnowledge::new(2, 1, vec![limit], trees, 1).unwrap();
        let quasi = Role::QuasiIdentifier;
        let roles =
            [("place", quasi), ("stay", quasi), ("illness", Role::Sensitive), ("ward", Role::Sensitive)];
        verify_sequences_file(&file(&people), "id", &roles, &[Box::new(model)], &shoal_core::Silent)
            .unwrap_err()
    };
    let without = trees().into_iter().filter(|(name, _)| name != "stay").collect();
    assert_eq!(verify(gain(1.0), without), Unverifiable::NoHierarchy { column: "stay".into() });
    let drug = Limit { column: "drug".into(), ..gain(1.0) };
    assert_eq!(verify(drug, trees()), Unverifiable::Lacking { column: "drug".into() });
}
