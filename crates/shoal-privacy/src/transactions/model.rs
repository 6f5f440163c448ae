use std::fmt;

use serde::Serialize;

use super::TransactionsView;
use crate::promise::{Answer, ROWS_NAMED, settle, write_rows};
use crate::{BrokenPromise, Finding, Outcome, Promise, Unverifiable, Violating};

/// A promise about published transactions, which contains its own check.
///
/// A model looks at nothing but the [`TransactionsView`]. Its parameters are checked when it is made.
pub trait TransactionsModel: fmt::Debug + Send + Sync {
    /// What is promised.
    fn promise(&self) -> Promise;

    /// Whether the file keeps the promise.
    fn verify(&self, view: &TransactionsView<'_>) -> Outcome<TransactionsViolation>;
}

/// A set of published texts that too few transactions hold, or transactions of too few people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsViolation {
    /// The texts.
    pub items: Vec<String>,
    /// How many transactions hold all of them; where it is known whose they are, how many people have one that does.
    pub support: u32,
    /// The first few of these transactions, counted from 1.
    pub rows: Vec<u64>,
    /// Whether the support counts people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub people: bool,
}

impl Violating for TransactionsViolation {
    const MANY: &'static str = "itemsets";
}

impl fmt::Display for TransactionsViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self.items.iter().map(|item| format!("`{item}`")).collect();
        let items = items.join(", ");
        if self.people {
            let (rows, more) =
                (self.rows.iter().map(u64::to_string).collect::<Vec<_>>().join(", "), ROWS_NAMED);
            let more = if self.rows.len() < more { "" } else { ", …" };
            return write!(f, "the itemset {items} belongs to {} people (rows: {rows}{more})", self.support);
        }
        write!(f, "the itemset {items} has support {} ", self.support)?;
        write_rows(f, &self.rows, self.support)
    }
}

/// Asks every model.
pub(super) fn verify_all(
    view: &TransactionsView<'_>,
    models: &[Box<dyn TransactionsModel>],
) -> Result<(Vec<Finding>, Vec<BrokenPromise<TransactionsViolation>>), Unverifiable> {
    let ask = |model: &dyn TransactionsModel| {
        view.check_wanted();
        Answer { promise: model.promise(), column: None, outcome: model.verify(view) }
    };
    settle(models.iter().map(|model| ask(model.as_ref())).collect())
}
