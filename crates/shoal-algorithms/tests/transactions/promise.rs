//! Whether a promise is kept, found out by looking at every subset of every published transaction.

use std::collections::BTreeSet;

use shoal_core::{Transactions, TransactionsPromise, TransactionsRecoding};

/// A set of published items that breaks the promise.
pub(crate) fn broken(
    data: &Transactions,
    recoding: &TransactionsRecoding,
    promise: &TransactionsPromise,
) -> Option<BTreeSet<u32>> {
    let published: Vec<BTreeSet<u32>> =
        data.iter().map(|items| recoding.image(items).into_iter().collect()).collect();
    let sets: Vec<BTreeSet<u32>> = match promise {
        TransactionsPromise::Itemsets { m, linkable, .. } => {
            let known = |&cluster: &u32| {
                let items = &recoding.clusters[cluster as usize].items;
                items.iter().any(|&item| linkable.as_ref().is_none_or(|l| l[item as usize]))
            };
            let small = |set: &BTreeSet<u32>| !set.is_empty() && set.len() <= *m && set.iter().all(known);
            published.iter().flat_map(subsets).filter(small).collect()
        }
        TransactionsPromise::Complete { .. } => published.iter().filter(|p| !p.is_empty()).cloned().collect(),
        TransactionsPromise::Constraints { sets, .. } => {
            sets.iter().map(|set| recoding.image(set).into_iter().collect()).collect()
        }
    };
    let person = |number: usize| data.persons().map_or(number as u32, |persons| persons[number]);
    let support = |set: &BTreeSet<u32>| {
        let holding = published.iter().enumerate().filter(|(_, p)| set.is_subset(p));
        holding.map(|(number, _)| person(number)).collect::<BTreeSet<u32>>().len()
    };
    sets.into_iter().find(|set| !set.is_empty() && (1..promise.k()).contains(&support(set)))
}

fn subsets(all: &BTreeSet<u32>) -> Vec<BTreeSet<u32>> {
    let members: Vec<u32> = all.iter().copied().collect();
    let chosen = |bits: u32| {
        members.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).map(|(_, &member)| member).collect()
    };
    (0..1 << members.len()).map(chosen).collect()
}
