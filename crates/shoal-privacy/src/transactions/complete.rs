use rayon::prelude::*;

use super::tally::Tally;
use super::{TransactionsModel, TransactionsView, TransactionsViolation};
use crate::{KTooSmall, Outcome, Promise};

/// Complete k-anonymity: whoever knows all items of a person's transaction finds at least k transactions that hold
/// them, of k people where it is known whose they are.
/// A transaction of nothing is held by all and asks for no crowd.
///
/// ```
/// use shoal_core::Transactions;
/// use shoal_privacy::transactions::{Meaning, TransactionsView};
/// use shoal_privacy::{CompleteAnonymity, TransactionsModel};
///
/// let model = CompleteAnonymity::new(2)?;
/// let holds = |lines: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let published = Transactions::from_texts(lines);
///     let meaning = Meaning::of(published.items(), None);
///     Ok(model.verify(&TransactionsView::new(&published, &meaning)?).holds)
/// };
/// // Whoever bought only milk is among all who bought milk.
/// assert!(holds(&[vec!["milk"], vec!["milk", "tea"], vec!["milk", "tea"]])?);
/// assert!(!holds(&[vec!["milk"], vec!["milk", "tea"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompleteAnonymity {
    k: u32,
}

impl CompleteAnonymity {
    /// The promise for this k, at least 2.
    pub fn new(k: u32) -> Result<CompleteAnonymity, KTooSmall> {
        KTooSmall::check(k).map(|k| CompleteAnonymity { k })
    }
}

impl TransactionsModel for CompleteAnonymity {
    fn promise(&self) -> Promise {
        Promise::Complete { k: self.k }
    }

    fn verify(&self, view: &TransactionsView<'_>) -> Outcome<TransactionsViolation> {
        let mut distinct: Vec<&[u32]> = view.published().iter().filter(|row| !row.is_empty()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let count = |mut tally: Tally, set: &[u32]| {
            tally.add(set, view.support(set));
            tally
        };
        let new = || Tally::new(self.k);
        distinct.into_par_iter().fold(new, count).reduce(new, Tally::merge).outcome(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_it_is() {
        let model = CompleteAnonymity::new(3).unwrap();
        assert_eq!(model.promise(), Promise::Complete { k: 3 });
    }
}
