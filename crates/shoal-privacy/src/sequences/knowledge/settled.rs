//! What needs no search: groups that can be in no crowd that breaks the promise, however little or much is known.
//!
//! A group that is large enough and within every bound harms no crowd: crowds are made of whole groups. And whoever
//! finds a group also finds its *companions*, the groups that publish at least as much as it does, since whatever is
//! true of the group is true of them. So a small group is safe among many companions; and a group with too large a
//! share of a value is safe when its excess can be set off against what its companions are short of, each shortage
//! being used once. What is left is *open*. Crowds without an open group keep the promise.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Published;
use super::found::{Break, Found};
use super::values::share;

/// So much of a person is taken off whatever is set off, for the roundings on the way.
const MARGIN: f64 = 1e-6;

/// Which groups are open, and what is true of all crowds without one of them.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) is_open: Vec<bool>,
    /// The least number of people in such a crowd.
    pub(super) smallest: u32,
    /// The greatest share of each value in such a crowd.
    pub(super) shares: Vec<f64>,
    /// The companions of every group that is not safe by itself; nothing where there are too many to look at.
    pub(super) companions: Vec<(u32, Option<Vec<u32>>)>,
    /// Which groups are set off against each other.
    pub(super) bundles: Bundles,
}

/// Groups that are set off against each other, directly or through others, make one bundle. Whatever is set off
/// stays within.
#[derive(Debug)]
pub(super) struct Bundles {
    bundle_of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Bundles {
    /// Every group is a bundle by itself.
    pub(super) fn new(groups: usize) -> Bundles {
        Bundles {
            bundle_of: (0..groups as u32).collect(),
            members: (0..groups as u32).map(|group| vec![group]).collect(),
        }
    }

    /// The groups of a group's bundle.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        &self.members[self.bundle_of[group as usize] as usize]
    }

    fn join(&mut self, one: u32, two: u32) {
        let (one, two) = (self.bundle_of[one as usize], self.bundle_of[two as usize]);
        if one != two {
            let (small, large) =
                if self.of(one).len() < self.of(two).len() { (one, two) } else { (two, one) };
            let moving = std::mem::take(&mut self.members[small as usize]);
            moving.iter().for_each(|&group| self.bundle_of[group as usize] = large);
            self.members[large as usize].extend(moving);
        }
    }
}

/// Finds the open groups, looking at no more than `work` pairs of groups.
pub(super) fn settle(file: &Published, work: u64) -> Settled {
    let Published { groups, values, k, .. } = file;
    let mut settled = Settled {
        is_open: vec![false; groups.len()],
        smallest: u32::MAX,
        shares: vec![0.0; values.named.len()],
        companions: companions(file, work),
        bundles: Bundles::new(groups.len()),
    };
    let mut spent = HashMap::new();
    let companions = std::mem::take(&mut settled.companions);
    let mut order: Vec<&(u32, Option<Vec<u32>>)> = companions.iter().collect();
    // Those with little choice come first.
    order.sort_by_key(|(group, companions)| (companions.as_ref().map(Vec::len), *group));
    for (group, own) in order {
        let own = own.as_deref().unwrap_or_default();
        let people = groups.people(own);
        let charges = if people >= *k { set_off(file, *group, own, &spent) } else { None };
        let is_safe = charges.is_some();
        for (value, companion, part) in charges.into_iter().flatten() {
            *spent.entry((value, companion)).or_insert(0.0) += part;
            settled.bundles.join(*group, companion);
        }
        settled.is_open[*group as usize] = !is_safe;
        if is_safe {
            settled.smallest = settled.smallest.min(people);
        }
    }
    settled.companions = companions;
    let is_settled = |group: &u32| !settled.is_open[*group as usize] && !groups.whole(*group).is_empty();
    for group in (0..groups.len() as u32).filter(is_settled) {
        let size = groups.sizes[group as usize];
        if size >= *k {
            settled.smallest = settled.smallest.min(size);
        }
        for &(value, count) in values.of(group) {
            let worst = &mut settled.shares[value as usize];
            // What is set off reaches the bound at most.
            *worst = worst.max(share(count, size).min(values.named[value as usize].allowed));
        }
    }
    settled
}

impl Settled {
    /// What is true of all crowds without an open group.
    pub(super) fn found(&self, file: &Published) -> Found {
        Found { smallest: self.smallest, shares: self.shares.clone(), ..Found::new(file) }
    }

    /// The groups whose companions break the promise. Whoever knows everything about somebody finds just these.
    pub(super) fn broken(&self, file: &Published) -> Found {
        let mut found = Found::new(file);
        for (group, companions) in &self.companions {
            let Some(companions) = companions else { continue };
            let whole = file.groups.whole(*group);
            let (people, counts) = (file.groups.people(companions), file.values.count(companions));
            let how = Break::of(&file.values, file.k, people, &counts, || whole.to_vec());
            if let Some(how) = how {
                found.see(people, &counts);
                // However long they are: the length of what is known does not matter here.
                found.add(1, 1, how);
            }
        }
        found
    }
}

/// The companions of every group that is not safe by itself, itself among them.
fn companions(file: &Published, work: u64) -> Vec<(u32, Option<Vec<u32>>)> {
    let groups = &file.groups;
    let mut left = work;
    let mut may_look = |group: u32| {
        let candidates = groups.whole(group).iter().map(|step| groups.having(step / 2).len()).min();
        let due = candidates.unwrap_or(0) as u64;
        let may = due <= left;
        left -= if may { due } else { 0 };
        may
    };
    let unsafe_ones: Vec<(u32, bool)> = (0..groups.len() as u32)
        .filter(|&group| !groups.whole(group).is_empty() && file.breaks_alone(group))
        .map(|group| (group, may_look(group)))
        .collect();
    let find = |(group, may)| (group, if may { Some(groups.supporters(groups.whole(group))) } else { None });
    unsafe_ones.into_par_iter().map(find).collect()
}

/// Sets a group's excess of each value off against its companions: a value, a companion, and how much it takes.
/// Nothing where that is not possible for all values.
fn set_off(
    file: &Published,
    group: u32,
    companions: &[u32],
    spent: &HashMap<(u32, u32), f64>,
) -> Option<Vec<(u32, u32, f64)>> {
    let Published { groups, values, .. } = file;
    let size = groups.sizes[group as usize];
    let excess = |group: u32, value: u32| {
        let count = values.of(group).iter().find(|(own, _)| *own == value).map_or(0, |(_, count)| *count);
        f64::from(count) - values.named[value as usize].allowed * f64::from(groups.sizes[group as usize])
    };
    // Those who publish little more come first, so that bundles stay small.
    let mut nearest = companions.to_vec();
    nearest.sort_by_key(|&companion| (groups.whole(companion).len(), companion));
    let mut charges = Vec::new();
    let too_many = values.of(group).iter().filter(|(value, count)| !values.allows(*value, *count, size));
    for &(value, _) in too_many {
        let mut due = excess(group, value) + MARGIN;
        for &companion in &nearest {
            let spent = spent.get(&(value, companion)).copied().unwrap_or(0.0);
            let part = (-excess(companion, value) - spent - MARGIN).min(due);
            if part > 0.0 {
                charges.push((value, companion, part));
                due -= part;
            }
        }
        if due > 0.0 {
            return None;
        }
    }
    Some(charges)
}
