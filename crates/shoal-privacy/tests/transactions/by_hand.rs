//! Small releases by hand: each way to be refused, and what is said about it.

use shoal_core::Transactions;
use shoal_privacy::{
    Figure, OriginError, PublishedTransactions, RecordOrder, Refusal, TransactionsClaim,
    TransactionsConservationError, Unverifiable, Utility, judge_transactions, verify_transactions_file,
};

use crate::second_verifier::{Promise, Release, Row, is_sound, model, transactions, verify};

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

/// Twenty visits of one person are not a crowd, whatever the promise.
#[test]
fn one_person_is_not_a_crowd() {
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
        r#"{"records":3,"items":3,"promises":[{"name":"k^2-anonymity","asked":2,"found":1,"holds":false,"promise":{"kind":"km-anonymity","k":2,"m":2}}],"broken":[{"promise":{"name":"k^2-anonymity","asked":2,"found":1,"holds":false,"promise":{"kind":"km-anonymity","k":2,"m":2}},"violations":{"total":2,"worst":[{"items":["a"],"support":1,"rows":[3]},{"items":["c"],"support":1,"rows":[1]}]}}],"items-in-two-images":{"total":1,"worst":[{"texts":["(a,b)","a"]}]},"out-of-order":{"record":2},"withheld-columns":[]}"#
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
