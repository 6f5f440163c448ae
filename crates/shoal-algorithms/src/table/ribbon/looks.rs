//! What points look like on one level for each column, as a hash. Columns with few values are looked up together, and
//! columns that say nothing are not looked up at all, so that the time does not grow with their number.

use std::borrow::Cow;

use super::ladder::Ladder;
use super::tuning::Tuning;
use crate::table::points::Points;

/// The points, prepared for looking them up on any combination of levels.
pub(super) struct Looks<'a> {
    points: &'a Points,
    groups: Vec<Group<'a>>,
    /// For each point the place of its values in the tables of every group.
    places: Vec<u32>,
}

/// Some columns that are looked up together.
struct Group<'a> {
    columns: Vec<usize>,
    /// How many levels each of them has.
    rungs: Vec<usize>,
    /// How many combinations of their values there are.
    values: usize,
    /// For each combination of their levels, that of the first column changing fastest, what each combination of values looks like.
    tables: Vec<Table<'a>>,
}

enum Table<'a> {
    /// All values look alike.
    Alike(u64),
    Images(Cow<'a, [u64]>),
}

/// The points on one level for each column.
pub(super) struct View<'a> {
    groups: usize,
    places: &'a [u32],
    /// What is the same for all of them.
    start: u64,
    /// The groups in which they differ.
    tables: Vec<(usize, &'a [u64])>,
}

impl<'a> Looks<'a> {
    /// The points on all levels of these ladders.
    pub(super) fn of(ladders: &'a [Ladder], points: &'a Points) -> Looks<'a> {
        // The largest first, each to the first group that has room: few groups are left.
        let mut columns: Vec<usize> = (0..ladders.len()).collect();
        columns.sort_by_key(|&c| std::cmp::Reverse(ladders[c].values()));
        let mut groups: Vec<Group<'_>> = Vec::new();
        for column in columns {
            let (values, rungs) = (ladders[column].values(), ladders[column].len());
            let fits = |group: &&mut Group<'_>| {
                let tables: usize = group.rungs.iter().product();
                group.values * values <= Tuning::FUSED_VALUES
                    && group.values * values * tables * rungs <= Tuning::FUSED_ENTRIES
            };
            match groups.iter_mut().find(fits) {
                Some(group) => {
                    group.columns.push(column);
                    group.rungs.push(rungs);
                    group.values *= values;
                }
                None => groups.push(Group {
                    columns: vec![column],
                    rungs: vec![rungs],
                    values,
                    tables: Vec::new(),
                }),
            }
        }
        groups.iter_mut().for_each(|group| group.fill(ladders));
        let place = |point: usize, group: &Group<'_>| {
            let codes = points.point(point);
            let place = group
                .columns
                .iter()
                .rev()
                .fold(0, |place, &c| place * ladders[c].values() + codes[c] as usize);
            place as u32
        };
        let mut places = Vec::with_capacity(points.len() * groups.len());
        for point in 0..points.len() {
            places.extend(groups.iter().map(|group| place(point, group)));
        }
        Looks { points, groups, places }
    }

    /// The values of a point, column by column.
    pub(super) fn codes(&self, point: u32) -> &[u32] {
        self.points.point(point as usize)
    }

    /// The points on these levels.
    pub(super) fn on(&self, levels: &[u8]) -> View<'_> {
        let mut view = View { groups: self.groups.len(), places: &self.places, start: 0, tables: Vec::new() };
        for (at, group) in self.groups.iter().enumerate() {
            match group.table(levels) {
                Table::Alike(image) => view.start ^= image,
                Table::Images(images) => view.tables.push((at, images)),
            }
        }
        view
    }
}

impl<'a> Group<'a> {
    fn fill(&mut self, ladders: &'a [Ladder]) {
        let tables: usize = self.rungs.iter().product();
        for table in 0..tables {
            if let [only] = self.columns[..] {
                self.tables.push(Table::of(Cow::Borrowed(ladders[only].images(table as u8))));
                continue;
            }
            let mut images = vec![0];
            let mut rest = table;
            for (&column, &rungs) in self.columns.iter().zip(&self.rungs) {
                let of_column = ladders[column].images((rest % rungs) as u8);
                rest /= rungs;
                // The first column changes fastest, as in the places.
                images = of_column
                    .iter()
                    .flat_map(|image| images.iter().map(move |before| image ^ before))
                    .collect();
            }
            self.tables.push(Table::of(Cow::Owned(images)));
        }
    }

    fn table(&self, levels: &[u8]) -> &Table<'a> {
        let columns = self.columns.iter().zip(&self.rungs).rev();
        &self.tables[columns.fold(0, |at, (&c, &rungs)| at * rungs + levels[c] as usize)]
    }
}

impl<'a> Table<'a> {
    fn of(images: Cow<'a, [u64]>) -> Table<'a> {
        match images.first() {
            Some(&first) if images.iter().all(|&image| image == first) => Table::Alike(first),
            _ => Table::Images(images),
        }
    }
}

impl View<'_> {
    /// A hash that is equal for points that look alike.
    #[inline]
    pub(super) fn hash(&self, point: u32) -> u64 {
        let places = &self.places[point as usize * self.groups..];
        self.tables.iter().fold(self.start, |hash, (group, images)| hash ^ images[places[*group] as usize])
    }
}
