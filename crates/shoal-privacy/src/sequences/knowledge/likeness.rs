//! How alike the sequences of two groups are. It decides what is tried first and nothing else.

use std::cmp::Reverse;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use rayon::prelude::*;

use super::Published;
use super::groups::Step;

/// How many candidates for a nearest group are weighed at most. Members of a cluster share events that few others have,
/// so they are among the first of these; a few hundred are enough to find them.
const CANDIDATES: usize = 512;

/// How many groups before and behind are candidates in any case: files stand sorted by what is published, so those who
/// begin alike have numbers nearby.
const NEARBY: u32 = 8;

pub(super) struct Likeness<'a> {
    file: &'a Published,
    /// What an item that two groups share is worth: the rarer, the more.
    worth: Vec<u64>,
    /// The least and the greatest depth of each group's cells, by quasi-identifier.
    depths: Vec<Vec<(usize, usize)>>,
    traits: Traits,
}

impl<'a> Likeness<'a> {
    pub(super) fn new(file: &'a Published) -> Likeness<'a> {
        let groups = file.groups.len();
        let worth = |item| (groups as f64 / file.index().having(item).len().max(1) as f64).ln() * 1e3;
        let depths = |group: u32| {
            let mut depths = vec![(usize::MAX, 0); file.items.quasi_identifiers() as usize];
            for step in file.groups.whole(group) {
                let depth = file.items.upwards(step / 2).len();
                let (least, most) = &mut depths[file.items.quasi(step / 2) as usize];
                (*least, *most) = ((*least).min(depth), (*most).max(depth));
            }
            depths
        };
        Likeness {
            file,
            worth: (0..file.items.len() as u32).map(|item| 1 + worth(item) as u64).collect(),
            depths: (0..groups as u32).into_par_iter().map(depths).collect(),
            traits: Traits::new(file),
        }
    }

    /// Those who publish every quasi-identifier as exactly come before all others.
    pub(super) fn of(&self, one: u32, two: u32) -> (bool, u64) {
        let (first, second) = (self.file.index().has(one).0, self.file.index().has(two).0);
        let mut second = second.iter().peekable();
        let mut shared = 0;
        for item in first {
            while second.next_if(|other| *other < item).is_some() {}
            if second.next_if_eq(&item).is_some() {
                shared += self.worth[*item as usize];
            }
        }
        (self.depths[one as usize] == self.depths[two as usize], shared)
    }

    /// Some groups that share something with a group, the most alike first.
    pub(super) fn nearest(&self, group: u32) -> Vec<u32> {
        let last = self.file.groups.len() as u32 - 1;
        let mut candidates: Vec<u32> =
            (group.saturating_sub(NEARBY)..=group.saturating_add(NEARBY).min(last)).collect();
        let mut sharing: Vec<&[u32]> =
            traits(self.file.groups.whole(group)).map(|one| self.traits.having(one)).collect();
        sharing.sort_by_key(|groups| groups.len());
        for groups in sharing {
            let room = CANDIDATES.saturating_sub(candidates.len());
            if groups.len() <= room {
                candidates.extend(groups);
                continue;
            }
            // Too many share it: those with numbers nearby.
            let from = groups.partition_point(|&other| other < group).saturating_sub(room / 2);
            candidates.extend(groups[from..].iter().take(room));
            break;
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|&other| other != group && !self.file.groups.whole(other).is_empty());
        candidates.sort_by_cached_key(|&other| (Reverse(self.of(group, other)), other));
        candidates
    }
}

/// Which groups have a trait: an event, two events that follow each other, or an item by itself.
struct Traits {
    /// Ascending, each once.
    numbers: Vec<u64>,
    /// Where the groups of each begin.
    starts: Vec<usize>,
    groups: Vec<u32>,
}

impl Traits {
    fn new(file: &Published) -> Traits {
        let of =
            |group: u32| traits(file.groups.whole(group)).map(move |one| (one, group)).collect::<Vec<_>>();
        let mut all: Vec<(u64, u32)> =
            (0..file.groups.len() as u32).into_par_iter().flat_map_iter(of).collect();
        all.par_sort_unstable();
        all.dedup();
        let mut found =
            Traits { numbers: Vec::new(), starts: Vec::new(), groups: Vec::with_capacity(all.len()) };
        for (one, group) in all {
            if found.numbers.last() != Some(&one) {
                found.numbers.push(one);
                found.starts.push(found.groups.len());
            }
            found.groups.push(group);
        }
        found.starts.push(found.groups.len());
        found
    }

    fn having(&self, number: u64) -> &[u32] {
        match self.numbers.binary_search(&number) {
            Ok(at) => &self.groups[self.starts[at]..self.starts[at + 1]],
            Err(_) => &[],
        }
    }
}

/// The traits of a sequence, by numbers. Different ones may have the same number, which does no harm here.
fn traits(whole: &[Step]) -> impl Iterator<Item = u64> + '_ {
    let hash = |steps: &[Step]| FixedState::default().hash_one(steps);
    let starts: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] % 2 == 1).chain([whole.len()]).collect();
    let events = starts.windows(2).map(|bounds| bounds[0]..bounds[1]).collect::<Vec<_>>();
    let pairs = starts.windows(3).map(|bounds| bounds[0]..bounds[2]).collect::<Vec<_>>();
    let items = whole.iter().map(|step| u64::from(step / 2));
    events.into_iter().chain(pairs).map(move |steps| hash(&whole[steps])).chain(items)
}
