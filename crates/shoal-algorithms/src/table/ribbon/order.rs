//! The ribbon: all records in one order, cut where it costs least.

use super::class::{Class, Member, pooled};
use super::class_rule::ClassRule;
use super::rng::Rng;
use super::space::{Growing, Space};

/// The best of a number of orders of the columns; classes of k to 2k − 1 records. The points must have k records.
pub(super) fn ribbon(space: &Space, rule: &ClassRule<'_>, members: &[Member], orders: usize) -> Vec<Class> {
    let places = Places::of(space, members);
    let candidates = places.column_orders(space, orders).into_iter().map(|columns| {
        rule.check_cancelled();
        let order = places.sort(members, &columns);
        cut(space, rule.k(), &order)
    });
    let best = candidates.min_by_key(|(loss, _, _)| *loss);
    best.map_or_else(Vec::new, |(_, order, ends)| classes(space, &order, &ends))
}

/// The same for one random order.
pub(super) fn any_ribbon(space: &Space, k: u32, members: &[Member], rng: &mut Rng) -> Vec<Class> {
    let mut columns: Vec<(usize, bool)> = (0..space.dims()).map(|c| (c, false)).collect();
    for at in (1..columns.len()).rev() {
        columns.swap(at, rng.below(at + 1));
    }
    let order = Places::of(space, members).sort(members, &columns);
    let (_, records, ends) = cut(space, k, &order);
    classes(space, &records, &ends)
}

/// Where members stand in each column.
struct Places {
    dims: usize,
    /// Member by member.
    places: Vec<u32>,
}

impl Places {
    fn of(space: &Space, members: &[Member]) -> Places {
        let places =
            |m: &Member| (0..space.dims()).map(|c| space.place(c, space.point(m.point))).collect::<Vec<_>>();
        Places { dims: space.dims(), places: members.iter().flat_map(places).collect() }
    }

    /// The members sorted by the columns, one after the other; in some, only the first value is told from the
    /// others.
    fn sort(&self, members: &[Member], columns: &[(usize, bool)]) -> Vec<Member> {
        let place = |at: usize, (column, split): (usize, bool)| {
            let place = self.places[at * self.dims + column];
            if split { place.min(1) } else { place }
        };
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by(|&a, &b| {
            let differ = columns.iter().map(|&c| place(a, c).cmp(&place(b, c)));
            differ.into_iter().find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        order.into_iter().map(|at| members[at]).collect()
    }

    /// Rotations of the columns sorted by their number of values. Each of them twice: first sorted by whether a name is
    /// the most frequent one of its column, and then without that.
    fn column_orders(&self, space: &Space, orders: usize) -> Vec<Vec<(usize, bool)>> {
        let values = |column: usize| {
            let mut places: Vec<u32> = self.places.iter().skip(column).step_by(self.dims).copied().collect();
            places.sort_unstable();
            places.dedup();
            places.len()
        };
        let mut columns: Vec<usize> = (0..self.dims).collect();
        columns.sort_by_cached_key(|&c| values(c));
        let split_first = |columns: &[usize]| {
            let (names, others): (Vec<usize>, Vec<usize>) = columns.iter().partition(|&&c| space.is_names(c));
            let first = names.clone().into_iter().map(|c| (c, true));
            first.chain(others.into_iter().chain(names).map(|c| (c, false))).collect()
        };
        let rotations = (0..columns.len()).map(|by| {
            let mut rotated = columns.clone();
            rotated.rotate_right(by);
            rotated
        });
        let both = rotations.flat_map(|c| [split_first(&c), c.iter().map(|&c| (c, false)).collect()]);
        both.take(orders).collect()
    }
}

/// The least loss of cutting the records of these points into classes of k to 2k − 1, those records one by one, and
/// where each class ends. By dynamic programming over the place of the last cut.
pub(super) fn cut(space: &Space, k: u32, order: &[Member]) -> (u64, Vec<u32>, Vec<usize>) {
    let records: Vec<u32> =
        order.iter().flat_map(|m| std::iter::repeat_n(m.point, m.count as usize)).collect();
    let k = k as usize;
    let mut least = vec![(u64::MAX, 0_usize); records.len() + 1];
    least[0].0 = 0;
    let mut cover = Growing::new(space);
    for end in k..=records.len() {
        cover.start(space.point(records[end - 1]));
        let mut cost = 0;
        // A class of 2k or more could be cut into two that lose no more.
        for size in 1..2 * k.min(end) {
            if size > end {
                break;
            }
            let start = end - size;
            // Records of one point are next to each other and add nothing to the cover.
            if size > 1 && records[start] != records[start + 1] {
                cover.join(space.point(records[start]));
                cost = cover.cost();
            }
            if size >= k && least[start].0 != u64::MAX {
                let loss = least[start].0 + size as u64 * u64::from(cost);
                if loss < least[end].0 {
                    least[end] = (loss, start);
                }
            }
        }
    }
    // Back from the end, along the cuts that gave the least loss.
    let mut ends = Vec::new();
    let mut end = records.len();
    while end > 0 {
        ends.push(end);
        end = least[end].1;
    }
    ends.reverse();
    (least[records.len()].0, records, ends)
}

fn classes(space: &Space, records: &[u32], ends: &[usize]) -> Vec<Class> {
    let starts = [0].into_iter().chain(ends.iter().copied());
    let class = |(start, &end): (usize, &usize)| {
        let members = records[start..end].iter().map(|&point| Member { point, count: 1 });
        Class::of(space, pooled(members.collect()))
    };
    starts.zip(ends).map(class).collect()
}
