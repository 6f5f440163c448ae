//! The utility guarantee (PCTA paper, §3): how many people have something of a group of items is known as
//! exactly after as before, as long as generalized items stay inside the group.

use serde::Serialize;

use super::PublishedItems;

/// What became of one utility constraint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UtilityConstraint {
    /// Which one, counted from 1.
    pub number: usize,
    /// How many items it has.
    pub items: usize,
    /// How many of them are suppressed.
    pub items_suppressed: usize,
    /// Original transactions that hold any of its items.
    pub before: u64,
    /// Published transactions that hold any published item made of its items only.
    pub after: u64,
    /// Whether the two are equal.
    pub kept: bool,
}

/// Counts for every constraint the transactions that hold any of its items, before and after. The counts are
/// equal unless an item of it was suppressed, or published together with an item outside.
pub fn of(items: &PublishedItems<'_>, constraints: &[Vec<u32>]) -> Vec<UtilityConstraint> {
    let (before, after) = (items.original().postings(), items.published().postings());
    let check = |(number, constraint): (usize, &Vec<u32>)| {
        items.check_wanted();
        let mut inside = vec![false; items.image().len()];
        constraint.iter().for_each(|&item| inside[item as usize] = true);
        let members = || (0..items.image().len()).filter(|&item| inside[item]);
        let made_of_them = (0..items.members().len())
            .filter(|&text| items.members()[text].iter().all(|&item| inside[item as usize]));
        let held_before = held(members().map(|item| before[item].as_slice()));
        let held_after = held(made_of_them.map(|text| after[text].as_slice()));
        UtilityConstraint {
            number,
            items: members().count(),
            items_suppressed: members().filter(|&item| items.image()[item].is_none()).count(),
            before: held_before,
            after: held_after,
            kept: held_before == held_after,
        }
    };
    (1..).zip(constraints).map(check).collect()
}

/// How many transactions are in any of the lists.
fn held<'a>(lists: impl Iterator<Item = &'a [u32]>) -> u64 {
    let mut all: Vec<u32> = lists.flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}
