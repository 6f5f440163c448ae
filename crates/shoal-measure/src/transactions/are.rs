//! Average relative error of COUNT queries: what an analyst notices who asks the published file how many
//! transactions hold a set of items.

use rayon::prelude::*;

use super::{PublishedItems, Query, Workload};

/// How a count is estimated from the published file: |transactions that hold all images of the items asked for| ·
/// Π p(s, j) over the different images, where p is the probability that j given items are there in a
/// generalized item of s. A suppressed item is in no transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimator {
    /// A generalized item is any of its 2^s − 1 non-empty subsets, all alike: p = 2^(s−j) / (2^s − 1). Right where
    /// items that are often bought together are one; far too high where many rare items are.
    AnySubset,
    /// A generalized item holds one of its items on average, each with probability 1/s: p = s^−j.
    OneMember,
}

impl Estimator {
    /// All of them; what comes first is taken where two err alike.
    pub const ALL: [Estimator; 2] = [Estimator::AnySubset, Estimator::OneMember];

    /// The name and the formula, as a report has them.
    pub fn formula(self) -> &'static str {
        match self {
            Estimator::AnySubset => {
                "any subset: transactions with all the published items, times 2^(s-j) / (2^s - 1) for each of them that stands for s items of which j are asked for"
            }
            Estimator::OneMember => {
                "one member: transactions with all the published items, times 1 / s^j for each of them that stands for s items of which j are asked for"
            }
        }
    }

    /// The one that errs least on these queries, on average. They should be others than those whose error is
    /// reported, or the error would be too low for all other queries. None without a query.
    pub fn choose(items: &PublishedItems<'_>, held_out: &Workload) -> Option<Estimator> {
        let with_error = |estimator| Some((of(items, held_out, estimator)?, estimator));
        let errors = Estimator::ALL.into_iter().filter_map(with_error);
        errors.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, estimator)| estimator)
    }

    /// The probability that `asked` items are all there in a generalized item of `size`.
    fn all_there(self, size: usize, asked: usize) -> f64 {
        match self {
            // 2^(s−j) / (2^s − 1) in a form that holds for s in the thousands.
            Estimator::AnySubset => (-(asked as f64)).exp2() / (1.0 - (-(size as f64)).exp2()),
            Estimator::OneMember => (size as f64).powf(-(asked as f64)),
        }
    }
}

/// The mean over the queries of |estimate − truth| / truth, the truth being the count in the original, which
/// a [`Workload`] keeps above 0. None without a query.
pub fn of(items: &PublishedItems<'_>, workload: &Workload, estimator: Estimator) -> Option<f64> {
    let postings = items.published().postings();
    let error = |query: &Query| {
        items.check_wanted();
        let truth = f64::from(query.count());
        (estimate(items, &postings, query.items(), estimator) - truth).abs() / truth
    };
    // Collected before they are summed, so that the sum has the same order for any thread count.
    let errors: Vec<f64> = workload.queries().par_iter().map(error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

/// How many transactions hold all these items, estimated from the published file. Different generalized items are
/// independent, and every transaction that holds the images has the same probability, so that the sum over
/// transactions is a product.
fn estimate(items: &PublishedItems<'_>, postings: &[Vec<u32>], query: &[u32], estimator: Estimator) -> f64 {
    let images: Option<Vec<u32>> = query.iter().map(|&item| items.image()[item as usize]).collect();
    let Some(mut images) = images else { return 0.0 };
    images.sort_unstable();
    let mut probability = 1.0;
    let mut lists = Vec::new();
    for same in images.chunk_by(|a, b| a == b) {
        let image = same[0] as usize;
        probability *= estimator.all_there(items.members()[image].len(), same.len());
        lists.push(postings[image].as_slice());
    }
    probability * shared(lists) as f64
}

/// How many numbers are in all of these ascending lists.
fn shared(mut lists: Vec<&[u32]>) -> usize {
    lists.sort_by_key(|list| list.len());
    let Some((shortest, others)) = lists.split_first_mut() else { return 0 };
    let in_all = |number: &&u32| {
        others.iter_mut().all(|list| {
            // Numbers ascend in all lists, so what lies before the current one is never needed again.
            *list = &list[list.partition_point(|other| other < number)..];
            list.first() == Some(number)
        })
    };
    shortest.iter().filter(in_all).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_core::Transactions;

    #[test]
    fn a_small_example_by_hand() {
        let original = Transactions::from_texts(&[
            vec!["a", "c"],
            vec!["b", "c"],
            vec!["a", "b"],
            vec!["c", "d"],
            vec!["c"],
        ]);
        let published = Transactions::from_texts(&[
            vec!["(a,b)", "c"],
            vec!["(a,b)", "c"],
            vec!["(a,b)"],
            vec!["c"],
            vec!["c"],
        ]);
        let items = PublishedItems::read(&original, &published, None).unwrap();
        let [a, b, c, d] = [0, 1, 2, 3];
        let of_one = |query: Vec<u32>, estimator| {
            of(&items, &Workload::of(&original, vec![query]).unwrap(), estimator).unwrap()
        };
        let error = |query: Vec<u32>| of_one(query, Estimator::AnySubset);
        // a is in two thirds of the subsets of (a,b): 2 of 3 transactions, which is true.
        assert!(error(vec![a]).abs() < 1e-12);
        // Both are in one third of them: 1, which is true.
        assert!(error(vec![a, b]).abs() < 1e-12);
        // 2/3 of two transactions, but it was one.
        assert!((error(vec![a, c]) - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(error(vec![c]), 0.0);
        // d is suppressed.
        assert_eq!(error(vec![c, d]), 1.0);
        let all = Workload::of(&original, vec![vec![a], vec![a, c], vec![c, d]]).unwrap();
        assert!((of(&items, &all, Estimator::AnySubset).unwrap() - (1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
        // With one member each: half of the three transactions of (a,b) have a, a quarter of them both, and one of
        // the two that have c as well.
        let error = |query: Vec<u32>| of_one(query, Estimator::OneMember);
        assert!((error(vec![a]) - 0.25).abs() < 1e-12);
        assert!((error(vec![a, b]) - 0.25).abs() < 1e-12);
        assert!(error(vec![a, c]).abs() < 1e-12);
        assert_eq!(error(vec![c, d]), 1.0);
        let none = Workload::of(&original, vec![]).unwrap();
        assert_eq!(of(&items, &none, Estimator::OneMember), None);
        assert_eq!(Estimator::choose(&items, &none), None);
    }

    #[test]
    fn the_one_that_errs_least_is_chosen() {
        let original =
            Transactions::from_texts(&[vec!["a", "b"], vec!["a", "b"], vec!["c", "e"], vec!["d", "e"]]);
        let published =
            Transactions::from_texts(&[vec!["(a,b)"], vec!["(a,b)"], vec!["(c,d)", "e"], vec!["(c,d)", "e"]]);
        let items = PublishedItems::read(&original, &published, None).unwrap();
        let [a, b, c, e] = [0, 1, 2, 4];
        let chosen = |queries: Vec<Vec<u32>>| {
            Estimator::choose(&items, &Workload::of(&original, queries).unwrap()).unwrap()
        };
        // a and b are always together, c and d never.
        assert_eq!(chosen(vec![vec![a, b]]), Estimator::AnySubset);
        assert_eq!(chosen(vec![vec![c, e]]), Estimator::OneMember);
        // e is published as it is, so both are right.
        assert_eq!(chosen(vec![vec![e]]), Estimator::AnySubset);
    }

    #[test]
    fn large_generalized_items_have_probabilities() {
        let any = Estimator::AnySubset;
        assert_eq!(any.all_there(1, 1), 1.0);
        assert_eq!(any.all_there(2, 2), 1.0 / 3.0);
        assert_eq!(any.all_there(5000, 3), 0.125);
        assert_eq!(Estimator::OneMember.all_there(1, 1), 1.0);
        assert_eq!(Estimator::OneMember.all_there(4, 2), 1.0 / 16.0);
    }
}
