//! k^m-anonymity: whoever knows up to m items of a person finds at least k transactions that hold them, of k people
//! where it is known whose they are.
//!
//! Every set of up to m texts that occurs together is counted. A set grows by texts that follow its last one,
//! through the tails of the transactions that hold it, so each occurring set is met once, with all its
//! transactions, and none that does not occur. Nothing is skipped by a bound. Sizes are taken one after
//! another, and the first size at which the promise is broken is the last: larger sets that hold a broken
//! one are broken with it, and would only bury it.

use rayon::prelude::*;
use shoal_core::is_drawn;

use super::tally::Tally;
use super::{TransactionsModel, TransactionsView, TransactionsViolation};
use crate::{KTooSmall, Outcome, Promise};

/// k^m-anonymity, for all items or for a drawn share of them.
///
/// ```
/// use shoal_core::Transactions;
/// use shoal_privacy::transactions::{Meaning, TransactionsView};
/// use shoal_privacy::{ItemsetAnonymity, TransactionsModel};
///
/// let model = ItemsetAnonymity::new(2, 2, None)?;
/// let holds = |lines: &[Vec<&str>]| -> Result<bool, shoal_privacy::Unverifiable> {
///     let published = Transactions::from_texts(lines);
///     let meaning = Meaning::of(published.items(), None);
///     Ok(model.verify(&TransactionsView::new(&published, &meaning)?).holds)
/// };
/// assert!(holds(&[vec!["milk", "tea"], vec!["milk", "tea"]])?);
/// // Milk and tea are in two transactions each, but together in one.
/// assert!(!holds(&[vec!["milk", "tea"], vec!["milk"], vec!["tea"]])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemsetAnonymity {
    k: u32,
    m: usize,
    share: Option<KnownShare>,
}

/// The items that somebody may know: a random share, drawn by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownShare {
    /// The share, above 0 and at most 1.
    pub share: f64,
    /// What the draw depends on beside an item's name.
    pub seed: u64,
}

/// Parameters that promise nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ItemsetParamError {
    /// A k that promises nothing.
    #[error(transparent)]
    KTooSmall(#[from] KTooSmall),
    /// Nobody knows anything.
    #[error("m = 0 promises nothing: it protects from somebody who knows no item")]
    MTooSmall,
    /// A share outside of 0 to 1, or 0.
    #[error("a share of {share} of the items is not above 0 and at most 1")]
    NoShare {
        /// The share that was asked for.
        share: f64,
    },
}

impl ItemsetParamError {
    /// How to fix it.
    pub fn hint(&self) -> &'static str {
        match self {
            ItemsetParamError::KTooSmall(error) => error.hint(),
            ItemsetParamError::MTooSmall => "ask for m = 1 or more; 2 is common",
            ItemsetParamError::NoShare { .. } => "ask for a share such as 0.25",
        }
    }
}

impl ItemsetAnonymity {
    /// The promise for a k of at least 2 and an m of at least 1, about all items or a share of them.
    pub fn new(k: u32, m: usize, share: Option<KnownShare>) -> Result<ItemsetAnonymity, ItemsetParamError> {
        let k = KTooSmall::check(k)?;
        if m == 0 {
            return Err(ItemsetParamError::MTooSmall);
        }
        match share {
            Some(KnownShare { share, .. }) if !(share > 0.0 && share <= 1.0) => {
                Err(ItemsetParamError::NoShare { share })
            }
            _ => Ok(ItemsetAnonymity { k, m, share }),
        }
    }
}

impl TransactionsModel for ItemsetAnonymity {
    fn promise(&self) -> Promise {
        Promise::Itemsets { k: self.k, m: self.m, share: self.share.map(|known| known.share) }
    }

    fn verify(&self, view: &TransactionsView<'_>) -> Outcome<TransactionsViolation> {
        let occurring = Occurring::new(view, |text| self.may_be_known(view, text));
        let mut tally = Tally::new(self.k);
        for size in 1..=self.m.min(occurring.longest) {
            tally = tally.merge(occurring.count(size, self.k, view));
            if !tally.holds() {
                break;
            }
        }
        tally.outcome(view)
    }
}

impl ItemsetAnonymity {
    fn may_be_known(&self, view: &TransactionsView<'_>, text: u32) -> bool {
        let is_known = |item: &String| self.share.is_none_or(|s| is_drawn(item, s.share, s.seed));
        view.meaning().items(text).iter().any(is_known)
    }
}

/// The transactions with nothing but the texts that somebody may know, person by person.
struct Occurring {
    members: Vec<u32>,
    /// For each text what follows it, in every transaction that holds it.
    tails: Vec<Vec<Tail>>,
    /// The length of the longest transaction.
    longest: usize,
    /// For each of the members whose transaction it is in; none where each transaction is another person's. Members of a
    /// person stand together, so somebody is new where the person changes.
    owners: Option<Vec<u32>>,
}

/// A part of a transaction, by its bounds among all members. The text before it is one of the transaction too.
type Tail = (usize, usize);

/// One counter per text for every size, all 0 between uses.
type Counters = Vec<Vec<usize>>;

impl Occurring {
    fn new(view: &TransactionsView<'_>, is_kept: impl Fn(u32) -> bool) -> Occurring {
        let texts = view.published().items().len();
        let kept: Vec<bool> = (0..texts as u32).map(is_kept).collect();
        let mut members = Vec::with_capacity(view.published().occurrences());
        let mut tails = vec![Vec::new(); texts];
        let mut longest = 0;
        let mut owners = view.persons().map(|_| Vec::new());
        let mut order: Vec<usize> = (0..view.published().len()).collect();
        if let Some(persons) = view.persons() {
            order.sort_by_key(|&row| persons[row]);
        }
        for row in order {
            let transaction = view.published().transaction(row);
            let start = members.len();
            members.extend(transaction.iter().filter(|&&text| kept[text as usize]));
            let end = members.len();
            (start..end).for_each(|at| tails[members[at] as usize].push((at + 1, end)));
            longest = longest.max(end - start);
            if let (Some(owners), Some(persons)) = (&mut owners, view.persons()) {
                owners.resize(end, persons[row]);
            }
        }
        Occurring { members, tails, longest, owners }
    }

    /// Counts all occurring sets of exactly `size` texts.
    fn count(&self, size: usize, k: u32, view: &TransactionsView<'_>) -> Tally {
        let counters = || vec![vec![0; self.tails.len()]; size - 1];
        let count_from = |counters: &mut Counters, first: usize| {
            view.check_wanted();
            let mut tally = Tally::new(k);
            self.grow(&mut vec![first as u32], &self.tails[first], counters, &mut tally, view);
            tally
        };
        // Texts that nobody may know have been taken out and occur nowhere.
        let firsts = (0..self.tails.len()).into_par_iter().filter(|&first| !self.tails[first].is_empty());
        let lots = firsts.map_init(counters, count_from);
        lots.reduce(|| Tally::new(k), Tally::merge)
    }

    /// Grows a set by one text for each of the counters, through the tails of its transactions.
    fn grow(
        &self,
        set: &mut Vec<u32>,
        tails: &[Tail],
        counters: &mut [Vec<usize>],
        tally: &mut Tally,
        view: &TransactionsView<'_>,
    ) {
        let Some((counter, larger)) = counters.split_first_mut() else {
            return tally.add(set, self.people(tails));
        };
        // The sizes of crowds of the last text need all its transactions where people are counted.
        if larger.is_empty() && self.owners.is_some() {
            return self.grow_by_one(set, tails, counter, tally);
        }
        let following = self.count_following(tails, counter);
        if larger.is_empty() {
            for &text in &following {
                set.push(text);
                tally.add(set, std::mem::take(&mut counter[text as usize]) as u32);
                set.pop();
            }
            return;
        }
        let (sorted, ends) = self.sort_tails(tails, &following, counter);
        let mut start = 0;
        for (&text, end) in following.iter().zip(ends) {
            if larger.len() > 1 {
                // Sets of one more are counted in no time; each of those above may lead to very many.
                view.check_wanted();
            }
            set.push(text);
            self.grow(set, &sorted[start..end], larger, tally, view);
            set.pop();
            start = end;
        }
    }

    /// Grows a set by one last text, where somebody may have several of the transactions.
    fn grow_by_one(&self, set: &mut Vec<u32>, tails: &[Tail], counter: &mut [usize], tally: &mut Tally) {
        let following = self.count_following(tails, counter);
        let (sorted, ends) = self.sort_tails(tails, &following, counter);
        let mut start = 0;
        for (&text, end) in following.iter().zip(ends) {
            set.push(text);
            tally.add(set, self.people(&sorted[start..end]));
            set.pop();
            start = end;
        }
    }

    /// How many people have the transactions of these tails, which come person by person.
    fn people(&self, tails: &[Tail]) -> u32 {
        let Some(owners) = &self.owners else { return tails.len() as u32 };
        // A tail may be empty, but it follows a text of its transaction.
        let owner = |&(from, _): &Tail| owners[from - 1];
        let changes = tails.windows(2).filter(|pair| owner(&pair[0]) != owner(&pair[1])).count();
        changes as u32 + u32::from(!tails.is_empty())
    }

    /// Counts in how many tails each text is; returns those that are in any.
    fn count_following(&self, tails: &[Tail], counter: &mut [usize]) -> Vec<u32> {
        let mut following = Vec::new();
        for &(from, to) in tails {
            for &text in &self.members[from..to] {
                let count = &mut counter[text as usize];
                if *count == 0 {
                    following.push(text);
                }
                *count += 1;
            }
        }
        following
    }

    /// What follows each text in turn, and where it ends. Takes the counts and leaves 0.
    fn sort_tails(
        &self,
        tails: &[Tail],
        following: &[u32],
        counter: &mut [usize],
    ) -> (Vec<Tail>, Vec<usize>) {
        let mut total = 0;
        for &text in following {
            // From here on the counter says where the text's next tail goes.
            total += std::mem::replace(&mut counter[text as usize], total);
        }
        let mut sorted = vec![(0, 0); total];
        for &(from, to) in tails {
            for at in from..to {
                let next = &mut counter[self.members[at] as usize];
                sorted[*next] = (at + 1, to);
                *next += 1;
            }
        }
        let ends = following.iter().map(|&text| std::mem::take(&mut counter[text as usize])).collect();
        (sorted, ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_promise_nothing_are_refused() {
        let share = |share: f64| ItemsetAnonymity::new(2, 2, Some(KnownShare { share, seed: 0 }));
        assert_eq!(ItemsetAnonymity::new(1, 2, None), Err(KTooSmall { k: 1 }.into()));
        assert_eq!(ItemsetAnonymity::new(2, 0, None), Err(ItemsetParamError::MTooSmall));
        for bad in [0.0, -0.5, 1.5] {
            assert_eq!(share(bad), Err(ItemsetParamError::NoShare { share: bad }));
        }
        assert!(matches!(share(f64::NAN), Err(ItemsetParamError::NoShare { .. })));
        assert_eq!(share(0.25).unwrap().promise(), Promise::Itemsets { k: 2, m: 2, share: Some(0.25) });
    }
}
