//! Average relative error of COUNT queries: what an analyst notices who asks the published file how many
//! transactions hold a set of items.

use rayon::prelude::*;

use super::{PublishedItems, Query, Workload};

/// The mean over the queries of |estimate − truth| / truth, the truth being the count in the original, which
/// a [`Workload`] keeps above 0. None without a query.
pub fn of(items: &PublishedItems<'_>, workload: &Workload) -> Option<f64> {
    let postings = items.published().postings();
    let error = |query: &Query| {
        items.check_wanted();
        let truth = f64::from(query.count());
        (estimate(items, &postings, query.items()) - truth).abs() / truth
    };
    // Collected before they are summed, so that the sum has the same order for any thread count.
    let errors: Vec<f64> = workload.queries().par_iter().map(error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

/// How many transactions hold all these items, estimated from the published file.
///
/// A generalized item of s items is any of their 2^s − 1 non-empty subsets, all alike, so that j of them are
/// all there with probability 2^(s−j) / (2^s − 1); different generalized items are independent. The sum over
/// transactions is a product, since every transaction that holds the images has the same probability:
/// estimate = |transactions that hold all images| · Π probabilities. A suppressed item is in no transaction.
fn estimate(items: &PublishedItems<'_>, postings: &[Vec<u32>], query: &[u32]) -> f64 {
    let images: Option<Vec<u32>> = query.iter().map(|&item| items.image()[item as usize]).collect();
    let Some(mut images) = images else { return 0.0 };
    images.sort_unstable();
    let mut probability = 1.0;
    let mut lists = Vec::new();
    for same in images.chunk_by(|a, b| a == b) {
        let image = same[0] as usize;
        probability *= all_there(items.members()[image].len(), same.len());
        lists.push(postings[image].as_slice());
    }
    probability * shared(lists) as f64
}

/// 2^(s−j) / (2^s − 1) = 2^−j / (1 − 2^−s), which holds for s in the thousands.
fn all_there(size: usize, asked: usize) -> f64 {
    (-(asked as f64)).exp2() / (1.0 - (-(size as f64)).exp2())
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
        let error = |query: Vec<u32>| of(&items, &Workload::of(&original, vec![query]).unwrap()).unwrap();
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
        assert!((of(&items, &all).unwrap() - (1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
        assert_eq!(of(&items, &Workload::of(&original, vec![]).unwrap()), None);
    }

    #[test]
    fn large_generalized_items_have_probabilities() {
        assert_eq!(all_there(1, 1), 1.0);
        assert_eq!(all_there(2, 2), 1.0 / 3.0);
        assert_eq!(all_there(5000, 3), 0.125);
    }
}
