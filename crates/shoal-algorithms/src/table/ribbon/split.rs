//! From the whole to its parts: the cut that leaves least, while both parts hold.

use super::class::{Class, Member};
use super::law::Law;
use super::space::Space;

/// Larger classes are cut nearer to the middle, so that the work stays within n log n.
const MANY: usize = 512;

/// Cuts a class, and what comes of it, while the loss falls.
pub(super) fn split(space: &Space, law: &Law<'_>, whole: Class, out: &mut Vec<Class>) {
    let mut waiting = vec![whole];
    while let Some(class) = waiting.pop() {
        law.check_wanted();
        match best_cut(space, law, &class) {
            Some((low, high)) => {
                waiting.push(Class::of(space, high));
                waiting.push(Class::of(space, low));
            }
            None => out.push(class),
        }
    }
}

fn best_cut(space: &Space, law: &Law<'_>, whole: &Class) -> Option<(Vec<Member>, Vec<Member>)> {
    let n = whole.members.len();
    if whole.size < 2 * law.k() || whole.cost == 0 || n < 2 {
        return None;
    }
    let margin = if n > MANY { n / 8 } else { 1 };
    let mut candidates: Vec<(u64, usize, usize)> = Vec::new();
    let mut order: Vec<(u32, Member)> = Vec::with_capacity(n);
    let mut after = vec![u64::MAX; n];
    let mut cover = vec![0_u64; space.width()];
    for column in (0..space.dims()).filter(|&c| space.cost_in(c, &whole.cover) > 0) {
        law.check_wanted();
        sort(space, column, &whole.members, &mut order);
        let mut size = 0;
        for i in (margin..n).rev() {
            grow(space, &mut cover, order[i].1.point, i == n - 1);
            size += order[i].1.count;
            let possible = size >= law.k() && i <= n - margin;
            after[i] = if possible { u64::from(size) * u64::from(space.cost(&cover)) } else { u64::MAX };
        }
        let mut best: Option<(u64, usize, usize)> = None;
        let mut size = 0;
        for (i, (_, m)) in order[..n - margin].iter().enumerate() {
            grow(space, &mut cover, m.point, i == 0);
            size += m.count;
            let at = i + 1;
            if at >= margin && size >= law.k() && after[at] != u64::MAX {
                let left = u64::from(size) * u64::from(space.cost(&cover)) + after[at];
                if best.is_none_or(|best| left < best.0) {
                    best = Some((left, column, at));
                }
            }
        }
        candidates.extend(best.filter(|best| best.0 < whole.loss() || n > MANY));
    }
    candidates.sort_unstable();
    candidates.iter().find_map(|&(_, column, at)| {
        sort(space, column, &whole.members, &mut order);
        let mut low: Vec<Member> = order.iter().map(|o| o.1).collect();
        let high = low.split_off(at);
        (law.holds(&low) && law.holds(&high)).then_some((low, high))
    })
}

fn sort(space: &Space, column: usize, members: &[Member], order: &mut Vec<(u32, Member)>) {
    order.clear();
    order.extend(members.iter().map(|&m| (space.place(column, space.point(m.point)), m)));
    order.sort_unstable_by_key(|(place, m)| (*place, m.point));
}

fn grow(space: &Space, cover: &mut [u64], point: u32, first: bool) {
    if first {
        cover.copy_from_slice(space.point(point));
    } else {
        space.join(cover, space.point(point));
    }
}
