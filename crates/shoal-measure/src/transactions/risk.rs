//! The risk of being recognized by one's items.
//!
//! Records of tables fall into classes, and each class has a risk. Transactions have no classes: what somebody
//! may know is any few items of a person, and the crowd is whoever has them too. So this is not a risk in
//! percent, only the smallest crowd that knowing one or two items can lead to, before and after.

use serde::Serialize;
use shoal_core::Transactions;

use super::{PublishedItems, itemsets};

/// More items than these would take long to go through, and say little that two do not.
pub(super) const MOST_KNOWN: usize = 2;

/// The smallest crowds before and after, as `report.json` prints them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TransactionsRisk {
    /// How many items somebody is taken to know: m, but 2 at most.
    pub known_items: usize,
    /// The crowds.
    pub smallest_crowd: SmallestCrowd,
    /// How many people have a transaction with an item, where crowds count people; otherwise they count transactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
}

/// The least number of transactions that hold the same items, up to `known_items` of them, among sets of items that
/// occur; of people who have one, where the original says whose they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SmallestCrowd {
    /// In the original. None where no item is known.
    pub before: Option<u64>,
    /// In the published file, by published items. None where no item is known.
    pub after: Option<u64>,
}

/// The smallest crowds of somebody who knows up to `m` items, but 2 at most. Only `linkable` items can be
/// known, where that is given; a published item is one when any of the items it stands for is.
pub fn of(items: &PublishedItems<'_>, m: usize, linkable: Option<&[bool]>) -> TransactionsRisk {
    let known = m.min(MOST_KNOWN);
    let before = |item: u32| linkable.is_none_or(|linkable| linkable[item as usize]);
    let after = |text: u32| items.members()[text as usize].iter().any(|&item| before(item));
    let original = items.original();
    let check = || items.check_wanted();
    let before = smallest(&check, &original.by_person(), known, before);
    let after = match items.persons() {
        None => smallest(&check, items.published(), known, after),
        Some(persons) => {
            let published = items.published().clone().with_persons(persons.to_vec());
            smallest(&check, &published.by_person(), known, after)
        }
    };
    let people = original.persons().map(|_| original.people_with_items() as u64);
    TransactionsRisk { known_items: known, smallest_crowd: SmallestCrowd { before, after }, people }
}

/// The smallest crowd of transactions that hold the same items, up to `known` of them; `check` is asked in between.
pub(super) fn smallest(
    check: &dyn Fn(),
    transactions: &Transactions,
    known: usize,
    linkable: impl Fn(u32) -> bool,
) -> Option<u64> {
    let mut smallest = None;
    let mut found = 0_u32;
    for size in 1..=known {
        check();
        itemsets::each_of_people(transactions, size, &mut |items, support| {
            // Not for every set: there may be millions of them, and asking takes longer than counting one.
            found = found.wrapping_add(1);
            if found.is_multiple_of(4096) {
                check();
            }
            if items.iter().all(|&item| linkable(item)) {
                smallest = Some(smallest.map_or(support, |least: u32| least.min(support)));
            }
        });
    }
    smallest.map(u64::from)
}
