//! Any transactions, ours or not, without their original.

use serde::Serialize;
use shoal_core::{Hierarchy, Progress, RawTable, Transactions};

use super::model::verify_all;
use super::{Meaning, TransactionsModel, TransactionsView, TransactionsViolation, TwoImages};
use crate::{BrokenPromise, Finding, OutOfOrder, Seen, Unverifiable, Violations, transactions_out_of_order};

/// What can be said of published transactions without their original.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsVerdict {
    /// Transactions of the file.
    pub records: usize,
    /// Its different texts.
    pub items: usize,
    /// Every promise with what was found.
    pub promises: Vec<Finding>,
    /// The promises that are not kept, and where.
    pub broken: Vec<BrokenPromise<TransactionsViolation>>,
    /// Texts that stand for the same item, so that no promise about either is worth anything.
    pub items_in_two_images: Violations<TwoImages>,
    /// The first transaction that is out of order, where the order of the file may carry something. It breaks no
    /// promise.
    pub out_of_order: Option<OutOfOrder>,
    /// Columns in the file that must never be published; see [`ItemTable`](super::ItemTable).
    pub withheld_columns: Vec<String>,
}

impl TransactionsVerdict {
    /// Whether every promise is kept, every item has one image, and no column is there that must not be.
    pub fn holds(&self) -> bool {
        self.broken.is_empty() && self.items_in_two_images.total == 0 && self.withheld_columns.is_empty()
    }

    /// The promises as far as the file alone shows them; where they count people, it does not say whose its records are.
    pub fn seen(self, counts_people: bool) -> Vec<Seen> {
        // What too few transactions hold, too few people have; that enough hold it says nothing about people.
        let seen = |finding: Finding| match counts_people && finding.holds {
            true => finding.unseen(),
            false => Seen::Judged(finding),
        };
        self.promises.into_iter().map(seen).collect()
    }

    /// The same of a file that has these columns, which must not be there.
    #[must_use]
    pub fn with_withheld_columns(self, withheld_columns: Vec<String>) -> TransactionsVerdict {
        TransactionsVerdict { withheld_columns, ..self }
    }

    /// Whether the file has no items, so that every promise is kept by silence.
    pub fn is_vacuous(&self) -> bool {
        self.items == 0
    }
}

/// Checks published transactions against a policy's models. A text is what a stranger reads in it, so a plain
/// one stands for itself. Where it is said [whose](Transactions::persons) the published transactions are, promises
/// count people; no file says it, so it must come from the original. `rest` are the
/// other columns of the file, where there are any.
///
/// ```
/// use shoal_core::{Silent, Transactions};
/// use shoal_privacy::{ItemsetAnonymity, TransactionsModel, verify_transactions_file};
///
/// // Whoever knows two items of a person finds at least two transactions with them.
/// let models: Vec<Box<dyn TransactionsModel>> = vec![Box::new(ItemsetAnonymity::new(2, 2, None)?)];
/// let verify = |lines: &[Vec<&str>]| {
///     verify_transactions_file(&Transactions::from_texts(lines), None, None, &models, &Silent)
/// };
/// assert!(verify(&[vec!["milk", "tea"], vec!["milk", "tea"], vec!["tea"], vec!["tea"]])?.holds());
///
/// let verdict = verify(&[vec!["milk", "tea"], vec!["milk"], vec!["tea"]])?;
/// assert_eq!(verdict.broken[0].violations.worst[0].items, ["milk", "tea"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_transactions_file(
    published: &Transactions,
    rest: Option<&RawTable>,
    hierarchy: Option<&Hierarchy>,
    models: &[Box<dyn TransactionsModel>],
    progress: &dyn Progress,
) -> Result<TransactionsVerdict, Unverifiable> {
    let meaning = Meaning::of(published.items(), hierarchy);
    let persons = published.persons().map(<[u32]>::to_vec);
    let view = TransactionsView::new(published, &meaning)?.with_persons(persons).with_progress(progress);
    let (promises, broken) = verify_all(&view, models)?;
    Ok(TransactionsVerdict {
        records: published.len(),
        items: published.items().len(),
        promises,
        broken,
        items_in_two_images: meaning.two_images().clone(),
        out_of_order: transactions_out_of_order(published, rest),
        withheld_columns: Vec::new(),
    })
}
