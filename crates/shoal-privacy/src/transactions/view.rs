use shoal_core::{Progress, Silent, Transactions, Unseen};

use super::Meaning;
use crate::Unverifiable;

/// What a model of transactions looks at: the published file, what its texts stand for, and where they are.
#[derive(Debug)]
pub struct TransactionsView<'a> {
    published: &'a Transactions,
    meaning: &'a Meaning,
    postings: Vec<Vec<u32>>,
    /// The transactions of each text as bits, for texts that are in enough of them for bits to be shorter than a list.
    bits: Vec<Option<Vec<u64>>>,
    /// Whose each published transaction is; none where each is another person's. No file says it: it comes from the
    /// original.
    persons: Option<Vec<u32>>,
    progress: Unseen<'a>,
}

impl<'a> TransactionsView<'a> {
    /// Looks at a file whose texts have this meaning.
    pub fn new(
        published: &'a Transactions,
        meaning: &'a Meaning,
    ) -> Result<TransactionsView<'a>, Unverifiable> {
        let rows = published.len();
        if u32::try_from(rows).is_err() {
            return Err(Unverifiable::TooMany { rows });
        }
        let postings = published.postings();
        let bits = postings.iter().map(|holders| bits(holders, rows)).collect();
        Ok(TransactionsView { published, meaning, postings, bits, persons: None, progress: Unseen(&Silent) })
    }

    /// The same, for somebody who may not want to wait until all models have answered.
    pub fn with_progress(self, progress: &'a dyn Progress) -> TransactionsView<'a> {
        TransactionsView { progress: Unseen(progress), ..self }
    }

    /// Asked by models in long loops: leaves the work where it was cancelled.
    pub fn check_wanted(&self) {
        self.progress.check();
    }

    /// The same file, whose transactions are these people's: a number per transaction. Then a crowd is counted in
    /// people.
    pub(super) fn with_persons(self, persons: Option<Vec<u32>>) -> TransactionsView<'a> {
        TransactionsView { persons, ..self }
    }

    /// Whose each transaction is, where that is known.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_deref()
    }

    /// The whole file.
    pub fn published(&self) -> &'a Transactions {
        self.published
    }

    /// What its texts stand for.
    pub fn meaning(&self) -> &'a Meaning {
        self.meaning
    }

    /// The transactions that hold all of these texts (ascending), themselves ascending. All of them for no
    /// text.
    pub fn rows_holding(&self, set: &[u32]) -> impl Iterator<Item = u32> {
        let rarest = set.iter().map(|&text| &self.postings[text as usize][..]).min_by_key(|rows| rows.len());
        let all = if rarest.is_none() { 0..self.published.len() as u32 } else { 0..0 };
        let candidates = rarest.unwrap_or_default().iter().copied().chain(all);
        candidates.filter(move |&row| contains_all(self.published.transaction(row as usize), set))
    }

    /// How many transactions hold all of these texts (ascending); where it is known whose they are, how many people
    /// have one that does. What somebody has in two transactions is never put together: published transactions are
    /// not linked, so whoever looks for somebody looks at one at a time.
    pub fn support(&self, set: &[u32]) -> u32 {
        if let Some(persons) = &self.persons {
            let mut people: Vec<u32> = self.rows_holding(set).map(|row| persons[row as usize]).collect();
            people.sort_unstable();
            people.dedup();
            return people.len() as u32;
        }
        if let [text] = set {
            return self.postings[*text as usize].len() as u32;
        }
        let bits: Option<Vec<&[u64]>> = set.iter().map(|&text| self.bits[text as usize].as_deref()).collect();
        match bits.as_deref() {
            Some([first, others @ ..]) => count_common(first, others),
            _ => self.rows_holding(set).count() as u32,
        }
    }
}

fn bits(holders: &[u32], rows: usize) -> Option<Vec<u64>> {
    let words = rows.div_ceil(64);
    (holders.len() >= words).then(|| {
        let mut bits = vec![0; words];
        holders.iter().for_each(|&row| bits[row as usize / 64] |= 1 << (row % 64));
        bits
    })
}

fn count_common(first: &[u64], others: &[&[u64]]) -> u32 {
    let common = |(at, word): (usize, &u64)| others.iter().fold(*word, |word, other| word & other[at]);
    first.iter().enumerate().map(|word| common(word).count_ones()).sum()
}

/// Whether an ascending list holds all of another.
fn contains_all(transaction: &[u32], set: &[u32]) -> bool {
    let mut rest = transaction.iter();
    set.len() <= transaction.len() && set.iter().all(|text| rest.any(|held| held == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_a_set_when_they_hold_each_of_it() {
        let rows = [vec!["a", "b", "c"], vec![], vec!["b", "c"], vec!["c", "a"]];
        let published = Transactions::from_texts(&rows);
        let meaning = Meaning::of(published.items(), None);
        let view = TransactionsView::new(&published, &meaning).unwrap();
        let rows = |set: &[u32]| view.rows_holding(set).collect::<Vec<_>>();
        assert_eq!(rows(&[2]), [0, 2, 3]);
        assert_eq!(rows(&[0, 2]), [0, 3]);
        assert_eq!(rows(&[0, 1, 2]), [0]);
        assert_eq!(rows(&[]), [0, 1, 2, 3]);
        assert_eq!((view.support(&[1]), view.support(&[1, 2])), (2, 2));
    }

    #[test]
    fn a_person_counts_once_and_only_with_what_is_in_one_transaction() {
        let rows = [vec!["a", "b"], vec!["a"], vec!["b"], vec!["a", "b"], vec!["b"]];
        let published = Transactions::from_texts(&rows);
        let meaning = Meaning::of(published.items(), None);
        let view = TransactionsView::new(&published, &meaning).unwrap();
        assert_eq!([&[0][..], &[1], &[0, 1], &[]].map(|set| view.support(set)), [3, 4, 2, 5]);
        // The second person has a and b, but never together.
        let view = view.with_persons(Some(vec![1, 2, 2, 1, 3]));
        assert_eq!([&[0][..], &[1], &[0, 1], &[]].map(|set| view.support(set)), [2, 3, 1, 3]);
    }

    /// Even texts are in many transactions and kept as bits, odd ones in few and kept as lists.
    #[test]
    fn bits_and_lists_count_alike() {
        let is_held = |row: u64, item: u64| {
            let hash = (row * 8 + item).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
            hash < [80, 1][item as usize % 2]
        };
        let row = |row: u64| (0..8).filter(|&item| is_held(row, item)).map(|item| item.to_string()).collect();
        let rows: Vec<Vec<String>> = (0..5_000).map(row).collect();
        let published = Transactions::from_texts(&rows);
        let meaning = Meaning::of(published.items(), None);
        let view = TransactionsView::new(&published, &meaning).unwrap();
        let is_dense: Vec<bool> = view.bits.iter().map(Option::is_some).collect();
        assert_eq!(is_dense, [true, false, true, false, true, false, true, false]);
        for set in [&[0, 2][..], &[0, 2, 4, 6], &[0, 1], &[1, 3], &[2, 3, 4], &[5], &[6], &[]] {
            let texts: Vec<String> = set.iter().map(u32::to_string).collect();
            let slow = rows.iter().filter(|row| texts.iter().all(|text| row.contains(text))).count();
            assert_eq!(view.support(set) as usize, slow, "{set:?}");
        }
    }
}
