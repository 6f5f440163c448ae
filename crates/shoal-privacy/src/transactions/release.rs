use shoal_core::{Hierarchy, Progress, RawTable, Transactions};

use super::model::verify_all;
use super::{
    Meaning, TransactionsConservationError, TransactionsModel, TransactionsView, Utility, conservation,
};
use crate::origin::check_origins;
use crate::{Findings, ReadBack, RecordOrder, Refusal, Staged, Verified, transactions_out_of_order};

/// Published transactions, with what stands beside them.
#[derive(Clone, Debug)]
pub struct PublishedTransactions {
    /// The transactions.
    pub data: Transactions,
    /// The other columns, where transactions are a column of a table.
    pub rest: Option<RawTable>,
    /// The columns that must not be there, as [`ItemTable::withheld`](super::ItemTable::withheld) finds them.
    pub withheld_columns: Vec<String>,
}

/// What is said about transactions that shall be released; every word of it is checked.
#[derive(Clone, Copy, Debug)]
pub struct TransactionsClaim<'a> {
    /// The input. Where it says [whose](Transactions::persons) its transactions are, promises count people.
    pub original: &'a Transactions,
    /// The hierarchy of the policy, where texts may be its nodes.
    pub hierarchy: Option<&'a Hierarchy>,
    /// For every published transaction the input transaction that it comes from, both counted from 0. None is
    /// ever left out: one that has lost all its items is published empty.
    pub origin: &'a [u32],
    /// In which order the records are said to stand.
    pub order: RecordOrder,
}

/// What was found about transactions that keep their promise.
#[derive(Debug)]
pub struct TransactionsFindings {
    findings: Findings,
    image_of: Vec<Option<u32>>,
    items_published: usize,
}

/// Transactions that may be published, and what was seen on the way.
#[derive(Debug)]
pub struct VerifiedTransactions<S> {
    /// The staged data with their certificate.
    pub release: Verified<S>,
    /// What was read back from them.
    pub published: PublishedTransactions,
    /// What was found about it.
    pub findings: TransactionsFindings,
}

/// Judges what was staged, and certifies it where it keeps every promise. [`judge_transactions`] says what that takes; this
/// function is the only one that makes transactions publishable.
///
/// ```
/// use shoal_core::{Silent, Transactions};
/// use shoal_privacy::{
///     Certificate, ItemsetAnonymity, PublishedTransactions, ReadBack, RecordOrder, Refusal, Staged,
///     TransactionsClaim, TransactionsModel, Utility, verify_transactions,
/// };
///
/// /// Transactions that nobody else has seen yet.
/// struct Pending(Transactions);
///
/// impl Staged for Pending {
///     type Receipt = Transactions;
///     type Error = String;
///
///     fn publish(self, certificate: &Certificate) -> Result<Transactions, String> {
///         // A real one compares a digest of what it holds with the certificate's.
///         if certificate.sha256() == "digest" { Ok(self.0) } else { Err("not what was verified".into()) }
///     }
/// }
///
/// let original = Transactions::from_texts(&[vec!["cream"], vec!["milk"]]);
/// let models: Vec<Box<dyn TransactionsModel>> = vec![Box::new(ItemsetAnonymity::new(2, 1, None)?)];
/// let verify = |texts: [&str; 2]| {
///     let read = |staged: &Pending| {
///         let content = PublishedTransactions { data: staged.0.clone(), rest: None, withheld_columns: Vec::new() };
///         Ok::<_, Refusal>((content, "digest".to_owned()))
///     };
///     let staged = ReadBack::of(Pending(Transactions::from_texts(&texts.map(|text| vec![text]))), read)?;
///     let order = RecordOrder::Published;
///     let claim = TransactionsClaim { original: &original, hierarchy: None, origin: &[0, 1], order };
///     verify_transactions(staged, claim, &models, &Utility::default(), &Silent)
/// };
///
/// // Two people bought cream or milk.
/// let published = verify(["(cream,milk)", "(cream,milk)"])?.release.publish()?;
/// assert_eq!(published.len(), 2);
/// // One bought cream and one bought milk: whoever knows what somebody bought knows which line is theirs.
/// assert!(matches!(verify(["cream", "milk"]), Err(Refusal::BrokenTransactions { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_transactions<S: Staged>(
    staged: ReadBack<S, PublishedTransactions>,
    claim: TransactionsClaim<'_>,
    models: &[Box<dyn TransactionsModel>],
    utility: &Utility,
    progress: &dyn Progress,
) -> Result<VerifiedTransactions<S>, Refusal> {
    let findings = judge_transactions(staged.content(), claim, models, utility, progress)?;
    let (release, published) = staged.certify(findings.findings.clone());
    Ok(VerifiedTransactions { release, published, findings })
}

/// Checks that published transactions keep every promise, are true of their input, and stay useful.
///
/// ```
/// use shoal_core::{Silent, Transactions};
/// use shoal_privacy::{
///     ItemsetAnonymity, PublishedTransactions, RecordOrder, Refusal, TransactionsClaim, TransactionsModel, Utility,
///     judge_transactions,
/// };
///
/// let original = Transactions::from_texts(&[vec!["cream"], vec!["milk"]]);
/// let models: Vec<Box<dyn TransactionsModel>> = vec![Box::new(ItemsetAnonymity::new(2, 1, None)?)];
/// let judge = |text: &str| {
///     let data = Transactions::from_texts(&[vec![text], vec![text]]);
///     let published = PublishedTransactions { data, rest: None, withheld_columns: Vec::new() };
///     let order = RecordOrder::Published;
///     let claim = TransactionsClaim { original: &original, hierarchy: None, origin: &[0, 1], order };
///     judge_transactions(&published, claim, &models, &Utility::default(), &Silent)
/// };
/// assert_eq!(judge("(cream,milk)")?.items_suppressed(), 0);
///
/// // The second person did not buy cream: a release must also be true.
/// assert!(matches!(judge("cream"), Err(Refusal::TransactionsConservation(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge_transactions(
    published: &PublishedTransactions,
    claim: TransactionsClaim<'_>,
    models: &[Box<dyn TransactionsModel>],
    utility: &Utility,
    progress: &dyn Progress,
) -> Result<TransactionsFindings, Refusal> {
    let PublishedTransactions { data: published, rest, withheld_columns } = published;
    let TransactionsClaim { original, hierarchy, origin, order } = claim;
    if let Some(column) = withheld_columns.first() {
        return Err(TransactionsConservationError::Withheld { column: column.clone() }.into());
    }
    let meaning = Meaning::of(published.items(), hierarchy).within(published, original)?;
    // Who is in a crowd is read off the origins, so they are looked at first.
    check_origins(original.len(), published.len(), origin, 0)
        .map_err(TransactionsConservationError::Origin)?;
    let persons =
        original.persons().map(|persons| origin.iter().map(|&from| persons[from as usize]).collect());
    let view = TransactionsView::new(published, &meaning)?.with_persons(persons).with_progress(progress);
    let (promises, broken) = verify_all(&view, models)?;
    if !broken.is_empty() {
        return Err(Refusal::BrokenTransactions { broken });
    }
    progress.check();
    let image_of = conservation::check(original, published, &meaning, origin)?;
    utility.check(original, published, &meaning)?;
    progress.check();
    if order == RecordOrder::Published {
        transactions_out_of_order(published, rest.as_ref()).map_or(Ok(()), Err)?;
    }
    let findings = Findings::new(promises, original.len(), published.len());
    Ok(TransactionsFindings { findings, image_of, items_published: published.items().len() })
}

impl TransactionsFindings {
    /// What was found, for any shape.
    pub fn findings(&self) -> &Findings {
        &self.findings
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
