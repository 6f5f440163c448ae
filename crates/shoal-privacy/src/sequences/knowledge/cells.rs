//! The search in cells, for known sequences that are too long for the whole file.
//!
//! However the groups are divided into cells: what breaks the promise in the whole file also breaks it in a cell whose
//! groups are looked at alone, since a crowd that is too small has parts that are, and a share above its bound comes
//! from a part with such a share. Groups that are not open need no cell; where one joins a cell, the others that it is
//! set off against come with it, since what was set off must be whole on one side. So each cell is searched alone, which
//! is cheap when its groups are alike. Something known that breaks a cell is held against the whole file: either
//! it breaks the promise there, or others share it, and the nearest of them join the cell, which is searched again.
//! The answer is exact whatever the cells; good ones only make it cheap.

use std::cmp::Reverse;

use rayon::prelude::*;

use super::Published;
use super::found::Found;
use super::groups::Step;
use super::search::Search;
use super::settled::Bundles;

/// How many candidates for a nearest group are weighed at most, beside those of the rarest item.
const CANDIDATES: usize = 20_000;

/// Searches cells, in which every open group is; nothing when the work is over.
pub(super) fn search(search: Search<'_>, mut cells: Cells<'_>) -> Option<Found> {
    let file = search.file;
    // What was set off is not when the others are there to be counted.
    let is_open: Vec<bool> =
        (0_u32..).zip(search.is_open).map(|(group, open)| *open || file.is_above(group)).collect();
    let search = Search { is_open: &is_open, ..search };
    let mut found = Found::new(file);
    let mut unsearched: Vec<usize> = (0..cells.members.len()).collect();
    while !unsearched.is_empty() {
        let look = |&cell: &usize| (cell, look(search, &cells.members[cell]));
        let looked: Vec<(usize, Found)> = unsearched.par_iter().map(look).collect();
        if search.work.is_over() {
            return None;
        }
        let mut broken = Vec::new();
        let mut global = Found::new(file);
        for (cell, local) in looked {
            let Some(length) = local.length else {
                found = found.merge(local);
                continue;
            };
            for how in &local.worst {
                if let Some(how) = file.break_of(&file.groups.supporters(&how.known), &how.known) {
                    global.see(how.people, &file.values.count(&file.groups.supporters(&how.known)));
                    global.add(length, 1, how);
                }
            }
            broken.push((cell, local.worst.into_iter().map(|how| how.known).collect()));
        }
        if global.length.is_some() {
            return Some(found.merge(global));
        }
        unsearched = cells.widen(&broken);
    }
    Some(found)
}

/// Searches a cell as if there were nobody else.
fn look(search: Search<'_>, cell: &[u32]) -> Found {
    let (states, found) = search.first(cell.to_vec());
    if found.length.is_some() { found } else { found.merge(search.run(states)) }
}

/// Disjoint sets of groups.
pub(super) struct Cells<'a> {
    file: &'a Published,
    bundles: &'a Bundles,
    likeness: Likeness<'a>,
    /// The groups of each cell, ascending; none where a cell has joined another.
    members: Vec<Vec<u32>>,
    cell_of: Vec<Option<usize>>,
}

impl<'a> Cells<'a> {
    /// No cells yet.
    pub(super) fn new(file: &'a Published, bundles: &'a Bundles) -> Cells<'a> {
        let cell_of = vec![None; file.groups.len()];
        Cells { file, bundles, likeness: Likeness::new(file), members: Vec::new(), cell_of }
    }

    /// Puts every open group into a cell with its nearest, until the cell as a whole keeps the promise.
    pub(super) fn of_nearest(file: &'a Published, bundles: &'a Bundles, is_open: &[bool]) -> Cells<'a> {
        let mut cells = Cells::new(file, bundles);
        for group in (0..file.groups.len() as u32).filter(|&group| is_open[group as usize]) {
            if cells.cell_of[group as usize].is_some() {
                continue;
            }
            let cell = cells.add();
            cells.join(cell, group);
            let mut near = cells.likeness.nearest(group).into_iter();
            while file.break_of(&cells.members[cell], &[]).is_some()
                && let Some(other) = near.next()
            {
                cells.join(cell, other);
            }
        }
        cells
    }

    /// Adds an empty cell.
    pub(super) fn add(&mut self) -> usize {
        self.members.push(Vec::new());
        self.members.len() - 1
    }

    /// Moves a group, its bundle and the whole cell that it is in, if any, into another cell.
    pub(super) fn join(&mut self, cell: usize, group: u32) {
        let mut due = vec![group];
        while let Some(group) = due.pop() {
            match self.cell_of[group as usize] {
                Some(other) if other == cell => continue,
                // Whoever is in a cell has brought their bundle.
                Some(other) => {
                    let joining = std::mem::take(&mut self.members[other]);
                    joining.iter().for_each(|&group| self.cell_of[group as usize] = Some(cell));
                    self.members[cell].extend(joining);
                }
                None => {
                    self.cell_of[group as usize] = Some(cell);
                    self.members[cell].push(group);
                    due.extend(self.bundles.of(group));
                }
            }
        }
        self.members[cell].sort_unstable();
    }

    /// Widens each cell by the nearest of those who share what breaks it, until it no longer does. Returns the cells
    /// that have changed.
    fn widen(&mut self, broken: &[(usize, Vec<Vec<Step>>)]) -> Vec<usize> {
        let mut changed = Vec::new();
        for (cell, known) in broken {
            // It may have joined another one in the meantime.
            if !self.members[*cell].is_empty() {
                known.iter().for_each(|known| self.widen_one(*cell, known));
                changed.push(*cell);
            }
        }
        changed.retain(|&cell| !self.members[cell].is_empty());
        changed
    }

    fn widen_one(&mut self, cell: usize, known: &[Step]) {
        let supporters = self.file.groups.supporters(known);
        let is_inside = |cells: &Cells<'_>, group: u32| cells.cell_of[group as usize] == Some(cell);
        let inside: Vec<u32> = supporters.iter().copied().filter(|&group| is_inside(self, group)).collect();
        let mut others: Vec<u32> =
            supporters.iter().copied().filter(|&group| !is_inside(self, group)).collect();
        let like = |other: u32| inside.iter().map(|&own| self.likeness.of(own, other)).max();
        others.sort_by_cached_key(|&other| (Reverse(like(other)), other));
        let mut others = others.into_iter();
        loop {
            let crowd: Vec<u32> =
                supporters.iter().copied().filter(|&group| is_inside(self, group)).collect();
            if self.file.break_of(&crowd, known).is_none() {
                return;
            }
            let Some(other) = others.next() else { return };
            self.join(cell, other);
        }
    }
}

/// How alike the sequences of two groups are. It decides what is tried first and nothing else.
struct Likeness<'a> {
    file: &'a Published,
    /// What an item that two groups share is worth: the rarer, the more.
    worth: Vec<u64>,
    /// The least and the greatest depth of each group's cells, by quasi-identifier.
    depths: Vec<Vec<(usize, usize)>>,
}

impl<'a> Likeness<'a> {
    fn new(file: &'a Published) -> Likeness<'a> {
        let groups = file.groups.len();
        let worth = |item| (groups as f64 / file.groups.having(item).len().max(1) as f64).ln() * 1e3;
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
            depths: (0..groups as u32).map(depths).collect(),
        }
    }

    /// Those who publish every quasi-identifier as exactly come before all others.
    fn of(&self, one: u32, two: u32) -> (bool, u64) {
        let (first, second) = (self.file.groups.has(one).0, self.file.groups.has(two).0);
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

    /// The groups that share something with a group, the most alike first.
    fn nearest(&self, group: u32) -> Vec<u32> {
        let groups = &self.file.groups;
        let mut items = groups.has(group).0.to_vec();
        items.sort_by_key(|&item| (groups.having(item).len(), item));
        let mut candidates: Vec<u32> = Vec::new();
        for item in items {
            if !candidates.is_empty() && candidates.len() + groups.having(item).len() > CANDIDATES {
                break;
            }
            candidates.extend(groups.having(item).iter().filter(|other| **other != group));
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates.sort_by_cached_key(|&other| (Reverse(self.of(group, other)), other));
        candidates
    }
}
