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
use std::sync::OnceLock;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::prelude::*;
use shoal_core::Progress;

use super::Published;
use super::ends;
use super::found::Found;
use super::groups::Step;
use super::likeness::Likeness;
use super::search::Search;
use super::settled::Bundles;

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
        let search_one = |&cell: &usize| (cell, search_cell(search, &cells.members[cell]));
        let looked: Vec<(usize, Found)> = unsearched.par_iter().map(search_one).collect();
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
                if let Some(how) = file.break_of(&file.index().supporters(&how.known), &how.known) {
                    global.see(how.people, &file.values.count(&file.index().supporters(&how.known)));
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
fn search_cell(search: Search<'_>, cell: &[u32]) -> Found {
    ends::search(search, cell).unwrap_or_else(|| search_item_by_item(search, cell))
}

/// The same, item by item, in bounded memory.
pub(super) fn search_item_by_item(search: Search<'_>, cell: &[u32]) -> Found {
    let (states, found) = search.first(cell.to_vec());
    if found.length.is_some() { found } else { found.merge(search.run(states)) }
}

/// Disjoint sets of groups.
pub(super) struct Cells<'a> {
    file: &'a Published,
    bundles: &'a Bundles,
    likeness: OnceLock<Likeness<'a>>,
    /// The groups of each cell, ascending; none where a cell has joined another.
    members: Vec<Vec<u32>>,
    cell_of: Vec<Option<usize>>,
}

impl<'a> Cells<'a> {
    /// No cells yet.
    pub(super) fn new(file: &'a Published, bundles: &'a Bundles) -> Cells<'a> {
        let cell_of = vec![None; file.groups.len()];
        Cells { file, bundles, likeness: OnceLock::new(), members: Vec::new(), cell_of }
    }

    /// The cells that somebody says there are: a number for each group. Cells without an open group are left out, and so
    /// are people of whom nothing is published, since they are in no crowd.
    pub(super) fn of_parts(
        file: &'a Published,
        bundles: &'a Bundles,
        is_open: &[bool],
        part_of: &[u32],
    ) -> Cells<'a> {
        let mut cells = Cells::new(file, bundles);
        let mut cell_of: HashMap<u32, usize, FixedState> = HashMap::default();
        for group in (0..file.groups.len()).filter(|&group| is_open[group]) {
            cell_of.entry(part_of[group]).or_insert_with(|| cells.add());
        }
        for group in 0..file.groups.len() as u32 {
            if let Some(&cell) = cell_of.get(&part_of[group as usize])
                && !file.groups.whole(group).is_empty()
            {
                cells.cell_of[group as usize] = Some(cell);
                cells.members[cell].push(group);
            }
        }
        cells
    }

    /// The cells that a file shows by itself, a number for each group, as far as each keeps the promise as a whole. Whoever is in
    /// none of these joins the nearest. Nothing where these are most of those who need a cell: then parts tell little.
    pub(super) fn of_revealed(
        file: &'a Published,
        bundles: &'a Bundles,
        is_open: &[bool],
        part_of: &[u32],
        progress: &dyn Progress,
    ) -> Option<Cells<'a>> {
        let mut cells = Cells::of_parts(file, bundles, is_open, part_of);
        for cell in 0..cells.members.len() {
            if file.break_of(&cells.members[cell], &[]).is_some() {
                let members = std::mem::take(&mut cells.members[cell]);
                members.iter().for_each(|&group| cells.cell_of[group as usize] = None);
            }
        }
        let open = (0..file.groups.len()).filter(|&group| is_open[group]);
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            open.partition(|&group| cells.cell_of[group].is_some());
        if outside.len() > inside.len() {
            return None;
        }
        cells.add_nearest(is_open, progress);
        Some(cells)
    }

    /// Puts every open group into a cell with its nearest, until the cell as a whole keeps the promise.
    pub(super) fn of_nearest(
        file: &'a Published,
        bundles: &'a Bundles,
        is_open: &[bool],
        progress: &dyn Progress,
    ) -> Cells<'a> {
        let mut cells = Cells::new(file, bundles);
        cells.add_nearest(is_open, progress);
        cells
    }

    /// The same for every open group that has no cell yet.
    fn add_nearest(&mut self, is_open: &[bool], progress: &dyn Progress) {
        let file = self.file;
        for group in (0..file.groups.len() as u32).filter(|&group| is_open[group as usize]) {
            if self.cell_of[group as usize].is_some() {
                continue;
            }
            progress.check();
            let cell = self.add();
            self.join(cell, group);
            let mut near = self.likeness().nearest(group).into_iter();
            while file.break_of(&self.members[cell], &[]).is_some()
                && let Some(other) = near.next()
            {
                self.join(cell, other);
            }
        }
    }

    /// Made when it is first asked for: cells that keep the promise need no others.
    fn likeness(&self) -> &Likeness<'a> {
        self.likeness.get_or_init(|| Likeness::new(self.file))
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
        let supporters = self.file.index().supporters(known);
        let is_inside = |cells: &Cells<'_>, group: u32| cells.cell_of[group as usize] == Some(cell);
        let inside: Vec<u32> = supporters.iter().copied().filter(|&group| is_inside(self, group)).collect();
        let mut others: Vec<u32> =
            supporters.iter().copied().filter(|&group| !is_inside(self, group)).collect();
        let likeness = self.likeness();
        let like = |other: u32| inside.iter().map(|&own| likeness.of(own, other)).max();
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
