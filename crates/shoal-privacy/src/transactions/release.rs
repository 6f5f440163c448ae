use shoal_core::{Hierarchy, RawTable, Transactions};

use super::model::verify_all;
use super::{
    Meaning, TransactionsConservationError, TransactionsModel, TransactionsView, Utility, conservation,
};
use crate::origin::check_origins;
use crate::{RecordOrder, Refusal, VerifiedRelease, transactions_out_of_order};

/// What is said about transactions that shall be released; every word of it is checked.
#[derive(Clone, Debug)]
pub struct TransactionsClaim<'a> {
    /// The SHA-256 of the file's bytes, in lower-case hex.
    pub sha256: String,
    /// The file, read back from these bytes.
    pub published: &'a Transactions,
    /// The input. Where it says [whose](Transactions::persons) its transactions are, promises count people.
    pub original: &'a Transactions,
    /// The hierarchy of the policy, where texts may be its nodes.
    pub hierarchy: Option<&'a Hierarchy>,
    /// For every published transaction the input transaction that it comes from, both counted from 0. None is
    /// ever left out: one that has lost all its items is published empty.
    pub origin: &'a [u32],
    /// The other columns of the file, where its transactions are a column of a table.
    pub rest: Option<&'a RawTable>,
    /// In which order the records are said to stand.
    pub order: RecordOrder,
    /// The columns of the file that must not be there, as [`ItemTable::withheld`](super::ItemTable::withheld) finds
    /// them.
    pub withheld_columns: Vec<String>,
}

/// Transactions that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedTransactions {
    release: VerifiedRelease,
    image_of: Vec<Option<u32>>,
    items_published: usize,
}

/// Checks that published transactions keep every promise, are true of their input, and stay useful.
pub fn verify_transactions(
    claim: TransactionsClaim<'_>,
    models: &[Box<dyn TransactionsModel>],
    utility: &Utility,
) -> Result<VerifiedTransactions, Refusal> {
    let TransactionsClaim { sha256, published, original, hierarchy, origin, rest, order, withheld_columns } =
        claim;
    if let Some(column) = withheld_columns.into_iter().next() {
        return Err(TransactionsConservationError::Withheld { column }.into());
    }
    let meaning = Meaning::of(published.items(), hierarchy).within(published, original)?;
    // Who is in a crowd is read off the origins, so they are looked at first.
    check_origins(original.len(), published.len(), origin, 0)
        .map_err(TransactionsConservationError::Origin)?;
    let persons =
        original.persons().map(|persons| origin.iter().map(|&from| persons[from as usize]).collect());
    let view = TransactionsView::new(published, &meaning)?.with_persons(persons);
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::BrokenTransactions { broken });
    }
    let image_of = conservation::check(original, published, &meaning, origin)?;
    utility.check(original, published, &meaning)?;
    if order == RecordOrder::Published {
        transactions_out_of_order(published, rest).map_or(Ok(()), Err)?;
    }
    let release = VerifiedRelease::seal(sha256, promises, original.len(), published.len());
    Ok(VerifiedTransactions { release, image_of, items_published: published.items().len() })
}

impl VerifiedTransactions {
    /// The ticket for publishing.
    pub fn release(&self) -> &VerifiedRelease {
        &self.release
    }

    /// The ticket alone.
    pub fn into_release(self) -> VerifiedRelease {
        self.release
    }

    /// For each original item the published item that stands for it, none where it is suppressed. This is the
    /// whole recoding, read off the file.
    pub fn image_of(&self) -> &[Option<u32>] {
        &self.image_of
    }

    /// Different texts in the file.
    pub fn items_published(&self) -> usize {
        self.items_published
    }

    /// Original items that no published text stands for.
    pub fn items_suppressed(&self) -> usize {
        self.image_of.iter().filter(|image| image.is_none()).count()
    }
}
