//! The adversary of published transactions, who knows some items of somebody and looks for the transactions that may be theirs.
//!
//! A published text stands for items; an item may be in any transaction that holds a text which stands for it. Items that no text
//! stands for were suppressed in all transactions: knowing them rules nobody out. Of somebody's items the adversary knows what the
//! promise says: any m of them, all, or one of the listed sets.
//!
//! For m up to 2 every itemset of everybody is tried, for larger m as long as there are not too many; then itemsets are drawn, and
//! of everybody the rarest items are tried beside. One itemset with fewer than k candidates proves that a promise is broken, however it
//! was found.

mod candidates;
mod itemsets;
mod releases;

use shoal_core::{Hierarchy, Progress, Transactions, TransactionsPromise};

use self::candidates::Candidates;
pub use self::releases::{EarlierTransactions, attack_transactions_together};
use crate::attack::{Attack, Attacks, PersonRisk};

/// What is attacked.
#[derive(Clone, Copy, Debug)]
pub struct TransactionsTarget<'a> {
    /// The original, with whose its transactions are where promises count people.
    pub original: &'a Transactions,
    /// For each transaction of the original its number in the source, counted from 0.
    pub source_rows: &'a [u32],
    /// The published transactions.
    pub published: &'a Transactions,
    /// The hierarchy of the items, where the policy names one.
    pub hierarchy: Option<&'a Hierarchy>,
    /// What is promised, in terms of the original's items.
    pub promise: &'a TransactionsPromise,
    /// What itemsets are drawn from, where they are drawn.
    pub seed: u64,
}

/// Plays the adversary.
///
/// ```
/// use shoal_core::{Silent, Transactions, TransactionsPromise};
/// use shoal_measure::transactions::attack::{TransactionsTarget, attack_transactions};
///
/// let original = Transactions::from_texts(&[vec!["a", "c"], vec!["b", "c"], vec!["a", "b"]]);
/// let beaten = |published: &[Vec<&str>]| {
///     let target = TransactionsTarget {
///         original: &original,
///         source_rows: &[0, 1, 2],
///         published: &Transactions::from_texts(published),
///         hierarchy: None,
///         promise: &TransactionsPromise::Itemsets { k: 2, m: 2, linkable: None },
///         seed: 0,
///     };
///     attack_transactions(&target, &Silent).beaten()
/// };
/// assert!(beaten(&[vec!["a", "c"], vec!["b", "c"], vec!["a", "b"]]));
/// assert!(!beaten(&[vec!["(a,b)", "c"], vec!["(a,b)", "c"], vec!["(a,b)"]]));
/// ```
pub fn attack_transactions(target: &TransactionsTarget<'_>, progress: &dyn Progress) -> Attacks {
    progress.stage("attacking", 0);
    let candidates = Candidates::read(target);
    let mut found = Attacks::default();
    candidates.notes(target, &mut found);
    let crowds = match target.promise {
        TransactionsPromise::Itemsets { k, m, linkable } => {
            let known = candidates.known(target, linkable.as_deref());
            let tried = itemsets::try_all(&candidates, &known, *m, *k, target.seed, progress);
            let of = match linkable {
                Some(_) => "of the items that the policy takes for known",
                None => "items of somebody",
            };
            let question =
                format!("Whoever knows any {m} {of} looks for the transactions that may hold them.");
            found.attacks.push(tried.attack("any items", &question, *k, target, &candidates));
            tried.crowds
        }
        TransactionsPromise::Complete { k } => {
            let known = candidates.known(target, None);
            let tried = itemsets::try_whole(&candidates, &known, progress);
            let question =
                "Whoever knows all items of somebody's transaction looks for those that may hold them.";
            found.attacks.push(tried.attack("all items", question, *k, target, &candidates));
            let exactly = itemsets::try_equal(&candidates, &known, progress);
            let question = "Whoever knows all items of somebody's transaction, and that it holds nothing else, looks for those that say \
                            the same. The promise is about transactions that hold the items, so this is not promised.";
            let attack = exactly.attack("all items and no other", question, *k, target, &candidates);
            found.attacks.push(attack.compared(1.0 / *k as f64));
            tried.crowds
        }
        TransactionsPromise::Constraints { k, sets } => {
            let (attack, crowds) = itemsets::try_sets(&candidates, target, sets, *k, progress);
            found.attacks.push(attack);
            crowds
        }
    };
    found.not_tried.push(
        "items that are known not to be in a transaction, and numbers of items: the promise is about items that are known to be in it"
            .to_owned(),
    );
    found.not_tried.push("an adversary who knows how the algorithm chose which items to merge".to_owned());
    let risk = |(&crowd, &record): (&u64, &u32)| PersonRisk { record, crowd, guesses: Vec::new() };
    found.people = crowds.iter().zip(target.source_rows).map(risk).collect();
    found.people.sort_by_key(|risk| risk.record);
    found
}

/// What itemsets of everybody have led to.
struct Tried {
    /// The smallest crowd of each transaction of the original; 0 where nothing of it fits anything.
    crowds: Vec<u64>,
    /// Where not all itemsets were tried: how many were, and how many of them have fewer than k candidates.
    drawn: Option<(u64, u64)>,
}

impl Tried {
    fn attack(
        &self,
        name: &str,
        question: &str,
        k: usize,
        target: &TransactionsTarget<'_>,
        candidates: &Candidates,
    ) -> Attack {
        let found = self.crowds.iter().zip(0_usize..).filter(|(crowd, _)| **crowd > 0);
        let bound = 1.0 / k as f64;
        let Some((&least, at)) = found.clone().min_by_key(|(crowd, _)| **crowd) else {
            let words = "no published transaction may hold any known item";
            return Attack::exact(name, question, 0.0).promised(bound).worst(words, None);
        };
        let shares: Vec<f64> = found.map(|(crowd, _)| 1.0 / *crowd as f64).collect();
        let words = format!("{least} {} may hold what is known", candidates.unit());
        let attack = Attack::exact(name, question, 1.0 / least as f64)
            .mean(shares.iter().sum::<f64>() / shares.len() as f64)
            .promised(bound)
            .worst(words, Some(target.source_rows[at]));
        match self.drawn {
            Some((tries, beating)) => attack.searched(beating, tries),
            None => attack,
        }
    }
}
