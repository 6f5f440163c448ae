//! What needs no search: groups that can be in no crowd that breaks the promise, however little or much is known.
//!
//! A group that is large enough and within every bound harms no crowd: crowds are made of whole groups. And whoever
//! finds a group also finds its *companions*: by the papers' count the groups that publish at least as much as it does,
//! since whatever is true of the group is true of them; where everybody counts who may be the one, the groups that publish
//! at most as much, since whatever fits a cell fits the cells above it. So a small group is safe among many companions; and a group with too large a
//! share of a value is safe when its excess can be set off against what its companions are short of, each shortage
//! being used once. What is left is *open*. Crowds without an open group keep the promise.

use std::collections::HashMap;

use rayon::prelude::*;
use shoal_core::Progress;

use super::Published;
use super::found::{Break, Found};
use super::values::share;

/// This part of a person is subtracted from whatever is set off, so that rounding never makes a group look safe.
pub(super) const MARGIN: f64 = 1e-6;

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

/// Every group is open that is not safe by itself. Nobody's companions are looked for.
pub(super) fn settle_alone(file: &Published) -> Settled {
    let mut settled = Settled::new(file);
    for (group, is_open) in (0_u32..).zip(&mut settled.is_open) {
        *is_open = !file.groups.whole(group).is_empty() && file.breaks_alone(group);
    }
    settled.bound(file);
    settled
}

/// Finds the open groups, holding no more than `work` items against groups.
pub(super) fn settle(file: &Published, work: u64, progress: &dyn Progress) -> Settled {
    let Published { groups, k, .. } = file;
    let mut settled = Settled { companions: companions(file, work, progress), ..Settled::new(file) };
    let mut spent = HashMap::new();
    let companions = std::mem::take(&mut settled.companions);
    let mut order: Vec<&(u32, Option<Vec<u32>>)> = companions.iter().collect();
    // Those with few companions come first, since they have no choice; what they use is not left for the others.
    order.sort_by_key(|(group, companions)| (companions.as_ref().map(Vec::len), *group));
    for (group, own) in order {
        progress.check();
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
    settled.bound(file);
    settled
}

impl Settled {
    /// No group is open yet.
    fn new(file: &Published) -> Settled {
        let groups = file.groups.len();
        Settled {
            is_open: vec![false; groups],
            smallest: u32::MAX,
            shares: vec![0.0; file.values.named.len()],
            companions: Vec::new(),
            bundles: Bundles::new(groups),
        }
    }

    /// Takes note of what is true of crowds without an open group.
    fn bound(&mut self, file: &Published) {
        let Published { groups, values, k, .. } = file;
        let is_settled = |group: &u32| !self.is_open[*group as usize] && !groups.whole(*group).is_empty();
        for group in (0..groups.len() as u32).filter(is_settled) {
            let size = groups.sizes[group as usize];
            if size >= *k {
                self.smallest = self.smallest.min(size);
            }
            for &(value, count) in values.of(group) {
                let worst = &mut self.shares[value as usize];
                // What is set off reaches the bound at most.
                *worst = worst.max(share(count, size).min(values.named[value as usize].allowed));
            }
        }
    }

    /// What is true of all crowds without an open group.
    pub(super) fn found(&self, file: &Published) -> Found {
        Found { smallest: self.smallest, shares: self.shares.clone(), ..Found::new(file) }
    }

    /// The groups whose companions break the promise. By the papers' count, whoever knows everything about somebody
    /// finds just these.
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
fn companions(file: &Published, work: u64, progress: &dyn Progress) -> Vec<(u32, Option<Vec<u32>>)> {
    let groups = &file.groups;
    let is_unsafe = |group: &u32| !groups.whole(*group).is_empty() && file.breaks_alone(*group);
    let unsafe_ones: Vec<u32> = (0..groups.len() as u32).filter(is_unsafe).collect();
    if unsafe_ones.is_empty() {
        // Then nothing needs the index, which is large.
        return Vec::new();
    }
    let index = file.index();
    let mut left = work;
    let mut may_look = |group: u32| {
        let candidates = groups.whole(group).iter().map(|step| index.having(step / 2).len()).min();
        // Each candidate is held against the group's whole sequence.
        let due = (candidates.unwrap_or(0) * groups.whole(group).len()) as u64;
        let may = due <= left;
        left -= if may { due } else { 0 };
        may
    };
    let unsafe_ones: Vec<(u32, bool)> =
        unsafe_ones.into_iter().map(|group| (group, may_look(group))).collect();
    let find = |(group, may)| {
        progress.check();
        (group, if may { Some(index.companions(group, groups, &file.items, file.support)) } else { None })
    };
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

#[cfg(test)]
mod tests {
    use shoal_core::{Bound, Limit, Support};

    use super::super::tests::{read, tree};
    use super::*;

    /// Two columns with the values a, b below ab and x, y below xy; groups of one event each with a size and how many of
    /// them have HIV. At most half of a crowd may.
    fn settled(groups: &[([&str; 2], usize, usize)], k: u32, support: Support) -> Settled {
        let mut rows = Vec::new();
        for ([first, second], size, having) in groups {
            for person in 0..*size {
                let illness = if person < *having { "HIV" } else { "flu" };
                rows.push(vec![rows.len().to_string(), (*first).into(), (*second).into(), illness.into()]);
            }
        }
        let trees = [tree(&["a ab *", "b ab *"]), tree(&["x xy *", "y xy *"])];
        let values = Some(vec!["HIV".to_owned()]);
        let limit = Limit { column: "illness".into(), values, bound: Bound::Share(0.5) };
        settle(
            &read(&["id", "q", "r", "illness"], &rows, &trees, k, limit, support),
            u64::MAX,
            &shoal_core::Silent,
        )
    }

    #[test]
    fn a_shortage_is_used_once() {
        // The first two have one person with HIV too many each, and share a companion.
        let case = |size, having| {
            let groups = [(["ab", "*"], 4, 3), (["*", "xy"], 4, 3), (["a", "x"], size, having)];
            let settled = settled(&groups, 2, Support::Paper);
            (settled.is_open.clone(), settled.bundles.of(0).len())
        };
        // Short of three, of one and a half, of exactly one, of nothing.
        assert_eq!(case(8, 1), (vec![false, false, false], 3));
        assert_eq!(case(7, 2), (vec![false, true, false], 2));
        assert_eq!(case(6, 2), (vec![true, true, false], 1), "a rounding must not decide");
        assert_eq!(case(8, 4), (vec![true, true, false], 1));
    }

    #[test]
    fn companions_say_more_by_the_papers_count_and_less_where_everybody_counts_who_fits() {
        let groups = [(["a", "x"], 4, 3), (["ab", "xy"], 8, 1)];
        assert_eq!(settled(&groups, 2, Support::Compatible).is_open, [false, false]);
        assert_eq!(settled(&groups, 2, Support::Paper).is_open, [true, false]);
        let groups = [(["ab", "xy"], 4, 3), (["a", "x"], 8, 1)];
        assert_eq!(settled(&groups, 2, Support::Compatible).is_open, [true, false]);
        assert_eq!(settled(&groups, 2, Support::Paper).is_open, [false, false]);
        // A star is above everything, also above what no tree knows.
        let groups = [(["zebra", "x"], 4, 3), (["*", "*"], 8, 1), (["ab", "*"], 4, 3)];
        assert_eq!(settled(&groups, 2, Support::Compatible).is_open, [false, false, false]);
    }

    #[test]
    fn companions_make_a_crowd_of_exactly_k() {
        let groups = [(["a", "x"], 1, 0), (["ab", "x"], 2, 0)];
        let crowd = |k| settled(&groups, k, Support::Compatible);
        assert_eq!((crowd(2).is_open, crowd(2).smallest), (vec![false, false], 2));
        // Three fit the first group, but only two the second one.
        assert_eq!(crowd(3).is_open, [false, true]);
        assert_eq!(crowd(4).is_open, [true, true]);
    }
}
