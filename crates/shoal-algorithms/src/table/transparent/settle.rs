//! Buckets that are too small for a class of their own.
//!
//! Each row of such a bucket, one record of every column, joins the class that loses least by it. That gives nothing away:
//! a reader who knew the classes before they were put together would know more, and could still not do better than 1/m.

use shoal_core::Progress;

use super::class::Class;
use crate::table::ribbon::neighbours::Neighbours;
use crate::table::ribbon::space::Space;

/// Lets the rows join the classes; where there is no class, they form some by themselves.
pub(super) fn settle(
    space: &Space,
    k: usize,
    classes: &mut Vec<Class>,
    rows: Vec<Class>,
    seed: u64,
    progress: &dyn Progress,
) {
    if classes.is_empty() {
        *classes = gather(space, k, &rows, seed, progress);
        return;
    }
    for row in rows {
        progress.check();
        let nearest = (0..classes.len()).min_by_key(|&at| classes[at].added(space, &row)).unwrap_or(0);
        classes[nearest].join(space, row);
    }
}

/// Groups of near rows with at least k records each.
fn gather(space: &Space, k: usize, rows: &[Class], seed: u64, progress: &dyn Progress) -> Vec<Class> {
    if rows.is_empty() {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    let large = |items: &[u32]| {
        progress.check();
        items.iter().map(|&row| rows[row as usize].size()).sum::<usize>() >= k
    };
    let near = Neighbours { space, cover: |row: u32| &rows[row as usize].cover[..], may: large, most: 1 };
    let sizes = near.group(&mut order, seed);
    let mut rest = &order[..];
    let mut classes = Vec::with_capacity(sizes.len());
    for size in sizes {
        let (group, after) = rest.split_at(size);
        let members = group.iter().flat_map(|&row| rows[row as usize].members.iter().copied());
        classes.push(Class::of(space, members.collect()));
        rest = after;
    }
    classes
}
