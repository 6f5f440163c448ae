use rayon::prelude::*;

use super::tally::Tally;
use super::{TransactionsModel, TransactionsView, TransactionsViolation};
use crate::{KTooSmall, Outcome, Promise};

/// Privacy constraints: whoever knows one of these sets of items about a person finds at least k transactions
/// that hold them, of k people where it is known whose they are, or none.
///
/// Of a set, that is found which is published: the images of its items, without those that are suppressed.
/// Where nothing of a set is published, it leads nowhere. Two sets with one image are one question.
///
/// ```
/// use shoal_core::Transactions;
/// use shoal_privacy::transactions::{Meaning, TransactionsView};
/// use shoal_privacy::{ItemConstraints, TransactionsModel};
///
/// let model = ItemConstraints::new(2, vec![vec!["milk".to_owned(), "tea".to_owned()]])?;
/// let holds = |lines: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let published = Transactions::from_texts(lines);
///     let meaning = Meaning::of(published.items(), None);
///     Ok(model.verify(&TransactionsView::new(&published, &meaning)?).holds)
/// };
/// // Only milk and tea together are to be hidden; wine may be rare.
/// assert!(holds(&[vec!["milk", "tea"], vec!["milk", "tea"], vec!["wine"]])?);
/// assert!(!holds(&[vec!["milk", "tea"], vec!["milk"], vec!["tea"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemConstraints {
    k: u32,
    sets: Vec<Vec<String>>,
}

impl ItemConstraints {
    /// The promise for a k of at least 2 and these sets of items, by name.
    pub fn new(k: u32, sets: Vec<Vec<String>>) -> Result<ItemConstraints, KTooSmall> {
        KTooSmall::check(k).map(|k| ItemConstraints { k, sets })
    }
}

impl TransactionsModel for ItemConstraints {
    fn promise(&self) -> Promise {
        Promise::Constraints { k: self.k }
    }

    fn verify(&self, view: &TransactionsView<'_>) -> Outcome<TransactionsViolation> {
        let mut images: Vec<Vec<u32>> = self.sets.par_iter().map(|set| image(view, set)).collect();
        images.par_sort_unstable();
        images.dedup();
        let count = |mut tally: Tally, image: &Vec<u32>| {
            match view.support(image) {
                0 => {}
                support => tally.add(image, support),
            }
            tally
        };
        let new = || Tally::new(self.k);
        let asked = images.par_iter().filter(|image| !image.is_empty());
        asked.fold(new, count).reduce(new, Tally::merge).outcome(view)
    }
}

/// The published texts that stand for items of the set.
fn image(view: &TransactionsView<'_>, set: &[String]) -> Vec<u32> {
    let mut image: Vec<u32> = set.iter().filter_map(|item| view.meaning().image(item)).collect();
    image.sort_unstable();
    image.dedup();
    image
}
