//! The origins of transactions.

use shoal_core::Transactions;
use shoal_privacy::matching::{NoOrigin, Origins, match_transactions};

fn find(original: &[Vec<&str>], published: &[Vec<&str>]) -> Result<Origins, NoOrigin> {
    match_transactions(
        &Transactions::from_texts(original),
        &Transactions::from_texts(published),
        None,
        None,
        &shoal_core::Silent,
    )
}

#[test]
fn every_transaction_has_an_original_of_its_own_whose_image_it_is() {
    let original = [vec!["a"], vec!["b", "c"], vec!["a"], vec!["c"]];
    let group = "(b,c)";
    let found = find(&original, &[vec!["a"], vec!["a"], vec![group], vec![group]]).unwrap();
    assert_eq!(found, Origins { origin: vec![0, 2, 1, 3], left_out: 0 });
    let thrice = [vec!["a"], vec![group], vec!["a"], vec!["a"]];
    let short = NoOrigin::TooFew { row: 4, published: 3, originals: 2, record: "transaction" };
    assert_eq!(find(&original, &thrice), Err(short));
    let together = [vec!["a"], vec!["a", group], vec![group], vec![group]];
    let nobody = NoOrigin::TrueOfNobody { row: 2, record: "transaction" };
    assert_eq!(find(&original, &together), Err(nobody));
}

#[test]
fn those_who_are_left_out_are_counted() {
    let original = [vec!["a"], vec!["a"], vec!["a"], vec!["a"]];
    assert_eq!(find(&original, &[vec!["a"]]).map(|found| found.left_out), Ok(3));
}
