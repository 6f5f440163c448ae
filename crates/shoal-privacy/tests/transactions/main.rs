//! The verifier of transactions against a second one that shares no code with it, on sound and on broken
//! releases.

mod second_verifier;

use proptest::prelude::*;
use proptest::sample::Index;
use second_verifier::{
    ITEMS, Promise, Release, Row, is_private, is_sound, items, model, one_image, releases,
    releases_of_people, supports, transactions, tree, verify,
};
use shoal_core::Transactions;
use shoal_privacy::{
    Figure, OriginError, PublishedTransactions, RecordOrder, Refusal, TransactionsClaim,
    TransactionsConservationError, TransactionsVerdict, Unverifiable, Utility, judge_transactions,
    verify_transactions_file,
};

/// Texts that a broken release might hold: some true, some not, some unreadable.
const TEXTS: [&str; 14] =
    ["a", "b", "c", "(a,b)", "(b,a)", "(a,b,c)", "(c,d)", "(a,x)", "AB", "DEF", "*", "x", "z", "(e,f)"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn releases_pass_exactly_when_they_are_sound(release in releases(1)) {
        let verified = verify(&release);
        prop_assert_eq!(verified.is_ok(), is_sound(&release), "{:?}", verified.err());
    }

    #[test]
    fn crowds_pass_and_say_what_they_are(mut release in releases(3)) {
        release.k = release.k.min(3);
        prop_assert!(is_sound(&release), "three of each hide up to three");
        let verified = verify(&release).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        let ticket = verified.findings();
        prop_assert_eq!((ticket.rows_in(), ticket.rows_published()), (release.original.len(), release.published.len()));
        prop_assert!(ticket.promises()[0].holds);
        prop_assert_eq!(verified.items_published(), items(&release.published).len());
        let known = items(&release.original);
        prop_assert_eq!(verified.image_of().len(), known.len());
        let visible = |item: &&String| {
            items(&release.published).iter().any(|text| second_verifier::meaning(text, Some(&known)).contains(*item))
        };
        prop_assert_eq!(verified.items_suppressed(), known.len() - known.iter().filter(visible).count());
    }

    #[test]
    fn what_is_found_is_what_all_subsets_show(release in releases(1)) {
        let verdict = verify_alone(&release.published, &release);
        let known = supports(&release, None);
        // Sets are looked at by size, up to the first size that breaks the promise.
        let breaks = |(_, support): &&(Row, usize)| *support < release.k as usize;
        let broken_at = known.iter().filter(breaks).map(|(set, _)| set.len()).min();
        let last = match (&release.promise, broken_at) {
            (Promise::Itemsets { .. }, Some(size)) => size,
            _ => usize::MAX,
        };
        let seen: Vec<_> = known.iter().filter(|(set, _)| set.len() <= last).collect();
        let smallest = seen.iter().map(|(_, support)| *support).min();
        let expected = smallest.map_or(Figure::Nothing, |support| Figure::Count(support as u64));
        prop_assert_eq!(&verdict.promises[0].found, &expected);
        prop_assert_eq!(verdict.promises[0].holds, broken_at.is_none());
        let total = seen.iter().filter(|pair| breaks(&&***pair)).count();
        prop_assert_eq!(verdict.broken.iter().map(|broken| broken.violations.total).sum::<usize>(), total);
        for violation in verdict.broken.iter().flat_map(|broken| &broken.violations.worst) {
            let set: Row = violation.items.iter().cloned().collect();
            prop_assert!(seen.contains(&&(set.clone(), violation.support as usize)));
            let rows = release.published.iter().enumerate().filter(|(_, row)| set.is_subset(row));
            let rows: Vec<u64> = rows.map(|(at, _)| at as u64 + 1).take(5).collect();
            prop_assert_eq!(&violation.rows, &rows);
        }
    }

    #[test]
    fn a_file_is_judged_by_its_texts_alone(release in releases(2), at in any::<Index>(), text in 0..TEXTS.len()) {
        let mut release = release;
        let row = at.index(release.published.len());
        release.published[row].insert(TEXTS[text].to_owned());
        let verdict = verify_alone(&release.published, &release);
        let unique = one_image(&items(&release.published), None);
        prop_assert_eq!(verdict.items_in_two_images.total == 0, unique);
        if unique {
            let private = supports(&release, None).iter().all(|(_, support)| *support >= release.k as usize);
            prop_assert_eq!(verdict.holds(), private);
        } else {
            prop_assert!(!verdict.holds());
        }
    }

    #[test]
    fn one_item_more_or_less_is_noticed_exactly_when_it_matters(
        release in releases(2),
        at in any::<(Index, Index)>(),
        text in 0..TEXTS.len(),
    ) {
        let row = at.0.index(release.published.len());
        let mut more = release.clone();
        more.published[row].insert(TEXTS[text].to_owned());
        prop_assert_eq!(verify(&more).is_ok(), is_sound(&more));

        let mut less = release.clone();
        let texts: Vec<String> = less.published[row].iter().cloned().collect();
        if !texts.is_empty() {
            less.published[row].remove(&texts[at.1.index(texts.len())]);
        }
        prop_assert_eq!(verify(&less).is_ok(), is_sound(&less));
    }

    #[test]
    fn an_image_that_differs_in_one_row_is_noticed(
        release in releases(2),
        at in any::<(Index, Index)>(),
        text in 0..TEXTS.len(),
    ) {
        let row = at.0.index(release.published.len());
        let texts: Vec<String> = release.published[row].iter().cloned().collect();
        prop_assume!(!texts.is_empty());
        let old = &texts[at.1.index(texts.len())];
        let mut local = release.clone();
        local.published[row].remove(old);
        local.published[row].insert(TEXTS[text].to_owned());
        prop_assert_eq!(verify(&local).is_ok(), is_sound(&local), "in one row");

        let mut global = release.clone();
        for row in &mut global.published {
            if row.remove(old) {
                row.insert(TEXTS[text].to_owned());
            }
        }
        prop_assert_eq!(verify(&global).is_ok(), is_sound(&global), "in all rows");
    }

    #[test]
    fn swapped_and_doubled_rows_are_noticed(release in releases(2), pair in any::<(Index, Index)>()) {
        let rows = release.published.len();
        let (one, two) = (pair.0.index(rows), pair.1.index(rows));

        let mut swapped = release.clone();
        swapped.published.swap(one, two);
        prop_assert_eq!(
            is_private(&swapped, &items(&swapped.original)),
            is_private(&release, &items(&release.original)),
            "a swap leaves the supports as they are"
        );
        prop_assert_eq!(verify(&swapped).is_ok(), is_sound(&swapped));

        let mut doubled = release.clone();
        doubled.published[two] = doubled.published[one].clone();
        prop_assert_eq!(verify(&doubled).is_ok(), is_sound(&doubled));
        doubled.origin[two] = doubled.origin[one];
        prop_assert_eq!(verify(&doubled).is_ok(), is_sound(&doubled));

        let mut lost = release.clone();
        lost.published.remove(one);
        prop_assert!(verify(&lost).is_err());
        lost.origin.remove(one);
        prop_assert!(verify(&lost).is_err(), "no transaction is ever left out");
    }

    #[test]
    fn releases_of_people_pass_exactly_when_they_are_sound(release in releases_of_people(1), crowded in releases_of_people(4)) {
        for release in [release, crowded] {
            let verified = verify(&release);
            prop_assert_eq!(verified.is_ok(), is_sound(&release), "{:?}", verified.err());
            if let Err(Refusal::BrokenTransactions { broken }) = verified {
                let known = supports(&release, Some(&items(&release.original)));
                for violation in &broken[0].violations.worst {
                    let set: Row = violation.items.iter().cloned().collect();
                    prop_assert!(known.contains(&(set, violation.support as usize)) && violation.people);
                }
            }
        }
    }

    #[test]
    fn the_crowd_that_is_found_counts_people(mut release in releases_of_people(3)) {
        // Everything is looked at where nothing is broken.
        release.k = 2;
        let known = supports(&release, None);
        prop_assume!(known.iter().all(|(_, support)| *support >= 2));
        let persons = release.persons.as_ref().unwrap();
        let of_published = release.origin.iter().map(|&from| persons[from as usize]).collect();
        let published = transactions(&release.published).with_persons(of_published);
        let verdict = verify_transactions_file(&published, None, Some(&tree()), &model(2, &release.promise), &shoal_core::Silent).unwrap();
        let smallest = known.iter().map(|(_, support)| *support as u64).min();
        prop_assert_eq!(&verdict.promises[0].found, &smallest.map_or(Figure::Nothing, Figure::Count));
    }

    /// Two who turn out to be one, one who turns out to be two, and somebody else's transaction.
    #[test]
    fn other_people_are_noticed_exactly_when_it_matters(
        release in releases_of_people(3),
        at in any::<(Index, Index)>(),
        new in any::<bool>(),
    ) {
        let rows = release.original.len();
        let (one, two) = (at.0.index(rows), at.1.index(rows));
        let persons = release.persons.clone().unwrap();

        let mut moved = persons.clone();
        moved[one] = if new { 99 } else { persons[two] };
        let moved = Release { persons: Some(moved), ..release.clone() };
        prop_assert_eq!(verify(&moved).is_ok(), is_sound(&moved));

        let joined = persons.iter().map(|&person| if person == persons[one] { persons[two] } else { person });
        let joined = Release { persons: Some(joined.collect()), ..release.clone() };
        prop_assert_eq!(verify(&joined).is_ok(), is_sound(&joined));

        // Origins lead to people: a wrong one is noticed unless the two are published alike.
        let mut swapped = release.clone();
        swapped.origin.swap(one, two);
        prop_assert_eq!(verify(&swapped).is_ok(), is_sound(&swapped));
    }

    #[test]
    fn everybody_with_one_transaction_is_as_without_people(release in releases(2)) {
        let mut named = release.clone();
        named.persons = Some((0..release.original.len() as u32).map(|person| 1000 - person).collect());
        prop_assert_eq!(verify(&named).is_ok(), verify(&release).is_ok());
    }

    #[test]
    fn utility_is_guarded(
        release in releases(3),
        // The last of four parts stands in no constraint.
        parts in prop::collection::vec(0..4usize, ITEMS.len()),
        allowed in prop::option::of(0..=4u32),
    ) {
        let mut release = release;
        release.k = 2;
        let part = |n: usize| {
            ITEMS.iter().zip(&parts).filter(|(_, p)| **p == n).map(|(item, _)| (*item).to_owned()).collect()
        };
        release.utility = Utility {
            constraints: Some((0..3).map(part).collect()),
            max_suppressed: allowed.map(|n| f64::from(n) / 4.0),
        };
        prop_assert_eq!(verify(&release).is_ok(), is_sound(&release));
    }
}

fn verify_alone(published: &[Row], release: &Release) -> TransactionsVerdict {
    let models = model(release.k, &release.promise);
    verify_transactions_file(&transactions(published), None, Some(&tree()), &models, &shoal_core::Silent)
        .unwrap()
}

fn release(k: u32, promise: Promise, original: &[&[&str]], published: &[&[&str]]) -> Release {
    let rows = |rows: &[&[&str]]| -> Vec<Row> {
        rows.iter().map(|row| row.iter().map(|text| (*text).to_owned()).collect()).collect()
    };
    let origin = (0..published.len() as u32).collect();
    let (original, published) = (rows(original), rows(published));
    Release { k, promise, original, published, origin, utility: Utility::default(), persons: None }
}

fn refusal(release: &Release) -> String {
    verify(release).unwrap_err().to_string()
}

fn sets(sets: &[&[&str]]) -> Promise {
    Promise::Constraints(sets.iter().map(|set| set.iter().map(|item| (*item).to_owned()).collect()).collect())
}

#[test]
fn a_column_that_must_not_be_there_is_refused() {
    let rows = transactions(&vec![Row::from(["a".to_owned()]); 2]);
    let published = |withheld: &[&str]| PublishedTransactions {
        data: rows.clone(),
        rest: None,
        withheld_columns: withheld.iter().map(|column| (*column).to_owned()).collect(),
    };
    let claim = || TransactionsClaim {
        original: &rows,
        hierarchy: None,
        origin: &[0, 1],
        order: RecordOrder::Published,
    };
    let models = model(2, &Promise::Complete);
    assert!(
        judge_transactions(&published(&[]), claim(), &models, &Utility::default(), &shoal_core::Silent)
            .is_ok()
    );
    let refused =
        judge_transactions(&published(&["name"]), claim(), &models, &Utility::default(), &shoal_core::Silent)
            .unwrap_err();
    assert_eq!(refused, TransactionsConservationError::Withheld { column: "name".to_owned() }.into());
    let file = verify_transactions_file(&rows, None, None, &models, &shoal_core::Silent).unwrap();
    assert!(file.holds() && !file.with_withheld_columns(vec!["name".to_owned()]).holds());
}

/// Twenty visits of one person are no crowd, whatever the promise.
#[test]
fn a_person_is_no_crowd() {
    let rows: Vec<&[&str]> = vec![&["a", "b"]; 20];
    for promise in [Promise::Itemsets { m: 2, share: None }, Promise::Complete, sets(&[&["a", "b"]])] {
        let mut release = release(5, promise, &rows, &rows);
        assert!(verify(&release).is_ok(), "twenty people");
        release.persons = Some(vec![7; 20]);
        assert!(!is_sound(&release));
        let said = refusal(&release);
        assert!(said.contains("asked 5, found 1") && said.contains("belongs to 1 people"), "{said}");
        release.persons = Some((0..20).map(|row| row % 5).collect());
        assert!(is_sound(&release) && verify(&release).is_ok());
        release.persons = Some((0..20).map(|row| row % 4).collect());
        assert!(refusal(&release).contains("found 4"));
    }
}

/// {a, c} has no support at first, so a loop that pops it for good is content. Then b and c are merged for the
/// sake of c, and somebody holds a and (b,c).
#[test]
fn the_zero_support_trap_is_refused() {
    let asked = sets(&[&["a", "c"], &["c"]]);
    let original: &[&[&str]] = &[&["a", "b"], &["a"], &["b"], &["c"]];
    let published: &[&[&str]] = &[&["a", "(b,c)"], &["a"], &["(b,c)"], &["(b,c)"]];
    let trapped = release(2, asked, original, published);
    assert!(!is_sound(&trapped));
    assert_eq!(
        refusal(&trapped),
        "k-anonymity of constraints does not hold: asked 2, found 1, violating itemsets: 1; the itemset `(b,c)`, `a` \
         has support 1 (rows: 1)"
    );
    let before = release(2, sets(&[&["a", "c"]]), original, original);
    assert!(verify(&before).is_ok(), "as long as nobody has both, nobody is found");
}

/// No pair of items is rare, but one person holds an item that is in no pair.
#[test]
fn the_one_item_trap_is_refused() {
    let rows: &[&[&str]] = &[&["a", "b"], &["a", "b"], &["c"]];
    let trapped = release(2, Promise::Itemsets { m: 2, share: None }, rows, rows);
    assert!(!is_sound(&trapped));
    assert_eq!(
        refusal(&trapped),
        "k^2-anonymity does not hold: asked 2, found 1, violating itemsets: 1; the itemset `c` has support 1 \
         (rows: 3)"
    );
    let suppressed =
        release(2, Promise::Itemsets { m: 2, share: None }, rows, &[&["a", "b"], &["a", "b"], &[]]);
    assert!(verify(&suppressed).is_ok(), "an empty transaction stays");
}

#[test]
fn each_way_of_not_being_true_is_named_by_texts_and_places() {
    let original: &[&[&str]] = &[&["a", "c"], &["b"], &["a", "b", "d"]];
    let with = |published: &[&[&str]]| match verify(&release(2, sets(&[&["e"]]), original, published)) {
        Err(Refusal::TransactionsConservation(error)) => error,
        other => panic!("expected broken conservation, got {other:?}"),
    };
    let text = |text: &str| text.to_owned();
    let untrue = TransactionsConservationError::Untrue { row: 2, original_row: 2, text: text("c"), rows: 1 };
    assert_eq!(with(&[&["c"], &["c"], &[]]), untrue);
    let lacking =
        TransactionsConservationError::Lacking { row: 2, original_row: 2, text: text("(a,b)"), rows: 2 };
    assert_eq!(with(&[&["(a,b)"], &[], &[]]), lacking);
    let two = TransactionsConservationError::TwoImages { first: text("(a,b)"), second: text("b") };
    assert_eq!(with(&[&["(a,b)"], &["b"], &["(a,b)"]]), two);
    let unknown = TransactionsConservationError::Unknown { row: 1, text: text("(a,x)"), item: text("x") };
    assert_eq!(with(&[&["(a,x)"], &[], &[]]), unknown);
    let rows = OriginError::Rows { rows_in: 3, published: 2, left_out: 0 };
    assert_eq!(with(&[&["a"], &[]]), rows.into());
}

#[test]
fn mixed_groups_and_too_much_suppression_are_refused() {
    let original: &[&[&str]] = &[&["a", "c"], &["b"], &["a", "b", "d"]];
    let mut mixed = release(2, sets(&[&["e"]]), original, &[&["(a,b)"], &["(a,b)"], &["(a,b)"]]);
    let constraint = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
    mixed.utility.constraints = Some(vec![constraint(&["a", "c"]), constraint(&["b", "d"])]);
    assert_eq!(
        refusal(&mixed),
        "published row 1: `(a,b)` stands for items of more than one utility constraint"
    );
    mixed.utility = Utility { constraints: None, max_suppressed: Some(0.25) };
    assert_eq!(refusal(&mixed), "2 of 4 items are suppressed, more than the share of 0.25 that is allowed");
    mixed.utility.max_suppressed = Some(0.5);
    assert!(verify(&mixed).is_ok());
}

#[test]
fn a_verdict_is_printed_in_the_words_of_the_contract() {
    let rows = [vec!["(a,b)", "c"], vec!["(a,b)"], vec!["a"]];
    let models = model(2, &Promise::Itemsets { m: 2, share: None });
    let verdict =
        verify_transactions_file(&Transactions::from_texts(&rows), None, None, &models, &shoal_core::Silent)
            .unwrap();
    assert_eq!(
        serde_json::to_string(&verdict).unwrap(),
        r#"{"records":3,"items":3,"promises":[{"name":"k^2-anonymity","asked":2,"found":1,"holds":false}],"broken":[{"promise":{"name":"k^2-anonymity","asked":2,"found":1,"holds":false},"violations":{"total":2,"worst":[{"items":["a"],"support":1,"rows":[3]},{"items":["c"],"support":1,"rows":[1]}]}}],"items-in-two-images":{"total":1,"worst":[{"texts":["(a,b)","a"]}]},"out-of-order":{"record":2},"withheld-columns":[]}"#
    );
    assert!(!verdict.is_vacuous());
    let nothing = Transactions::from_texts::<&str>(&[vec![], vec![]]);
    let verdict = verify_transactions_file(&nothing, None, None, &models, &shoal_core::Silent).unwrap();
    assert!(verdict.holds() && verdict.is_vacuous());
    assert_eq!(verdict.promises[0].found, Figure::Nothing);
    assert_eq!(
        verify_transactions_file(&nothing, None, None, &[], &shoal_core::Silent),
        Err(Unverifiable::NoPromise)
    );
}

#[test]
fn the_verdict_does_not_depend_on_the_number_of_threads() {
    let holds = |row: u64, item: u64| (row * 31 + item + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62 == 0;
    let row = |row: u64| (0..30).filter(|&item| holds(row, item)).map(|item| item.to_string()).collect();
    let rows: Vec<Vec<String>> = (0..400).map(row).collect();
    let published = Transactions::from_texts(&rows);
    for promise in [Promise::Itemsets { m: 3, share: None }, Promise::Complete] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                verify_transactions_file(&published, None, None, &model(9, &promise), &shoal_core::Silent)
                    .unwrap()
            })
        };
        assert_eq!(with(1), with(3));
        assert!(with(1).broken[0].violations.total > 10);
    }
}
