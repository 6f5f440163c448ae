//! Enough originals for everybody? A maximum flow from groups of published records to groups of originals.

use shoal_core::Progress;

/// Who waits for an original, how many originals there are, and who may be whose.
#[derive(Debug, Default)]
pub(super) struct Demand {
    /// How many published records each group has.
    pub published: Vec<u32>,
    /// How many originals each group has.
    pub originals: Vec<u32>,
    /// For each group of published records the groups of originals of which it is true.
    pub fits: Vec<Vec<u32>>,
}

/// A set of published groups with fewer originals than records.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shortage {
    /// The groups, ascending.
    pub groups: Vec<u32>,
    /// How many records they have.
    pub published: u64,
    /// How many originals there are of which any of them is true.
    pub originals: u64,
}

/// Gives every published record an original, or says which ones cannot be served. The answer is, for each published
/// group, how many it takes from each of the groups that it fits, in the order of `fits`.
///
/// Dinic's algorithm: paths of the same length are found together, so that the first phase is the greedy assignment and
/// later ones move somebody to make room. By Hall's theorem the groups that can still be reached when no path is left
/// have fewer originals than records.
pub(super) fn assign(demand: &Demand, progress: &dyn Progress) -> Result<Vec<Vec<u32>>, Shortage> {
    let mut flow = Flow::new(demand);
    // Each phase has longer paths than the one before, so there are no more phases than groups.
    while flow.find_levels() {
        for group in 0..demand.published.len() {
            progress.check();
            while flow.waiting[group] > 0 && flow.augment(group) {}
        }
    }
    if flow.waiting.iter().all(|&waiting| waiting == 0) {
        return Ok(flow.taken);
    }
    let reached = |level: &[u32]| -> Vec<u32> {
        (0..level.len() as u32).filter(|&at| level[at as usize] != UNREACHED).collect()
    };
    let (groups, originals) = (reached(&flow.published_level), reached(&flow.original_level));
    let total = |of: &[u32], counts: &[u32]| of.iter().map(|&at| u64::from(counts[at as usize])).sum();
    Err(Shortage {
        published: total(&groups, &demand.published),
        originals: total(&originals, &demand.originals),
        groups,
    })
}

const UNREACHED: u32 = u32::MAX;

struct Flow<'a> {
    demand: &'a Demand,
    /// Records of each published group without an original so far.
    waiting: Vec<u32>,
    /// Originals of each group that nobody has taken.
    free: Vec<u32>,
    /// What each published group takes, in the order of its `fits`.
    taken: Vec<Vec<u32>>,
    /// For each group of originals who may take from it: the published group and the place in its `fits`.
    takers: Vec<Vec<(u32, u32)>>,
    published_level: Vec<u32>,
    original_level: Vec<u32>,
    /// Up to where the edges of a group have been tried in this phase: none of those before leads on.
    published_tried: Vec<usize>,
    original_tried: Vec<usize>,
}

impl<'a> Flow<'a> {
    fn new(demand: &'a Demand) -> Flow<'a> {
        let mut takers = vec![Vec::new(); demand.originals.len()];
        for (group, fits) in demand.fits.iter().enumerate() {
            for (at, &original) in fits.iter().enumerate() {
                takers[original as usize].push((group as u32, at as u32));
            }
        }
        Flow {
            waiting: demand.published.clone(),
            free: demand.originals.clone(),
            taken: demand.fits.iter().map(|fits| vec![0; fits.len()]).collect(),
            takers,
            published_level: Vec::new(),
            original_level: Vec::new(),
            published_tried: Vec::new(),
            original_tried: Vec::new(),
            demand,
        }
    }

    /// How far every group is from those who wait. Says whether a free original can be reached.
    fn find_levels(&mut self) -> bool {
        let (published, originals) = (self.waiting.len(), self.free.len());
        self.published_level = vec![UNREACHED; published];
        self.original_level = vec![UNREACHED; originals];
        (self.published_tried, self.original_tried) = (vec![0; published], vec![0; originals]);
        let mut now: Vec<u32> = (0..published as u32).filter(|&g| self.waiting[g as usize] > 0).collect();
        now.iter().for_each(|&group| self.published_level[group as usize] = 0);
        let mut found = false;
        let mut level = 0;
        // Where nothing is found the search has reached all that can be reached, and that is the shortage.
        while !now.is_empty() {
            let mut next = Vec::new();
            for group in now {
                for &original in &self.demand.fits[group as usize] {
                    if self.original_level[original as usize] != UNREACHED {
                        continue;
                    }
                    self.original_level[original as usize] = level + 1;
                    found |= self.free[original as usize] > 0;
                    for &(taker, at) in &self.takers[original as usize] {
                        let takes = self.taken[taker as usize][at as usize] > 0;
                        if takes && self.published_level[taker as usize] == UNREACHED {
                            self.published_level[taker as usize] = level + 2;
                            next.push(taker);
                        }
                    }
                }
            }
            // A longer path is not looked for in a phase that has shorter ones.
            now = if found { Vec::new() } else { next };
            level += 2;
        }
        found
    }

    /// Serves some of the records of a group along one path. Says whether there was one.
    fn augment(&mut self, source: usize) -> bool {
        // The path: published groups with the edge by which each is left, and the edge by which the next one is entered.
        let mut path: Vec<Step> = Vec::new();
        let mut group = source;
        loop {
            match self.leave(group) {
                Some((at, original)) if self.free[original] > 0 => {
                    self.push(source, &path, (group, at), original);
                    return true;
                }
                Some((at, original)) => match self.enter(original) {
                    Some((next, entered)) => {
                        path.push(Step { group, at, next, entered });
                        group = next;
                    }
                    None => self.published_tried[group] += 1,
                },
                None => {
                    // A dead end: whoever led here tries the next way.
                    let Some(step) = path.pop() else { return false };
                    let original = self.demand.fits[step.group][step.at] as usize;
                    self.original_tried[original] += 1;
                    group = step.group;
                }
            }
        }
    }

    /// The next original that a group may lead to in this phase.
    fn leave(&mut self, group: usize) -> Option<(usize, usize)> {
        let fits = &self.demand.fits[group];
        while let Some(&original) = fits.get(self.published_tried[group]) {
            if self.original_level[original as usize] == self.published_level[group] + 1 {
                return Some((self.published_tried[group], original as usize));
            }
            self.published_tried[group] += 1;
        }
        None
    }

    /// The next group that could give up an original, and the place of that original in its `fits`.
    fn enter(&mut self, original: usize) -> Option<(usize, usize)> {
        while let Some(&(taker, at)) = self.takers[original].get(self.original_tried[original]) {
            let (taker, at) = (taker as usize, at as usize);
            let is_next = self.published_level[taker] == self.original_level[original] + 1;
            if is_next && self.taken[taker][at] > 0 {
                return Some((taker, at));
            }
            self.original_tried[original] += 1;
        }
        None
    }

    fn push(&mut self, source: usize, path: &[Step], last: (usize, usize), original: usize) {
        // As much as the narrowest place of the path lets through.
        let given_up = path.iter().map(|step| self.taken[step.next][step.entered]).min();
        let amount = self.waiting[source].min(self.free[original]).min(given_up.unwrap_or(u32::MAX));
        for step in path {
            self.taken[step.group][step.at] += amount;
            self.taken[step.next][step.entered] -= amount;
        }
        self.taken[last.0][last.1] += amount;
        self.waiting[source] -= amount;
        self.free[original] -= amount;
    }
}

/// A group takes from an original, of which another group gives up as much.
struct Step {
    group: usize,
    at: usize,
    next: usize,
    entered: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn demand(published: &[u32], originals: &[u32], fits: &[&[u32]]) -> Demand {
        Demand {
            published: published.to_vec(),
            originals: originals.to_vec(),
            fits: fits.iter().map(|fits| fits.to_vec()).collect(),
        }
    }

    #[test]
    fn somebody_moves_to_make_room() {
        // The first group could take either; the second only the first original.
        let taken = assign(&demand(&[1, 1], &[1, 1], &[&[0, 1], &[0]]), &shoal_core::Silent).unwrap();
        assert_eq!(taken, [vec![0, 1], vec![1]]);
    }

    #[test]
    fn a_chain_of_three_moves() {
        let taken =
            assign(&demand(&[2, 2, 2], &[2, 2, 2], &[&[0, 1], &[1, 2], &[0]]), &shoal_core::Silent).unwrap();
        assert_eq!(taken, [vec![0, 2], vec![0, 2], vec![2]]);
    }

    #[test]
    fn a_shortage_names_who_competes_and_nobody_else() {
        let short =
            assign(&demand(&[2, 2, 5], &[3, 5], &[&[0], &[0], &[1]]), &shoal_core::Silent).unwrap_err();
        assert_eq!(short, Shortage { groups: vec![0, 1], published: 4, originals: 3 });
        let nobody = assign(&demand(&[1], &[4], &[&[]]), &shoal_core::Silent).unwrap_err();
        assert_eq!(nobody, Shortage { groups: vec![0], published: 1, originals: 0 });
    }

    #[test]
    fn nobody_needs_nothing() {
        assert_eq!(assign(&Demand::default(), &shoal_core::Silent), Ok(Vec::new()));
    }

    /// The obvious way: every record on its own, one path after the other.
    fn served(demand: &Demand) -> u32 {
        fn find(
            demand: &Demand,
            group: usize,
            slots: &mut [Option<usize>],
            seen: &mut [bool],
            slot_of: &[u32],
        ) -> bool {
            for slot in 0..slots.len() {
                if seen[slot] || !demand.fits[group].contains(&slot_of[slot]) {
                    continue;
                }
                seen[slot] = true;
                if slots[slot].is_none_or(|other| find(demand, other, slots, seen, slot_of)) {
                    slots[slot] = Some(group);
                    return true;
                }
            }
            false
        }
        let each = |counts: &[u32]| -> Vec<u32> {
            counts
                .iter()
                .enumerate()
                .flat_map(|(at, &n)| std::iter::repeat_n(at as u32, n as usize))
                .collect()
        };
        let slot_of = each(&demand.originals);
        let mut slots = vec![None; slot_of.len()];
        let records = each(&demand.published).into_iter();
        records
            .filter(|&group| {
                find(demand, group as usize, &mut slots, &mut vec![false; slot_of.len()], &slot_of)
            })
            .count() as u32
    }

    proptest! {
        #[test]
        fn agrees_with_one_path_after_the_other(
            published in proptest::collection::vec(0_u32..4, 1..7),
            originals in proptest::collection::vec(0_u32..4, 1..7),
            bits in proptest::collection::vec(any::<bool>(), 49),
        ) {
            let fits = (0..published.len()).map(|group| {
                (0..originals.len() as u32).filter(|&at| bits[group * 7 + at as usize]).collect()
            });
            let demand = Demand { fits: fits.collect(), published, originals };
            let wanted: u32 = demand.published.iter().sum();
            match assign(&demand, &shoal_core::Silent) {
                Ok(taken) => {
                    prop_assert_eq!(served(&demand), wanted);
                    let mut used = vec![0; demand.originals.len()];
                    for ((group, taken), &count) in taken.iter().enumerate().zip(&demand.published) {
                        prop_assert_eq!(taken.iter().sum::<u32>(), count);
                        for (&amount, &original) in taken.iter().zip(&demand.fits[group]) {
                            used[original as usize] += amount;
                        }
                    }
                    prop_assert!(used.iter().zip(&demand.originals).all(|(used, there)| used <= there));
                }
                Err(short) => {
                    prop_assert!(served(&demand) < wanted);
                    prop_assert!(short.originals < short.published);
                    let mut reach: Vec<u32> =
                        short.groups.iter().flat_map(|&group| demand.fits[group as usize].clone()).collect();
                    reach.sort_unstable();
                    reach.dedup();
                    let there: u64 = reach.iter().map(|&at| u64::from(demand.originals[at as usize])).sum();
                    prop_assert_eq!(there, short.originals);
                }
            }
        }
    }
}
